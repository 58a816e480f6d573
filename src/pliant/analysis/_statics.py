"""Static equilibrium: Newton with line search on the residual at rest, load stepping around it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import Array

from pliant.analysis._assembly import assemble
from pliant.analysis._provenance import record
from pliant.dynamics import (
    StaticReport,
    check_inputs,
    element_forces,
    multiplier_count,
    names,
    scene,
    standing_lengths,
    standing_motions,
    static_balance,
    static_report,
    stiffness_matrix,
    target_values,
    turn_of,
)
from pliant.model import Model, prepare
from pliant.numerics import ResultCode, SolveError, lu_solve, newton
from pliant.results import Equilibrium, LoadPath, QuasiStatic

_TOLERANCE = 1e-10  # residual relative to the loads
_MAX_ITERATIONS = 40
_SOFTEST = 1e-4  # a direction softer than this, in roots of stiffness, counts as this stiff
_GIVE = 1e-7  # of a typical compliance: what a constraint may yield per iteration
_STIFF_ENOUGH = 1e-3  # of the stiffest direction
_LARGEST_TURN = 0.5  # rad: of a driven joint in one increment
_LOOKS = 16  # at the programmes between two stops
_NEARLY_CLOSED = 1e-3  # m or rad: loops open by no more are closed by the solve itself
_SMALLEST_INCREMENT = 2.0**-12  # of the load; below it a path has met a limit point
_CAREFUL_INCREMENT = 0.1  # of the load, where the direct solution turned out unstable
_EASY_ITERATIONS = 6  # a load step that needs no more lets the next one double

Inputs = Mapping[str, Array]
Problem = Callable[[float], tuple[float, Inputs | None, float]]


class StaticSolution(NamedTuple):
    """Raw solution: q (nq,), multipliers (m + n,) of the constraints and tensions of tendons held to a length, relative
    residual, Newton iterations, ResultCode, and the tangent of all equations (nv + m + n square)."""

    q: Array
    multipliers: Array
    residual: Array
    iterations: Array
    code: Array
    tangent: Array

    def smallest_eigenvalue(self, model: Model) -> float:
        """Smallest real part of the eigenvalues of the tangent stiffness among motions that the constraints allow."""
        tangent = np.asarray(self.tangent)
        if not np.all(np.isfinite(tangent)):
            return float("nan")
        free = _free_motions(model, tangent, self.multipliers)
        stiffness = tangent[: model.nv, : model.nv]
        return float(np.linalg.eigvals(free.T @ stiffness @ free).real.min(initial=np.inf))


def _free_motions(model: Model, tangent: np.ndarray, multipliers: Array) -> np.ndarray:
    """(nv, f) orthonormal motions that keep loops closed, driven joints in place and taut tendons at their length."""
    nv, m = model.nv, model.structure.constraint_count
    taut = [nv + m + i for i in range(len(model.structure.inextensible)) if multipliers[m + i] > 0.0]
    rows = tangent[[*range(nv, nv + m), *taut], :nv]
    if rows.size == 0:
        return np.eye(nv)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return scipy.linalg.null_space(rows / np.where(lengths > 0.0, lengths, 1.0), rcond=1e-9)


def constrained_stiffness(
    model: Model, q: Array, t: float = 0.0, inputs: Inputs | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Tangent stiffness (nv, nv) with what the reactions of an equilibrium q add to it, and the free motions (nv, f).
    The reactions are those that balance the other forces best."""
    count = multiplier_count(model)
    if count == 0:
        return np.asarray(stiffness_matrix(model, q, t, inputs)), np.eye(model.nv)
    pulled = np.asarray(_tangent(model, q, jnp.zeros(count), t, inputs))[: model.nv, model.nv :]
    forces = np.asarray(static_balance(model, q, jnp.zeros(count), t, inputs))[: model.nv]
    multipliers = jnp.asarray(np.linalg.lstsq(pulled, -forces, rcond=1e-12)[0])
    tangent = np.asarray(_tangent(model, q, multipliers, t, inputs))
    return tangent[: model.nv, : model.nv], _free_motions(model, tangent, multipliers)


@jax.jit
def _tangent(model: Model, q: Array, multipliers: Array, t: Array | float, inputs: Inputs | None) -> Array:
    prepared = prepare(model.structure, model.parameters)
    x = jnp.concatenate([q, multipliers])

    def balance(dx: Array) -> Array:
        moved = _moved(model, x, dx)
        return static_balance(model, moved[: model.nq], moved[model.nq :], t, inputs, 1.0, prepared)

    return jax.jacfwd(balance)(jnp.zeros(model.nv + multipliers.shape[0]))


def force_scale(tangent: Array, forces: Array) -> Array:
    """(nv,) what counts as one unit of residual for each velocity.

    Velocities have mixed units. Dividing a force by the root of its stiffness gives the root of an energy, which can
    be compared; the largest of the forces (nv,) that have to balance sets the level.
    """
    weight = jnp.sqrt(jnp.max(jnp.abs(tangent), axis=1, initial=0.0))
    stiffest = jnp.max(weight, initial=0.0)
    weight = jnp.where(stiffest > 0.0, jnp.maximum(weight, _SOFTEST * stiffest), 1.0)
    level = jnp.max(forces / weight, initial=0.0)
    return weight * jnp.where(level > 0.0, level, 1.0)


@jax.jit
def equilibrium_configuration(
    model: Model,
    q0: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    multipliers: Array | None = None,
) -> StaticSolution:
    """Equilibrium from a start q0 (and multipliers), as a pure function: jit, vmap, and derivatives of q by every
    parameter, input and load factor through the implicit function theorem.

    Check `code` before using q, and `tangent` when there may be several equilibria: Newton ends in one of them, not
    necessarily a stable one. `equilibrium` does both for you.
    """
    start = jnp.zeros(multiplier_count(model)) if multipliers is None else multipliers
    factor = jnp.asarray(load_factor, dtype=jnp.float64)
    return _solve(model, q0, start, jnp.asarray(t, dtype=jnp.float64), inputs, factor)


def _moved(model: Model, x: Array, dx: Array) -> Array:
    """Configuration and multipliers x (nq + m + n,) moved by dx (nv + m + n,)."""
    return jnp.concatenate([model.integrate(x[: model.nq], dx[: model.nv]), x[model.nq :] + dx[model.nv :]])


def conditioned(model: Model, tangent: Array) -> Array:
    """The tangent with a little give in the constraints, so that rows that depend on each other share the load instead
    of making it singular. Newton's residual is exact, so what it converges to is not changed."""
    nv, m = model.nv, model.structure.constraint_count
    if m == 0:
        return tangent
    stiffness = jnp.max(jnp.abs(tangent[:nv, :nv]), axis=1)
    highest = jnp.max(stiffness)
    # A direction without stiffness of its own must not count as infinitely compliant, or its constraint would yield.
    stiffness = jnp.where(highest > 0.0, jnp.maximum(stiffness, _STIFF_ENOUGH * highest), 1.0)
    compliance = jnp.sum(tangent[nv : nv + m, :nv] ** 2 / stiffness, axis=1)
    largest = jnp.max(compliance)
    compliance = jnp.where(largest > 0.0, jnp.maximum(compliance, _STIFF_ENOUGH * largest), 1.0)
    rows = np.arange(nv, nv + m)
    return tangent.at[rows, rows].add(_GIVE * compliance)


@jax.custom_jvp
def _solve(
    model: Model, q0: Array, multipliers0: Array, t: Array, inputs: Inputs | None, load_factor: Array
) -> StaticSolution:
    prepared = prepare(model.structure, model.parameters)
    nq, nv = model.nq, model.nv

    def residual(x: Array) -> Array:
        return static_balance(model, x[:nq], x[nq:], t, inputs, load_factor, prepared)

    x0 = jnp.concatenate([q0, multipliers0])
    stored = element_forces(model, prepared, q0, jnp.zeros(nv))

    def scale(tangent: Array, balance: Array) -> Array:
        # What loads and weight are, whether or not the multipliers of the start already balance them.
        loads = balance[:nv] - tangent[:nv, nv:] @ multipliers0 - stored
        forces = jnp.abs(loads) + jnp.abs(stored)
        # Constraints are lengths and angles: a metre and a radian are one.
        return jnp.concatenate([force_scale(tangent[:nv, :nv], forces), jnp.ones(multiplier_count(model))])

    found = newton(
        residual,
        x0,
        conditioned=lambda tangent: conditioned(model, tangent),
        retract=lambda x, dx: _moved(model, x, dx),
        scale=scale,
        size=nv + multiplier_count(model),
        tolerance=_TOLERANCE,
        max_iterations=_MAX_ITERATIONS,
    )
    return StaticSolution(found.x[:nq], found.x[nq:], found.residual_norm, found.iterations, found.code, found.jacobian)


@_solve.defjvp
def _solve_jvp(primals: tuple, tangents: tuple) -> tuple[StaticSolution, StaticSolution]:
    """The residual stays zero: K dx + dr = 0 with dr its change at fixed q. The start has no influence."""
    model, _, _, *rest = primals
    model_rate, _, _, *rest_rate = tangents
    found = _solve(*primals)
    x = jnp.concatenate([found.q, found.multipliers])

    def residual(x: Array, model: Model, *rest: Any) -> Array:
        return static_balance(model, x[: model.nq], x[model.nq :], *rest)

    _, change = jax.jvp(lambda model, *rest: residual(x, model, *rest), (model, *rest), (model_rate, *rest_rate))
    # Evaluated anew rather than taken from `found`, so that second derivatives see how it depends on q.
    tangent = jax.jacfwd(lambda dx: residual(_moved(model, x, dx), model, *rest))(jnp.zeros_like(change))
    dx = -lu_solve(conditioned(model, tangent), change)
    _, x_rate = jax.jvp(lambda dx: _moved(model, x, dx), (jnp.zeros_like(dx),), (dx,))
    still = StaticSolution(*(_no_rate(value) for value in found))
    return found, still._replace(q=x_rate[: model.nq], multipliers=x_rate[model.nq :])


def _no_rate(value: Array) -> Any:
    """Zero tangent: what says how the solve went is not differentiated."""
    if jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.zeros_like(value)
    return np.zeros(value.shape, dtype=jax.dtypes.float0)


class _Walk:
    """Follows equilibria along a number (load factor, time), shortening the increment when Newton fails.

    problem(number) gives time, inputs and load factor of the equations there.
    """

    def __init__(self, model: Model, q: Array, problem: Problem, at: float) -> None:
        self.model, self.q, self.problem, self.at = model, q, problem, at
        self.multipliers = jnp.zeros(multiplier_count(model))
        self.iterations = self.steps = 0
        self.last: StaticSolution | None = None

    @property
    def solution(self) -> StaticSolution:
        """The last converged solution, or the failed one when none converged."""
        if self.last is None:
            raise RuntimeError("the path has not been started")
        return self.last

    def _longest(self, target: float) -> float:
        """Longest increment on the way to the target."""
        if not self.model.structure.motions:
            return np.inf
        numbers = np.linspace(self.at, target, _LOOKS + 1)
        inputs = [self.problem(float(number))[1] or {} for number in numbers]
        steepest = max(turn_of(self.model, before, after) for before, after in pairwise(inputs))
        return np.inf if steepest == 0.0 else _LARGEST_TURN / (steepest * _LOOKS) * max(abs(target - self.at), 1e-300)

    def report(self) -> StaticReport:
        """Where the robot is and what it carries at the last converged number."""
        t, inputs, factor = self.problem(self.at)
        return static_report(self.model, self.q, self.multipliers, t, inputs, factor)

    def advance(self, target: float, increment: float, smallest: float) -> ResultCode:
        """Move to the target; on failure stay at the last number that converged. No increment turns a driven joint by
        more than Newton can be trusted to follow: a mechanism has more than one way to close."""
        direction = np.sign(target - self.at) or 1.0
        longest = self._longest(target)
        while self.last is None or self.at != target:
            remaining = abs(target - self.at)
            increment = min(increment, longest)
            at = target if increment >= remaining * (1.0 - 1e-12) else float(self.at + direction * increment)
            t, inputs, factor = self.problem(at)
            found = equilibrium_configuration(self.model, self.q, t, inputs, factor, self.multipliers)
            self.iterations += int(found.iterations)
            code = ResultCode(int(found.code))
            if code is ResultCode.SUCCESS:
                self.q, self.multipliers, self.at, self.last = found.q, found.multipliers, at, found
                self.steps += 1
                if int(found.iterations) <= _EASY_ITERATIONS:
                    increment *= 2.0
            elif increment <= smallest:
                self.last = self.last or found
                return code
            else:
                increment = 0.5 * min(increment, remaining)
        return ResultCode.SUCCESS


def _loading(model: Model, q: Array, t: float, inputs: Inputs | None) -> Problem:
    """Loads and actuators grow with the factor; driven joints and tendons held to a length go from where they are in
    the configuration q to where they shall be."""
    begin = {**standing_motions(model, q), **standing_lengths(model, q)}
    end = target_values(model, begin, t, inputs)

    def problem(factor: float) -> tuple[float, Inputs | None, float]:
        moved = {name: begin[name] + factor * (end[name] - begin[name]) for name in begin}
        return t, {**(inputs or {}), **moved} or None, factor

    return problem


def _start(model: Model, q0: Array | None, t: float, inputs: Inputs | None) -> Array:
    """Where the walk begins: loops closed (nearly closed ones are left to Newton), driven joints where they stand."""
    q = model.initial_state().q if q0 is None else jnp.asarray(q0)
    if not model.structure.loops:
        return q
    standing = {**(inputs or {}), **standing_motions(model, q)}
    report = static_report(model, q, jnp.zeros(multiplier_count(model)), t, _all_driven(model, q, t, standing), 1.0)
    return q if float(report.violation) <= _NEARLY_CLOSED else assemble(model, q, t, standing)


def _all_driven(model: Model, q: Array, t: float, inputs: Inputs) -> Inputs:
    """The inputs with every port that `_loading` drives, so that one compiled program serves all."""
    return {**standing_lengths(model, q), **inputs}


def equilibrium(
    model: Model,
    *,
    q0: Array | None = None,
    t: float = 0.0,
    inputs: Inputs | None = None,
    steps: int | None = None,
    throw: bool = True,
) -> Equilibrium:
    """The robot at rest under its loads and actuators at time t.

    Starts from q0 (default: the file's initial configuration, its loops closed) and raises the loads in `steps`
    increments; by default it tries the full load at once, shortens the increment where Newton fails, and walks the
    load up in small increments when the direct solution turns out unstable. Raises SolveError, with the last converged
    state in `.partial`, unless throw=False.
    """
    if steps is not None and steps < 1:
        raise ValueError(f"steps must be at least 1; got {steps}")
    inputs = check_inputs(model, inputs)
    start = _start(model, q0, t, inputs)
    problem = _loading(model, start, t, inputs)
    walk = _Walk(model, start, problem, 0.0)
    code = walk.advance(1.0, 1.0 / (steps or 1), _SMALLEST_INCREMENT)
    eigenvalue = walk.solution.smallest_eigenvalue(model)
    if code is ResultCode.SUCCESS and eigenvalue < 0.0 and steps is None:
        careful = _Walk(model, start, problem, 0.0)
        reached = careful.advance(1.0, _CAREFUL_INCREMENT, _SMALLEST_INCREMENT) is ResultCode.SUCCESS
        if reached and careful.solution.smallest_eigenvalue(model) > eigenvalue:
            careful.iterations += walk.iterations
            walk, eigenvalue = careful, careful.solution.smallest_eigenvalue(model)
    report = walk.report()
    result = Equilibrium(
        q=walk.q,
        shape=report.shape,
        residual=walk.solution.residual,
        iterations=jnp.asarray(walk.iterations),
        load_steps=jnp.asarray(walk.steps),
        smallest_eigenvalue=jnp.asarray(eigenvalue),
        energy=report.energy,
        forces=report.forces,
        internal=report.internal,
        code=jnp.asarray(int(code)),
        scene=scene(model),
        names=names(model),
        provenance=record(model, {"analysis": "statics", "t": t, "steps": steps, "load_factor": walk.at}),
    )
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, walk, f"{walk.at:.4g} of its load"), partial=result)
    return result


def load_path(
    model: Model,
    factors: Sequence[float],
    *,
    q0: Array | None = None,
    t: float = 0.0,
    inputs: Inputs | None = None,
    throw: bool = True,
) -> LoadPath:
    """Equilibria at increasing (or any) load factors, each started from the one before."""
    inputs = check_inputs(model, inputs)
    start = _start(model, q0, t, inputs)
    walk = _Walk(model, start, _loading(model, start, t, inputs), 0.0)
    stops = _stops(model, walk, factors, _SMALLEST_INCREMENT)
    settings = {"analysis": "load path", "t": t, "factors": list(factors)}
    result = LoadPath(factors=stops.pop("at"), **stops, **_labels(model, settings))
    code = ResultCode(int(result.code[-1]))
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, walk, f"{walk.at:.4g} of its load"), partial=result)
    return result


def quasi_static(
    model: Model,
    times: Sequence[float],
    *,
    q0: Array | None = None,
    inputs: Inputs | None = None,
    throw: bool = True,
) -> QuasiStatic:
    """Equilibria at increasing times of the programmes, each started from the one before: a motion so slow that
    inertia does not matter. Between two times the walk takes shorter increments where Newton fails."""
    moments = [float(time) for time in times]
    if not moments or any(later <= earlier for earlier, later in pairwise(moments)):
        raise ValueError(f"times must be an increasing list; got {list(times)}")
    inputs = check_inputs(model, inputs)
    first = equilibrium(model, q0=q0, t=moments[0], inputs=inputs)
    driven = [*standing_motions(model, first.q), *standing_lengths(model, first.q)]

    def problem(time: float) -> tuple[float, Inputs | None, float]:
        # The same ports as in `equilibrium`, so that one compiled program serves both.
        return time, {**(inputs or {}), **target_values(model, driven, time, inputs)} or None, 1.0

    walk = _Walk(model, first.q, problem, moments[0])
    stops = _stops(model, walk, moments, _SMALLEST_INCREMENT * (moments[-1] - moments[0]))
    settings = {"analysis": "quasi-static", "times": moments}
    result = QuasiStatic(time=stops.pop("at"), **stops, **_labels(model, settings))
    code = ResultCode(int(result.code[-1]))
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, walk, f"t = {walk.at:.6g} s"), partial=result)
    return result


def _stops(model: Model, walk: _Walk, targets: Sequence[float], smallest: float) -> dict[str, Any]:
    """Walk to every target in turn; the columns of a result up to the first failure."""
    rows = []
    for target in targets:
        before = walk.iterations
        code = walk.advance(float(target), abs(float(target) - walk.at) or 1.0, smallest)
        last, spent = walk.solution, walk.iterations - before
        rows.append((walk.at, walk.q, last.residual, spent, last.smallest_eigenvalue(model), int(code), walk.report()))
        if code is not ResultCode.SUCCESS:
            break
    at, q, residual, iterations, eigenvalues, codes = (
        jnp.asarray(np.array(column)) for column in list(zip(*rows, strict=True))[:-1]
    )
    report = jax.tree.map(lambda *parts: jnp.asarray(np.stack(parts)), *(row[-1] for row in rows))
    return {
        "at": at,
        "q": q,
        "shape": report.shape,
        "residual": residual,
        "iterations": iterations,
        "smallest_eigenvalue": eigenvalues,
        "forces": report.forces,
        "internal": report.internal,
        "code": codes,
    }


def _labels(model: Model, settings: dict[str, Any]) -> dict[str, Any]:
    return {"scene": scene(model), "names": names(model), "provenance": record(model, settings)}


def _failure(model: Model, walk: _Walk, reached: str) -> str:
    t, inputs, factor = walk.problem(walk.at)
    balance = np.abs(np.asarray(static_balance(model, walk.q, walk.multipliers, t, inputs, factor)))[: model.nv]
    worst = model.velocity_names[int(balance.argmax())] if len(balance) else "none"
    return (
        f"robot {model.name!r} reached {reached} in {walk.steps} load steps and "
        f"{walk.iterations} iterations; the largest residual is on {worst}. The last converged state is kept: "
        "look at its smallest eigenvalue (near zero: a limit or buckling load), give a better start with q0=, "
        "or ask for more load steps with steps="
    )
