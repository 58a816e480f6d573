"""Steps taken by hand are those of `simulate`, and so is the step that is exported."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.simulation import Stepper
from robots import arm

STEP = 5e-3
JUMP = {"pull.force": {"step": {"at": 4 * STEP, "to": [0.0, 0.2, 0.0]}}}
BEFORE, AFTER = np.zeros(3), np.array([0.0, 0.2, 0.0])


def _simulated(tolerance: float, stepper: str = "newmark") -> pliant.results.Trajectory:
    return pliant.simulate(
        arm(), 8 * STEP, stepper=stepper, step=STEP, save_every=STEP, inputs=JUMP, newton_tolerance=tolerance
    )


@pytest.mark.parametrize("kind", ["newmark", pytest.param("generalised-alpha", marks=pytest.mark.long)])
def test_steps_by_hand_are_those_of_simulate_across_a_jump(kind):
    """With `jumped` where the load jumps and no other restart."""
    stepper = Stepper(arm(), kind, STEP, restart="never", newton_tolerance=1e-13)
    now, expected = stepper.begin(), _simulated(1e-13, kind)
    for k in range(8):
        now = stepper.step(now, {"pull.force": BEFORE if k < 4 else AFTER}, jumped=k == 4)
        assert int(now.code) == 0
        np.testing.assert_allclose(now.q, expected.q[k + 1], atol=1e-11 * np.abs(expected.q).max())
        np.testing.assert_allclose(now.v, expected.v[k + 1], atol=1e-11 * np.abs(expected.v).max())


@pytest.mark.parametrize(("tolerance", "bar"), [(1e-14, 1e-12), (1e-9, 1e-8)])
def test_the_exported_step_is_that_of_simulate_after_a_jump(tolerance, bar):
    native = pliant.compile_native(
        arm(), ("newmark_start", "newmark_step"), inputs=("pull.force",), newton_tolerance=tolerance, check=False
    )
    expected, state, memory = _simulated(tolerance), arm().initial_state(), native.newmark_start()
    q, v = np.asarray(state.q), np.asarray(state.v)
    for k in range(8):
        force = BEFORE if k < 4 else AFTER
        found = native.newmark_step(q, v, memory, STEP * k, force, STEP, float(k == 4))
        q, v, memory = found["q_next"], found["v_next"], found["memory_next"]
        assert found["converged"] == 1.0
        np.testing.assert_allclose(q, expected.q[k + 1], atol=bar * np.abs(expected.q).max())
        np.testing.assert_allclose(v, expected.v[k + 1], atol=bar * np.abs(expected.v).max())


def test_a_step_that_jumps_without_saying_so_rings():
    """What `jumped` is for: without it the acceleration before the jump counts after it."""
    stepper = Stepper(arm(), "newmark", STEP, restart="never", newton_tolerance=1e-13)
    now, expected = stepper.begin(), _simulated(1e-13)
    for k in range(8):
        now = stepper.step(now, {"pull.force": BEFORE if k < 4 else AFTER})
    assert np.abs(np.asarray(now.v - expected.v[-1])).max() > 1e-6 * np.abs(expected.v).max()


def test_a_pair_of_inputs_goes_from_one_to_the_other():
    stepper = Stepper(arm(), "newmark", STEP, newton_tolerance=1e-13)
    now = stepper.begin()
    times = np.array([0.0, 4 * STEP])
    table = {"pull.force": (times, np.stack([BEFORE, AFTER]))}
    expected = pliant.simulate(
        arm(), 4 * STEP, stepper="newmark", step=STEP, save_every=STEP, inputs=table, newton_tolerance=1e-13
    )
    for k in range(4):
        ends = [BEFORE + share / 4 * (AFTER - BEFORE) for share in (k, k + 1)]
        now = stepper.step(now, ({"pull.force": ends[0]}, {"pull.force": ends[1]}))
    np.testing.assert_allclose(now.q, expected.q[-1], atol=1e-11 * np.abs(expected.q).max())
    with pytest.raises(ValueError, match="must be of the same ports"):
        stepper.step(now, ({"pull.force": BEFORE}, {}))


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="'tsit5' cannot be taken by hand; legal: newmark"):
        Stepper(arm(), "tsit5", STEP)
    with pytest.raises(ValueError, match="restart 'seldom' is unknown; legal: always, never"):
        Stepper(arm(), "newmark", STEP, restart="seldom")
    with pytest.raises(KeyError, match="has no input 'push'"):
        Stepper(arm(), "newmark", STEP).step(Stepper(arm(), "newmark", STEP).begin(), {"push": 1.0})


@dataclasses.dataclass(frozen=True)
class _Pull:
    gain: float

    def __call__(self, t, state):
        return {"pull.force": -self.gain * jnp.array([1.0, 1.0, 0.0]) * state.q[3]}


def test_a_frozen_controller_with_other_numbers_is_not_compiled_anew():
    from pliant.simulation import _simulate

    def end(gain):
        words = {"stepper": "newmark", "step": STEP, "save_every": STEP, "rate": 200.0}
        return pliant.simulate(arm(), 4 * STEP, inputs=_Pull(gain), **words).q[-1]

    soft, compiled = end(0.1), _simulate._batch._cached._cache_size()
    stiff = end(0.3)
    assert _simulate._batch._cached._cache_size() == compiled
    assert not np.allclose(soft, stiff, rtol=1e-9)


def test_a_linearisation_is_compiled_once_for_all_values():
    from pliant.analysis import _linearise

    model, state = arm(), arm().initial_state()
    pliant.linearise(model, state.q, inputs={"pull.force": BEFORE})
    compiled = _linearise._derivatives._cache_size()
    moved = pliant.linearise(model, state.q + 0.1, t=0.3, inputs={"pull.force": AFTER})
    assert _linearise._derivatives._cache_size() == compiled
    assert jax.tree.all(jax.tree.map(lambda x: np.all(np.isfinite(x)), moved[:5]))
