"""Blueprint to Structure: elements for the links, groups of equal elements, rows of the flattened tree."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pliant import blueprint
from pliant.blueprint import NO_OFFSET, Blueprint, Place, Stretch, to_json
from pliant.constraints import Constraint, CoordinateCouplings, LoopKind, loops, prescribed_motions
from pliant.elements import JOINTS, Element, Rod
from pliant.interactions import (
    DrivenJoint,
    Force,
    Frame,
    Routes,
    Span,
    SpringKind,
    contact_kind,
    contacts,
    distributed_loads,
    joint_forces,
    paths,
    point_loads,
    springs,
    stresses,
)
from pliant.mechanics import Chain
from pliant.model._contact_pairs import ContactPairBuilder, rigid_body
from pliant.model._meshes import build_mesh
from pliant.model._numbers import body_numbers, joint_numbers, loop_numbers, mesh_numbers, rod_numbers
from pliant.model._paths import PathBuilder, marks
from pliant.model._rods import UserBases, UserRod, build_rod, rod_models
from pliant.model._structure import Body, Group, Link, Member, NumberPaths, Structure, Update
from pliant.model._tree import SegmentBlock, Tree


def build(
    plan: Blueprint,
    extras: Sequence[Force] = (),
    bases: UserBases | None = None,
    update: Update | None = None,
    rods: Sequence[UserRod] = (),
) -> Structure:
    """Structure from a blueprint."""
    return _Builder(plan, tuple(extras), dict(bases or {}), update, tuple(rods)).build()


def _grouped(items: Sequence[Any], key: Callable[[Any], Any]) -> list[list[Any]]:
    """Items with equal keys, in the order in which the keys first occur."""
    groups: dict[Any, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


class _Builder:
    """Holds what is known half-way: elements first, then rows, then everything that refers to rows."""

    def __init__(
        self,
        plan: Blueprint,
        extras: tuple[Force, ...],
        bases: dict,
        update: Update | None,
        rods: tuple[UserRod, ...],
    ) -> None:
        self.plan = plan
        self.shapes = {path: info.shape for path, info in plan.parameters.items()}
        self.extras = extras
        self.bases = bases
        self.update = update
        self.models = rod_models(rods)
        words = {link.model.kind for link in plan.links if isinstance(link, blueprint.Rod)}
        self.user_rods = tuple(rod for rod in rods if rod.word in words)
        self.materials = {material.name: material for material in plan.materials}
        # A mesh is a link without a joint whose nodes are where a rod has its fractions.
        self.links: dict[str, Any] = {link.name: link for link in (*plan.links, *plan.meshes)}
        self.elements: dict[tuple[str, str], Element] = {}  # (link, "joint" | "rod")
        self.rods: dict[str, Rod] = {}
        self.row_start: dict[tuple[str, str], int] = {}

    def build(self) -> Structure:
        for link in self.plan.links:
            if link.joint.kind != "fixed":
                kind: Any = JOINTS[link.joint.kind]
                joint = dataclasses.replace(kind, acts=link.joint.acts or ())
                self.elements[link.name, "joint"] = joint
            if isinstance(link, blueprint.Rod):
                self.rods[link.name] = self._rod(link)
                self.elements[link.name, "rod"] = self.rods[link.name]
        for net in self.plan.meshes:
            self.elements[net.name, "rod"] = build_mesh(net, self.shapes)
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
        driven = self._driven_joints(members)
        return Structure(
            text=json.dumps(to_json(dataclasses.replace(self.plan, analyses=(), parameters={})), sort_keys=True),
            shapes=tuple(sorted(self.shapes.items())),
            name=self.plan.robot,
            nq=sum(element.nq for element in self.elements.values()),
            nv=sum(element.nv for element in self.elements.values()),
            links=self._links(members),
            groups=groups,
            bodies=self._bodies(),
            frames=self._frames(),
            nodes=nodes,
            node_fractions=fractions,
            interactions=(*self._interactions(driven), *self.extras),
            constraints=self._constraints(driven, members),
            actuator_names=(*self._actuator_names(), *(name for force in self.extras for name in force.actuators)),
            load_ports=tuple(f"{p.name}.{what}" for p in self.plan.loads for what in ("force", "moment")),
            gravity=self.plan.gravity,
            extras=self.extras,
            bases=tuple(sorted(self.bases.items(), key=lambda item: item[0])),
            rods=self.user_rods,
            initial=self.plan.initial,
            analyses=self.plan.analyses,
            tree=self._tree(groups),
            blueprint=self.plan,
            update=self.update,
        )

    def _grouped(self) -> list[list[tuple[str, str]]]:
        """Elements that can be evaluated together: equal structure, numbers of equal shape (constant or tapering)."""
        grouped: dict[Any, list[tuple[str, str]]] = {}
        for key, element in self.elements.items():
            shapes = tuple((n, None if n.startswith("axis_") else self.shapes[path]) for n, path in self._numbers(key))
            grouped.setdefault((element, shapes, self._updates(key)), []).append(key)
        return list(grouped.values())

    def _updates(self, key: tuple[str, str]) -> bool:
        """Whether a rod's stiffness follows its mean stretch."""
        return key[1] == "rod" and self.links[key[0]].update is not None

    def _numbers(self, key: tuple[str, str]) -> NumberPaths:
        link = self.links[key[0]]
        if link.kind == "mesh":
            return mesh_numbers(link, self.materials)
        return joint_numbers(link.joint) if key[1] == "joint" else rod_numbers(link, self.materials)

    def _rod(self, link: blueprint.Rod) -> Rod:
        spread = [load.along.link for load in self.plan.loads if load.along is not None]
        spread += [run.link for run in self._skins]
        law = "hooke" if link.material is None else self.materials[link.material].law
        marks = self._marks(link.name)
        return build_rod(link, self.models, self.shapes, self.bases, *marks, link.name in spread, law)

    @property
    def _skins(self) -> list[Stretch]:
        return [run for skin in self.plan.surfaces if isinstance(skin, blueprint.Skin) for run in skin.along]

    def _marks(self, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Fractions of a rod where something hangs, and where a distributed load or the run of a tendon has an end."""
        places = [link.parent for link in self.plan.links]
        places += [frame.where for frame in self.plan.frames]
        places += [load.where for load in self.plan.loads if load.where is not None]
        places += [place for loop in self._loops for place in loop.between]
        places += [place for spring in self.plan.springs for place in spring.between]
        places += [surface.where for surface in self.plan.surfaces if isinstance(surface, blueprint.Surface)]
        attachments = {1.0} | {place.position for place in places if place.link == name and place.position}
        spans = [load.along for load in self.plan.loads if load.along is not None]
        spans += [run for actuator in self._actuators(blueprint.Stress) for run in actuator.along]
        spans += self._skins
        breaks = {end for span in spans if span.link == name for end in (span.from_, span.to)}
        on_paths, run_ends = marks(self.plan.actuators, name)
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
                row, chain = self._place(link.parent)
            members[key] = Member(key[0], element, self._numbers(key), q, v, row, chain, self._updates(key))
            q += element.nq
            v += element.nv
        return members

    def _base(self, name: str) -> tuple[int, Chain]:
        """Row and offset of a link's own base frame, after its joint."""
        if (name, "joint") in self.elements:
            return self.row_start[name, "joint"], ()
        return self._place(self.links[name].parent)

    def _at(self, name: str, fraction: float | None) -> tuple[int, Chain]:
        element = self.elements.get((name, "rod"))
        if element is None or not fraction:
            return self._base(name)
        segment, row = element.row_of(fraction)
        return self.row_start[name, "rod"] + segment * element.rows_per_segment + row, ()

    def _place(self, where: Place) -> tuple[int, Chain]:
        row, chain = (0, ()) if where.link is None else self._at(where.link, where.position)
        return row, (*chain, *where.offsets)

    def _links(self, members: Mapping[tuple[str, str], Member]) -> tuple[Link, ...]:
        order = {name: i for i, name in enumerate(self.links)}
        bodies = [link.name for link in self.plan.links if isinstance(link, blueprint.Rigid)]
        return tuple(
            Link(
                name=name,
                parent=order.get(link.parent.link),
                at=link.parent.position,
                offsets=link.parent.offsets,
                joint=members.get((name, "joint")),
                rod=members.get((name, "rod")),
                body=bodies.index(name) if name in bodies else None,
            )
            for name, link in self.links.items()
        )

    def _bodies(self) -> tuple[Body, ...]:
        bodies = []
        for name, link in self.links.items():
            if not isinstance(link, blueprint.Rigid):
                continue
            bodies.append(Body(name, rigid_body(link), body_numbers(link, self.materials), *self._base(name)))
        return tuple(bodies)

    def _frames(self) -> tuple[Frame, ...]:
        named = [self._frame(frame.name, frame.where) for frame in self.plan.frames]
        taken = {frame.name for frame in named}
        # Every link is a frame too: its tip when it is a rod, its own frame when it is rigid.
        own = [link.name for link in self.plan.links if link.name not in taken]
        return (*named, *(self._frame(name, Place(name, 1.0, NO_OFFSET)) for name in own))

    def _frame(self, name: str, where: Place) -> Frame:
        return Frame(name, *self._place(where), where)

    def _nodes(self) -> tuple[tuple[Frame, ...], tuple[float, ...]]:
        nodes, fractions = [], []
        for name, rod in self.rods.items():
            for fraction in (0.0, *(float(end) for end in np.unique(rod.grid.end))):
                nodes.append(self._frame(name, Place(name, fraction, NO_OFFSET)))
                fractions.append(fraction)
        return tuple(nodes), tuple(fractions)

    def _interactions(self, driven: Mapping[str, list[DrivenJoint]]) -> list[Force]:
        """What the file says acts on the robot: equal kinds together."""
        found: list[Force] = []
        points = [load for load in self.plan.loads if load.where is not None]
        for plans in _grouped(points, lambda load: load.frame == "world"):
            found.append(point_loads(plans, [self._frame(p.name, p.where) for p in plans], self.shapes))
        spread = [load for load in self.plan.loads if load.where is None]
        for plans in _grouped(spread, lambda load: load.frame == "world"):
            spans = [self._span(plan.along, self._rod_of(plan.along).span_weights) for plan in plans]
            found.append(distributed_loads(plans, spans, self.shapes))
        for plans in _grouped(self.plan.springs, self._spring_kind):
            found.append(springs(self._spring_kind(plans[0]), plans, self._ends(plans), self.shapes))
        for index, pairs in enumerate(_grouped(self._contact_pairs().pairs(), contact_kind)):
            found.append(contacts(f"contacts/{index + 1}", pairs))
        routed = self._actuators(blueprint.Tendon, blueprint.Chamber)
        if routed:
            found.append(paths(routed, self._routes(routed), self.shapes))
        strained = self._actuators(blueprint.Stress)
        if strained:
            runs = [[self._span(run, self._rod_of(run).strain_weights) for run in plan.along] for plan in strained]
            found.append(stresses(strained, runs, self.shapes))
        for joints in _grouped(driven["force"], lambda joint: joint.shape):
            found.append(joint_forces(joints, self.shapes))
        return found

    def _constraints(
        self, driven: Mapping[str, list[DrivenJoint]], members: Mapping[tuple[str, str], Member]
    ) -> tuple[Constraint, ...]:
        found: list[Constraint] = []
        for plans in _grouped(self._loops, self._loop_key):
            axes = [loop_numbers(plan.joint) for plan in plans]
            found.append(loops(self._loop_kind(plans[0]), plans, self._ends(plans), axes, self.shapes))
        for joints in _grouped(driven["motion"], lambda joint: (joint.element, tuple(joint.coordinates))):
            found.append(prescribed_motions(joints, self.shapes))
        coupled = [plan for plan in self.plan.constraints if isinstance(plan, blueprint.Coupling)]
        if coupled:
            found.append(self._couplings(coupled, members))
        return tuple(found)

    def _ends(self, plans: Sequence[blueprint.Loop | blueprint.Spring]) -> list[tuple[Frame, Frame]]:
        """Both frames of everything between two places."""
        found = []
        for plan in plans:
            first, second = (self._frame(plan.name, where) for where in plan.between)
            found.append((first, second))
        return found

    def _actuator_names(self) -> tuple[str, ...]:
        """Tendons and chambers, joints, stresses, then springs that are driven."""
        kinds = ((blueprint.Tendon, blueprint.Chamber), (blueprint.JointDrive,), (blueprint.Stress,))
        names = [plan.name for own in kinds for plan in self._actuators(*own)]
        return (*names, *(plan.name for plan in self.plan.springs if plan.input is not None))

    @property
    def _loops(self) -> list[blueprint.Loop]:
        return [plan for plan in self.plan.constraints if isinstance(plan, blueprint.Loop)]

    def _actuators(self, *kinds: type) -> list[Any]:
        return [plan for plan in self.plan.actuators if isinstance(plan, kinds)]

    def _rod_of(self, run: Stretch) -> Rod:
        return self.rods[run.link]

    def _span(self, run: Stretch, weights: Callable[[float, float], np.ndarray]) -> Span:
        share = weights(run.from_, run.to).ravel()
        inside = np.flatnonzero(share > 0.0)
        return Span(self.links[run.link].length, self.row_start[run.link, "rod"] + inside, share[inside])

    def _contact_pairs(self) -> ContactPairBuilder:
        return ContactPairBuilder(self.plan, self.shapes, self.rods, self.row_start, self._frame, self._span)

    def _routes(self, plans: Sequence[blueprint.Tendon | blueprint.Chamber]) -> Routes:
        rows = {name: self.row_start[name, "rod"] for name in self.rods}
        lengths = {name: self.links[name].length for name in self.rods}
        builder = PathBuilder(self.rods, rows, lengths, self._place)
        for index, plan in enumerate(plans):
            builder.add(index, plan)
        return builder.routes(len(plans))

    def _driven_joints(self, members: Mapping[tuple[str, str], Member]) -> dict[str, list[DrivenJoint]]:
        """Joints driven by a "force", and those whose "motion" is prescribed."""
        found: dict[str, list[DrivenJoint]] = {"force": [], "motion": []}
        for plan in self._actuators(blueprint.JointDrive):
            member = members[plan.link, "joint"]
            own = np.array(plan.coordinates, dtype=int)
            joint = DrivenJoint(plan.name, plan.link, member.element, member.q_start, member.v_start, own, plan.value)
            found[plan.drive].append(joint)
        return found

    def _loop_kind(self, plan: blueprint.Loop) -> LoopKind:
        joint = plan.joint
        kind = LoopKind(joint.kind if joint else None, plan.fix or (), plan.frame)
        through = plan.through or ()
        if through and len(through) != len(kind.rows):
            count = f"{len(kind.rows)} directions ({', '.join(kind.rows)})"
            raise ValueError(
                f"constraint {plan.name!r} holds {count} through {len(through)} actuators ({', '.join(through)}); "
                "give one actuator for each direction"
            )
        return kind

    def _loop_key(self, plan: blueprint.Loop) -> Any:
        """Loops that can be evaluated together have it in common."""
        control = plan.control
        led = None if control is None else control.acceleration is not None
        names = tuple(name for name, _ in loop_numbers(plan.joint))
        return self._loop_kind(plan), names, plan.follow is not None, led, bool(plan.through)

    def _couplings(
        self, plans: Sequence[blueprint.Coupling], members: Mapping[tuple[str, str], Member]
    ) -> CoordinateCouplings:
        ends = [[(members[end.link, "joint"], end.coordinate) for end in plan.tie] for plan in plans]
        return CoordinateCouplings(
            names=tuple(plan.name for plan in plans),
            rows=(1,) * len(plans),
            coordinates=np.array([[member.q_start + index for member, index in pair] for pair in ends]),
            velocities=np.array([[member.v_start + index for member, index in pair] for pair in ends]),
            ratios=tuple(plan.ratio for plan in plans),
        )

    def _spring_kind(self, plan: blueprint.Spring) -> SpringKind:
        return SpringKind(
            plan.kind,
            plan.acts,
            plan.rest_initial,
            plan.middle,
            plan.input is not None,
        )

    def _tree(self, groups: tuple[Group, ...]) -> Tree:
        blocks, parents = [], []
        for group in groups:
            pieces, rows = group.element.segments, group.element.rows_per_segment
            columns = group.v_index.reshape(group.segment_count, group.width)
            blocks.append(SegmentBlock(group.segment_count, rows, group.width, columns))
            for index, member in enumerate(group.members):
                start = group.row_start + index * pieces * rows
                if group.element.is_chain:
                    parents += [member.parent_row] + [start + piece * rows - 1 for piece in range(1, pieces)]
                else:
                    parents += [member.parent_row] * pieces
        return Tree(tuple(blocks), np.array(parents, dtype=int), sum(group.v_index.size for group in groups))
