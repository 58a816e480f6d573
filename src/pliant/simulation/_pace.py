"""How much one call computes: a user who interrupts a run waits for the call to end."""

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

SECONDS = 0.3  # that a call is to last
_FIRST = 32  # work of a first call, of which nobody knows how long it takes: a step or two
_GROWTH = 16  # most, from one call to the next
_MOST = 1 << 30  # fits 32 bits

_seconds_each: dict[Hashable, float] = {}


class Pace:
    """How much work the next call of a program may do, from how long the last ones took. Work is in steps of an
    explicit stepper, and in evaluations of the residual of an implicit one.

    program: what stands for it. How long its work takes is kept for the next run. The first call of a new program
    compiles, and tells nothing.
    """

    def __init__(self, program: Hashable) -> None:
        self._program, self._seconds = program, SECONDS
        each = _seconds_each.get(program)
        self._last = 0 if each is None else self._fitting(each)
        self._compiles = each is None

    @property
    def budget(self) -> int:
        """Work that the next call may do."""
        return self._last or _FIRST

    @contextmanager
    def measured(self) -> Iterator[list[int]]:
        """Around a call; what it yields is to be given the work that was done."""
        done: list[int] = []
        began = time.perf_counter()
        yield done
        self._note(sum(done), time.perf_counter() - began)

    def _note(self, work: int, seconds: float) -> None:
        compiled, self._compiles = self._compiles, False
        if work <= 0 or compiled:
            return
        each = seconds / work
        _seconds_each[self._program] = each
        self._last = min(self._fitting(each), _GROWTH * self.budget)

    def _fitting(self, each: float) -> int:
        return min(max(1, int(self._seconds / max(each, self._seconds / _MOST))), _MOST)
