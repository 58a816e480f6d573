"""A force on the body of a soft robot from its pressures and the poses of markers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arms import QuasiStaticArm
from pliant.estimation._arm_at_rest import ArmAtRest
from pliant.estimation._estimate import ForceEstimate
from pliant.estimation._forward import Carry, Forward
from pliant.estimation._least_squares import Prior, Trial, covariance_of, fit
from pliant.estimation._model_at_rest import Marker, ModelAtRest
from pliant.estimation._observation import Observed, as_poses, errors, noise_deviations, weighted, whitened
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError

_CANDIDATES = (0.25, 0.5, 0.75, 1.0)  # fractions from which an unknown location is sought
_MAX_ITERATIONS = 40
_TOLERANCE = 1e-6  # standard deviations of the result
_LOW = np.array([-np.inf, -np.inf, -np.inf, 0.0])
_HIGH = np.array([np.inf, np.inf, np.inf, 1.0])
_KINKED = np.array([0.0, 0.0, 0.0, 1.0])  # by the location


class Evidence(NamedTuple):
    """Traced numbers of one estimate: inputs, what was observed, unknowns that are free (4,), and the information
    (4, 4) about force and location before anything is measured."""

    inputs: Any
    observed: Observed
    free: Array
    expected: Array


class ForceEstimator(eqx.Module):
    """Estimates one force from poses of markers at rest.

        >>> estimator = ForceEstimator(model, markers=(0.5, 1.0), location=0.8, noise=(0.5e-3, 0.01))
        >>> found = estimator.estimate({"pair-1": 40e3}, poses)
        >>> found.force, found.deviation

    robot: a compiled Model of any rod model, or a quasi-static arm. markers: names of frames, and fractions of the rod
    `link` (which may be left out where there is only one). location: fraction of that rod where the force acts, the
    name of a frame, or None when it is unknown. noise: deviation of position [m] and of rotation [rad]; a number or one
    for each marker, None for rotations that are not measured. prior: deviation [N] of forces that are to be expected
    in each direction, which keeps a direction that the markers hardly tell (along the body) near zero; None: any force
    is as likely, the estimate is unbiased. Where the markers hardly tell an unknown location from that of a larger
    force nearer to the base, the search without a prior may run there and end as NOT_CONVERGED.
    """

    forward: Forward
    location: Array | None
    deviations: Array
    expected: Array  # (4, 4) information about force and location before anything is measured

    def __init__(
        self,
        robot: Any,
        markers: Sequence[Marker],
        *,
        location: float | str | None,
        noise: tuple[Any, Any],
        link: str | None = None,
        prior: float | None = None,
    ) -> None:
        if len(markers) == 0:
            raise ValueError("markers: name at least one frame, or give a fraction of the rod")
        for what, value in [*(("marker", m) for m in markers), ("location", location)]:
            if not isinstance(value, str | None) and not 0.0 <= float(value) <= 1.0:
                raise ValueError(f"{what} {value} is off the body: fractions of a rod run from 0 (base) to 1 (tip)")
        if prior is not None and not prior > 0.0:
            raise ValueError(f"prior must be above 0 N; got {prior} (None: any force is as likely)")
        frame = location if isinstance(location, str) else None
        if isinstance(robot, Model):
            self.forward = ModelAtRest(robot, markers, link, frame)
        elif isinstance(robot, QuasiStaticArm):
            self.forward = ArmAtRest(robot, markers, frame, unknown_place=location is None)
        else:
            raise TypeError(f"robot must be a compiled Model or a quasi-static arm; got {type(robot).__name__}")
        self.location = None if location is None else jnp.asarray(1.0 if isinstance(location, str) else float(location))
        known = 0.0 if prior is None else 1.0 / prior**2
        self.expected = jnp.diag(jnp.asarray([known, known, known, 0.0]))
        self.deviations = jnp.asarray(noise_deviations(noise, self.forward.marker_count))

    @property
    def unknown_location(self) -> bool:
        return self.location is None

    def estimate(
        self, inputs: Any, observed: Any, start: ForceEstimate | None = None, throw: bool = True
    ) -> ForceEstimate:
        """The force at which the robot, at rest under the inputs, has its markers where they were observed.

        observed: poses (m, 4, 4) in the world, or positions (m, 3) where rotations are not measured; nan for a marker
        not seen. Inputs left out keep the values of the robot file. start: an earlier estimate nearby, which saves the
        search: of the rest pose, and over the rod where the location is unknown. Raises SolveError, with the last trial
        in `.partial`, unless throw=False.
        """
        inputs = self.forward.checked(inputs)
        evidence = self.evidence(inputs, observed)
        if start is None:
            rest = self.forward.at_rest(inputs)
            starts = [jnp.asarray([0.0, 0.0, 0.0, place]) for place in self._places()]
            # The least misfit of several starts; one that failed counts only where all did.
            found = min(
                (_fitted(self.forward, evidence, x0, rest)[0] for x0 in starts),
                key=lambda fitted: (int(fitted.code) != ResultCode.SUCCESS, float(fitted.misfit)),
            )
        else:
            found, _ = _fitted(self.forward, evidence, unknowns(start), start.rest)
        count = self.unknown_count
        found = eqx.tree_at(lambda e: e.covariance, found, found.covariance[:count, :count])
        if throw and int(found.code) != ResultCode.SUCCESS:
            raise SolveError(ResultCode(int(found.code)), f"Force on robot {self.forward.name!r}.", partial=found)
        return found

    def _places(self) -> tuple[Any, ...]:
        """Fractions from which the force is sought."""
        return _CANDIDATES if self.location is None else (self.location,)

    def predict(self, inputs: Any, force: Any, location: float | None = None) -> Array:
        """(m, 4, 4) poses of the markers at rest under a force (3,) [N]."""
        inputs, x = self.forward.checked(inputs), self._truth(force, location)
        nothing = np.tile(np.eye(4), (self.forward.marker_count, 1, 1))
        held = self.evidence(inputs, nothing)._replace(free=jnp.zeros(4))
        found, poses = _fitted(self.forward, held, x, self.forward.at_rest(inputs))
        if int(found.code) != ResultCode.SUCCESS:
            raise SolveError(ResultCode(int(found.code)), f"Robot {self.forward.name!r} under {np.asarray(x[:3])} N.")
        return poses

    def bound(self, inputs: Any, force: Any, location: float | None = None) -> Array:
        """Least covariance, (3, 3) or (4, 4) with the location, of an unbiased estimate from one sample when this force
        acts (Cramer 1946, Rao 1945): the inverse of the Fisher information. Of the mean of n samples it is one n-th."""
        poses, x = self.predict(inputs, force, location), self._truth(force, location)
        inputs = self.forward.checked(inputs)
        evidence = self.evidence(inputs, poses)._replace(expected=jnp.zeros((4, 4)))
        found, _ = _fitted(self.forward, evidence, x, self.forward.at_rest(inputs))
        return found.covariance[: self.unknown_count, : self.unknown_count]

    @property
    def unknown_count(self) -> int:
        return 4 if self.unknown_location else 3

    def _truth(self, force: Any, location: float | None) -> Array:
        """(4,) force and location."""
        if location is None and self.location is None:
            raise ValueError("the location is unknown to this estimator: say where the force acts, location=0..1")
        where = float(location if location is not None else self.location)  # type: ignore[arg-type]
        if not 0.0 <= where <= 1.0:
            raise ValueError(f"location {where} is off the body: fractions of a rod run from 0 (base) to 1 (tip)")
        force = jnp.asarray(force, dtype=jnp.float64)
        if force.shape != (3,):
            raise ValueError(f"force must be three numbers [N] in world axes; got shape {force.shape}")
        return jnp.append(force, where)

    def evidence(self, inputs: Any, observed: Any) -> Evidence:
        """Checked observations, and the unknowns they are for."""
        measures_turn = bool(np.any(np.isfinite(np.asarray(self.deviations[:, :3]))))
        poses = as_poses(observed, self.forward.marker_count, measures_turn)
        free = np.array([1.0, 1.0, 1.0, float(self.unknown_location)])
        return Evidence(inputs, weighted(jnp.asarray(poses), self.deviations), jnp.asarray(free), self.expected)


def unknowns(found: ForceEstimate) -> Array:
    """(4,) force and location; any number stands for the location of a frame."""
    location = jnp.where(jnp.isnan(found.location), 1.0, found.location)
    return jnp.concatenate([found.force, location[None]])


def shown_location(forward: Forward, x: Array) -> Array:
    """() fraction where the force acts; nan at a frame."""
    return x[3] if forward.free_location else jnp.asarray(jnp.nan)


def trial(forward: Forward, evidence: Evidence, x: Array, carry: Carry, solve: bool = True) -> Trial:
    """The map at x (4,), compared with what was observed."""
    found = forward.linearise(x[:3], x[3], evidence.inputs, carry, solve)
    value, slope = whitened(found.poses, found.rates, evidence.observed)
    return Trial(value, slope * evidence.free, (found.carry, found.poses), found.carry_rates, found.code)


@jax.jit
def _fitted(forward: Forward, evidence: Evidence, x0: Array, carry: Carry) -> tuple[ForceEstimate, Array]:
    """The estimate from a start x0 (4,), with the covariance (4, 4) of force and location, and poses (m, 4, 4) of the
    markers. Predictions and bounds are the same program, with nothing free and from the truth: it compiles long."""
    blank = jnp.zeros((forward.marker_count, 4, 4))
    found = fit(
        lambda x, carry: trial(forward, evidence, x, carry[0]),
        lambda carry, rates, change: (forward.moved(carry[0], rates, change), carry[1]),
        x0,
        (carry, blank),
        low=jnp.asarray(_LOW),
        high=jnp.asarray(_HIGH),
        free=evidence.free,
        kinked=jnp.asarray(_KINKED),
        prior=Prior(jnp.zeros(4), evidence.expected),
        max_iterations=_MAX_ITERATIONS,
        tolerance=_TOLERANCE,
    )
    rest, poses = found.trial.carry
    spare = jnp.maximum(jnp.sum(evidence.observed.weights > 0.0) - jnp.sum(evidence.free), 1.0)
    covariance = covariance_of(found.trial.slope.T @ found.trial.slope + evidence.expected)
    unseen = jnp.any(jnp.isinf(jnp.diag(covariance)[:3]) & (evidence.free[:3] > 0.0))
    estimate = ForceEstimate(
        force=found.x[:3],
        location=shown_location(forward, found.x),
        covariance=covariance,
        errors=errors(poses, evidence.observed.poses),
        misfit=found.trial.errors @ found.trial.errors / spare,
        iterations=found.iterations,
        code=jnp.where(unseen & (found.code == ResultCode.SUCCESS), jnp.int32(ResultCode.SINGULAR), found.code),
        rest=rest,
    )
    return estimate, poses
