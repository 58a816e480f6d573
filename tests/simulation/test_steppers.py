"""Steppers: impulses arrive whole, energy balances, steppers agree, failures say so."""

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import ResultCode, SolveError, State
from pliant.simulation import STEPPERS
from robots import arm, block, block_robot

STEP = {"rk4": {"step": 0.05}, "newmark": {"step": 0.05}}


@pytest.mark.parametrize("stepper", STEPPERS)
def test_millisecond_pulse_delivers_its_impulse(stepper):
    push = {"push.force": {"pulse": {"start": 0.1003, "width": 1e-3, "value": [400.0, 0.0, -200.0]}}}
    motion = pliant.simulate(
        block(), 0.3, stepper=stepper, rtol=1e-3, atol=1e-3, save_every=0.1, inputs=push, **STEP.get(stepper, {})
    )
    np.testing.assert_allclose(motion.v[-1, 3:], [0.2, 0.0, -0.1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(motion.time, [0.0, 0.1, 0.2, 0.3])


def test_pulse_in_the_file_is_landed_on_too():
    robot = block_robot().load(
        "kick", where={"link": "block"}, force={"pulse": {"start": "77 ms", "width": "1 ms", "value": [0, "400 N", 0]}}
    )
    motion = pliant.simulate(pliant.compile(robot), 0.2, rtol=1e-3, atol=1e-3, save_every=0.1)
    np.testing.assert_allclose(motion.v[-1, 4], 0.2, rtol=1e-6)


@pytest.fixture(scope="module")
def tight():
    return pliant.simulate(arm(), 0.2, stepper="tsit5", rtol=1e-9, atol=1e-11, save_every=0.02, ledger=True)


def test_ledger_balances(tight):
    total = np.asarray(tight.energy["total"])
    assert np.ptp(total) < 1e-9 * np.asarray(tight.energy["kinetic"]).max()
    assert float(tight.energy["dissipated"][-1]) > 0 and float(tight.energy["work"][-1]) > 0


def test_newmark_has_order_two(tight):
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        motion = pliant.simulate(arm(), 0.2, stepper="newmark", step=step, save_every=0.02, ledger=True)
        errors.append(np.abs(np.asarray(motion.q) - np.asarray(tight.q)).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 1.85), (errors, orders)


def test_fixed_step_diverges_and_says_so():
    stiff = arm().with_parameters({"materials.rubber.young": 1e9})
    with pytest.raises(SolveError, match="shorten it or use newmark") as failure:
        pliant.simulate(stiff, 2.0, stepper="rk4", step=0.05, save_every=0.05)
    assert failure.value.code == ResultCode.NOT_FINITE
    kept = failure.value.partial
    # What was reached before the failure is kept, although the chunk that failed began at zero.
    assert np.all(np.isfinite(kept.q)) and 1 < len(kept.time) < 40


def test_table_and_function_inputs_agree():
    times = np.array([0.0, 0.1, 0.2])
    values = np.array([[0.0, 0, 0], [1.0, 0, 2.0], [0.0, 0, 0]])

    def law(t, state):
        return {"push.force": jnp.stack([jnp.interp(t, times, values[:, k]) for k in range(3)])}

    settings = {"save_every": 0.1, "rtol": 1e-8, "atol": 1e-10}
    table = pliant.simulate(block(), 0.2, inputs={"push.force": (times, values)}, **settings)
    function = pliant.simulate(block(), 0.2, inputs=law, **settings)
    np.testing.assert_allclose(table.v[-1, 3:], [0.05, 0, 0.1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(function.v, table.v, atol=1e-7)


def test_sampled_controller_holds_its_output():
    # A force -v held for a tenth of a second: v falls by the factor 1 - 0.1 / mass at every sample.
    def law(t, state):
        return {"push.force": -state.v[3:]}

    start = State(block().neutral(), jnp.zeros(6).at[3].set(1.0))
    motion = pliant.simulate(block(), 0.3, state=start, inputs=law, rate=10.0, save_every=0.1)
    np.testing.assert_allclose(motion.v[:, 3], 0.95 ** np.arange(4), rtol=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"until": 0.0}, "until must be greater than start"),
        ({"stepper": "euler"}, "stepper 'euler' is unknown; legal: tsit5, dopri8, rk4, newmark"),
        ({"stepper": "rk4"}, "rk4 has a fixed step"),
        ({"stepper": "newmark", "step": -1e-3}, "step must be greater than 0 s; got -0.001 s"),
        ({"save_every": 0.0}, "save_every must be from 0 s"),
        ({"rtol": 0.0}, "rtol and atol must be greater than 0"),
        ({"rate": 0.0}, "rate must be greater than 0 Hz"),
        ({"inputs": {"push.force": [1.0, 2.0]}}, "expected 3 finite numbers"),
        ({"inputs": {"push.force": {"rampe": {}}}}, "expected one programme out of"),
        ({"inputs": {"push.force": ([0, 0], [[0, 0, 0]] * 2)}}, "increasing times"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        pliant.simulate(block(), **{"until": 1.0, **settings})
