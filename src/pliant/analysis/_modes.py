"""Vibration modes about an equilibrium, undamped and damped."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis._assembly import assemble
from pliant.analysis._large import sparse_constraints, sparse_damping, sparse_mass, sparse_stiffness
from pliant.analysis._modal_problem import Operators, modes_from
from pliant.analysis._provenance import record
from pliant.analysis._statics import constrained_stiffness
from pliant.arguments import TIME, number, plain_numbers
from pliant.arguments import count as whole_number
from pliant.dynamics import (
    check_inputs,
    configuration,
    damping_matrix,
    host_model,
    is_large,
    mass_matrix,
    massless_motion,
    multiplier_count,
    names,
    scene,
    shape,
)
from pliant.lie import so3
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.results import Equilibrium, Modes, Scene, Shape

_PURE = "the eigenvalues of pliant.stiffness_matrix and pliant.mass_matrix can be had there"
_STILL = 1e-9  # of what a rotation moves at the robot's size: a displacement below this is round-off


def modes(
    model: Model,
    about: Equilibrium | Array | None = None,
    *,
    count: int = 6,
    t: float = 0.0,
    inputs: Mapping[str, Array] | None = None,
) -> Modes:
    """The `count` lowest modes about an equilibrium (default: the file's initial configuration, loops closed).

    Solves K x = omega^2 M x with the tangent stiffness K, and (l^2 M + l D + K) x = 0 with the damping D at rest, among
    the motions that keep loops closed, driven joints in place and taut tendons at their length. Follower loads make K
    unsymmetric: the modes are then those of the full matrix, and those of a robot that flutters have met in pairs. The
    field `stability` tells. A configuration from which the robot diverges has no modes: SolveError. An Equilibrium also
    hands on what interactions remember there.
    """
    model = host_model("pliant.modes", _PURE, model, about, t, inputs)
    count, t = whole_number("count", count), number("t", t, TIME)
    inputs = None if inputs is None else check_inputs(model, inputs)
    q = assemble(model, None, t, inputs) if about is None else _configuration(model, about)
    operators, free = _operators(model, q, t, inputs, about.memory if isinstance(about, Equilibrium) else ())
    found = modes_from(operators, count, f"robot {model.name!r}")
    root = np.sqrt(found.squared.astype(complex))
    vectors = jnp.asarray(found.vectors if free is None else free @ found.vectors)
    place, looks = shape(model, q), scene(model)
    motion = jax.vmap(lambda x: _motion(model, q, x), in_axes=1)(vectors)
    moved = _largest_displacement(place, motion, looks)
    with np.errstate(divide="ignore", invalid="ignore"):
        modal_mass = 1.0 / moved**2
        # The real part of i omega, which modes that have met have, less half of the damping.
        decay = root.imag + 0.5 * np.real(found.damping)
        held = np.where(np.iscomplex(found.squared), np.abs(found.squared), found.squared.real) > _noise(operators)
        damping_ratio = np.where(held, decay / np.abs(root), np.nan)
        modal_stiffness = np.real(found.squared) * modal_mass
    return Modes(
        frequency=jnp.asarray(root.real),
        damping_ratio=jnp.asarray(damping_ratio),
        modal_mass=jnp.asarray(modal_mass),
        modal_stiffness=jnp.asarray(modal_stiffness),
        eigenvalues=jnp.asarray(found.eigenvalues),
        vectors=vectors,
        damped_vectors=jnp.asarray(found.damped_vectors if free is None else free @ found.damped_vectors),
        stability=jnp.asarray(int(found.stability)),
        **motion._asdict(),
        q=q,
        shape=place,
        code=jnp.asarray(int(ResultCode.SUCCESS)),
        scene=looks,
        names=names(model),
        provenance=record(model, {"analysis": "modes", "count": count, "t": t}),
    )


def _configuration(model: Model, about: Any) -> Array:
    """The configuration of an Equilibrium, or the one given."""
    expected = f"an Equilibrium, or a configuration of shape ({model.nq},). The number of modes is count="
    given = about.q if isinstance(about, Equilibrium) else plain_numbers("about", about, expected)
    if given.shape != (model.nq,):
        raise ValueError(f"about must be {expected}; got shape {given.shape}")
    return jnp.asarray(configuration(model, "about", given))


def _operators(
    model: Model, q: Array, t: float, inputs: Mapping[str, Array] | None, memory: Any
) -> tuple[Operators, np.ndarray | None]:
    """Mass, stiffness and damping among the free motions, and these motions (nv, f); of a large robot, sparse with rows
    of constraints, among all motions."""
    if is_large(model.structure):
        rows = sparse_constraints(model, q)
        none = jnp.zeros(multiplier_count(model))
        held = rows if rows.shape[0] else None
        stiffness = sparse_stiffness(model, q, none, t, inputs, memory=memory or None)
        damping = sparse_damping(model, q, t, inputs, memory or None)
        return Operators(sparse_mass(model, q), stiffness, damping, held), None
    stiffness, free = constrained_stiffness(model, q, t, inputs, memory)
    mass = np.asarray(mass_matrix(model, q))
    without = massless_motion(model, mass, free)
    if without:
        raise SolveError(
            ResultCode.SINGULAR,
            f"robot {model.name!r} has no modes: {without}. Give what moves there a mass, or hold it",
        )
    known = (memory,) if memory else ()
    damping = np.asarray(damping_matrix(model, q, jnp.zeros(model.nv), t, inputs, *known))
    damping = np.where(np.isfinite(damping), damping, np.nan)
    return Operators(*(free.T @ matrix @ free for matrix in (mass, stiffness, damping))), free


def _noise(operators: Operators) -> float:
    """Squared frequencies below this are those of a motion that nothing holds."""
    squares = np.abs(operators.stiffness.diagonal()) / operators.mass.diagonal()
    return len(squares) * np.finfo(float).eps * squares.max(initial=0.0)


class _Motion(NamedTuple):
    """World displacement and rotation vector of nodes (K, 3) and bodies (B, 3), displacement of lines (L, 2, 3)."""

    node_displacement: Array
    node_rotation: Array
    body_displacement: Array
    body_rotation: Array
    line_displacement: Array


@jax.jit
def _motion(model: Model, q: Array, v: Array) -> _Motion:
    """What moves along a velocity."""
    place, rate = jax.jvp(lambda dv: shape(model, model.integrate(q, dv)), (jnp.zeros_like(v),), (v,))

    def split(pose: Array, rate: Array) -> tuple[Array, Array]:
        spin = rate[:, :3, :3] @ pose[:, :3, :3].swapaxes(1, 2)
        return rate[:, :3, 3], so3.vee(spin)

    return _Motion(*split(place.node_pose, rate.node_pose), *split(place.body_pose, rate.body_pose), rate.line_ends)


def _largest_displacement(place: Shape, motion: _Motion, looks: Scene) -> np.ndarray:
    """(n,) how far the node, of a rod or a mesh, or body that moves most goes; 0 where a mode only turns."""
    count = len(motion.node_displacement)
    # Springs are massless: their ends belong to what they hang on.
    edges = np.array([looks.line_kind[line] == "mesh" for line in looks.line_link], dtype=bool)
    ends = np.asarray(place.line_ends)[edges].reshape(-1, 3)
    points = np.concatenate([*(np.asarray(pose)[:, :3, 3] for pose in (place.node_pose, place.body_pose)), ends])
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
    end_moves = np.asarray(motion.line_displacement)[:, edges].reshape(count, -1, 3)
    moved, turned = (
        np.linalg.norm(np.concatenate([np.asarray(part) for part in parts], axis=1), axis=2).max(axis=1, initial=0.0)
        for parts in (
            (motion.node_displacement, motion.body_displacement, end_moves),
            (motion.node_rotation, motion.body_rotation),
        )
    )
    return np.where(moved > _STILL * size * turned, moved, 0.0)
