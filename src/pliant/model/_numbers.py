"""Which numbers each part of a blueprint reads: names inside the part, and the paths of the parameters."""

from collections.abc import Mapping

from pliant.blueprint import Joint, LoopJoint, Material, Mesh, ParameterPath, Rigid, Rod, Section, numbers
from pliant.model._structure import NumberPaths

Materials = Mapping[str, Material]  # by name


def references(names: Mapping[str, str]) -> NumberPaths:
    """Name and path of every number."""
    return tuple(sorted(names.items()))


def joint_numbers(joint: Joint) -> NumberPaths:
    return (*references(numbers(joint)), *_axes(joint))


def loop_numbers(joint: LoopJoint | None) -> NumberPaths:
    """Numbers of the joint that closes a loop, if there is one."""
    return () if joint is None else (*references(numbers(joint)), *_axes(joint))


def _axes(joint: LoopJoint) -> NumberPaths:
    return tuple((f"axis_{i}", axis) for i, axis in enumerate(joint.axes))


def rod_numbers(rod: Rod, materials: Materials) -> NumberPaths:
    reference = {f"reference.{strain}": path for strain, path in rod.reference.items()}
    return references(numbers(rod) | _section(rod.section, rod.material, materials) | reference)


def mesh_numbers(net: Mesh, materials: Materials) -> NumberPaths:
    section = {} if net.edge.section is None else _section(net.edge.section, net.edge.material, materials)
    return references(numbers(net) | numbers(net.edge) | section)


def body_numbers(body: Rigid, materials: Materials) -> NumberPaths:
    """Numbers of a rigid link."""
    sizes = {} if body.shape is None else numbers(body.shape)
    density = {"density": materials[body.material].density} if body.material else {}
    return references(numbers(body) | sizes | density)


def _section(section: Section, material: str | None, materials: Materials) -> dict[str, ParameterPath]:
    """Numbers of a cross-section and of its material by name."""
    holes = {} if section.holes is None else {f"holes.{name}": path for name, path in numbers(section.holes).items()}
    return numbers(section) | holes | ({} if material is None else numbers(materials[material]))
