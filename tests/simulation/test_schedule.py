"""Chunks of a run: none across a breakpoint, none between a breakpoint and the save time that it is."""

import numpy as np

from pliant.simulation._schedule import chunks, save_times


def test_a_table_at_the_save_times_makes_no_chunk_of_its_own():
    times = save_times(0.0, 5.0, 0.025)
    knots = [k / 40 for k in range(300)]  # equal but for round-off
    assert any(time not in knots for time in times)
    plan = chunks(times, knots)
    assert len(plan) == 200
    assert all(chunk.end in knots for chunk in plan)
    assert all(chunk.end - chunk.start > 0.02 for chunk in plan)
    assert sum(chunk.saved for chunk in plan) == len(times) - 1


def test_other_breakpoints_are_kept():
    plan = chunks(save_times(0.0, 1.0, 0.1), [0.25, 0.3 + 1e-9])
    np.testing.assert_allclose([chunk.end for chunk in plan], [0.25, 0.3 + 1e-9, 1.0], rtol=0, atol=0)
