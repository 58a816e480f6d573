"""Orders of operations in which few values wait, and where those that wait are kept."""

import itertools

import numpy as np

from pliant.native.printing._operations import Operation
from pliant.native.printing._order import with_few_waiting
from pliant.native.printing._waiting import Waiting

LENGTH, TERMS = 40, 30  # of sums, and how many


def sums():
    """Products of two symbols each, all of them first, then their sums: where it begins everything waits."""
    steps = [Operation("symbol", (), ("w", index)) for index in range(LENGTH)]
    products = [[len(steps) + TERMS * one + other for other in range(TERMS)] for one in range(LENGTH)]
    steps += [Operation("mul", (one, (one + other) % LENGTH)) for one in range(LENGTH) for other in range(TERMS)]
    results = []
    for terms in products:
        last = terms[0]
        for term in terms[1:]:
            steps.append(Operation("add", (last, term)))
            last = len(steps) - 1
        results.append(last)
    return steps, results


def values(steps, numbers):
    found = []
    for step in steps:
        own = [found[i] for i in step.operands]
        found.append(
            numbers[step.value[1]] if step.kind == "symbol" else {"mul": np.prod, "add": np.sum}[step.kind](own)
        )
    return found


def most_waiting(steps):
    last = {operand: index for index, step in enumerate(steps) for operand in step.operands}
    computed = [index for index, step in enumerate(steps) if step.kind != "symbol"]
    return max(sum(i <= now < last.get(i, i) for i in computed) for now in computed)


def test_fewer_values_wait_and_the_results_are_the_same():
    steps, results = sums()
    ordered, own = with_few_waiting(steps, results)
    assert all(operand < index for index, step in enumerate(ordered) for operand in step.operands)
    assert sorted(step.kind for step in ordered) == sorted(step.kind for step in steps)
    numbers = np.random.default_rng(0).normal(size=LENGTH)
    before, after = values(steps, numbers), values(ordered, numbers)
    assert [after[i] for i in own] == [before[i] for i in results]
    assert most_waiting(steps) >= LENGTH * TERMS - 1
    assert most_waiting(ordered) < 0.2 * most_waiting(steps)


def test_the_order_is_the_same_every_time():
    assert with_few_waiting(*sums()) == with_few_waiting(*sums())


def test_results_that_nothing_computes_are_kept():
    steps = [Operation("symbol", (), ("w", 0)), Operation("number", (), 2.0)]
    ordered, own = with_few_waiting(steps, [1, 0])
    assert [ordered[i] for i in own] == [steps[1], steps[0]]


def test_no_two_values_wait_in_one_slot_at_the_same_time():
    steps, results = sums()
    part = [index // 100 for index in range(len(steps))]
    wanted = {result: [place] for place, result in enumerate(results)}
    waiting = Waiting(steps, part, wanted, start=LENGTH, near=20)
    readers = {i: [part[k] for k, step in enumerate(steps) if i in step.operands] for i in waiting.left}
    assert all(max(found) > part[i] for i, found in readers.items())
    near = {i: place for i, place in waiting.left.items() if place.startswith("PLIANT_NEAR")}
    assert 0 < len(near) < len(waiting.left) and waiting.near_size == 20
    assert not set(wanted) & set(waiting.left)  # which have places of their own
    assert min(int(place[2:-1]) for place in set(waiting.left.values()) - set(near.values())) == LENGTH
    for one, other in itertools.combinations(waiting.left, 2):
        if waiting.left[one] == waiting.left[other]:
            assert max(readers[one]) < part[other] or max(readers[other]) < part[one]
