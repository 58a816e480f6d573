import numpy as np
import pytest

from pliant.numerics import Chebyshev, Legendre, Monomial, PiecewiseConstant, UserBasis, gauss_legendre


def ramps(s: np.ndarray) -> np.ndarray:
    """A jump at one half, and a line."""
    return np.stack([np.where(s < 0.5, -1.0, 1.0), s], axis=1)


ALL = [Legendre(3), Chebyshev(3), Monomial(3), PiecewiseConstant(4), UserBasis(ramps, 2, breaks=(0.5,))]


@pytest.mark.parametrize("basis", ALL, ids=lambda basis: type(basis).__name__)
def test_contract(basis):
    nodes, _ = gauss_legendre(6)
    assert basis.evaluate(nodes).shape == (6, basis.count)
    assert basis == basis and len({basis, basis}) == 1
    assert all(0.0 < fraction < 1.0 for fraction in basis.breaks)
    away = np.setdiff1d(nodes, basis.breaks)
    np.testing.assert_array_equal(basis.evaluate(away, side="left"), basis.evaluate(away, side="right"))


def test_legendre_is_orthogonal():
    nodes, weights = gauss_legendre(8)
    values = Legendre(5).evaluate(nodes)
    gram = values.T @ (weights[:, None] * values)
    np.testing.assert_allclose(gram, np.diag(1.0 / (2.0 * np.arange(6) + 1.0)), atol=1e-14)


def test_chebyshev_and_monomial_by_definition():
    s = np.linspace(0.0, 1.0, 11)
    angle = np.arccos(2.0 * s - 1.0)
    np.testing.assert_allclose(Chebyshev(4).evaluate(s), np.cos(np.outer(angle, np.arange(5))), atol=1e-14)
    np.testing.assert_allclose(Monomial(2).evaluate(s), np.stack([np.ones(11), s, s * s], axis=1))


def test_polynomial_bases_span_the_same_functions():
    s = np.linspace(0.0, 1.0, 15)
    monomials = Monomial(4).evaluate(s)
    for basis in (Legendre(4), Chebyshev(4)):
        values = basis.evaluate(s)
        fitted, *_ = np.linalg.lstsq(values, monomials, rcond=None)
        np.testing.assert_allclose(values @ fitted, monomials, atol=1e-13)


def test_pieces_partition_the_rod():
    basis = PiecewiseConstant(3)
    s = np.linspace(0.0, 1.0, 50)
    np.testing.assert_array_equal(basis.evaluate(s).sum(axis=1), 1.0)
    at_breaks = np.array([0.0, *basis.breaks, 1.0])
    np.testing.assert_array_equal(basis.evaluate(at_breaks).argmax(axis=1), [0, 1, 2, 2])
    np.testing.assert_array_equal(basis.evaluate(at_breaks, side="left").argmax(axis=1), [0, 0, 1, 2])
    np.testing.assert_array_equal(PiecewiseConstant(1).evaluate(s), 1.0)


def test_user_basis_takes_the_side_at_a_break():
    basis = UserBasis(ramps, 2, breaks=(0.5,))
    assert basis.evaluate(np.array([0.5]), side="left")[0, 0] == -1.0
    assert basis.evaluate(np.array([0.5]), side="right")[0, 0] == 1.0


def test_wrong_arguments_say_what_was_given():
    with pytest.raises(ValueError, match="order must be at least 0, got -1"):
        Legendre(-1)
    with pytest.raises(ValueError, match="pieces must be at least 1, got 0"):
        PiecewiseConstant(0)
    with pytest.raises(ValueError, match="ascend strictly"):
        UserBasis(ramps, 2, breaks=(0.5, 0.2))
    with pytest.raises(ValueError, match=r"returned shape \(2, 2\), expected \(2, 3\)"):
        UserBasis(ramps, 3).evaluate(np.array([0.1, 0.2]))
