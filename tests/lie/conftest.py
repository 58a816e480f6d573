"""Random samples shared by the tests of lie/."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def generator() -> np.random.Generator:
    return np.random.default_rng(20240501)


@pytest.fixture(scope="session")
def rotation_vectors(generator) -> np.ndarray:
    """(n, 3) with angles from 0 to just short of pi."""
    axes = generator.normal(size=(24, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    angles = np.concatenate([[0.0, 1e-12, 1e-7, 1e-3], np.linspace(0.1, 3.1, 18), [np.pi - 1e-5, np.pi - 1e-9]])
    return axes * angles[:, None]


@pytest.fixture(scope="session")
def twists(generator, rotation_vectors) -> np.ndarray:
    """(n, 6)."""
    return np.concatenate([rotation_vectors, generator.normal(size=rotation_vectors.shape)], axis=1)


@pytest.fixture(scope="session")
def rates(generator, twists) -> np.ndarray:
    """(n, 6)."""
    return generator.normal(size=twists.shape)
