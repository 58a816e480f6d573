"""What of the energy of a run its power explains, and which of the steps taken twice a sample holds."""

import jax
import numpy as np
import pytest
from test_accuracy import SLIDER, compiled, run

import pliant
from pliant.numerics import ResultCode
from pliant.simulation._balance import unexplained
from pliant.simulation._checked_steps import checked_pairs
from pliant.simulation._inputs import make_inputs
from pliant.simulation.stepping._step_check import no_checks_yet


@pytest.fixture(scope="module")
def damped():
    """1 kg on a spring of 400 N/m with a tenth of the critical damping, let go 0.1 m from rest, and pushed."""
    return compiled(
        "gravity: [0, 0, 0]"
        + SLIDER % "400 N/m, damping: 4"
        + """
initial: {b: {displacement: 0.1}}
loads: [{name: shake, where: b, force: {sine: {amplitude: [0, 0, 5 N], frequency: 2 Hz}}}]
"""
    )


def left(model, motion):
    series = (motion.time, motion.q, motion.v)
    states = (*map(np.asarray, series), np.zeros((len(motion.time), 0)), ())
    total = np.asarray(motion.energy["total"])
    return unexplained(model, make_inputs(model, None), states, total) / np.ptp(total)


def test_power_explains_the_energy_of_an_exact_motion(damped):
    tight = {"rtol": 1e-10, "atol": 1e-12}
    rough, fine = (left(damped, pliant.simulate(damped, 2.0, save_every=every, **tight)) for every in (0.02, 0.002))
    assert 1e-6 < fine.max() < 1e-3
    assert 50 < rough.max() / fine.max() < 200  # the trapezoidal rule's


def test_power_does_not_explain_what_long_steps_make(damped):
    """Steps of a sixth of the period lose energy, as a ledger shows, which is integrated with the steps themselves."""
    motion = run(damped, 2.0, "rk4", 0.05, save_every=0.05, ledger=True, accuracy=1.0)
    lost = np.abs(np.asarray(motion.energy["numerical"])).max()
    bare = run(damped, 2.0, "rk4", 0.05, save_every=0.05, accuracy=1.0)
    assert left(damped, bare).max() > 0.8 * lost / np.ptp(np.asarray(bare.energy["total"])) > 0.01


def test_an_energy_error_that_comes_and_goes_is_not_added_up():
    """Two links that swing freely: newmark's energy errors come and go. Single steps, which stand for many, do not
    cancel as all of them do; the energy itself shows what is left."""
    text = "links:\n"
    for name, parent in (("a", "world"), ("b", "{link: a, offset: {move: [0, 0, -0.3 m]}}")):
        text += (
            f"  - {{name: {name}, kind: rigid, mass: 1 kg, inertia: [1e-2, 1e-2, 1e-3], centre: [0, 0, -0.15 m], "
            f"parent: {parent}, joint: {{revolute: y}}}}\n"
        )
    model = compiled(text + "initial: {a: {angle: 2.5}, b: {angle: 1}}\n")
    marked = 0
    for step in (2e-3, 4e-3, 8e-3):
        motion = run(model, 4.0, "newmark", step, save_every=0.02)
        total, kinetic = (np.asarray(motion.energy[name]) for name in ("total", "kinetic"))
        true = np.abs(total - total[0]).max() / np.ptp(kinetic)
        estimate = float(motion.estimated_error["energy"])
        marked += int(motion.code) == ResultCode.INACCURATE
        assert estimate < max(0.01, 1.2 * true)
    assert marked


def _twice(apart, end):
    class Moving:
        q, v, time = np.zeros(1), np.full(1, apart), np.asarray(end)

    return Moving()


def test_a_sample_holds_the_step_that_differs_most():
    """Three checks before the first sample, which differ by 1, 3 and 2, and one of 0.5 after it."""
    check, held = no_checks_yet(np.zeros(1), np.zeros(1), 1e9), []
    where = ((1.0, 0.1, 0.0), (3.0, 0.2, 0.0), (2.0, 0.3, 0.0), (0.5, 0.4, 0.3))
    for apart, end, sample in where:
        check = check.compared(_twice(apart, end), _twice(0.0, end), 0.1, sample, np.asarray(True), np.asarray(False))
        held.append(check)
    samples = jax.tree.map(lambda *x: np.stack(x), no_checks_yet(np.zeros(1), np.zeros(1), 1e9), held[2], held[3])
    pairs = checked_pairs(samples, 2, 0.1)
    np.testing.assert_allclose(pairs.v[:, 0], [3.0, 0.5])
    np.testing.assert_allclose(pairs.time, [0.2, 0.4])
    np.testing.assert_allclose(pairs.stands_for, [2.0, 1.0])
