"""An order of operations in which few values wait for their last use.

The sequence is cut in two where few values cross the cut, then each part likewise, down to parts that fit into
registers. A cut is improved as Fiduccia and Mattheyses improve the halves of a circuit: operations change sides one by
one, the best first and each once, and the best of all the states passed through is kept. Repeated with other first
cuts, the whole gets better each time.
"""

import heapq
import random
from collections.abc import Sequence

from pliant.native.printing._operations import Operation

_BEFORE, _AFTER, _ELSEWHERE = 0, 1, 2  # the sides of a cut, and what is not in the part that is cut

SHORTEST = 48  # operations: parts that are not cut any more
PASSES = 8  # at most, for one cut
LEAST_SHARE = 0.2  # of the operations on either side of a cut
ROUNDS = 6
EFFORT = 160_000  # operations in all rounds: more of them, fewer rounds


def with_few_waiting(steps: Sequence[Operation], results: Sequence[int]) -> tuple[list[Operation], list[int]]:
    """The steps in such an order, and which of them are the results. Always the same for the same steps."""
    arrangement = _Arrangement(steps)
    for _ in range(min(ROUNDS, EFFORT // max(len(steps), 1))):
        arrangement.improve()
    order: list[int] = []
    placed: dict[int, int] = {}
    for index in [*arrangement.order, *results]:
        for one in (*steps[index].operands, index):  # numbers and symbols come before their first use
            if one not in placed:
                placed[one] = len(order)
                order.append(one)
    ordered = [steps[i]._replace(operands=tuple(placed[o] for o in steps[i].operands)) for i in order]
    return ordered, [placed[i] for i in results]


class _Arrangement:
    """order: the steps that compute; operands, users: per step, those among them, each once."""

    def __init__(self, steps: Sequence[Operation]) -> None:
        computed = [step.kind not in ("number", "symbol") for step in steps]
        self.order = [index for index, own in enumerate(computed) if own]
        self.operands = [tuple({o for o in step.operands if computed[o]}) for step in steps]
        self.users: list[list[int]] = [[] for _ in steps]
        for index in self.order:
            for operand in self.operands[index]:
                self.users[operand].append(index)
        self.position = [0] * len(steps)
        self._place(0, self.order)
        self.side, self.unread = [_ELSEWHERE] * len(steps), [0] * len(steps)  # of the cut that is being made
        self.random = random.Random(0)

    def _place(self, begin: int, part: Sequence[int]) -> None:
        self.order[begin : begin + len(part)] = part
        for place, index in enumerate(part, begin):
            self.position[index] = place

    def improve(self) -> None:
        parts = [(0, len(self.order))]
        while parts:
            begin, end = parts.pop()
            if end - begin < SHORTEST:
                continue
            _Cut(self, begin, end).improve()
            sides: tuple[list[int], list[int]] = ([], [])
            for index in self.order[begin:end]:
                sides[self.side[index]].append(index)
                self.side[index] = _ELSEWHERE
            self._place(begin, sides[_BEFORE] + sides[_AFTER])
            middle = begin + len(sides[_BEFORE])
            parts += [(begin, middle), (middle, end)]


class _Cut:
    """A part of the order in two: what comes before the cut, and what after.

    side: per step; unread: per value of the part or for it, how many of its users do not come before the cut."""

    def __init__(self, whole: _Arrangement, begin: int, end: int) -> None:
        self.operands, self.users, self.random = whole.operands, whole.users, whole.random
        self.side, self.unread = whole.side, whole.unread
        self.part, position = whole.order[begin:end], whole.position
        count = len(self.part)
        self.size = int(count * self.random.uniform(0.35, 0.65))
        self.smallest, self.largest = int(LEAST_SHARE * count), count - int(LEAST_SHARE * count)
        for place, index in enumerate(self.part):
            self.side[index] = _BEFORE if place < self.size else _AFTER
        for value in {value for index in self.part for value in (index, *self.operands[index])}:
            # What an earlier part has read of it is read.
            later = (user for user in self.users[value] if position[user] >= begin)
            self.unread[value] = sum(self.side[user] != _BEFORE for user in later)

    def improve(self) -> None:
        for _ in range(PASSES):
            if not self._pass():
                return

    def _pass(self) -> bool:
        """Whether fewer values cross the cut than before."""
        self.heap: list[tuple[int, float, int, int]] = []
        self.moved: set[int] = set()
        for index in self.part:
            self._offer(index)
        trail: list[int] = []
        change = best = kept = 0
        while self.heap:
            cost, _, index, side = heapq.heappop(self.heap)
            if index in self.moved or self.side[index] != side or self._is_held(index):
                continue
            if cost != self._cost(index):
                self._offer(index)
            elif self.smallest <= self.size + (-1 if side == _BEFORE else 1) <= self.largest:
                self.moved.add(index)
                for neighbour in self._move(index):
                    self._offer(neighbour)
                trail.append(index)
                change += cost
                if change < best:
                    best, kept = change, len(trail)
        for index in reversed(trail[kept:]):
            self._move(index)
        return best < 0

    def _cost(self, index: int) -> int:
        """How many values more cross the cut when a step changes sides."""
        own = 1 if self.users[index] else 0
        if self.side[index] == _BEFORE:
            return sum(self.unread[o] == 0 for o in self.operands[index]) - own
        return own - sum(self.unread[o] == 1 for o in self.operands[index])

    def _offer(self, index: int) -> None:
        if self.side[index] != _ELSEWHERE and index not in self.moved and not self._is_held(index):
            heapq.heappush(self.heap, (self._cost(index), self.random.random(), index, self.side[index]))

    def _move(self, index: int) -> set[int]:
        """Changes the side of a step; those whose cost or freedom to move may have changed."""
        step = 1 if self.side[index] == _BEFORE else -1
        self.side[index] = _AFTER if step > 0 else _BEFORE
        self.size -= step
        touched = set(self.users[index])
        for operand in self.operands[index]:
            self.unread[operand] += step
            touched.add(operand)
            if self.unread[operand] <= 1 + (step > 0):
                touched.update(self.users[operand])
        return touched

    def _is_held(self, index: int) -> bool:
        """Whether a step must stay on its side: one that needs it, or that it needs, is there."""
        if self.side[index] == _BEFORE:
            return any(self.side[user] == _BEFORE for user in self.users[index])
        return any(self.side[operand] == _AFTER for operand in self.operands[index])
