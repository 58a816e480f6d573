"""Timing inside a child process: best of five, blocked on the result by the function timed."""

import json
import os
import time
from collections.abc import Callable
from typing import Any

REPEATS = 5
SHORTEST = 0.02  # s; a faster function is called several times per sample, or the clock's own noise shows


def once(function: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, and what it returned."""
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def steady(function: Callable[[], Any]) -> float:
    """Seconds per call: the best of five samples. The function blocks until its result is there."""
    seconds, _ = once(function)
    calls = max(1, round(SHORTEST / max(seconds, 1e-9)))

    def sample() -> None:
        for _ in range(calls):
            function()

    return min(once(sample)[0] for _ in range(REPEATS)) / calls


def first_and_steady(function: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds of the first call (which compiles), seconds per later call, and the result."""
    first, result = once(function)
    return first, steady(function), result


def on_one_core() -> None:
    """For the rest of the process; to be called before JAX computes anything, which is when it makes its threads."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def report(**figures: Any) -> None:
    """The one line a case prints."""
    print(json.dumps(figures))
