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
    prior: Prior,
    max_iterations: int,
    tolerance: float,
) -> Fit:
    """Least squares within bounds: evaluate(x, carry) is asked at each trial, with the carry of the last good one moved
    along by `moved(carry, rates, dx)`.

    free (n,): 0 for unknowns that are held. Converged when the next step is below `tolerance` standard deviations of
    the result, which needs no unit and no further evaluation. Plain lax: may be batched and made native.
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
        step, length = _step(kept[0], kept[1], prior, low, high, free, damping)
        # No step along the slope is good: a kink of the prediction (a force passing a node), or noise of the solves.
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
        return _Search(kept[0], kept[1], kept[2], step, damping, search.iterations + 1, code)

    def running(search: _Search) -> Array:
        return (search.code == _RUNNING) & (search.iterations <= max_iterations)

    shapes = jax.eval_shape(evaluate, x0, carry0)
    empty = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)._replace(carry=carry0)
    start = _Search(
        jnp.clip(x0, low, high), empty, jnp.asarray(jnp.inf), jnp.zeros_like(x0), jnp.zeros(()), jnp.int32(0),
        jnp.int32(_RUNNING),
    )  # fmt: skip
    last = lax.while_loop(running, body, start)
    code = jnp.where(last.code == _RUNNING, jnp.int32(ResultCode.NOT_CONVERGED), last.code)
    return Fit(last.x, last.trial, last.cost, last.iterations, code)


def _step(
    x: Array, trial: Trial, prior: Prior, low: Array, high: Array, free: Array, damping: Array
) -> tuple[Array, Array]:
    """Damped Gauss-Newton step (n,), and the length of the whole one in standard deviations of the result."""
    downhill = trial.slope.T @ trial.errors - prior.information @ (x - prior.mean)
    blocked = ((x <= low) & (downhill < 0.0)) | ((x >= high) & (downhill > 0.0))
    used = free * ~blocked
    information = (trial.slope.T @ trial.slope + prior.information) * jnp.outer(used, used)
    diagonal = jnp.diag(information)
    floor = _LEAST_INFORMATION * jnp.max(diagonal)
    seen = used * (diagonal > floor)
    known, other = information * jnp.outer(seen, seen), jnp.diag(1.0 - seen)
    step = lu_solve(known + other + jnp.diag(seen * damping * diagonal), seen * downhill)
    whole = lu_solve(known + other, seen * downhill)
    return step, jnp.sqrt(jnp.maximum(whole @ known @ whole, 0.0))


def covariance_of(information: Array) -> Array:
    """(n, n) inverse of an information matrix; an unknown of which nothing is known has infinite variance and is left
    out of the rest."""
    diagonal = jnp.diag(information)
    seen = diagonal > _LEAST_INFORMATION * jnp.max(diagonal)
    root = jnp.sqrt(jnp.where(seen, diagonal, 1.0))
    both = jnp.outer(seen, seen)
    scaled = jnp.where(both, information / jnp.outer(root, root), jnp.eye(len(root)))
    inverse = lu_solve(scaled, jnp.eye(len(root))) / jnp.outer(root, root)
    unknown = jnp.where(jnp.eye(len(root), dtype=bool), jnp.inf, 0.0)
    return jnp.where(both, 0.5 * (inverse + inverse.T), unknown)
