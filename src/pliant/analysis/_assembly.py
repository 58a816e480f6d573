"""Closing the loops of a robot whose initial pose leaves them open, and counting what the constraints leave free."""

from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import TIME, number
from pliant.dynamics import (
    check_inputs,
    configuration,
    constraint_gaps,
    constraint_matrix,
    constraint_residual,
    host_model,
    projected_position,
)
from pliant.model import Model, prepare
from pliant.numerics import ResultCode, SolveError

CLOSED = 1e-10  # m or rad: a loop no more open than this counts as closed
_ROUNDS = 60
_RANK = 1e-9  # of the largest singular value
_BEFORE = "call it before, and hand the configuration in"
_NUDGE = 1e-3  # rad, m or strain: looks past a pose in which the mechanism is singular for an instant

Inputs = Mapping[str, Array]


class _Progress(NamedTuple):
    q: Array
    gaps: Array  # (m,)
    share: Array  # of a full step that is tried
    rounds: Array


@jax.jit
def _assembled(model: Model, q0: Array, t: Array, inputs: Inputs) -> tuple[Array, Array]:
    """Configuration with closed loops nearest to q0 (in the metric of its mass), and what is left open."""
    prepared = prepare(model.structure, model.parameters)

    def gaps(q: Array) -> Array:
        return constraint_gaps(model, prepared, q, t, inputs)

    def improve(state: _Progress) -> _Progress:
        full = projected_position(model, prepared, state.q, t, inputs)
        trial = model.integrate(state.q, state.share * model.difference(full, state.q))
        left = gaps(trial)
        # All gaps together must shrink; one of them may grow on the way.
        better = jnp.sum(left**2) < jnp.sum(state.gaps**2)
        share = jnp.where(better, jnp.minimum(1.0, 2.0 * state.share), 0.5 * state.share)
        kept = jnp.where(better, trial, state.q)
        return _Progress(kept, jnp.where(better, left, state.gaps), share, state.rounds + 1)

    def unfinished(state: _Progress) -> Array:
        widest = jnp.max(jnp.abs(state.gaps))
        return (widest > 1e-3 * CLOSED) & (state.rounds < _ROUNDS) & (state.share > 1e-6)

    last = jax.lax.while_loop(unfinished, improve, _Progress(q0, gaps(q0), jnp.ones(()), jnp.int32(0)))
    return last.q, jnp.max(jnp.abs(last.gaps))


def assemble(model: Model, q0: Array | None = None, t: float = 0.0, inputs: Inputs | None = None) -> Array:
    """q (nq,) with every loop closed and every prescribed joint in place at time t, near q0 (default: the file's
    initial configuration). SolveError with the gap of every loop when there is none to be found."""
    model, t = host_model("pliant.assemble", _BEFORE, model, q0, t, inputs), number("t", t, TIME)
    start = model.initial_state().q if q0 is None else jnp.asarray(configuration(model, "q0", q0))
    inputs = check_inputs(model, inputs)
    if not model.structure.constraint_count:
        return start
    q, left = _assembled(model, start, jnp.asarray(t, dtype=jnp.float64), inputs)
    if not float(left) <= CLOSED:
        raise SolveError(ResultCode.NOT_CONVERGED, _gaps(model, q, t, inputs))
    return q


def _gaps(model: Model, q: Array, t: float, inputs: Inputs | None) -> str:
    """What stays open, loop by loop."""
    rows = np.asarray(constraint_residual(model, q, t, inputs))
    lines = []
    for name, at in model.structure.constraint_slices.items():
        if np.max(np.abs(rows[at]), initial=0.0) > CLOSED:
            lines.append(f"{name} is {model.structure.constraint_kinds[name].gap_words(rows[at])}")
    return (
        f"robot {model.name!r} cannot be assembled: {'; '.join(lines)}. "
        "Check lengths and offsets of the links in these loops, or start nearer with `initial:` (or q0=)"
    )


class Mobility(NamedTuple):
    """What the constraints leave of a robot's freedom: velocities, rows of constraints, how many of these are
    independent, and the degrees of freedom left; redundant: rows of each loop that others imply."""

    velocities: int
    rows: int
    independent: int
    degrees_of_freedom: int
    redundant: dict[str, int]


def mobility(model: Model, q: Array | None = None, t: float = 0.0, inputs: Inputs | None = None) -> Mobility:
    """Counts about a configuration (default: the assembled initial one). The rank is taken from a few configurations
    nearby, so a pose that is singular for an instant does not hide a constraint."""
    model, t = host_model("pliant.mobility", "call it before", model, q, t, inputs), number("t", t, TIME)
    inputs = check_inputs(model, inputs)
    if q is not None:
        configuration(model, "q", q)
    count = model.structure.constraint_count
    if count == 0:
        return Mobility(model.nv, 0, 0, model.nv, {})
    start = assemble(model, q, t, inputs)
    rng = np.random.default_rng(0)
    best, rank = np.zeros((count, model.nv)), -1
    for trial in range(3):
        near = start if trial == 0 else model.integrate(start, jnp.asarray(_NUDGE * rng.standard_normal(model.nv)))
        closed, left = _assembled(model, near, jnp.asarray(t, dtype=jnp.float64), inputs)
        matrix = np.asarray(constraint_matrix(model, closed))
        found = _rank(matrix) if float(left) <= CLOSED else -1
        if found > rank:
            best, rank = matrix, found
    redundant, before = {}, 0
    for name, at in model.structure.constraint_slices.items():
        after = _rank(best[: at.stop])
        redundant[name] = (at.stop - at.start) - (after - before)
        before = after
    return Mobility(model.nv, count, rank, model.nv - rank, {name: n for name, n in redundant.items() if n})


def _rank(matrix: np.ndarray) -> int:
    """Numerical rank, with rows of different units brought to one length."""
    lengths = np.linalg.norm(matrix, axis=1)
    rows = matrix[lengths > _RANK * lengths.max(initial=0.0)]
    if rows.size == 0:
        return 0
    values = np.linalg.svd(rows / np.linalg.norm(rows, axis=1, keepdims=True), compute_uv=False)
    return int(np.sum(values > _RANK * values[0]))
