"""Damped Gauss-Newton on a few unknowns whose predictions are solved for, and what their covariance is."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from pliant.numerics import ResultCode, lu_solve

_FIRST_DAMPING = 1e-6  # of the diagonal: nearly Gauss-Newton, which a warm start needs
_WEAKER, _STRONGER = 0.1, 30.0  # damping after a step that was good, and after one that was not
_MOST_DAMPING = 1e8
_LEAST_INFORMATION = 1e-13  # of the largest: an unknown with less is left where it is
_NEAR = 0.05  # standard deviations of the result: where a search that can go no further has arrived
_KEPT = 0.25  # of a curvature, after a step that no longer shows it
_RUNNING = -1


class Trial(NamedTuple):
    """One evaluation: errors over their deviations (k,), derivatives of the prediction (k, n), where the solve behind
    them ended and how that follows the unknowns, and its ResultCode."""

    errors: Array
    slope: Array
    carry: Any
    carry_rates: Any
    code: Array


class Fit(NamedTuple):
    """The least-squares solution x (n,), its last evaluation, half the sum of squares, iterations, ResultCode."""

    x: Array
    trial: Trial
    cost: Array
    iterations: Array
    code: Array


class Prior(NamedTuple):
    """A Gaussian belief: mean (n,) and information (n, n), zero where nothing is known."""

    mean: Array
    information: Array


class _Search(NamedTuple):
    x: Array
    trial: Trial
    cost: Array
    curvature: Array
    step: Array
    damping: Array
    iterations: Array
    code: Array


def fit(
    evaluate: Callable[[Array, Any], Trial],
    moved: Callable[[Any, Any, Array], Any],
    x0: Array,
    carry0: Any,
    *,
    low: Array,
    high: Array,
    free: Array,
    kinked: Array,
    prior: Prior,
    max_iterations: int,
    tolerance: float,
) -> Fit:
    """Least squares within bounds: evaluate(x, carry) is asked at each trial, with the carry of the last good one moved
    along by `moved(carry, rates, dx)`.

    free (n,): 0 for unknowns that are held. kinked (n,): 1 for the one unknown, if any, by which the slope of the
    prediction may jump, as it does where a force passes a marker on a body that shears: Gauss-Newton would step over
    such a place for ever. The curvature that it leaves out is taken from the last two trials, so that steps end at the
    jump. Converged when the next step is below `tolerance` standard deviations of the result, which needs no unit and
    no further evaluation. Plain lax: may be batched and made native.
    """

    def half_square(x: Array, trial: Trial) -> Array:
        away = x - prior.mean
        return 0.5 * (trial.errors @ trial.errors + away @ prior.information @ away)

    def body(search: _Search) -> _Search:
        first = search.iterations == 0
        x = jnp.clip(search.x + search.step, low, high)
        trial = evaluate(x, moved(search.trial.carry, search.trial.carry_rates, x - search.x))
        cost = half_square(x, trial)
        good = (trial.code == ResultCode.SUCCESS) & (cost < search.cost)
        kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), (x, trial, cost), search[:3])
        damping = jnp.where(good, _WEAKER, _STRONGER) * jnp.maximum(search.damping, _FIRST_DAMPING)
        damping = jnp.where(first, _FIRST_DAMPING, damping)
        left_out = _left_out(search, x, trial, prior, free * kinked, tolerance)
        curvature = jnp.where(
            first | (trial.code != ResultCode.SUCCESS),
            search.curvature,
            jnp.maximum(left_out, _KEPT * search.curvature),
        )
        step, length = _step(kept[0], kept[1], prior, low, high, free, damping, curvature)
        # No step along the slope is good: a kink elsewhere, or noise of the solves.
        stuck = ~good & ~first & (search.damping >= _MOST_DAMPING)
        code = jnp.select(
            [first & ~good, length <= jnp.where(stuck, _NEAR, tolerance), ~jnp.isfinite(length), stuck],
            [
                jnp.where(trial.code == ResultCode.SUCCESS, ResultCode.NOT_FINITE, trial.code),
                ResultCode.SUCCESS,
                ResultCode.NOT_FINITE,
                ResultCode.NOT_CONVERGED,
            ],
            _RUNNING,
        ).astype(jnp.int32)
        return _Search(kept[0], kept[1], kept[2], curvature, step, damping, search.iterations + 1, code)

    def running(search: _Search) -> Array:
        return (search.code == _RUNNING) & (search.iterations <= max_iterations)

    shapes = jax.eval_shape(evaluate, x0, carry0)
    empty = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)._replace(carry=carry0)
    start = _Search(
        jnp.clip(x0, low, high), empty, jnp.asarray(jnp.inf), jnp.zeros_like(x0), jnp.zeros_like(x0), jnp.zeros(()),
        jnp.int32(0), jnp.int32(_RUNNING),
    )  # fmt: skip
    last = lax.while_loop(running, body, start)
    code = jnp.where(last.code == _RUNNING, jnp.int32(ResultCode.NOT_CONVERGED), last.code)
    return Fit(last.x, last.trial, last.cost, last.iterations, code)


def _normal(x: Array, trial: Trial, prior: Prior) -> tuple[Array, Array]:
    """Downhill slope (n,) of the cost, and the information (n, n)."""
    downhill = trial.slope.T @ trial.errors - prior.information @ (x - prior.mean)
    return downhill, trial.slope.T @ trial.slope + prior.information


def _seen(information: Array) -> Array:
    diagonal = jnp.diag(information)
    return diagonal > _LEAST_INFORMATION * jnp.max(diagonal)


def _step(
    x: Array, trial: Trial, prior: Prior, low: Array, high: Array, free: Array, damping: Array, curvature: Array
) -> tuple[Array, Array]:
    """Damped Gauss-Newton step (n,), and the length of the whole one in standard deviations of the result. curvature
    (n,) is added to the information's diagonal for the steps, but tells nothing about the result."""
    downhill, information = _normal(x, trial, prior)
    blocked = ((x <= low) & (downhill < 0.0)) | ((x >= high) & (downhill > 0.0))
    used = free * ~blocked
    information = information * jnp.outer(used, used)
    seen = used * _seen(information)
    known = information * jnp.outer(seen, seen)
    steep = known + jnp.diag(1.0 - seen + seen * curvature)
    step = lu_solve(steep + jnp.diag(seen * damping * jnp.diag(information)), seen * downhill)
    whole = lu_solve(steep, seen * downhill)
    return step, jnp.sqrt(jnp.maximum(whole @ known @ whole, 0.0))


def _left_out(search: _Search, x: Array, trial: Trial, prior: Prior, kinked: Array, least_way: float) -> Array:
    """(n,) curvature of the cost by the kinked unknown from the last good trial to this one, beyond that of
    Gauss-Newton; 0 where there is less of it, or where they are within `least_way` standard deviations of each other.

    It is that of the least cost over all other unknowns, so that their own changes do not count as curvature.
    """

    def reduced(x: Array, trial: Trial) -> tuple[Array, Array]:
        downhill, information = _normal(x, trial, prior)
        others = (1.0 - kinked) * _seen(information)
        along = information @ kinked
        rest = information * jnp.outer(others, others) + jnp.diag(1.0 - others)
        direction = kinked - lu_solve(rest, others * along)
        return direction @ downhill, direction @ along

    (before, gauss_newton), (after, _) = reduced(search.x, search.trial), reduced(x, trial)
    way = (x - search.x) @ kinked
    moved = way**2 * gauss_newton > least_way**2
    secant = (before - after) / jnp.where(moved, way, 1.0)
    return kinked * jnp.where(moved, jnp.maximum(secant - gauss_newton, 0.0), 0.0)


def covariance_of(information: Array) -> Array:
    """(n, n) inverse of an information matrix; an unknown of which nothing is known has infinite variance and is left
    out of the rest."""
    seen = _seen(information)
    root = jnp.sqrt(jnp.where(seen, jnp.diag(information), 1.0))
    both = jnp.outer(seen, seen)
    scaled = jnp.where(both, information / jnp.outer(root, root), jnp.eye(len(root)))
    inverse = lu_solve(scaled, jnp.eye(len(root))) / jnp.outer(root, root)
    unknown = jnp.where(jnp.eye(len(root), dtype=bool), jnp.inf, 0.0)
    return jnp.where(both, 0.5 * (inverse + inverse.T), unknown)
