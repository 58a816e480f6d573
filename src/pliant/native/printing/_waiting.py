"""Where values wait that one C function leaves to later ones: slots, used again when what they held is not needed.

A slot lies in the working space, or in the near space, of which there is little: on a GPU the memory of a
multiprocessor itself, while the working space of all threads is far larger than any cache.
"""

from collections.abc import Iterator, Sequence

from pliant.native.printing._operations import Operation


class Waiting:
    """part: the function that does a step; wanted: steps that have places in the working space of their own; start:
    where other slots of the working space begin; near: how many slots the near space has.

    left: step -> where the function that does it leaves it to later ones; work_size: where the slots of the working
    space end; near_size: slots of the near space in use."""

    def __init__(
        self, steps: Sequence[Operation], part: Sequence[int], wanted: dict[int, list[int]], start: int, near: int
    ) -> None:
        readers: list[set[int]] = [set() for _ in steps]
        for index, step in enumerate(steps):
            for operand in step.operands:
                if part[operand] != part[index]:
                    readers[operand].add(part[index])
        waiting = [
            i
            for i, found in enumerate(readers)
            if found and i not in wanted and steps[i].kind not in ("number", "symbol")
        ]
        spans = {i: (part[i], max(readers[i])) for i in waiting}
        near_slots = _near_slots(sorted(waiting, key=lambda i: _share(spans[i], len(readers[i]))), spans, near)
        far_slots = dict(_far_slots([i for i in waiting if i not in near_slots], spans, start))
        self.near_size = max(near_slots.values(), default=-1) + 1
        self.work_size = max(far_slots.values(), default=start - 1) + 1
        self.left = {i: f"w[{slot}]" for i, slot in far_slots.items()}
        self.left |= {i: f"PLIANT_NEAR({slot})" for i, slot in near_slots.items()}
        self._places = {i: f"w[{places[0]}]" for i, places in wanted.items()} | self.left

    def place(self, index: int) -> str:
        """Where a later function finds a step."""
        return self._places[index]


def _share(span: tuple[int, int], reads: int) -> float:
    """Functions during which a slot is in use, per time that it is written or read."""
    return (1 + span[1] - span[0]) / (1 + reads)


def _near_slots(waiting: Sequence[int], spans: dict[int, tuple[int, int]], count: int) -> dict[int, int]:
    """Slots of the near space, as long as there are any, in the order of `waiting`."""
    slots: dict[int, int] = {}
    taken = [0] * count  # per slot, a bit for every function during which it is in use
    for index in waiting if count else ():
        begin, end = spans[index]
        during = (2 << end) - (1 << begin)
        slot = next((slot for slot, used in enumerate(taken) if not used & during), None)
        if slot is not None:
            taken[slot] |= during
            slots[index] = slot
    return slots


def _far_slots(waiting: Sequence[int], spans: dict[int, tuple[int, int]], start: int) -> Iterator[tuple[int, int]]:
    """Slots of the working space from `start` on; `waiting` in the order of the program."""
    ending: dict[int, list[int]] = {}
    free: list[int] = []
    top, current = start, 0
    for index in waiting:
        begin, end = spans[index]
        while current < begin:
            free += ending.pop(current, [])
            current += 1
        if free:
            slot = free.pop()
        else:
            slot, top = top, top + 1
        ending.setdefault(end, []).append(slot)
        yield index, slot
