"""Which numbers each part of a blueprint reads: names inside the part, and the paths of the parameters."""

from collections.abc import Mapping
from typing import Any

from pliant.model._structure import Numbers

Plan = Mapping[str, Any]
Materials = Mapping[str, Plan]  # by name

# Numbers of a material that a cross-section needs.
_MATERIAL = ("young", "poisson", "density", "viscosity", "stretch_limit")
_SPRING = ("stiffness", "damping", "rest", "power", "ratio")


def references(names: Mapping[str, str | None]) -> Numbers:
    """Name and path of every number that is given."""
    return tuple((name, ref[1:]) for name, ref in sorted(names.items()) if ref is not None)


def joint_numbers(joint: Plan) -> Numbers:
    numbers = references({name: joint[name] for name in (*_SPRING, "pitch")})
    return (*numbers, *_axes(joint))


def loop_numbers(joint: Plan | None) -> Numbers:
    """Numbers of the joint that closes a loop, if there is one."""
    return () if not joint else (*references({"pitch": joint["pitch"]}), *_axes(joint))


def _axes(joint: Plan) -> Numbers:
    return tuple((f"axis_{i}", axis) for i, axis in enumerate(joint["axes"]))


def rod_numbers(link: Plan, materials: Materials) -> Numbers:
    section = _section(link["section"], link["material"], materials)
    reference = {f"reference.{strain}": ref for strain, ref in link["reference"].items()}
    power = {"damping_power": link.get("damping_power")}
    return references({"length": link["length"], **section, **reference, **power})


def mesh_numbers(net: Plan, materials: Materials) -> Numbers:
    edge = net["edge"]
    numbers = {name: edge[name] for name in (*_SPRING, "xaxis")}
    numbers |= {name: net[name] for name in ("nodes", "mass", "inertia")}
    if edge["section"] is not None:
        numbers |= _section(edge["section"], edge["material"], materials)
    return references(numbers)


def body_numbers(link: Plan, materials: Materials) -> Numbers:
    """Numbers of a rigid link."""
    sizes = {name: ref for name, ref in (link["shape"] or {}).items() if name != "kind"}
    density = materials[link["material"]]["density"] if link["material"] else None
    return references({name: link[name] for name in ("mass", "inertia", "centre")} | sizes | {"density": density})


def _section(section: Plan, material: str | None, materials: Materials) -> dict[str, str | None]:
    """Numbers of a cross-section and of its material by name."""
    own = {name: ref for name, ref in section.items() if isinstance(ref, str) and ref.startswith("@")}
    holes = {f"holes.{name}": ref for name, ref in (section.get("holes") or {}).items()}
    found = {} if material is None else materials.get(material, {})
    return own | holes | {name: found.get(name) for name in _MATERIAL}
