"""Explicit tables satisfy the order conditions of all rooted trees (Hairer, Norsett, Wanner, section II.2)."""

import functools
import itertools

import numpy as np
import pytest

from pliant.simulation.stepping._tables import DOPRI8, RK4, TSIT5

Tree = tuple  # of the trees that hang on its root, sorted
_ROUNDING = 3e-14  # coefficients are up to 17 in size
TREES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 9, 6: 20, 7: 48, 8: 115}  # how many there are of each order


@functools.cache
def _trees(order: int) -> tuple[Tree, ...]:
    """All rooted trees with that many nodes."""

    def forests(left: int, most: int) -> set[Tree]:
        found: set[Tree] = {()} if left == 0 else set()
        for size in range(1, min(left, most) + 1):
            for tree, others in itertools.product(_trees(size), forests(left - size, size)):
                found.add(tuple(sorted((tree, *others))))
        return found

    return tuple(sorted(forests(order - 1, order - 1)))


@functools.cache
def _nodes(tree: Tree) -> int:
    return 1 + sum(map(_nodes, tree))


@functools.cache
def _density(tree: Tree) -> float:
    return _nodes(tree) * float(np.prod([_density(branch) for branch in tree]))


def _misses(a: np.ndarray, weights: np.ndarray, order: int) -> list[float]:
    """How far each condition of that order is from satisfied."""

    @functools.cache
    def stages(tree: Tree) -> np.ndarray:
        value = np.ones(len(a))
        for branch in tree:
            value = value * (a @ stages(branch))
        return value

    return [float(abs(weights @ stages(tree) - 1.0 / _density(tree))) for tree in _trees(order)]


def test_there_are_as_many_trees_as_there_should_be() -> None:
    assert {order: len(_trees(order)) for order in TREES} == TREES


@pytest.mark.parametrize(("table", "order"), [(TSIT5, 5), (DOPRI8, 8), (RK4, 4)], ids=["tsit5", "dopri8", "rk4"])
def test_a_table_has_its_order_and_no_higher(table, order: int) -> None:
    assert table.order == order
    assert np.all(np.triu(table.a) == 0.0)
    np.testing.assert_allclose(table.a.sum(axis=1), table.c, atol=1e-14)
    for lower in range(1, order + 1):
        assert max(_misses(table.a, table.solution, lower)) < _ROUNDING
    assert max(_misses(table.a, table.solution, order + 1)) > 1e-7


@pytest.mark.parametrize(("table", "order"), [(TSIT5, 4), (DOPRI8, 7)], ids=["tsit5", "dopri8"])
def test_the_embedded_solution_is_one_order_lower(table, order: int) -> None:
    embedded = table.solution - table.error
    for lower in range(1, order + 1):
        assert max(_misses(table.a, embedded, lower)) < _ROUNDING
    assert max(_misses(table.a, embedded, order + 1)) > 1e-7
