"""The robot as the user holds it: immutable, from a file or built with the same words in Python."""

import json
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from pliant.blueprint import Blueprint
from pliant.description.checks import unknown_models, user_models, validate
from pliant.description.formats.urdf import read_urdf
from pliant.description.language import Description, mesh_in_python, surface_in_python, with_value_at
from pliant.description.language.grammar import (
    DEEPEST,
    Finding,
    Problem,
    RobotFileError,
    Tree,
    is_mapping,
    problems_from,
    shortened,
    write_yaml,
)
from pliant.description.lowering import Parameters, lower

_LONGEST_NAME = 70  # of a robot, in messages


class Robot:
    """A robot, described by what it is made of; nothing is computed yet.

    Every method returns a new robot. Values are written as in a robot file: SI numbers, or text with a unit. They are
    checked when the description is first needed, all at once.

    >>> arm = (
    ...     Robot("arm")
    ...     .material("silicone", young="200 kPa", poisson=0.5, density=1070)
    ...     .rod("arm", length="300 mm", section={"circle": {"radius": "12 mm"}}, material="silicone")
    ... )
    >>> arm.description.links[0].length
    0.3
    """

    def __init__(self, name: str):
        self._tree = Tree({"robot": name})
        self._source: str | None = None

    @classmethod
    def _of(cls, tree: Tree, source: str | None = None) -> Self:
        robot = cls.__new__(cls)
        robot._tree = tree
        robot._source = source
        return robot

    @classmethod
    def from_urdf(cls, path: str | os.PathLike[str], *, name: str | None = None, drive: str | None = None) -> Self:
        """The robot in a URDF file, called `name`, or as in the file; `drive` is "motion" or "force": see docs/urdf.md.

        Links without mass are frames, on which others may hang: `.rod("tip", parent="tool0", ...)`.
        """
        tree = read_urdf(path, drive=drive)
        robot = cls._of(Tree({**tree.data, "robot": name or tree.data["robot"]}, tree.lines), os.fspath(path))
        _ = robot.description
        return robot

    @property
    def name(self) -> str:
        return str(self._tree.data["robot"])

    @cached_property
    def description(self) -> Description:
        """The validated robot, in SI; a RobotFileError lists everything that is wrong with it."""
        description, findings = validate(self._tree)
        if description is None:
            self._refuse(findings)
            raise AssertionError("findings without a description always raise")
        return description

    def _refuse(self, findings: list[Finding]) -> None:
        data = self._tree.data
        name = data.get("robot", "robot") if is_mapping(data) else "robot"
        source = self._source or shortened(str(name), _LONGEST_NAME)  # it stands before every problem
        raise RobotFileError(problems_from(findings, self._tree, source))

    def blueprint(self, rod_models: Sequence[str] = ()) -> tuple[Blueprint, Parameters]:
        """The blueprint, and its parameters (path -> SI array): see docs/blueprint.md.

        `rod_models` are words beyond the language's that may stand as the model of a rod.
        """
        findings = unknown_models(self.description, rod_models)
        if findings:
            self._refuse(findings)
        return lower(self.description)

    def to_yaml(self) -> str:
        """The robot as the text of a robot file, with the units it was written in."""
        words = [model.word for _, model in user_models(self.description)]
        if words:
            raise ValueError(
                f"robot {self.name!r} cannot be written as a robot file: its rod model {words[0]!r} is none of the "
                "language's, and Python code is not written"
            )
        return write_yaml(self._tree.data)

    def with_value(self, path: str, value: Any) -> Self:
        """The robot with one value changed, addressed as in the file: `with_value("links.arm.length", "150 mm")`."""
        return self._of(Tree(with_value_at(self._tree.data, path, plain(value), self.name)))

    def with_gravity(self, gravity: Any) -> Self:
        return self._with("gravity", plain(gravity))

    def material(
        self, name: str, *, young: Any, poisson: Any, density: Any, viscosity: Any = None, law: Any = None
    ) -> Self:
        """Add an isotropic material."""
        fields = _given(young=young, poisson=poisson, density=density, viscosity=viscosity, law=law)
        return self._with_entry("materials", name, fields)

    def rod(
        self,
        name: str,
        *,
        length: Any = None,
        section: Any = None,
        material: str | None = None,
        parent: Any = None,
        joint: Any = None,
        divisions: Any = None,
        allow: Any = None,
        reference: Any = None,
        model: Any = None,
        damping_power: Any = None,
        update: str | None = None,
    ) -> Self:
        """Add a rod, running along its local z axis from the place where it hangs on its parent.

        A rod of several `divisions` has no length of its own.
        """
        fields = _given(
            name=name,
            kind="rod",
            parent=parent,
            joint=joint,
            length=length,
            section=section,
            material=material,
            allow=allow,
            reference=reference,
            model=model,
            damping_power=damping_power,
            update=update,
            divisions=divisions,
        )
        return self._with_item("links", fields)

    def rigid(
        self,
        name: str,
        *,
        shape: Any = None,
        material: str | None = None,
        mass: Any = None,
        inertia: Any = None,
        centre: Any = None,
        parent: Any = None,
        joint: Any = None,
    ) -> Self:
        """Add a rigid body."""
        fields = _given(
            name=name,
            kind="rigid",
            parent=parent,
            joint=joint,
            shape=shape,
            material=material,
            mass=mass,
            inertia=inertia,
            centre=centre,
        )
        return self._with_item("links", fields)

    def frame(self, name: str, *, link: str, at: Any = None, node: int | None = None, offset: Any = None) -> Self:
        """Name a place whose pose is reported in results."""
        return self._with_item("frames", _given(name=name, link=link, at=at, node=node, offset=offset))

    def load(
        self,
        name: str,
        *,
        where: Any = None,
        along: Any = None,
        force: Any = None,
        moment: Any = None,
        frame: str | None = None,
    ) -> Self:
        """Add a force and moment at a place (`where`) or spread along a rod (`along`)."""
        fields = _given(name=name, where=where, along=along, force=force, moment=moment, frame=frame)
        return self._with_item("loads", fields)

    def tendon(
        self,
        name: str,
        *,
        route: Any = None,
        link: str | None = None,
        x: Any = None,
        y: Any = None,
        helix: Any = None,
        tension: Any = None,
        length: Any = None,
        friction: Any = None,
        stiffness: Any = None,
    ) -> Self:
        """Add a tendon: along a whole rod (`link`, and `x`, `y`, `helix` off its axis), or by a `route` of items."""
        offsets = _given(x=x, y=y, helix=helix)
        route = offsets if route is None else {**plain(route), **offsets} if is_mapping(route) else route
        fields = _given(
            name=name,
            tendon=_given(link=link, route=route),
            tension=tension,
            length=length,
            friction=friction,
            stiffness=stiffness,
        )
        return self._with_item("actuators", fields)

    def chamber(
        self,
        name: str,
        *,
        link: str,
        pressure: Any,
        radius: Any = None,
        area: Any = None,
        centre: Any = None,
        around: Any = None,
        from_: Any = None,
        to: Any = None,
    ) -> Self:
        """Add a pressure chamber along a rod, or with `around` one for each angle: `name-1`, `name-2`, ..."""
        fields = _given(link=link, radius=radius, area=area, centre=centre, around=around, from_=from_, to=to)
        return self._with_item("actuators", _given(name=name, chamber=fields, pressure=pressure))

    def internal(self, name: str, *, link: str, stress: Any, from_: Any = None, to: Any = None) -> Self:
        """Add a stress that a rod makes within itself, as muscle and swelling do."""
        return self._with_item(
            "actuators", _given(name=name, internal=_given(link=link, from_=from_, to=to), stress=stress)
        )

    def drive(self, name: str, *, joint: str, motion: Any = None, force: Any = None, coordinate: Any = None) -> Self:
        """Move the joint of a link (`motion`) or push it (`force`); `coordinate` where not all of it."""
        fields = _given(name=name, joint=joint, coordinate=coordinate, motion=motion, force=force)
        return self._with_item("actuators", fields)

    def constraint(
        self,
        name: str,
        *,
        between: Any = None,
        fix: Any = None,
        joint: Any = None,
        frame: Any = None,
        follow: Any = None,
        control: Any = None,
        through: Any = None,
        tie: Any = None,
        ratio: Any = None,
    ) -> Self:
        """Tie two places together (`between`): the directions `fix`, or all that a `joint` does not leave free.

        What is fixed may `follow` a programme, under a `control` instead of exactly, `through` actuators instead of by
        an ideal reaction. Or `tie` two coordinates of joints: the first is `ratio` times the second.
        """
        fields = _given(
            name=name,
            between=between,
            fix=fix,
            joint=joint,
            frame=frame,
            follow=follow,
            control=control,
            through=through,
            tie=tie,
            ratio=ratio,
        )
        return self._with_item("constraints", fields)

    def spring(self, name: str, *, between: Any, axial: Any = None, beam: Any = None, force: Any = None) -> Self:
        """Add a spring and damper between two places: along their line (`axial`) or in six components (`beam`)."""
        return self._with_item("springs", _given(name=name, between=between, axial=axial, beam=beam, force=force))

    def surface(
        self,
        name: str,
        *,
        where: Any = None,
        along: Any = None,
        nodes: Any = None,
        radius: Any = None,
        spacing: Any = None,
        plane: Any = None,
        sphere: Any = None,
        cylinder: Any = None,
        capsule: Any = None,
        torus: Any = None,
        box: Any = None,
        ellipsoid: Any = None,
        mesh: Any = None,
        heightfield: Any = None,
        hollow: Any = None,
    ) -> Self:
        """Add something to touch: a shape at a place (`hollow`: from its inside), the skin of a rod (`along`), or the
        nodes of a mesh, with a radius.

        The `file` of a `mesh` or of a `heightfield` is read at once, wherever it lies."""
        fields = _given(
            name=name,
            where=where,
            along=along,
            nodes=nodes,
            radius=radius,
            spacing=spacing,
            plane=plane,
            sphere=sphere,
            cylinder=cylinder,
            capsule=capsule,
            torus=torus,
            box=box,
            ellipsoid=ellipsoid,
            mesh=mesh,
            heightfield=heightfield,
            hollow=hollow,
        )
        return self._with_item("surfaces", surface_in_python(fields, self.name))

    def contact(
        self, name: str, *, between: Any = None, within: Any = None, friction: Any = None, **numbers: Any
    ) -> Self:
        """Add a contact between two surfaces or rigid links with shapes, or within a skin; numbers: stiffness, damping,
        exponent and their like, as in a robot file."""
        return self._with_item(
            "contacts", _given(name=name, between=between, within=within, friction=friction, **numbers)
        )

    def mesh(
        self,
        name: str,
        *,
        mass: Any,
        nodes: Any = None,
        edges: Any = None,
        grid: Any = None,
        block: Any = None,
        file: Any = None,
        axial: Any = None,
        beam: Any = None,
        where: Any = None,
        inertia: Any = None,
        fixed: Any = None,
    ) -> Self:
        """Add nodes that move by themselves, with edges that are springs (`axial`) or beams (`beam`).

        Nodes and edges, which are pairs of the nodes' numbers from 1, are given, or those of a `grid`, of a `block`, or
        of the lines of a CAD `file` (a path, or `{"path": ..., "tolerance": "1 mm"}`), which is read at once.
        """
        fields = _given(
            name=name,
            where=where,
            nodes=nodes,
            edges=edges,
            grid=grid,
            block=block,
            axial=axial,
            beam=beam,
            mass=mass,
            inertia=inertia,
            fixed=fixed,
        )
        return self._with_item("meshes", fields if file is None else mesh_in_python(fields, file, self.name))

    def initial(self, link: str, **values: Any) -> Self:
        """Set where a link starts: strains of a rod, coordinates and velocities of a joint."""
        before = self._tree.data.get("initial", {})
        return self._with("initial", {**before, link: {**before.get(link, {}), **_given(**values)}})

    def analysis(self, kind: str, **settings: Any) -> Self:
        """Add an analysis: statics, modes or simulate (`from` is written `from_`)."""
        return self._with_item("analyses", {kind: _given(**settings)})

    def _with(self, section: str, value: Any) -> Self:
        data = self._tree.data
        if not is_mapping(data):
            _ = self.description
        return self._of(Tree({**data, section: value}))

    def _with_item(self, section: str, item: Any) -> Self:
        return self._with(section, [*(self._tree.data.get(section) or []), item])

    def _with_entry(self, section: str, name: str, fields: Any) -> Self:
        entries = self._tree.data.get(section) or {}
        if name in entries:
            problem = Problem(
                self.name, None, f"{section}.{name}", name, f'"{name}" stands twice; expected each name once'
            )
            raise RobotFileError([problem])
        return self._with(section, {**entries, name: fields})

    @cached_property
    def _canonical(self) -> str:
        return json.dumps(self.description.model_dump(mode="json"), sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return self._canonical == other._canonical if isinstance(other, Robot) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._canonical)

    def __repr__(self) -> str:
        links = self._tree.data.get("links") or []
        meshes = self._tree.data.get("meshes") or []
        return f"Robot({self.name!r}, {len(links)} links{f', {len(meshes)} meshes' if meshes else ''})"


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that were given, as plain data; a trailing underscore keeps `from` out of Python's way."""
    return {name.rstrip("_"): plain(value) for name, value in fields.items() if value is not None}


def plain(value: Any, depth: int = 0) -> Any:
    """Lists, dictionaries, numbers and text only, copied, so that nothing outside can change the robot."""
    if depth > DEEPEST:
        message = f"nested more than {DEEPEST} deep, or inside itself; expected a value as in a robot file"
        raise RobotFileError([Problem("robot", None, "", None, message)])
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if is_mapping(value):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    return value
