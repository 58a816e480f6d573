"""Cutting time into chunks, and chunks that run together."""

import numpy as np
import pytest

import pliant
from pliant import SolveError
from pliant.simulation import _schedule
from pliant.simulation._schedule import batch_size, chunks, save_times, stacked
from robots import arm

TIMES = np.linspace(0.0, 1.0, 41)
PULLS = np.stack([0.05 * np.sin(9.0 * TIMES), 0.1 * TIMES, 0.0 * TIMES], axis=1)


def test_chunks_end_at_breakpoints_and_together_hold_every_save_time():
    plan = chunks(save_times(0.0, 1.0, 0.05), [0.33, 0.5, 0.77])
    assert [(chunk.start, chunk.end) for chunk in plan] == [(0.0, 0.33), (0.33, 0.5), (0.5, 0.77), (0.77, 1.0)]
    saved = np.concatenate([chunk.targets[: chunk.saved] for chunk in plan])
    np.testing.assert_allclose(saved, save_times(0.0, 1.0, 0.05)[1:])


def test_chunks_that_begin_with_a_jump_say_so():
    plan = chunks(save_times(0.0, 1.0, 0.05), [0.33, 0.5, 0.77], jumps=[0.5])
    assert [chunk.jumped for chunk in plan] == [False, False, True, False]


def test_short_chunks_run_together():
    plan = chunks(save_times(0.0, 1.0, 0.025), list(TIMES))
    width, together = batch_size(plan)
    assert width == 2 and together > 20
    low, high, targets, jumped, fresh = stacked(plan[:3], width, together)
    assert low.shape == (together,) and targets.shape == (together, width)
    np.testing.assert_allclose(high[:3] - low[:3], 0.025)
    assert np.all(low[3:] == high[3:])  # empty
    assert not jumped.any() and fresh.all()
    assert batch_size(chunks(save_times(0.0, 1.0, 0.001), []))[1] == 1


def test_a_chunk_that_was_put_aside_goes_on_with_the_targets_ahead():
    plan = chunks(save_times(0.0, 1.0, 0.2), [])
    low, high, targets, _, fresh = stacked(plan, 7, 1, passed=2, fresh=False)
    assert (low[0], high[0], bool(fresh[0])) == (0.0, 1.0, False)
    np.testing.assert_allclose(targets[0], [0.6, 0.8, 1.0, 1.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("kind", [pytest.param("newmark", marks=pytest.mark.long), "tsit5"])
def test_a_table_gives_the_same_motion_however_many_chunks_run_together(kind, monkeypatch):
    def motion():
        # Rounding differs between the two programs, and Newton's iteration may stop one step apart: its tolerance has
        # to be well below what is compared.
        words = {"step": 0.01, "newton_tolerance": 1e-13} if kind == "newmark" else {}
        return pliant.simulate(pliant.Stepper(arm(), kind, **words), 1.0, inputs={"pull.force": (TIMES, PULLS)})

    several = motion()
    monkeypatch.setattr(_schedule, "_BATCHES", {_schedule.CHUNK_SAVES + 1: 1})
    single = motion()
    assert int(several.steps) == int(single.steps)
    np.testing.assert_allclose(several.q, single.q, rtol=1e-9, atol=1e-12)


def test_what_was_solved_before_a_failure_inside_a_batch_is_kept():
    pulls = PULLS.copy()
    pulls[TIMES > 0.61] = 1e300
    with pytest.raises(SolveError, match=r"after t = 0\.6 s") as failure:
        pliant.simulate(arm(), 1.0, stepper="rk4", step=0.005, save_every=0.05, inputs={"pull.force": (TIMES, pulls)})
    kept = failure.value.partial
    assert float(kept.time[-1]) == pytest.approx(0.6) and np.all(np.isfinite(kept.q))
