"""Stiffness and damping of a pneumatic section, found from how its tip answers steps of pressure."""

import numpy as np
import pytest

from pliant import Robot, compile, simulate
from pliant.optimisation import identify

STIFFNESS, DAMPING = "links.base.section.muscles.stiffness", "links.base.section.muscles.damping"
TRUE = {STIFFNESS: 990.0, DAMPING: 49.5}  # N, N s: those of three-section-arm, a time constant of 50 ms
WRONG = {STIFFNESS: 990.0 * 1.5, DAMPING: 49.5 / 1.5}
STEPS = ({"base-1": 300e3, "base-2": 0.0}, {"base-1": 100e3, "base-2": 300e3})  # Pa, at t = 0
UNTIL, EVERY, NOISE = 0.3, 5e-3, 0.5e-3  # s, s, m


def section():
    """Without gravity, so that it is straight before a step."""
    muscles = {"radius": 0.0125, "stiffness": WRONG[STIFFNESS], "damping": WRONG[DAMPING], "mass": 0.1 / 0.15}
    around = {"radius": 0.0125, "angles": ["0 deg", "120 deg", "240 deg"]}
    return compile(
        Robot("section")
        .with_gravity([0, 0, 0])
        .rod("base", length=0.15, section={"muscles": muscles}, allow=["bend_x", "bend_y", "stretch"], model="cog")
        .chamber("base", link="base", area=2.2e-4, around=around, pressure=0)
    )


def tips(model, step=EVERY):
    """(steps, samples, 3) places of the tip [m]."""
    settings = {"stepper": "newmark", "step": step, "save_every": EVERY}
    return np.stack([simulate(model, UNTIL, inputs=inputs, **settings).position("base") for inputs in STEPS])


@pytest.mark.long
def test_finds_stiffness_and_damping_from_step_responses():
    model = section()
    # In finer steps than the prediction takes, so that its own error is in the data.
    exact = tips(model.with_parameters(TRUE), EVERY / 5)
    measured = exact + NOISE * np.random.default_rng(0).normal(size=exact.shape)
    before = np.sqrt(np.mean((measured - tips(model)) ** 2))
    over = {STIFFNESS: (100.0, 1e4), DAMPING: (1.0, 1e3)}
    fit = identify(model, tips, measured, over, sigma=NOISE, differences=1e-4, tolerance=1e-6)
    assert fit.success and not fit.notes
    for path, value in TRUE.items():
        assert fit.parameters[path] == pytest.approx(value, rel=0.01)
        assert abs(fit.parameters[path] - value) < 3 * fit.standard_errors[path] < 0.01 * value
    assert before > 10 * NOISE and fit.rms == pytest.approx(NOISE, rel=0.1)
    assert np.sqrt(np.mean((fit.predicted - exact) ** 2)) < 0.2 * NOISE
