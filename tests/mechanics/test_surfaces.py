"""Signed distances of surfaces: their values, and normals that are finite everywhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.mechanics import SURFACES

SIZES = {
    "plane": {"normal": [0.6, 0.0, 0.8]},
    "sphere": {"radius": 0.3},
    "cylinder": {"radius": 0.2, "length": 0.6},
    "capsule": {"radius": 0.2, "length": 0.6},
    "torus": {"radius": 0.3, "bar": 0.1},
    "box": {"size": [0.2, 0.4, 0.6]},
    "ellipsoid": {"semi_axes": [0.2, 0.3, 0.6]},
}
ROUNDED = 1e-9  # where an ellipsoid has several nearest points, of its size
# Points and their distances, worked out by hand: faces, edges, corners, inside.
VALUES = {
    "plane": [([1.0, 2.0, 1.0], 1.4), ([0.0, 5.0, 0.0], 0.0), ([-1.0, 0.0, 0.0], -0.6)],
    "sphere": [([0.0, 0.3, 0.4], 0.2), ([0.0, 0.0, 0.0], -0.3), ([0.0, 0.0, 0.1], -0.2)],
    "cylinder": [
        ([0.5, 0.0, 0.1], 0.3),
        ([0.1, 0.0, 0.5], 0.2),
        ([0.0, 0.5, -0.7], 0.5),
        ([0.1, 0.0, 0.0], -0.1),
        ([0.0, 0.0, 0.0], -0.2),
        ([0.0, 0.0, 0.25], -0.05),
    ],
    "capsule": [([0.5, 0.0, 0.1], 0.3), ([0.0, 0.0, 0.7], 0.2), ([0.3, 0.0, -0.7], 0.3), ([0.0, 0.0, 0.0], -0.2)],
    "torus": [
        ([0.0, 0.5, 0.0], 0.1),
        ([0.3, 0.0, 0.0], -0.1),
        ([0.0, 0.0, 0.0], 0.2),
        ([0.6, 0.0, -0.4], 0.4),
        ([0.0, 0.0, 0.4], 0.4),
    ],
    "box": [
        ([0.5, 0.0, 0.1], 0.4),
        ([0.4, 0.6, 0.0], 0.5),
        ([0.3, 0.4, 0.5], np.sqrt(0.04 + 0.04 + 0.04)),
        ([0.05, 0.0, 0.0], -0.05),
        ([0.0, 0.0, 0.0], -0.1),
        ([0.1, 0.0, 0.0], 0.0),
    ],
    "ellipsoid": [
        ([0.5, 0.0, 0.0], 0.3),
        ([0.0, 0.0, 0.0], -0.2),
        ([0.0, 0.0, -1.0], 0.4),
        ([0.0, 0.3, 0.0], 0.0),
        # From a point of it along its normal.
        ([0.12 * (1.0 + 0.1 / 0.04), 0.0, 0.48 * (1.0 + 0.1 / 0.36)], 0.1 * np.hypot(0.12 / 0.04, 0.48 / 0.36)),
    ],
}


def _sizes(word: str) -> dict:
    return {name: jnp.asarray(value) for name, value in SIZES[word].items()}


@pytest.mark.parametrize("word", SIZES)
def test_distances(word: str) -> None:
    points, expected = (np.array(column) for column in zip(*VALUES[word], strict=True))
    found = SURFACES[word].signed_distance(_sizes(word), jnp.asarray(points))
    np.testing.assert_allclose(found, expected, atol=ROUNDED if word == "ellipsoid" else 1e-15)


@pytest.mark.parametrize("word", SIZES)
def test_normals_are_of_length_1_and_lead_to_the_surface(word: str) -> None:
    points = jnp.asarray(np.random.default_rng(1).normal(size=(300, 3)) * 0.5)
    surface, sizes = SURFACES[word], _sizes(word)
    distance, normal = surface.distance_and_normal(sizes, points)
    np.testing.assert_allclose(jnp.linalg.norm(normal, axis=-1), 1.0, rtol=1e-12)
    outside = np.asarray(distance) > 0.0
    foot = (points - distance[:, None] * normal)[outside]
    np.testing.assert_allclose(surface.signed_distance(sizes, foot), 0.0, atol=1e-14)


@pytest.mark.parametrize("word", SIZES)
def test_derivatives_are_finite_at_centres_faces_edges_and_corners(word: str) -> None:
    surface, sizes = SURFACES[word], _sizes(word)
    marks = np.array([0.0, 0.1, 0.2, 0.3, -0.2, 0.4])
    points = jnp.asarray(np.stack(np.meshgrid(marks, marks, marks), axis=-1).reshape(-1, 3))

    def distance(point: jax.Array) -> jax.Array:
        return surface.signed_distance(sizes, point)

    _, normal = surface.distance_and_normal(sizes, points)
    assert np.isfinite(np.asarray(normal)).all()
    assert np.linalg.norm(np.asarray(normal), axis=-1).max() < 1.0 + 1e-12
    assert np.isfinite(np.asarray(jax.vmap(jax.hessian(distance))(points))).all()


@pytest.mark.parametrize("word", ["cylinder", "box"])
def test_a_point_on_a_face_has_its_normal(word: str) -> None:
    """Where a norm of what is beyond the faces has none."""
    _, normal = SURFACES[word].distance_and_normal(_sizes(word), jnp.asarray([[0.01, 0.02, 0.3]]))
    np.testing.assert_array_equal(normal, [[0.0, 0.0, 1.0]])


@pytest.mark.parametrize("word", SIZES)
def test_normals_turn_as_differences_say(word: str) -> None:
    rng = np.random.default_rng(2)
    surface, sizes = SURFACES[word], _sizes(word)
    points, along = (jnp.asarray(rng.normal(size=(40, 3)) * size) for size in (0.7, 1.0))
    before, after = (surface.distance_and_normal(sizes, points + step * along)[1] for step in (-1e-6, 1e-6))
    distance, _ = surface.distance_and_normal(sizes, points)
    smooth = np.asarray(distance) > 0.05  # away from edges inside, where normals jump
    found = surface.turning(sizes, points, along)
    np.testing.assert_allclose(np.asarray(found)[smooth], np.asarray(after - before)[smooth] / 2e-6, atol=2e-7)
