"""Static equilibrium: Newton with line search on the residual at rest, load stepping around it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis._provenance import record
from pliant.dynamics import energy, names, scene, shape, static_residual, stiffness_matrix
from pliant.model import Model, prepare
from pliant.numerics import ResultCode, SolveError, lu_solve, newton
from pliant.results import Equilibrium, LoadPath

_TOLERANCE = 1e-10  # residual relative to the loads
_MAX_ITERATIONS = 40
_SOFTEST = 1e-4  # a direction softer than this, in roots of stiffness, counts as this stiff
_SMALLEST_INCREMENT = 2.0**-12  # of the load; below it a path has met a limit point
_CAREFUL_INCREMENT = 0.1  # of the load, where the direct solution turned out unstable
_EASY_ITERATIONS = 6  # a load step that needs no more lets the next one double

Inputs = Mapping[str, Array]


class StaticSolution(NamedTuple):
    """Raw solution: q (nq,), relative residual, Newton iterations, ResultCode, tangent stiffness (nv, nv)."""

    q: Array
    residual: Array
    iterations: Array
    code: Array
    tangent: Array

    @property
    def smallest_eigenvalue(self) -> float:
        """Smallest real part of the eigenvalues of the tangent stiffness."""
        tangent = np.asarray(self.tangent)
        if not np.all(np.isfinite(tangent)):
            return float("nan")
        return float(np.linalg.eigvals(tangent).real.min(initial=np.inf))


def force_scale(tangent: Array, forces: Array) -> Array:
    """(nv,) what counts as one unit of residual for each velocity.

    Velocities have mixed units. Dividing a force by the root of its stiffness gives the root of an energy, which can
    be compared; the largest of the forces (nv,) that have to balance sets the level.
    """
    weight = jnp.sqrt(jnp.max(jnp.abs(tangent), axis=1))
    weight = jnp.maximum(weight, _SOFTEST * jnp.max(weight))
    level = jnp.max(forces / weight)
    return weight * jnp.where(level > 0.0, level, 1.0)


@jax.jit
def equilibrium_configuration(
    model: Model, q0: Array, t: Array | float = 0.0, inputs: Inputs | None = None, load_factor: Array | float = 1.0
) -> StaticSolution:
    """Equilibrium from a start q0, as a pure function: jit, vmap, and derivatives of q by every parameter, input and
    load factor through the implicit function theorem.

    Check `code` before using q, and `tangent` when there may be several equilibria: Newton ends in one of them, not
    necessarily a stable one. `equilibrium` does both for you.
    """
    return _solve(model, q0, jnp.asarray(t, dtype=jnp.float64), inputs, jnp.asarray(load_factor, dtype=jnp.float64))


@jax.custom_jvp
def _solve(model: Model, q0: Array, t: Array, inputs: Inputs | None, load_factor: Array) -> StaticSolution:
    prepared = prepare(model.structure, model.parameters)

    def residual(q: Array, factor: Array) -> Array:
        return static_residual(model, q, t, inputs, factor, prepared)

    pushed, unloaded = jax.vmap(lambda factor: residual(q0, factor))(jnp.stack([load_factor, jnp.zeros(())]))
    forces = jnp.abs(pushed - unloaded) + jnp.abs(unloaded)
    found = newton(
        lambda q: residual(q, load_factor),
        q0,
        retract=model.integrate,
        scale=lambda tangent: force_scale(tangent, forces),
        tolerance=_TOLERANCE,
        max_iterations=_MAX_ITERATIONS,
    )
    return StaticSolution(found.x, found.residual_norm, found.iterations, found.code, found.jacobian)


@_solve.defjvp
def _solve_jvp(primals: tuple, tangents: tuple) -> tuple[StaticSolution, StaticSolution]:
    """The residual stays zero: K dx + dr = 0 with dr its change at fixed q. The start q0 has no influence."""
    model, _, *rest = primals
    model_rate, _, *rest_rate = tangents
    found = _solve(*primals)
    q = found.q
    _, change = jax.jvp(lambda model, *rest: static_residual(model, q, *rest), (model, *rest), (model_rate, *rest_rate))
    # Evaluated anew rather than taken from `found`, so that second derivatives see how it depends on q.
    dx = -lu_solve(stiffness_matrix(model, q, *rest), change)
    _, q_rate = jax.jvp(lambda dv: model.integrate(q, dv), (jnp.zeros_like(dx),), (dx,))
    still = StaticSolution(*(_no_rate(value) for value in found))
    return found, still._replace(q=q_rate)


def _no_rate(value: Array) -> Any:
    """Zero tangent: what says how the solve went is not differentiated."""
    if jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.zeros_like(value)
    return np.zeros(value.shape, dtype=jax.dtypes.float0)


class _Path:
    """Walks the load factor from where the robot stands, shortening the increment when Newton fails."""

    def __init__(self, model: Model, q: Array, t: float, inputs: Inputs | None) -> None:
        self.model, self.q, self.t, self.inputs = model, q, t, inputs
        self.factor = 0.0
        self.iterations = self.steps = 0
        self.last: StaticSolution | None = None

    @property
    def solution(self) -> StaticSolution:
        """The last converged solution, or the failed one when none converged."""
        if self.last is None:
            raise RuntimeError("the load path has not been started")
        return self.last

    def advance(self, target: float, increment: float) -> ResultCode:
        """Move to the target factor; on failure stay at the last converged one."""
        direction = np.sign(target - self.factor) or 1.0
        while self.last is None or self.factor != target:
            remaining = abs(target - self.factor)
            factor = target if increment >= remaining * (1.0 - 1e-12) else float(self.factor + direction * increment)
            found = equilibrium_configuration(self.model, self.q, self.t, self.inputs, factor)
            self.iterations += int(found.iterations)
            code = ResultCode(int(found.code))
            if code is ResultCode.SUCCESS:
                self.q, self.factor, self.last = found.q, factor, found
                self.steps += 1
                if int(found.iterations) <= _EASY_ITERATIONS:
                    increment *= 2.0
            elif increment <= _SMALLEST_INCREMENT:
                self.last = self.last or found
                return code
            else:
                increment = 0.5 * min(increment, remaining)
        return ResultCode.SUCCESS


def equilibrium(
    model: Model,
    *,
    q0: Array | None = None,
    t: float = 0.0,
    inputs: Inputs | None = None,
    steps: int | None = None,
    throw: bool = True,
) -> Equilibrium:
    """The robot at rest under its loads at time t.

    Starts from q0 (default: the file's initial configuration) and raises the loads in `steps` increments; by default
    it tries the full load at once, shortens the increment where Newton fails, and walks the load up in small
    increments when the direct solution turns out unstable. Raises SolveError, with the last converged state in
    `.partial`, unless throw=False.
    """
    if steps is not None and steps < 1:
        raise ValueError(f"steps must be at least 1; got {steps}")
    start = model.initial_state().q if q0 is None else jnp.asarray(q0)
    path = _Path(model, start, t, inputs)
    code = path.advance(1.0, 1.0 / (steps or 1))
    eigenvalue = path.solution.smallest_eigenvalue
    if code is ResultCode.SUCCESS and eigenvalue < 0.0 and steps is None:
        careful = _Path(model, start, t, inputs)
        reached = careful.advance(1.0, _CAREFUL_INCREMENT) is ResultCode.SUCCESS
        if reached and careful.solution.smallest_eigenvalue > eigenvalue:
            careful.iterations += path.iterations
            path, eigenvalue = careful, careful.solution.smallest_eigenvalue
    result = Equilibrium(
        q=path.q,
        shape=shape(model, path.q),
        residual=path.solution.residual,
        iterations=jnp.asarray(path.iterations),
        load_steps=jnp.asarray(path.steps),
        smallest_eigenvalue=jnp.asarray(eigenvalue),
        energy=energy(model, path.q, jnp.zeros(model.nv), t),
        code=jnp.asarray(int(code)),
        scene=scene(model),
        names=names(model),
        provenance=record(model, {"analysis": "statics", "t": t, "steps": steps, "load_factor": path.factor}),
    )
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, path), partial=result)
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
    start = model.initial_state().q if q0 is None else jnp.asarray(q0)
    path = _Path(model, start, t, inputs)
    rows = []
    for factor in factors:
        before = path.iterations
        code = path.advance(float(factor), abs(float(factor) - path.factor) or 1.0)
        last, spent = path.solution, path.iterations - before
        rows.append((path.factor, path.q, last.residual, spent, last.smallest_eigenvalue, int(code)))
        if code is not ResultCode.SUCCESS:
            break
    reached, q, residual, iterations, eigenvalues, codes = (
        jnp.asarray(np.array(column)) for column in zip(*rows, strict=True)
    )
    result = LoadPath(
        factors=reached,
        q=q,
        shape=jax.vmap(shape, in_axes=(None, 0))(model, q),
        residual=residual,
        iterations=iterations,
        smallest_eigenvalue=eigenvalues,
        code=codes,
        scene=scene(model),
        names=names(model),
        provenance=record(model, {"analysis": "load path", "t": t, "factors": list(factors)}),
    )
    if int(codes[-1]) != ResultCode.SUCCESS and throw:
        raise SolveError(ResultCode(int(codes[-1])), _failure(model, path), partial=result)
    return result


def _failure(model: Model, path: _Path) -> str:
    residual = np.abs(np.asarray(static_residual(model, path.q, path.t, path.inputs, path.factor)))
    worst = model.velocity_names[int(residual.argmax())] if len(residual) else "none"
    return (
        f"robot {model.name!r} reached {path.factor:.4g} of its load in {path.steps} load steps and "
        f"{path.iterations} iterations; the largest residual is on {worst}. The last converged state is kept: "
        "look at its smallest eigenvalue (near zero: a limit or buckling load), give a better start with q0=, "
        "or ask for more load steps with steps="
    )
