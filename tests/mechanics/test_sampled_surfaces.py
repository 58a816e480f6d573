"""Surfaces whose distances are sampled: cubic B-splines that converge, with two continuous derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from scipy.ndimage import map_coordinates

from pliant.description.sampling._grid import spline_through
from pliant.mechanics import SURFACES
from pliant.numerics import grid_spline

CENTRE = np.array([0.03, 0.02, 0.01])
RNG = np.random.default_rng(3)


def _sphere(cells: int) -> dict[str, jax.Array]:
    """The distance of a sphere of radius 1, from -1.5 to 1.5 along each axis."""
    marks = np.linspace(-1.5, 1.5, cells + 1)
    places = np.stack(np.meshgrid(marks, marks, marks, indexing="ij"), axis=-1)
    values = np.linalg.norm(places - CENTRE, axis=-1) - 1.0
    return {
        "coefficients": jnp.asarray(spline_through(values)),
        "corner": jnp.full(3, -1.5),
        "spacing": jnp.asarray(3.0 / cells),
    }


def _near_the_sphere(count: int) -> np.ndarray:
    directions = RNG.normal(size=(count, 3))
    return CENTRE + directions / np.linalg.norm(directions, axis=1)[:, None] * RNG.uniform(0.8, 1.2, (count, 1))


def test_distance_and_normal_converge() -> None:
    points = _near_the_sphere(2000)
    away = points - CENTRE
    length = np.linalg.norm(away, axis=1)
    errors = []
    for cells in (20, 40):
        distance, normal = SURFACES["mesh"].distance_and_normal(_sphere(cells), jnp.asarray(points))
        errors.append([np.abs(distance - (length - 1.0)).max(), np.abs(normal - away / length[:, None]).max()])
    (coarse, coarse_normal), (fine, fine_normal) = errors
    assert fine < 1e-6 and coarse > 15.0 * fine  # of order 4
    assert coarse_normal > 7.0 * fine_normal  # of order 3


def test_splines_are_those_of_scipy_and_linear_in_their_coefficients() -> None:
    coefficients = RNG.normal(size=(6, 7, 8))
    place = RNG.uniform(0.1, 2.9, (5, 3))
    known = map_coordinates(coefficients, (place + 1.0).T, order=3, prefilter=False)
    np.testing.assert_allclose(grid_spline(jnp.asarray(coefficients), jnp.asarray(place)), known, atol=1e-14)
    check_grads(grid_spline, (jnp.asarray(coefficients), jnp.asarray(place)), order=2, rtol=1e-4)
    both = jax.vmap(grid_spline, (0, None))(jnp.stack([coefficients, 2.0 * coefficients]), jnp.asarray(place))
    np.testing.assert_allclose(both, np.stack([known, 2.0 * known]), atol=1e-14)


def test_second_derivatives_are_continuous() -> None:
    sizes = _sphere(20)
    hessian = jax.jit(jax.vmap(jax.hessian(lambda point: SURFACES["mesh"].signed_distance(sizes, point))))
    step = float(sizes["spacing"])
    faces = -1.5 + step * RNG.integers(3, 17, (50, 3)).astype(float)
    inside = RNG.uniform(0.0, step, (50, 3)) * np.array([0.0, 1.0, 1.0])  # on faces across x
    aside = np.array([1e-9, 0.0, 0.0])
    before, after = hessian(jnp.asarray(faces + inside - aside)), hessian(jnp.asarray(faces + inside + aside))
    np.testing.assert_allclose(before, after, atol=1e-6)
    assert np.abs(before).max() > 0.5


@pytest.mark.parametrize("word", ["mesh", "heightfield"])
def test_beyond_the_grid_the_distance_goes_on(word: str) -> None:
    sizes = _sphere(20)
    points = jnp.asarray(RNG.normal(size=(400, 3)) * 3.0)
    distance = np.asarray(SURFACES[word].signed_distance(sizes, points))
    known = np.linalg.norm(np.asarray(points) - CENTRE, axis=1) - 1.0
    outside = np.any(np.abs(points) > 1.5, axis=1)
    assert 200 < np.count_nonzero(outside) < 400
    if word == "mesh":
        assert np.all(distance[outside] < known[outside] + 1e-4)  # so that no touch is missed
        assert np.all(distance[outside] > 0.45)  # as at the edges of the grid
    derivatives = jax.jit(jax.vmap(jax.hessian(lambda point: SURFACES[word].signed_distance(sizes, point))))(points)
    assert np.all(np.isfinite(derivatives))


def test_above_and_beside_a_heightfield_it_is_level() -> None:
    marks = np.linspace(-1.0, 1.0, 11)
    heights = np.broadcast_to(marks - 0.2, (11, 11, 11))  # a floor at z = 0.2
    sizes = {
        "coefficients": jnp.asarray(spline_through(heights)),
        "corner": jnp.full(3, -1.0),
        "spacing": jnp.asarray(0.2),
    }
    points = jnp.asarray([[5.0, -7.0, 0.5], [0.0, 0.3, 4.0], [0.0, 0.0, -3.0], [2.0, 0.0, 0.2]])
    distance, normal = SURFACES["heightfield"].distance_and_normal(sizes, points)
    np.testing.assert_allclose(distance, [0.3, 3.8, -3.2, 0.0], atol=1e-14)
    np.testing.assert_allclose(normal, [[0.0, 0.0, 1.0]] * 4, atol=1e-14)
