"""What is left of an error after a while: all of it without damping, what the step leaves with it."""

import numpy as np
import pytest

from pliant.simulation._forgetting import Forgetting, decay, step_matrix

RATE, STEP = 10.0, 2e-3  # rad/s, s
ERRORS = np.array([[1.0, 0.0, 0.5], [0.0, RATE, -3.0]])


def vibration(share):
    """Tangent of one mass on a spring, with this share of the critical damping."""
    return np.array([[0.0, 1.0], [-(RATE**2), -2.0 * share * RATE]])


@pytest.mark.parametrize("order", [2, 4])
def test_a_step_matrix_follows_the_motion(order):
    values = np.linalg.eigvals(step_matrix(vibration(0.1), STEP, order))
    exact = np.exp(STEP * np.linalg.eigvals(vibration(0.1)))
    np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(exact), atol=(RATE * STEP) ** (order + 1))


def test_nothing_is_forgotten_without_damping():
    found = decay(step_matrix(vibration(0.0), STEP, 2), np.eye(1), ERRORS, 12)
    assert found.left[:, found.delays < 0.25 * found.delays[-1]].min() > 0.8  # later there is less left to look at
    assert found.pace == pytest.approx(RATE, rel=0.3)


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_damping_forgets_at_its_rate(share):
    found = decay(step_matrix(vibration(share), STEP, 2), np.eye(1), ERRORS, 12)
    envelope = np.exp(-share * RATE * STEP * found.delays)
    early = envelope > 0.05
    assert np.all(found.left[:, early] < 1.6 * envelope[early])
    assert np.all(found.left[:, early] > 0.25 * envelope[early])


def test_what_grows_is_not_forgotten():
    found = decay(step_matrix(np.array([[0.0, 1.0], [4.0, 0.0]]), STEP, 2), np.eye(1), ERRORS, 14)
    np.testing.assert_array_equal(found.left, 1.0)


def test_errors_made_over_a_span_count_by_their_mean():
    delays = np.linspace(0.0, 20.0, 2001)
    memory = Forgetting(delays, np.exp(-delays)[None])
    since, span = np.array([[0.0], [1.0]]), np.array([2.0])
    expected = np.exp(-since) * (1.0 - np.exp(-2.0)) / 2.0
    np.testing.assert_allclose(memory.share(since, span), expected, rtol=1e-3)
    np.testing.assert_allclose(memory.share(since, np.zeros(1)), np.exp(-since), rtol=1e-3)
