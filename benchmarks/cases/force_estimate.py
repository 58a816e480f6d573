"""The force at the tip of a module from its markers, from a warm start: quasi-static arm and gvs rod."""

from typing import Any

import jax
import numpy as np

import pliant
from harness.timing import first_and_steady, on_one_core, report
from pliant.estimation import ForceEstimator, StreamingForceEstimator
from pliant.validation.arms._force_estimation import MARKERS, NOISE, POSTURES, _inputs, arm, module
from pliant.validation.measured._stiff_flop_module import robot

_BEFORE, _NOW = (0.5, 0.2, 0.0), (0.55, 0.15, 0.0)  # N: of the last sample, and of this one
_STEPS, _SAMPLE = 1, 0.01  # Gauss-Newton steps per sample; s
_ORDER = 2  # of the rod


def _measure(given: Any) -> tuple[float, float]:
    """Seconds of an estimate from what Python hands over to what it gets back, and its error [N]."""
    estimator = ForceEstimator(given, MARKERS, location=1.0, noise=NOISE)
    stream = StreamingForceEstimator(estimator, steps=_STEPS)
    pressures = _inputs(given, POSTURES[1])
    before, now = (np.asarray(estimator.predict(pressures, force)) for force in (_BEFORE, _NOW))
    state = estimator.estimate(pressures, before)

    def update() -> Any:
        return jax.block_until_ready(stream.update(state, pressures, now, _SAMPLE))

    _, seconds, found = first_and_steady(update)
    return seconds, float(np.linalg.norm(np.asarray(found.force) - _NOW))


def main() -> None:
    on_one_core()
    of_arm, arm_error = _measure(arm())
    of_rod, rod_error = _measure(pliant.compile(robot(module(), "gvs", _ORDER)))
    report(arm=of_arm, rod=of_rod, arm_error=arm_error, rod_error=rod_error)


if __name__ == "__main__":
    main()
