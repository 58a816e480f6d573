"""Where things are in one configuration, by walking from the world outwards: the elements' own poses, link by link.

The plain way, for what is needed once (rest values taken from the initial configuration) and as the meaning of the
flattened kinematics.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions import Frame
from pliant.mechanics import offset_pose, offset_poses
from pliant.model._structure import Link, Member, Structure


def own_numbers(structure: Structure, elements: tuple[Any, ...], member: Member) -> Any:
    """One member's prepared numbers out of its group's stack."""
    for group, stack in zip(structure.groups, elements, strict=True):
        if member in group.members:
            return jax.tree.map(lambda x, index=group.members.index(member): x[index], stack)
    raise KeyError(member.link)


def own_coordinates(member: Member, q: Array) -> Array:
    return q[member.q_start : member.q_start + member.element.nq]


class Placing:
    """World poses in the configuration q; what was walked once is remembered."""

    def __init__(
        self, structure: Structure, elements: tuple[Any, ...], parameters: Mapping[str, Array], q: Array
    ) -> None:
        self.structure = structure
        self.elements = elements
        self.parameters = parameters
        self.q = q
        self._bases: dict[str, Array] = {}

    def base(self, link: Link) -> Array:
        """Pose of a link's own frame, after its joint."""
        if link.name not in self._bases:
            pose = jnp.eye(4)
            if link.parent is not None:
                pose = self.link(self.structure.links[link.parent], link.at)
            pose = pose @ offset_pose(link.offsets, self.parameters)
            if link.joint is not None:
                pose = pose @ self._along(link.joint, (1.0,))[0]
            self._bases[link.name] = pose
        return self._bases[link.name]

    def link(self, link: Link, at: float | None) -> Array:
        """Pose of a link at a fraction of a rod (or a node of a mesh); None: of its own frame."""
        if link.rod is None or not at:
            return self.base(link)
        return self.base(link) @ self._along(link.rod, (at,))[0]

    def rod(self, link: Link, fractions: tuple[float, ...]) -> Array:
        """(K, 4, 4) along a rod."""
        if link.rod is None:
            raise ValueError(f"link {link.name!r} is not a rod")
        return self.base(link) @ self._along(link.rod, fractions)

    def frame(self, frame: Frame) -> Array:
        base = jnp.eye(4)
        if frame.where.link is not None:
            links = {link.name: link for link in self.structure.links}
            base = self.link(links[frame.where.link], frame.where.position)
        return base @ offset_pose(frame.where.offsets, self.parameters)

    def frames(self, frames: Sequence[Frame]) -> Array:
        """(n, 4, 4) of many frames, link by link: the program does not grow with their number."""
        links = {link.name: link for link in self.structure.links}
        places = [(frame.where.link, frame.where.position) for frame in frames]
        parts: list[Array] = []
        index: dict[tuple[str | None, float | None], int] = {}
        for name in dict.fromkeys(name for name, _ in places):
            own = list(dict.fromkeys(place for place in places if place[0] == name))
            along = [(link, at) for link, at in own if link is not None and links[link].rod is not None and at]
            if len(along) < len(own):
                index |= dict.fromkeys(own, sum(map(len, parts)))
                parts.append((jnp.eye(4) if name is None else self.base(links[name]))[None])
            if along:
                index |= {place: sum(map(len, parts)) + k for k, place in enumerate(along)}
                parts.append(self.rod(links[along[0][0]], tuple(at for _, at in along)))
        chains = [frame.where.offsets for frame in frames]
        on = jnp.concatenate(parts)[np.array([index[place] for place in places])]
        return on @ offset_poses(chains, self.parameters)

    def _along(self, member: Member, fractions: tuple[float, ...]) -> Array:
        own = own_numbers(self.structure, self.elements, member)
        return member.element.poses(own, own_coordinates(member, self.q), fractions)
