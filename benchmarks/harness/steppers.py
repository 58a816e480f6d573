"""The suite `steppers`: what a user weighs when choosing one, for four materials."""

from harness.parts import case
from harness.suite import Suite
from harness.trials import TRIALS

_FIGURES = (
    ("time", "s", "computing time of a second of motion"),
    ("error", "L", "rms error of the tip"),
    ("steps", "1", "steps per second"),
    ("reached", "1", "share of the motion that was reached"),
)

STEPPERS_SUITE = Suite(
    measurements=tuple(
        case(
            material,
            "steppers",
            tuple((f"{trial.name} {key}", unit, meaning) for trial in trials for key, unit, meaning in _FIGURES),
            material,
        )
        for material, trials in TRIALS.items()
    ),
    columns=tuple(key for key, _, _ in _FIGURES),
)
