"""Loads on a quasi-static arm: forces and moments at points of its body, and its weight, shared among its nodes."""

from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from numpy.typing import ArrayLike

from pliant.arms._quasi_static_sweep import NodeLoads

FRAMES = ("base", "tip", "body")


class ArmLoad(eqx.Module):
    """A force [N] and a moment [N m] at a point of an arm.

    at: fraction of the arm's length at rest, 0 at the base and 1 at the tip; None: the tip. frame: whose axes they are
    given in and keep: of the base (a dead load), of the tip, or of the body where the load is (a follower load).
    smooth: it is shared among four nodes, so that the shape of the arm has a continuous derivative by `at`; else
    between two. At a node both are the load on that node.
    """

    force: Array
    moment: Array
    at: Array | None
    frame: str = eqx.field(static=True)
    smooth: bool = eqx.field(static=True)

    def __init__(
        self,
        force: ArrayLike = (0.0, 0.0, 0.0),
        moment: ArrayLike = (0.0, 0.0, 0.0),
        at: ArrayLike | None = None,
        frame: str = "base",
        smooth: bool = False,
    ) -> None:
        if frame not in FRAMES:
            raise ValueError(f"load frame: unknown {frame!r}; expected one of {', '.join(FRAMES)}")
        self.force, self.moment = jnp.asarray(force, dtype=float), jnp.asarray(moment, dtype=float)
        self.at = None if at is None else jnp.asarray(at, dtype=float)
        self.frame, self.smooth = frame, smooth
        for name, value in (("force", self.force), ("moment", self.moment)):
            if value.shape != (3,):
                raise ValueError(f"load {name}: expected 3 numbers; got the shape {value.shape}")

    @property
    def wrench(self) -> Array:
        """(2, 3) [force; moment]."""
        return jnp.stack([self.force, self.moment])


def check_loads(loads: Sequence[ArmLoad]) -> None:
    """Raise ValueError for a load off the body, or one that is not finite."""
    for number, load in enumerate(loads, start=1):
        if load.at is not None and not 0.0 <= float(load.at) <= 1.0:
            raise ValueError(
                f"load {number}: at = {float(load.at):g} is off the body; expected a fraction of the arm's length from "
                "0 (base) to 1 (tip)"
            )
        if not np.all(np.isfinite(load.wrench)):
            raise ValueError(f"load {number}: its force and moment must be finite; got {np.asarray(load.wrench)}")


def is_dead(loads: Sequence[ArmLoad], gravity: Array | None) -> bool:
    """Whether anything keeps its direction in the axes of the base, so that the turn of the tip must be found."""
    return gravity is not None or any(load.frame == "base" for load in loads)


def gather(
    loads: Sequence[ArmLoad], gravity: Array | None, fraction: Array, mass: Array, tip_turn: Array
) -> tuple[Array, NodeLoads | None]:
    """Load (2, 3) on the tip, and loads on all nodes where there are any beyond the tip.

    fraction, mass (nodes,): of the nodes from the tip to the base. tip_turn (3, 3): of the tip in the axes of the base.
    """
    turned = [load.wrench @ tip_turn if load.frame == "base" else load.wrench for load in loads]
    at_tip = sum((w for load, w in zip(loads, turned, strict=True) if load.at is None), start=jnp.zeros((2, 3)))
    if gravity is None and all(load.at is None for load in loads):
        return at_tip, None
    nothing = jnp.zeros((fraction.shape[0], 2, 3))
    tip_axes, own_axes = nothing, nothing
    for load, wrench in zip(loads, turned, strict=True):
        if load.at is None:
            continue
        share = share_smoothly if load.smooth else _share
        shared = share(load.at, fraction)[:, None, None] * wrench[None]
        if load.frame == "body":
            own_axes = own_axes + shared
        else:
            tip_axes = tip_axes + shared
    if gravity is not None:
        weight = mass[:, None] * (gravity @ tip_turn)[None]
        tip_axes = tip_axes.at[:, 0].add(weight)
    return at_tip + tip_axes[0] + own_axes[0], NodeLoads(tip_axes, own_axes)


def _share(at: Array, fraction: Array) -> Array:
    """How much of a load each node takes: the two neighbours, by the distance, which keeps force and moment."""
    width = fraction[:-1] - fraction[1:]
    before = jnp.concatenate([jnp.ones(1), (fraction[:-1] - at) / width])
    behind = jnp.concatenate([(at - fraction[1:]) / width, jnp.ones(1)])
    return jnp.clip(jnp.minimum(before, behind), 0.0, 1.0)


def share_smoothly(at: Array, fraction: Array) -> Array:
    """Shares of four neighbours, by Hermite's cubics: what loads on the nodes do is interpolated, with a slope at
    each of the line through its neighbours. Force and moment are kept too."""
    nodes = fraction[::-1]
    behind = jnp.clip(jnp.searchsorted(nodes, at, side="right") - 1, 0, nodes.shape[0] - 2)
    # One more node beyond each end, which does what the line through the last two says.
    padded = jnp.concatenate([2.0 * nodes[:1] - nodes[1:2], nodes, 2.0 * nodes[-1:] - nodes[-2:-1]])
    near = lax.dynamic_slice(padded, (behind,), (4,))
    width, influence = near[2] - near[1], jnp.eye(4)
    first, second = ((influence[k + 2] - influence[k]) / (near[k + 2] - near[k]) for k in range(2))
    x = (at - near[1]) / width
    weights = (
        influence[1]
        + x**2 * (3.0 - 2.0 * x) * (influence[2] - influence[1])
        + x * (1.0 - x) * width * ((1.0 - x) * first - x * second)
    )
    shared = lax.dynamic_update_slice(jnp.zeros_like(padded), weights, (behind,))
    shared = shared.at[1].add(2.0 * shared[0]).at[2].add(-shared[0])
    shared = shared.at[-2].add(2.0 * shared[-1]).at[-3].add(-shared[-1])
    return shared[-2:0:-1]
