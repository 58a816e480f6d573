"""When to stop and look: save times and chunks that never run across a breakpoint."""

import math
from typing import NamedTuple

import numpy as np

CHUNK_SAVES = (
    64  # most save times in one chunk: often enough for progress, seldom enough to keep the host out of the way
)


class Chunk(NamedTuple):
    """One jitted stretch of time [start, end]. targets (CHUNK_SAVES + 1,): save times, then the end, padded with the
    end; saved: how many of them are save times."""

    start: float
    end: float
    targets: np.ndarray
    saved: int


def save_times(start: float, until: float, save_every: float) -> np.ndarray:
    """Start, then every multiple of save_every, then the end."""
    count = math.floor((until - start) / save_every * (1.0 + 1e-12))
    times = start + save_every * np.arange(count + 1)
    if until - times[-1] > 1e-9 * max(abs(until), save_every):
        return np.append(times, until)
    times[-1] = until
    return times


def chunks(times: np.ndarray, breakpoints: list[float]) -> list[Chunk]:
    """Cut [times[0], times[-1]] at the breakpoints and so that no chunk holds more than CHUNK_SAVES save times."""
    start, until = times[0], times[-1]
    cuts = sorted({float(b) for b in breakpoints if start < b < until} | {float(until)})
    result, position, low = [], 1, float(start)
    for cut in cuts:
        while low < cut:
            inside = times[position:][times[position:] <= cut][:CHUNK_SAVES]
            high = float(inside[-1]) if len(inside) == CHUNK_SAVES else cut
            targets = np.full(CHUNK_SAVES + 1, high)
            targets[: len(inside)] = inside
            result.append(Chunk(low, high, targets, len(inside)))
            position += len(inside)
            low = high
    return result
