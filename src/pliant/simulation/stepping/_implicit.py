"""Newmark's method and generalised-alpha on the manifold: the acceleration at the end of a step balances the forces.

One step serves everything: `simulate`, steps by hand, motions as pure functions, native code and exported C.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.ad_checkpoint import checkpoint_name

from pliant.analysis import conditioned
from pliant.dynamics import (
    Touches,
    Weights,
    closed_tangent,
    closed_tangent_is_cheaper,
    dynamic_balance,
    element_forces,
    is_large,
    may_rest_on_one_side,
    one_sided_forces,
)
from pliant.model import State
from pliant.numerics import ResultCode, forward_jacobian, lu_solve
from pliant.simulation.stepping._adaptive_march import Control, begin_adaptive_march, march_adaptively
from pliant.simulation.stepping._flow import Drive, StepState, finite, with_integral
from pliant.simulation.stepping._krylov import newton_krylov
from pliant.simulation.stepping._march import MarchResult, begin_march, march
from pliant.simulation.stepping._rules import (
    RESTART,
    RESTARTS,
    Coefficients,
    Rule,
    choose_rule,
    make_rule,
    restart_stages,
)
from pliant.simulation.stepping._step_check import GOLDEN
from pliant.simulation.stepping._step_newton import NewtonCache, Solved, rounding_over, solve_step, work_of

FOUND = "found by Newton"  # the name of a step's results where derivatives need them again
CUTS = 6  # how often a step of fixed length that fails is halved
_REFINEMENTS = 2  # of a linear solve whose matrix was given a little give


class Equations(eqx.Module):
    """One step of length h from a state at time t: what has to be zero at its end, and its derivative."""

    drive: Drive
    moving: StepState
    t: Array
    h: Array
    error: Array  # of controllers, at the start

    def moved(self, rate: Array, rule: Rule) -> State:
        """The state at the end, for the acceleration (nv,) there; its memory is that of the start."""
        q, v = self.moving.q, self.moving.v
        q_new = self.drive.model.integrate(q, rule.displacement(rate, v, self.h))
        return State(q_new, rule.velocity(rate, v, self.h), self.moving.memory)

    def integral(self, q: Array, v: Array) -> Array:
        return self.moving.integral + 0.5 * self.h * (self.error + self.drive.errors(self.t + self.h, q, v))

    def balance(self, unknown: Array, rule: Rule) -> Array:
        drive, end, nv = self.drive, self.t + self.h, self.drive.model.nv
        state = self.moved(unknown[:nv], rule)
        ports = with_integral(drive.model, drive.ports(end, state.q, state.v), self.integral(state.q, state.v))
        return dynamic_balance(drive.model, drive.prepared, state, unknown[:nv], unknown[nv:], drive.inside(end), ports)

    def tangent(self, unknown: Array, rule: Rule) -> Array:
        """In closed form where that is cheaper; it leaves out how the turn of a step changes its own direction."""
        drive, end = self.drive, self.t + self.h
        if drive.inputs.law is not None or not closed_tangent_is_cheaper(drive.model.structure):
            return self.exact_tangent(unknown, rule)
        state = self.moved(unknown, rule)
        weights = Weights(rule.span(self.h), self.h * rule.gamma * rule.share, jnp.ones(()))
        ports = drive.ports(end, state.q, state.v)
        return closed_tangent(drive.model, drive.prepared, state, unknown, drive.inside(end), ports, weights)

    def exact_tangent(self, unknown: Array, rule: Rule) -> Array:
        return forward_jacobian(lambda unknown: self.balance(unknown, rule))(unknown)


def equations(drive: Drive, moving: StepState, t: Array, h: Array) -> Equations:
    return Equations(drive, moving, t, h, drive.errors(t, moving.q, moving.v))


class Caches(NamedTuple):
    """What Newton's iteration keeps of the steps of a run, and of the halves of those that are checked."""

    steps: NewtonCache
    halves: NewtonCache


class Taken(NamedTuple):
    """A step that was taken: the state after it, Newton's cache, a ResultCode, and the roots (nv + m,) of its stages;
    a plain step has only the second."""

    moved: StepState
    cache: NewtonCache
    code: Array
    early: Array
    late: Array


def _rule(moving: StepState, coefficients: Coefficients, stage: Array, first: Array) -> Rule:
    """The rule of a stage. A step that begins anew has two; first (nv,): the acceleration found by its early one."""
    plain = make_rule(coefficients, moving.average, moving.a)
    early, late = restart_stages(moving.a.shape[0], first)
    return choose_rule(moving.restarts > 0, choose_rule(stage == 0, early, late), plain)


def _finished(drive: Drive, moving: StepState, t: Array, h: Array, rule: Rule, root: Array) -> StepState:
    """The state after a step whose root is known: put onto the constraints, memory and ledger brought up to date."""
    nv, ahead = drive.model.nv, equations(drive, moving, t, h)
    rate, multipliers = root[:nv], root[nv:]
    state = ahead.moved(rate, rule)
    integral = ahead.integral(state.q, state.v)
    before = drive.powers(t, moving)
    after = drive.powers(t + h, moving._replace(q=state.q, v=state.v, integral=integral))
    result = moving._replace(
        q=state.q,
        v=state.v,
        a=rate,
        average=rule.ahead(rate),
        begun=rule.a,
        multipliers=multipliers,
        restarts=jnp.maximum(moving.restarts - 1, 0),
        work=moving.work + 0.5 * h * (before[0] + after[0]),
        lost=moving.lost + 0.5 * h * (before[1] + after[1]),
        integral=integral,
        time=t + h,
    )
    return drive.remembering(t + h, drive.on_constraints(t + h, result))


def take_step(
    drive: Drive, moving: StepState, cache: NewtonCache, t: Array, h: Array, coefficients: Coefficients
) -> Taken:
    """One step from t to t + h. Constraints hold at its end in acceleration; position and velocity are then put back
    onto them.

    After a jump of the loads the acceleration of a stiff strain is huge, and gone long before the end of the first
    step; these methods would ring with it. Steps with `restarts` left therefore forget it (restart_stages).
    """
    model, prepared, nv = drive.model, drive.prepared, drive.model.nv
    restarting = moving.restarts > 0
    # The acceleration goes on changing as in the last step.
    trend = jnp.where(restarting, 0.0, moving.average - moving.begun)

    def solve(ahead: Equations, rule: Rule, guess: Array, cache: NewtonCache) -> Solved:
        if is_large(model.structure):
            return _by_krylov(ahead, rule, guess, cache)

        def forces() -> Array:
            sizes = jnp.abs(element_forces(model, prepared, moving.q, moving.v))
            if not may_rest_on_one_side(model.structure):
                return sizes
            # What stands still on a floor has nothing else: the weight and the floor's force are not known by size, and
            # a stiff floor feels the rounding of places, of about a metre and a radian. No two of them move alike: both
            # sides of a touch would feel nothing.
            ports = drive.ports(t, moving.q, moving.v)
            turned = 0.5 + jnp.asarray(GOLDEN * np.arange(nv) % 1.0)
            carried, felt = one_sided_forces(model, prepared, moving.state, turned, drive.inside(t), ports)
            return sizes + rounding_over(coefficients.tolerance) * (jnp.abs(carried) + jnp.abs(felt))

        return solve_step(
            model, ahead.balance, ahead.tangent, forces, rule, guess, moving.v, ahead.h, cache, coefficients.tolerance
        )

    # A loop over the stages, so that the equations are compiled once.
    def solve_stage(carry: tuple[Array, Solved, Array]) -> tuple[Array, Solved, Array]:
        stage, last, _ = carry
        rule = _rule(moving, coefficients, stage, last.unknown[:nv])
        ahead = equations(drive, moving, t, jnp.where(restarting & (stage == 0), RESTART, 1.0) * h)
        guess = jnp.concatenate([rule.a + trend, last.unknown[nv:]])
        found = solve(ahead, rule, guess, last.cache)
        return stage + 1, found._replace(found=last.found & found.found), last.unknown

    stages = jnp.where(restarting, 2, 1)
    nothing = jnp.concatenate([moving.average, moving.multipliers])
    _, found, early = jax.lax.while_loop(
        lambda carry: carry[0] < stages,
        solve_stage,
        (jnp.int32(0), Solved(nothing, cache, jnp.asarray(True)), nothing),
    )
    rule = _rule(moving, coefficients, jnp.int32(1), early[:nv])
    moved = _finished(drive, moving, t, h, rule, found.unknown)
    code = jnp.where(found.found, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
    code = jnp.where(finite(moved), code, ResultCode.NOT_FINITE).astype(jnp.int32)
    return Taken(moved, found.cache, code, early, found.unknown)


def _by_krylov(ahead: Equations, rule: Rule, guess: Array, cache: NewtonCache) -> Solved:
    """Solves a step of a robot whose matrix is never formed."""
    unknown, found = newton_krylov(
        ahead.drive, lambda unknown: ahead.balance(unknown, rule), ahead.moving.q, guess, ahead.h
    )
    return Solved(unknown, cache, found)


@jax.custom_jvp
def differentiable_step(
    drive: Drive, moving: StepState, cache: NewtonCache, t: Array, h: Array, coefficients: Coefficients
) -> Taken:
    """`take_step` with derivatives of the state after it by everything that goes in.

    Newton's iterations are not differentiated. At the root x of a step's equations r(x, p) = 0 the derivative of x is
    -J^-1 dr/dp (implicit function theorem), which is what one Newton step with J held constant has. Where rows of
    constraints depend on each other, multipliers have no derivative of their own; those of q and v hold.
    """
    return take_step(drive, moving, cache, t, h, coefficients)


@differentiable_step.defjvp
def _step_jvp(primals: tuple, tangents: tuple) -> tuple[Taken, Taken]:
    drive, moving, _, t, h, coefficients = primals
    taken = jax.tree.map(lambda value: checkpoint_name(value, FOUND), take_step(*primals))

    def corrected(drive: Drive, moving: StepState, t: Array, h: Array) -> StepState:
        nv = drive.model.nv

        def root(first: Array, given: tuple[Array, Array, Array]) -> tuple[Array, Array]:
            stage, share, found = given

            def moved() -> Array:
                ahead, rule = equations(drive, moving, t, share * h), _rule(moving, coefficients, stage, first)
                fixed, held = jax.lax.stop_gradient((ahead, rule))
                return found - _refined(drive, fixed.exact_tangent(found, held), ahead.balance(found, rule))

            own = jax.lax.cond((stage == 1) | (moving.restarts > 0), moved, lambda: found)
            return own[:nv], own

        # In a loop, since its derivative is the longest part of the program.
        found = jax.lax.stop_gradient(jnp.stack([taken.early, taken.late]))
        stages = (jnp.arange(2, dtype=jnp.int32), jnp.array([RESTART, 1.0]), found)
        _, (early, late) = jax.lax.scan(root, jnp.zeros(nv), stages)
        return _finished(drive, moving, t, h, _rule(moving, coefficients, jnp.int32(1), early[:nv]), late)

    _, moved = jax.jvp(corrected, (drive, moving, t, h), (tangents[0], tangents[1], tangents[3], tangents[4]))
    still = jax.tree.map(_no_tangent, taken)
    return taken, still._replace(moved=moved)


def _refined(drive: Drive, matrix: Array, b: Array) -> Array:
    """x with J x = b. Rows of constraints that depend on each other are given a little give; what that leaves is taken
    away by refinement."""
    if not drive.model.structure.constraint_count:
        return lu_solve(matrix, b)
    soft = conditioned(drive.model, matrix)
    x = lu_solve(soft, b)
    for _ in range(_REFINEMENTS):
        x = x + lu_solve(soft, b - matrix @ x)
    return x


def _no_tangent(value: Array) -> Array:
    return jnp.zeros(jnp.shape(value), jax.dtypes.float0 if not jnp.issubdtype(value.dtype, jnp.floating) else None)


def implicit(
    drive: Drive,
    start: StepState,
    march_so_far: Any,
    targets: Array,
    step: Array,
    left: Array,
    coefficients: Coefficients,
    caches: Caches,
    control: Control | None = None,
) -> MarchResult:
    """From target to target. control: of the step; without it steps are as long as `step`."""

    def advance(moving: StepState, cache: NewtonCache, t: Array, h: Array) -> tuple[StepState, NewtonCache, Array]:
        taken = take_step(drive, moving, cache, t, h, coefficients)
        return taken.moved, taken.cache, taken.code

    def look(moving: StepState, t: Array) -> Touches:
        return drive.touches(t, moving, moving.a)

    touches = look if drive.model.structure.has_gaps else None
    if control is not None:
        found = march_adaptively(advance, drive, start, march_so_far, caches.steps, targets, left, control, touches)
        return found._replace(cache=caches._replace(steps=found.cache))
    both = (caches.steps, caches.halves)
    found = march(advance, start, march_so_far, both, targets, step, left, work_of, CUTS, touches)
    return found._replace(cache=Caches(*found.cache))


def begin_implicit(
    drive: Drive, start: StepState, jumped: Array, control: Control | None = None
) -> tuple[StepState, Any]:
    """The robot at the beginning of a chunk, and its march there. jumped: whether the loads have jumped."""
    begin = anew(drive.on_constraints(drive.low, start), jumped)
    if control is not None:
        begin = begin._replace(step=jnp.where(begin.step > 0.0, begin.step, control.least))
        return begin, begin_adaptive_march(begin, drive.low)
    if begin.check:
        begin = begin._replace(check=begin.check.ask(jumped))
    return begin, begin_march(begin, drive.low)


def anew(moving: StepState, jumped: Array | bool) -> StepState:
    """The state whose next steps begin anew, if the loads have jumped."""
    return moving._replace(restarts=jnp.where(jumped, jnp.int32(RESTARTS), moving.restarts))
