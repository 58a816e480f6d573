import numpy as np
import pytest

from pliant.numerics import gauss_legendre


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 20])
def test_exact_to_its_degree(count):
    nodes, weights = gauss_legendre(count)
    for degree in range(2 * count):
        np.testing.assert_allclose(weights @ nodes**degree, 1.0 / (degree + 1), rtol=1e-13)
    assert abs(weights @ nodes ** (2 * count) - 1.0 / (2 * count + 1)) > 0.0
    assert np.all((nodes > 0.0) & (nodes < 1.0)) and np.all(np.diff(nodes) > 0.0)


def test_cached_arrays_cannot_be_changed():
    nodes, _ = gauss_legendre(3)
    assert gauss_legendre(3)[0] is nodes
    with pytest.raises(ValueError, match="read-only"):
        nodes[0] = 0.0


def test_rejects_no_nodes():
    with pytest.raises(ValueError, match="at least 1 node, got 0"):
        gauss_legendre(0)
