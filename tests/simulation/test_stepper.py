"""Steps taken by hand are those of `simulate`, and so is the step that is exported."""

import dataclasses
import json

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


def _simulated(tolerance: float, kind: str = "newmark") -> pliant.results.Trajectory:
    stepper = Stepper(arm(), kind, STEP, newton_tolerance=tolerance)
    return pliant.simulate(stepper, 8 * STEP, save_every=STEP, inputs=JUMP)


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
    expected, state, step_state = _simulated(tolerance), arm().initial_state(), native.newmark_start()
    q, v = np.asarray(state.q), np.asarray(state.v)
    for k in range(8):
        force = BEFORE if k < 4 else AFTER
        found = native.newmark_step(q, v, step_state, STEP * k, force, STEP, float(k == 4))
        q, v, step_state = found["q_next"], found["v_next"], found["step_state_next"]
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
    expected = pliant.simulate(stepper, 4 * STEP, save_every=STEP, inputs=table)
    for k in range(4):
        ends = [BEFORE + share / 4 * (AFTER - BEFORE) for share in (k, k + 1)]
        now = stepper.step(now, ({"pull.force": ends[0]}, {"pull.force": ends[1]}))
    np.testing.assert_allclose(now.q, expected.q[-1], atol=1e-11 * np.abs(expected.q).max())
    with pytest.raises(ValueError, match="must be of the same ports"):
        stepper.step(now, ({"pull.force": BEFORE}, {}))


def test_what_cannot_be_is_refused():
    for by_hand in (lambda: Stepper(arm(), "tsit5").begin(), lambda: Stepper(arm(), "tsit5").step(None)):
        with pytest.raises(ValueError, match="a step by hand has steps of a fixed length, and 'tsit5' chooses its own"):
            by_hand()
    for length in (None, (1e-3, 1e-2)):
        with pytest.raises(ValueError, match=r"a step by hand .* give one number as step"):
            Stepper(arm(), "newmark", length).begin()
    with pytest.raises(ValueError, match="restart 'seldom' is unknown; legal: always, never"):
        Stepper(arm(), "newmark", STEP, restart="seldom")
    with pytest.raises(KeyError, match="has no input 'push'"):
        Stepper(arm(), "newmark", STEP).step(Stepper(arm(), "newmark", STEP).begin(), {"push": 1.0})


def test_a_stepper_and_words_about_steps_are_not_taken_together():
    stepper = Stepper(arm(), "newmark", STEP)
    with pytest.raises(ValueError, match=r"was given a Stepper \(newmark of robot 'arm'\) and step=0\.001, rtol="):
        pliant.simulate(stepper, 0.1, step=1e-3, rtol=1e-3)
    with pytest.raises(ValueError, match=r"pure\.simulate was given a Stepper .* and stepper='rk4' beside it"):
        pliant.pure.simulate(stepper, 4, stepper="rk4")


def test_words_make_the_stepper_and_a_result_records_all_of_it():
    words = pliant.simulate(arm(), 4 * STEP, stepper="newmark", step=STEP, save_every=STEP)
    object_ = pliant.simulate(Stepper(arm(), "newmark", STEP), 4 * STEP, save_every=STEP)
    np.testing.assert_array_equal(words.q, object_.q)
    settings = json.loads(words.provenance)["settings"]
    assert settings == json.loads(object_.provenance)["settings"]
    known = {"stepper": "newmark", "step": STEP, "beta": 0.25, "gamma": 0.5, "newton_tolerance": 1e-9}
    assert known | {"restart": "always", "rtol": 1e-6, "atol": 1e-9} == {
        name: settings[name] for name in (*known, "restart", "rtol", "atol")
    }
    # Its first two steps begin anew and know no beta.
    damped = pliant.simulate(Stepper(arm(), "newmark", STEP, beta=0.49, gamma=0.9), 4 * STEP, save_every=STEP)
    assert np.abs(np.asarray(damped.q - words.q)).max() > 1e-9
    assert json.loads(damped.provenance)["settings"]["beta"] == 0.49


@pytest.mark.parametrize("kind", ["rk4", pytest.param("generalised-alpha", marks=pytest.mark.long)])
def test_a_pure_motion_takes_the_same_stepper(kind):
    """Its steps are those of `simulate`, and an adaptive or native one is refused."""
    length = STEP if kind == "generalised-alpha" else 1e-4
    stepper = Stepper(arm(), kind, length, newton_tolerance=1e-12)
    found = jax.jit(lambda: pliant.pure.simulate(stepper, 8))()
    expected = pliant.simulate(stepper, 8 * length, save_every=length)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-11 * np.abs(expected.q).max())
    with pytest.raises(ValueError, match=r"pure\.simulate has steps of a fixed length, and 'dopri8' chooses its own"):
        pliant.pure.simulate(Stepper(arm(), "dopri8"), 8)
    with pytest.raises(ValueError, match="which native steps have not"):
        pliant.pure.simulate(Stepper(arm(), kind, length, backend="native"), 8)


@dataclasses.dataclass(frozen=True)
class _Pull:
    gain: float

    def __call__(self, t, state):
        return {"pull.force": -self.gain * jnp.array([1.0, 1.0, 0.0]) * state.q[3]}


def test_a_frozen_controller_with_other_numbers_is_not_compiled_anew():
    from pliant.simulation._chunk_program import run_chunks

    def end(gain):
        words = {"stepper": "newmark", "step": STEP, "save_every": STEP, "rate": 200.0}
        return pliant.simulate(arm(), 4 * STEP, inputs=_Pull(gain), **words).q[-1]

    soft, compiled = end(0.1), run_chunks._cached._cache_size()
    stiff = end(0.3)
    assert run_chunks._cached._cache_size() == compiled
    assert not np.allclose(soft, stiff, rtol=1e-9)


def test_a_linearisation_is_compiled_once_for_all_values():
    from pliant.analysis import _linearise

    model, state = arm(), arm().initial_state()
    pliant.linearise(model, state.q, inputs={"pull.force": BEFORE})
    compiled = _linearise._derivatives._cache_size()
    moved = pliant.linearise(model, state.q + 0.1, t=0.3, inputs={"pull.force": AFTER})
    assert _linearise._derivatives._cache_size() == compiled
    assert jax.tree.all(jax.tree.map(lambda x: np.all(np.isfinite(x)), moved[:5]))
