"""When to stop and look: save times and chunks that never run across a breakpoint."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Most save times in one chunk: often enough for progress, seldom enough to keep the host out of the way.
CHUNK_SAVES = 64
NATIVE_CHUNK_SAVES = 256

_SAME = 1e-14  # of the times of a run: what rounding sets apart
_BATCHES = {2: 32, 9: 7}  # targets of a chunk -> chunks in one call, for results of about one size; else one


class Chunk(NamedTuple):
    """One jitted stretch of time [start, end]. targets (most + 1,): save times, then the end, padded with the end;
    saved: how many of them are save times; jumped: whether a value jumps at the start."""

    start: float
    end: float
    targets: np.ndarray
    saved: int
    jumped: bool


def save_times(start: float, until: float, save_every: float) -> np.ndarray:
    """Start, then every multiple of save_every, then the end."""
    count = math.floor((until - start) / save_every * (1.0 + 1e-12))
    times = start + save_every * np.arange(count + 1)
    if until - times[-1] > 1e-9 * max(abs(until), save_every):
        return np.append(times, until)
    times[-1] = until
    return times


def _on_breakpoints(times: np.ndarray, breakpoints: list[float]) -> np.ndarray:
    """Save times, those that are breakpoints but for round-off moved onto them: there is no chunk between the two, and
    a programme changes its slope at the breakpoint, not beside it."""
    if not breakpoints:
        return times
    known = np.array(sorted(breakpoints))
    after = np.minimum(np.searchsorted(known, times), len(known) - 1)
    pair = known[np.stack([np.maximum(after - 1, 0), after])]
    closest = np.where(np.abs(times - pair[0]) < np.abs(times - pair[1]), *pair)
    return np.where(np.abs(times - closest) <= _SAME * np.abs(times).max(), closest, times)


def chunks(
    times: np.ndarray, breakpoints: list[float], most: int = CHUNK_SAVES, jumps: Sequence[float] = ()
) -> list[Chunk]:
    """Cut [times[0], times[-1]] at the breakpoints and so that no chunk holds more than `most` save times. jumps: those
    of the breakpoints at which a value jumps."""
    times = _on_breakpoints(times, breakpoints)
    start, until = times[0], times[-1]
    cuts = sorted({float(b) for b in breakpoints if start < b < until} | {float(until)})
    result, position, low, jumped = [], 1, float(start), {float(time) for time in jumps}
    for cut in cuts:
        last = int(np.searchsorted(times, cut, side="right"))
        while low < cut:
            inside = times[position : min(last, position + most)]
            high = float(inside[-1]) if len(inside) == most else cut
            targets = np.full(most + 1, high)
            targets[: len(inside)] = inside
            result.append(Chunk(low, high, targets, len(inside), low in jumped))
            position += len(inside)
            low = high
    return result


def planned_steps(plan: list[Chunk], step: float) -> int:
    """How many steps, none longer than `step` [s], a plan takes where none is cut."""
    gaps = [np.diff(chunk.targets, prepend=chunk.start) for chunk in plan]
    return int(sum(np.sum(np.ceil(gap / step * (1.0 - 1e-9))) for gap in gaps))


def batch_size(plan: list[Chunk]) -> tuple[int, int]:
    """How many targets a chunk has at most, and how many chunks make one call; of a few sizes, since each compiles."""
    most = max((chunk.saved for chunk in plan), default=0) + 1
    sizes = ((width, count if len(plan) > 1 else 1) for width, count in _BATCHES.items() if most <= width)
    return next(sizes, (len(plan[0].targets) if plan else 1, 1))


def stacked(
    batch: list[Chunk], width: int, together: int, passed: int = 0, fresh: bool = True
) -> tuple[np.ndarray, ...]:
    """Starts (n,), ends (n,), targets (n, width), jumps (n,) and whether each starts now (n,) of n = together chunks;
    those that are missing are empty. passed: targets of the first one that are behind already; fresh: whether that one
    starts now, or goes on."""
    end = batch[-1].end
    low, high, targets = np.full(together, end), np.full(together, end), np.full((together, width), end)
    jumped = np.zeros(together, dtype=bool)
    for index, chunk in enumerate(batch):
        low[index], high[index], targets[index] = chunk.start, chunk.end, chunk.targets[:width]
        jumped[index] = chunk.jumped
    targets[0] = np.append(targets[0, passed:], np.full(passed, batch[0].end))
    starting = np.ones(together, dtype=bool)
    starting[0] = fresh
    return low, high, targets, jumped, starting
