"""What touches what: the pairs of a file's contacts, with the points of one side and the shape of the other."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pliant import blueprint
from pliant.blueprint import NO_OFFSET, Blueprint, Place, Stretch, numbers
from pliant.elements import RigidBody, Rod
from pliant.interactions import (
    AHEAD,
    ANYWHERE,
    BEHIND,
    AlongSamples,
    Axis,
    Carrier,
    Frame,
    NodeSamples,
    Pair,
    RodMeeting,
    SampleSet,
    SkinSamples,
    Span,
    SurfaceSide,
    body_samples,
)
from pliant.interactions import places as place_set
from pliant.model._numbers import body_numbers, rod_numbers


def rigid_body(link: blueprint.Rigid) -> RigidBody:
    shape = None if link.shape is None else link.shape.kind
    return RigidBody(shape, link.mass is not None, link.inertia is not None)


class ContactPairBuilder:
    """shapes: of the numbers of the file; row_start: of joints and rods; frame, span: place something on a robot."""

    def __init__(
        self,
        plan: Blueprint,
        shapes: Mapping[str, tuple[int, ...]],
        rods: Mapping[str, Rod],
        row_start: Mapping[tuple[str, str], int],
        frame: Callable[[str, Place], Frame],
        span: Callable[[Stretch, Callable[[float, float], np.ndarray]], Span],
    ) -> None:
        self.plan, self.shapes, self.rods, self.row_start = plan, shapes, rods, row_start
        self.materials = {material.name: material for material in plan.materials}
        self.links: dict[str, Any] = {link.name: link for link in (*plan.links, *plan.meshes)}
        self._frame, self._span = frame, span

    def pairs(self) -> list[Pair]:
        """What touches: every stretch of a skin, and every shape with points, with its surface."""
        surfaces = {surface.name: surface for surface in self.plan.surfaces}
        found = []
        for plan in self.plan.contacts:
            surface: Any = surfaces[plan.surface]
            if isinstance(surface, blueprint.Skin):
                found += self._between_rods(plan, self._skin(plan.samples), surface)
                continue
            found += self._on_surface(plan, surfaces[plan.samples], surface)
            if plan.both:
                found += self._on_surface(plan, surface, surfaces[plan.samples])
        return found

    def _on_surface(self, plan: blueprint.Contact, touching: blueprint.AnySurface, surface: Any) -> list[Pair]:
        side = SurfaceSide(self._frame(plan.name, surface.where), surface.shape, surface.hollow)
        below = self._material(surface.where.link)
        return [
            Pair(plan, samples, side, (*self._material(link), *below))
            for link, samples in self._samples(plan, touching, side)
        ]

    def _skin(self, name: str) -> blueprint.Skin:
        return next(own for own in self.plan.surfaces if isinstance(own, blueprint.Skin) and own.name == name)

    def _between_rods(self, plan: blueprint.Contact, first: blueprint.Skin, second: blueprint.Skin) -> list[Pair]:
        """Each skin against the other, with half of what they do to each other; or one against itself, before and
        behind every place of it."""
        within = first.name == second.name
        ways = [(first, second, AHEAD), (first, second, BEHIND)]
        if not within:
            ways = [(first, second, ANYWHERE), (second, first, ANYWHERE)]
        return [pair for own, other, window in ways for pair in self._along_skin(plan, own, other, window)]

    def _along_skin(
        self, plan: blueprint.Contact, skin: blueprint.Skin, other: blueprint.Skin, window: str
    ) -> list[Pair]:
        axis, fractions, starts = self._axis(skin)
        other_axis = self._axis(other)[0]
        below = self._material(other.along[0].link)
        found = []
        for run, count, start in zip(skin.along, skin.points, starts, strict=True):
            link = self.links[run.link]
            share = (run.to - run.from_) / count
            where = run.from_ + share * (np.arange(count) + 0.5)
            own = fractions[run.link]
            piece = np.clip(np.searchsorted(own, where, side="right") - 1, 0, len(own) - 2)
            inside = (where - own[piece]) / (own[piece + 1] - own[piece])
            nearest = own[piece + (inside > 0.5)]
            frames = tuple(self._frame(run.link, Place(run.link, float(node), NO_OFFSET)) for node in nearest)
            samples = AlongSamples(frames, link.length, where, share, dict(rod_numbers(link, self.materials)))
            meeting = RodMeeting(axis, other_axis, start + piece, inside, window)
            found.append(Pair(plan, samples, meeting, (*self._material(run.link), *below)))
        return found

    def _axis(self, skin: blueprint.Skin) -> tuple[Axis, dict[str, np.ndarray], list[int]]:
        """The nodes of a skin; with the fractions of those of every stretch, and where its pieces begin."""
        frames: list[Frame] = []
        lengths: list[str] = []
        shares, radii, places, starts = [], [], [], []
        by_link = {}
        for run in skin.along:
            link, rod = self.links[run.link], self.rods[run.link]
            every = np.unique(np.concatenate([[0.0], rod.grid.end.ravel()]))
            own = every[(every >= run.from_) & (every <= run.to)]
            by_link[run.link] = own
            starts.append(len(lengths))
            # The node at which two divisions meet is that of the first.
            fresh = own if not frames else own[1:]
            frames += [self._frame(run.link, Place(run.link, float(node), NO_OFFSET)) for node in fresh]
            radii += [dict(rod_numbers(link, self.materials))["radius"]] * len(fresh)
            places += list(fresh)
            lengths += [link.length] * (len(own) - 1)
            shares += list(np.diff(own))
        return (
            Axis(place_set(frames), tuple(lengths), np.array(shares), tuple(radii), np.array(places)),
            by_link,
            starts,
        )

    def _samples(
        self, plan: blueprint.Contact, touching: blueprint.AnySurface, other: SurfaceSide
    ) -> list[tuple[str | None, SampleSet]]:
        """The points of what touches a surface, with the link that has the material."""
        if isinstance(touching, blueprint.Skin):
            return [(run.link, self._skin_samples(run)) for run in touching.along]
        if isinstance(touching, blueprint.Nodes):
            return [(None, self._node_samples(touching))]
        link, shape = touching.where.link, touching.shape
        frame, carrier = self._frame(touching.name, touching.where), self._carrier(link)
        kind = other.shape.kind, other.hollow
        return [(link, body_samples(shape.kind, *kind, plan.fineness, frame, numbers(shape), carrier))]

    def _skin_samples(self, run: Stretch) -> SkinSamples:
        link, rod = self.links[run.link], self.rods[run.link]
        span = self._span(run, rod.span_weights)
        fractions = rod.grid.end.ravel()[span.rows - self.row_start[run.link, "rod"]]
        ends = np.array([end for end in (0.0, 1.0) if end in (run.from_, run.to) and self._ends_freely(link, end)])
        places = (Place(run.link, float(own), NO_OFFSET) for own in (*fractions, *ends))
        frames = tuple(self._frame(run.link, place) for place in places)
        paths, kind = dict(rod_numbers(link, self.materials)), link.section.kind
        return SkinSamples(frames, kind, span.length, fractions, span.share, ends, paths)

    def _node_samples(self, nodes: blueprint.Nodes) -> NodeSamples:
        net = self.links[nodes.mesh]
        held = net.fixed
        order = np.concatenate([np.setdiff1d(np.arange(self.shapes[net.nodes][0]), held), held]).astype(int)
        moving = len(order) - len(held)
        free = [Place(nodes.mesh, None, NO_OFFSET, node) for node in order[:moving].tolist()]
        frames = tuple(self._frame(nodes.name, place) for place in (*free, *[net.where] * len(held)))
        return NodeSamples(frames, order, len(held), net.nodes, net.mass, nodes.radius)

    def _ends_freely(self, link: blueprint.Rod, end: float) -> bool:
        """Whether nothing hangs on an end of a rod, and it on nothing."""
        places = [other.parent for other in self.plan.links]
        places += [
            place for plan in self.plan.constraints if isinstance(plan, blueprint.Loop) for place in plan.between
        ]
        hung = any(place.link == link.name and (place.position or 0.0) == end for place in places)
        return not hung and (end == 1.0 or link.joint.kind == "free")

    def _carrier(self, name: str | None) -> Carrier:
        link = None if name is None else self.links[name]
        if not isinstance(link, blueprint.Rigid):
            return Carrier(None, {})
        return Carrier(rigid_body(link), dict(body_numbers(link, self.materials)))

    def _material(self, name: str | None) -> tuple[blueprint.Material, ...]:
        word = None if name is None else getattr(self.links[name], "material", None)
        return () if word is None else (self.materials[word],)
