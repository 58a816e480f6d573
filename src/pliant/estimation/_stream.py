"""Force estimation inside a control loop: a few Gauss-Newton steps per sample, and a random walk between samples."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.estimation._estimate import ForceEstimate
from pliant.estimation._estimator import Evidence, ForceEstimator, shown_location, trial, unknowns
from pliant.estimation._least_squares import covariance_of
from pliant.estimation._observation import as_poses, weighted
from pliant.numerics import ResultCode

_LOST = 1e6  # variance beyond which nothing counts as known


class StreamingForceEstimator(eqx.Module):
    """An extended information filter on the force: between samples it walks at random, each sample is one jitted call.

        >>> stream = StreamingForceEstimator(estimator, drift=1.0)
        >>> state = stream.begin(inputs)
        >>> for inputs, poses in samples:
        ...     state = stream.update(state, inputs, poses, step)

    drift: how far each component of the force walks [N / sqrt(s)]; None: nothing is taken from earlier samples but the
    place to start from, and the estimator's own prior holds. location_drift [1 / sqrt(s)]: the same of an unknown
    location. steps: Gauss-Newton steps per sample, each with one Newton step of the robot towards rest.

    A sample that moves the robot far is followed within a few samples, as Newton's method converges; until then its
    code is NOT_CONVERGED. Steps are not damped: where model and markers disagree by much more than the noise, give the
    estimator a prior or use `ForceEstimator.estimate`.
    """

    estimator: ForceEstimator
    drift: Array  # infinite: no memory
    location_drift: Array
    steps: int = eqx.field(static=True)

    def __init__(
        self, estimator: ForceEstimator, *, drift: float | None = None, location_drift: float = 0.1, steps: int = 1
    ) -> None:
        if steps < 1:
            raise ValueError(f"steps must be at least 1 for each sample; got {steps}")
        for name, value in (("drift", drift), ("location_drift", location_drift)):
            if value is not None and not value > 0.0:
                raise ValueError(
                    f"{name} must be above 0; got {value}" + (" (None: no memory)" if name == "drift" else "")
                )
        self.estimator = estimator
        self.drift = jnp.asarray(np.inf if drift is None else float(drift))
        self.location_drift = jnp.asarray(float(location_drift))
        self.steps = steps

    def begin(
        self, inputs: Any, force: Any = (0.0, 0.0, 0.0), location: float | None = None, deviation: float = 10.0
    ) -> ForceEstimate:
        """A first belief: the robot at rest under the inputs, the force (3,) [N] known to within `deviation`, an
        unknown location anywhere on the body."""
        estimator, forward = self.estimator, self.estimator.forward
        inputs = forward.checked(inputs)
        middle = 0.5 if estimator.location is None else estimator.location
        where = float(middle if location is None else location)
        variances = [deviation**2] * 3 + ([1.0 / 12.0] if estimator.unknown_location else [])
        return ForceEstimate(
            force=jnp.asarray(force, dtype=jnp.float64),
            location=shown_location(forward, jnp.asarray([0.0, 0.0, 0.0, where])),
            covariance=jnp.diag(jnp.asarray(variances)),
            errors=jnp.zeros((forward.marker_count, 6)),
            misfit=jnp.zeros(()),
            iterations=jnp.int32(0),
            code=jnp.int32(ResultCode.SUCCESS),
            rest=forward.at_rest(inputs),
        )

    def update(self, state: ForceEstimate, inputs: Any, observed: Any, step: float) -> ForceEstimate:
        """The belief after a sample, `step` seconds after the last. A sample that gives no finite answer leaves the
        force as it was, with the code NOT_FINITE and a wider covariance.

        inputs and observed as for `ForceEstimator.estimate`; arrays of the right shape are passed on unchecked inside
        another jitted function.
        """
        estimator = self.estimator
        if not isinstance(observed, jax.core.Tracer):
            measures_turn = bool(np.any(np.isfinite(np.asarray(estimator.deviations[:, :3]))))
            observed = as_poses(observed, estimator.forward.marker_count, measures_turn)
        return _update(self, state, inputs, jnp.asarray(observed), step)


@jax.jit
def _update(
    stream: StreamingForceEstimator, state: ForceEstimate, inputs: Any, poses: Array, step: Array
) -> ForceEstimate:
    estimator = stream.estimator
    forward, count = estimator.forward, estimator.unknown_count
    free = jnp.asarray([1.0, 1.0, 1.0, float(estimator.unknown_location)])
    evidence = Evidence(inputs, weighted(poses, estimator.deviations), free, estimator.expected)
    begin = unknowns(state)
    walked = _walked(stream, state.covariance, step)
    remembers = jnp.isfinite(stream.drift)
    before = jnp.zeros((4, 4)).at[:count, :count].set(covariance_of(walked))
    prior, mean = jnp.where(remembers, before, estimator.expected), jnp.where(remembers, begin, 0.0)
    x, rest = begin, state.rest
    for _ in range(stream.steps):
        tried = trial(forward, evidence, x, rest, solve=False)
        information = tried.slope.T @ tried.slope + prior
        downhill = tried.slope.T @ tried.errors - prior @ (x - mean)
        covariance = covariance_of(information[:count, :count])
        known = jnp.where(jnp.isfinite(covariance), covariance, 0.0)  # what is not seen stays where it is
        moved = x.at[:count].add(known @ downhill[:count])
        change = moved.at[3].set(jnp.clip(moved[3], 0.0, 1.0)) - x
        left = tried.errors - tried.slope @ change
        rest, x = forward.moved(tried.carry[0], tried.carry_rates, change), x + change
    weights = evidence.observed.weights.reshape(-1)
    leaves = [x, *jax.tree.leaves(rest)]
    fine = jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in leaves]))
    after = ForceEstimate(
        force=x[:3],
        location=shown_location(forward, x),
        covariance=covariance,
        errors=jnp.where(weights > 0.0, left / jnp.where(weights > 0.0, weights, 1.0), 0.0).reshape(-1, 6),
        misfit=left @ left / jnp.maximum(jnp.sum(weights > 0.0), 1),
        iterations=jnp.int32(stream.steps),
        code=tried.code,
        rest=rest,
    )
    kept = eqx.tree_at(lambda s: (s.covariance, s.code), state, (walked, jnp.int32(ResultCode.NOT_FINITE)))
    return jax.tree.map(lambda new, old: jnp.where(fine, new, old), after, kept)


def _walked(stream: StreamingForceEstimator, covariance: Array, step: Array) -> Array:
    """Covariance after a random walk of `step` seconds; what was not known is known badly, to have an inverse."""
    finite = jnp.where(jnp.isfinite(covariance), covariance, _LOST)
    drift = jnp.where(jnp.isfinite(stream.drift), stream.drift, 0.0)
    rates = jnp.concatenate([jnp.broadcast_to(drift, 3), stream.location_drift[None]])[: len(covariance)]
    return finite + step * jnp.diag(rates**2)
