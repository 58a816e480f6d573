"""Blueprint to Structure: elements for the links, groups of equal elements, rows of the flattened tree."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pliant.elements import JOINTS, Element, RigidBody, Rod
from pliant.interactions import (
    DistributedLoad,
    Force,
    JointActuator,
    LoopKind,
    PathActuator,
    PointLoad,
    Routes,
    SpringKind,
    StressActuator,
)
from pliant.model._meshes import build_mesh
from pliant.model._offsets import is_identity, offsets
from pliant.model._paths import PathBuilder, marks
from pliant.model._rods import Shapes, UserBases, build_rod
from pliant.model._structure import (
    Body,
    Chain,
    Frame,
    Group,
    Link,
    Loop,
    Member,
    Numbers,
    Spring,
    Structure,
    Tie,
    Update,
)
from pliant.model._tree import SegmentBlock, Tree

# Numbers of a material that a cross-section needs.
_MATERIAL = ("young", "poisson", "density", "viscosity", "stretch_limit")


def build(
    structure: Mapping[str, Any],
    shapes: Shapes,
    extras: Sequence[Force] = (),
    bases: UserBases | None = None,
    update: Update | None = None,
) -> Structure:
    """Structure from a blueprint's plain half (docs/blueprint.md); `shapes`: of the parameters, by path."""
    return _Builder(structure, shapes, tuple(extras), dict(bases or {}), update).build()


def _refs(names: Mapping[str, str | None]) -> Numbers:
    return tuple((name, ref[1:]) for name, ref in sorted(names.items()) if ref is not None)


def _on(link: str, fraction: float) -> dict[str, Any]:
    return {"link": link, "at": fraction, "offset": {"move": None, "rotate": []}}


def _numbered(plan: Any) -> Any:
    """The plan with every place on a mesh written as places on rods are: `at` the number of the node, from 1."""
    if isinstance(plan, Mapping):
        inner = {key: _numbered(value) for key, value in plan.items()}
        return inner if inner.get("node") is None else {**inner, "at": float(inner["node"] + 1)}
    return [_numbered(item) for item in plan] if isinstance(plan, list) else plan


class _Builder:
    """Holds what is known half-way: elements first, then rows, then everything that refers to rows."""

    def __init__(
        self,
        plan: Mapping[str, Any],
        shapes: Shapes,
        extras: tuple[Force, ...],
        bases: dict,
        update: Update | None,
    ) -> None:
        self.plan: Mapping[str, Any] = _numbered(plan)
        plan = self.plan
        self.shapes = shapes
        self.extras = extras
        self.bases = bases
        self.update = update
        self.materials = {material["name"]: material for material in plan["materials"]}
        # A mesh is a link without a joint whose nodes are where a rod has its fractions.
        nets = [{**net, "kind": "mesh", "parent": net["where"], "joint": {"kind": "fixed"}} for net in plan["meshes"]]
        self.links = {link["name"]: link for link in (*plan["links"], *nets)}
        self.elements: dict[tuple[str, str], Element] = {}  # (link, "joint" | "rod")
        self.rods: dict[str, Rod] = {}
        self.row_start: dict[tuple[str, str], int] = {}

    def build(self) -> Structure:
        for link in self.plan["links"]:
            if link["joint"]["kind"] != "fixed":
                kind: Any = JOINTS[link["joint"]["kind"]]
                joint = dataclasses.replace(kind, acts=tuple(link["joint"]["acts"] or ()))
                self.elements[link["name"], "joint"] = joint
            if link["kind"] == "rod":
                self.rods[link["name"]] = self._rod(link)
                self.elements[link["name"], "rod"] = self.rods[link["name"]]
        for net in self.plan["meshes"]:
            self.elements[net["name"], "rod"] = build_mesh(net, self.shapes)
        grouped = self._grouped()
        row = 1
        for keys in grouped:
            for key in keys:
                self.row_start[key] = row
                row += self.elements[key].segments * self.elements[key].rows_per_segment
        members = self._members()
        groups = tuple(
            Group(self.elements[keys[0]], tuple(members[key] for key in keys), self.row_start[keys[0]])
            for keys in grouped
        )
        nodes, fractions = self._nodes()
        path_actuators, routes = self._paths()
        points = [load for load in self.plan["loads"] if load["where"] is not None]
        spread = [load for load in self.plan["loads"] if load["where"] is None]
        return Structure(
            text=json.dumps({**self.plan, "analyses": []}, sort_keys=True),
            name=self.plan["robot"],
            nq=sum(element.nq for element in self.elements.values()),
            nv=sum(element.nv for element in self.elements.values()),
            links=self._links(members),
            groups=groups,
            bodies=self._bodies(),
            frames=self._frames(),
            nodes=nodes,
            node_fractions=fractions,
            point_loads=tuple(PointLoad(p["name"], p["force"], p["moment"], p["frame"] == "world") for p in points),
            point_load_frames=tuple(self._frame(p["name"], p["where"]) for p in points),
            distributed_loads=tuple(self._distributed(load) for load in spread),
            path_actuators=path_actuators,
            routes=routes,
            joint_actuators=self._joint_actuators(members),
            stress_actuators=self._stress_actuators(),
            loops=tuple(self._loop(tie) for tie in self.plan["constraints"] if "tie" not in tie),
            ties=tuple(self._tie(tie, members) for tie in self.plan["constraints"] if "tie" in tie),
            springs=tuple(self._spring(spring) for spring in self.plan["springs"]),
            gravity=self.plan["gravity"],
            extras=self.extras,
            bases=tuple(sorted(self.bases.items(), key=lambda item: item[0])),
            initial=tuple(self.plan["initial"]),
            analyses=tuple(self.plan["analyses"]),
            tree=self._tree(groups),
            update=self.update,
        )

    def _grouped(self) -> list[list[tuple[str, str]]]:
        """Elements that can be evaluated together: equal structure, numbers of equal shape (constant or tapering)."""
        grouped: dict[Any, list[tuple[str, str]]] = {}
        for key, element in self.elements.items():
            shapes = tuple((name, self.shapes.get(path)) for name, path in self._numbers(key))
            grouped.setdefault((element, shapes, self._updates(key)), []).append(key)
        return list(grouped.values())

    def _updates(self, key: tuple[str, str]) -> bool:
        """Whether a rod's stiffness follows its mean stretch."""
        return key[1] == "rod" and self.links[key[0]].get("update") is not None

    def _numbers(self, key: tuple[str, str]) -> Numbers:
        link = self.links[key[0]]
        if link["kind"] == "mesh":
            return self._mesh_numbers(link)
        return self._joint_numbers(link) if key[1] == "joint" else self._rod_numbers(link)

    def _rod(self, link: Mapping[str, Any]) -> Rod:
        spread = [load["along"]["link"] for load in self.plan["loads"] if load["along"] is not None]
        law = self.materials.get(link["material"], {}).get("law", "hooke")
        return build_rod(link, self.shapes, self.bases, *self._marks(link["name"]), link["name"] in spread, law)

    def _marks(self, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Fractions of a rod where something hangs, and where a distributed load or the run of a tendon has an end."""
        places = [link["parent"] for link in self.plan["links"]]
        places += [frame["where"] for frame in self.plan["frames"]]
        places += [load["where"] for load in self.plan["loads"] if load["where"] is not None]
        places += [place for tie in self.plan["constraints"] for place in tie.get("between", ())]
        places += [place for spring in self.plan["springs"] for place in spring["between"]]
        attachments = {1.0} | {place["at"] for place in places if place["link"] == name and place["at"]}
        spans = [load["along"] for load in self.plan["loads"] if load["along"] is not None]
        inner = [actuator for actuator in self.plan["actuators"] if actuator["kind"] == "stress"]
        spans += [run for actuator in inner for run in actuator["along"]]
        breaks = {span[end] for span in spans if span["link"] == name for end in ("from", "to")}
        on_paths, run_ends = marks(self.plan["actuators"], name)
        attachments |= on_paths
        breaks |= run_ends
        return tuple(sorted(attachments)), tuple(sorted(b for b in breaks if 0.0 < b < 1.0))

    def _members(self) -> dict[tuple[str, str], Member]:
        members, q, v = {}, 0, 0
        chain: Chain
        for key, element in self.elements.items():
            link = self.links[key[0]]
            joint = self.elements.get((key[0], "joint"))
            if key[1] == "rod" and joint is not None:
                row, chain = self.row_start[key[0], "joint"], ()
            else:
                row, chain = self._place(link["parent"])
            members[key] = Member(key[0], element, self._numbers(key), q, v, row, chain, self._updates(key))
            q += element.nq
            v += element.nv
        return members

    def _joint_numbers(self, link: Mapping[str, Any]) -> Numbers:
        joint = link["joint"]
        numbers = _refs({name: joint[name] for name in ("stiffness", "damping", "rest", "power", "ratio", "pitch")})
        return (*numbers, *((f"axis_{i}", axis) for i, axis in enumerate(joint["axes"])))

    def _rod_numbers(self, link: Mapping[str, Any]) -> Numbers:
        section = self._section_refs(link["section"], link["material"])
        reference = {f"reference.{strain}": ref for strain, ref in link["reference"].items()}
        power = {"damping_power": link.get("damping_power")}
        return _refs({"length": link["length"], **section, **reference, **power})

    def _section_refs(self, section: Mapping[str, Any], material: str | None) -> dict[str, str | None]:
        """Numbers of a cross-section and of its material by name."""
        own = {name: ref for name, ref in section.items() if isinstance(ref, str) and ref.startswith("@")}
        holes = {f"holes.{name}": ref for name, ref in (section.get("holes") or {}).items()}
        of = self.materials.get(material, {})
        return own | holes | {name: of.get(name) for name in _MATERIAL}

    def _mesh_numbers(self, net: Mapping[str, Any]) -> Numbers:
        edge = net["edge"]
        numbers = {name: edge[name] for name in ("stiffness", "damping", "power", "ratio", "rest", "xaxis")}
        numbers |= {name: net[name] for name in ("nodes", "mass", "inertia")}
        if edge["section"] is not None:
            numbers |= self._section_refs(edge["section"], edge["material"])
        return _refs(numbers)

    def _base(self, name: str) -> tuple[int, Chain]:
        """Row and offset of a link's own base frame, after its joint."""
        if (name, "joint") in self.elements:
            return self.row_start[name, "joint"], ()
        return self._place(self.links[name]["parent"])

    def _at(self, name: str, fraction: float | None) -> tuple[int, Chain]:
        element = self.elements.get((name, "rod"))
        if element is None or not fraction:
            return self._base(name)
        segment, row = element.row_of(fraction)
        return self.row_start[name, "rod"] + segment * element.rows_per_segment + row, ()

    def _place(self, where: Mapping[str, Any]) -> tuple[int, Chain]:
        row, chain = (0, ()) if where["link"] is None else self._at(where["link"], where["at"])
        return row, (*chain, *(offset for offset in offsets(where) if not is_identity(offset)))

    def _links(self, members: Mapping[tuple[str, str], Member]) -> tuple[Link, ...]:
        order = {name: i for i, name in enumerate(self.links)}
        bodies = [link["name"] for link in self.plan["links"] if link["kind"] == "rigid"]
        return tuple(
            Link(
                name=name,
                parent=order.get(link["parent"]["link"]),
                at=link["parent"]["at"],
                offsets=offsets(link["parent"]),
                joint=members.get((name, "joint")),
                rod=members.get((name, "rod")),
                body=bodies.index(name) if name in bodies else None,
            )
            for name, link in self.links.items()
        )

    def _bodies(self) -> tuple[Body, ...]:
        bodies = []
        for name, link in self.links.items():
            if link["kind"] != "rigid":
                continue
            shape = link["shape"] or {}
            sizes = {n: ref for n, ref in shape.items() if n != "kind"}
            density = self.materials[link["material"]]["density"] if link["material"] else None
            numbers = {n: link[n] for n in ("mass", "inertia", "centre")} | sizes | {"density": density}
            body = RigidBody(shape.get("kind"), link["mass"] is not None, link["inertia"] is not None)
            bodies.append(Body(name, body, _refs(numbers), *self._base(name)))
        return tuple(bodies)

    def _frames(self) -> tuple[Frame, ...]:
        named = [self._frame(frame["name"], frame["where"]) for frame in self.plan["frames"]]
        taken = {frame.name for frame in named}
        # Every link is a frame too: its tip when it is a rod, its own frame when it is rigid.
        own = [link["name"] for link in self.plan["links"] if link["name"] not in taken]
        return (*named, *(self._frame(name, _on(name, 1.0)) for name in own))

    def _frame(self, name: str, where: Mapping[str, Any]) -> Frame:
        return Frame(name, *self._place(where), where)

    def _nodes(self) -> tuple[tuple[Frame, ...], tuple[float, ...]]:
        nodes, fractions = [], []
        for name, link in self.links.items():
            if link["kind"] == "rod":
                ends = np.unique(self.rods[name].grid.end)
                for fraction in (0.0, *(float(end) for end in ends)):
                    nodes.append(self._frame(name, _on(name, fraction)))
                    fractions.append(fraction)
        return tuple(nodes), tuple(fractions)

    def _distributed(self, load: Mapping[str, Any]) -> DistributedLoad:
        span, name = load["along"], load["along"]["link"]
        grid, weight = self.rods[name].grid, self.rods[name].span_weights(span["from"], span["to"])
        inside = weight > 0.0
        rows = self.row_start[name, "rod"] + np.flatnonzero(inside.ravel())
        return DistributedLoad(
            load["name"],
            load["force"],
            load["moment"],
            load["frame"] == "world",
            rows=rows,
            weight=weight[inside],
            link=name,
            fractions=tuple(float(fraction) for fraction in grid.end[inside]),
            length=self.links[name]["length"][1:],
        )

    def _paths(self) -> tuple[tuple[PathActuator, ...], Routes | None]:
        rows = {name: self.row_start[name, "rod"] for name in self.rods}
        lengths = {name: self.links[name]["length"][1:] for name in self.rods}
        builder = PathBuilder(self.rods, rows, lengths, self._place)
        plans = [actuator for actuator in self.plan["actuators"] if actuator["kind"] in ("tendon", "chamber")]
        actuators = tuple(builder.add(index, actuator) for index, actuator in enumerate(plans))
        return actuators, builder.routes(len(plans))

    def _joint_actuators(self, members: Mapping[tuple[str, str], Member]) -> tuple[JointActuator, ...]:
        actuators = []
        for plan in self.plan["actuators"]:
            if plan["kind"] == "joint":
                own = np.array(plan["coordinates"], dtype=int)
                size = None if len(own) == 1 else len(own)
                start = members[plan["link"], "joint"].v_start
                name, value, drive = plan["name"], plan["value"], plan["drive"]
                actuators.append(JointActuator(name, value, size, plan["link"], drive, start + own, own))
        return tuple(actuators)

    def _stress_actuators(self) -> tuple[StressActuator, ...]:
        actuators = []
        for plan in self.plan["actuators"]:
            if plan["kind"] == "stress":
                stretches = [
                    (
                        run["link"],
                        self.links[run["link"]]["length"][1:],
                        self.rods[run["link"]].strain_weights(run["from"], run["to"]),
                    )
                    for run in plan["along"]
                ]
                actuators.append(StressActuator(plan["name"], plan["value"], 6, tuple(stretches)))
        return tuple(actuators)

    def _loop(self, tie: Mapping[str, Any]) -> Loop:
        joint = tie["joint"]
        kind = LoopKind(joint["kind"] if joint else None, tuple(tie["fix"] or ()), tie["frame"])
        numbers: Numbers = ()
        if joint:
            numbers = (*_refs({"pitch": joint["pitch"]}), *((f"axis_{i}", a) for i, a in enumerate(joint["axes"])))
        first, second = (self._frame(tie["name"], where) for where in tie["between"])
        through = tuple(tie["through"] or ())
        if through and len(through) != len(kind.rows):
            count = f"{len(kind.rows)} directions ({', '.join(kind.rows)})"
            raise ValueError(
                f"constraint {tie['name']!r} holds {count} through {len(through)} actuators ({', '.join(through)}); "
                "give one actuator for each direction"
            )
        return Loop(tie["name"], kind, numbers, first, second, tie["follow"], tie["control"], through)

    def _tie(self, plan: Mapping[str, Any], members: Mapping[tuple[str, str], Member]) -> Tie:
        ends = [(members[end["link"], "joint"], end["coordinate"]) for end in plan["tie"]]
        first, second = ((member.q_start + index, member.v_start + index) for member, index in ends)
        return Tie(plan["name"], (first[0], second[0]), (first[1], second[1]), plan["ratio"][1:])

    def _spring(self, plan: Mapping[str, Any]) -> Spring:
        kind = SpringKind(
            plan["kind"],
            tuple(plan["acts"]),
            tuple(plan["rest_initial"]),
            plan["middle"],
            plan["input"] is not None,
        )
        numbers = _refs({name: plan[name] for name in ("stiffness", "damping", "power", "ratio", "rest")})
        first, second = (self._frame(plan["name"], where) for where in plan["between"])
        size = None if kind.kind == "axial" else 6
        return Spring(plan["name"], plan["input"] or {}, size, kind, numbers, first, second)

    def _tree(self, groups: tuple[Group, ...]) -> Tree:
        blocks, parents = [], []
        for group in groups:
            pieces, rows = group.element.segments, group.element.rows_per_segment
            columns = group.v_index.reshape(group.segment_count, group.width)
            blocks.append(SegmentBlock(group.segment_count, rows, group.width, columns))
            for index, member in enumerate(group.members):
                start = group.row_start + index * pieces * rows
                if group.element.hangs_together:
                    parents += [member.parent_row] + [start + piece * rows - 1 for piece in range(1, pieces)]
                else:
                    parents += [member.parent_row] * pieces
        return Tree(tuple(blocks), np.array(parents, dtype=int), sum(group.v_index.size for group in groups))
