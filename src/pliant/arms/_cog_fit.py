"""The six coefficients that make the energy of a disc at the centre of gravity that of all discs along an arc (Godage
et al., section III-B): random sections, six pairs of terms, a straight line through each pair.

The bound of the sampling decides what comes out. The article prints alpha_l <= 6 pi alpha_r (bending to 4 pi) and says
4 pi / 3; neither gives its correlations, but bending to 2 pi / 3 gives all six (docs/theory.md).
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements import FROM_LENGTHS, Shaping, centre_of_gravity
from pliant.lie import se3
from pliant.numerics import gauss_legendre

BEND = 2.0 * np.pi / 3.0  # rad
TERMS = ("linear turning", "linear mixed", "linear changing", "angular turning", "angular mixed", "angular changing")
_RADIUS = (1.0 / 20.0, 1.0 / 2.0)  # of a section, over its length
_SHORTEST = 1.0 / 20.0  # of the largest length changes of a section, over its length
_SPIN = 100.0  # rad/s
_POINTS = 12  # along the arc; more change no digit of what is kept
_BATCH = 20_000

Progress = Callable[[int, int], None]


class CogFit(NamedTuple):
    """shaping: a coefficient per term, by least squares; correlation (6,): squared, of the pairs of terms; whole (6,):
    the coefficients that make the sum of all energies right in the least-squares sense instead; bend [rad], samples
    and seed: how they were found."""

    shaping: Shaping
    correlation: np.ndarray
    whole: np.ndarray
    bend: float
    samples: int
    seed: int


class _Sums(NamedTuple):
    """Over samples: their number, of the terms of discs (6,), of the centre (6,), and of their products."""

    number: Array
    discs: Array
    centre: Array
    disc_squares: Array
    centre_squares: Array
    products: Array
    normal: Array  # (6, 6), of the weighted energies
    right: Array  # (6,)


def cog_fit(samples: int = 1_000_000, seed: int = 0, bend: float = BEND, progress: Progress | None = None) -> CogFit:
    """Coefficients from random sections that bend by up to `bend` [rad] with one actuator at its longest.

    progress(done, samples) is called now and then."""
    if samples < _BATCH:
        raise ValueError(f"samples must be at least {_BATCH}; got {samples}")
    if not 0.0 < bend <= 4.0 * np.pi:
        raise ValueError(f"bend must be above 0 and at most 4 pi rad (12.57); got {bend:g}")
    batches = -(-samples // _BATCH)
    key = jax.random.key(seed)
    total: _Sums | None = None
    for batch in range(batches):
        part = _batch(jax.random.fold_in(key, batch), jnp.asarray(bend))
        total = part if total is None else jax.tree.map(jnp.add, total, part)
        if progress is not None:
            progress(min((batch + 1) * _BATCH, samples), samples)
    assert total is not None
    found = jax.tree.map(np.asarray, total)
    slope = found.products / found.centre_squares
    covariance = found.products - found.discs * found.centre / found.number
    spread = [squares - sums**2 / found.number for squares, sums in (
        (found.disc_squares, found.discs), (found.centre_squares, found.centre)
    )]  # fmt: skip
    whole = np.linalg.solve(found.normal, found.right)
    first, second = (tuple(float(value) for value in part) for part in (slope[:3], slope[3:]))
    shaping = Shaping(first, second)  # type: ignore[arg-type]
    return CogFit(shaping, covariance**2 / (spread[0] * spread[1]), whole, bend, batches * _BATCH, seed)


def cog_samples(samples: int, seed: int = 0, bend: float = BEND) -> tuple[np.ndarray, np.ndarray]:
    """The six terms (samples, 6) of the discs and of the centre in random sections, as `cog_fit` draws them."""
    keys = jax.random.split(jax.random.key(seed), samples)
    discs, centre, _ = jax.vmap(_pair, in_axes=(0, None))(keys, jnp.asarray(bend))
    return np.asarray(discs), np.asarray(centre)


@jax.jit
def _batch(key: Array, bend: Array) -> _Sums:
    discs, centre, weights = jax.vmap(_pair, in_axes=(0, None))(jax.random.split(key, _BATCH), bend)
    energies = weights * centre
    return _Sums(
        jnp.asarray(float(_BATCH)),
        jnp.sum(discs, axis=0),
        jnp.sum(centre, axis=0),
        jnp.sum(discs**2, axis=0),
        jnp.sum(centre**2, axis=0),
        jnp.sum(discs * centre, axis=0),
        energies.T @ energies,
        energies.T @ jnp.sum(weights * discs, axis=-1),
    )


def energy_terms(shape: Array, rates: Array, spin: Array) -> tuple[Array, Array]:
    """The six terms (6,) of the discs along an arc, and of the disc at its centre, per mass or per I_xx: shape and
    rates (3,): bend about x and y, and length; spin (3,): of the base."""
    points, weights = gauss_legendre(_POINTS)

    def poses(shape: Array) -> Array:
        exponent = jnp.concatenate([shape[:2], jnp.zeros(3), shape[2:]])
        return se3.exp(jnp.asarray(points)[:, None] * exponent)

    pose, moved = jax.jvp(poses, (shape,), (rates,))
    discs = jnp.asarray(weights) @ _terms(
        jnp.swapaxes(pose[:, :3, [3, 0, 1]], 1, 2), jnp.swapaxes(moved[:, :3, [3, 0, 1]], 1, 2), spin
    )
    found = centre_of_gravity(shape[:2], shape[2])
    centre = _terms(found.points[:3], jnp.tensordot(rates, found.along[:, :3], axes=1), spin)
    return discs, centre


def _terms(places: Array, rates: Array, spin: Array) -> Array:
    """(..., 6) of places and rates (..., 3, 3): of the position, then of the first two axes of the orientation."""
    carried = jnp.cross(spin, places)
    pairs = [
        jnp.sum(first * second, axis=-1) for first, second in ((carried, carried), (carried, rates), (rates, rates))
    ]
    return jnp.stack([*(pair[..., 0] for pair in pairs), *(pair[..., 1] + pair[..., 2] for pair in pairs)], axis=-1)


def _pair(key: Array, bend: Array) -> tuple[Array, Array, Array]:
    """Terms of the discs and of the centre in a random section of unit length and mass, and their weights (6,) in the
    energy."""
    keys = jax.random.split(key, 5)
    radius = jax.random.uniform(keys[0], minval=_RADIUS[0], maxval=_RADIUS[1])
    # With one actuator longer by l than the others a section bends by 2 l / (3 r).
    longest = jax.random.uniform(keys[1], minval=_SHORTEST, maxval=jnp.maximum(1.5 * bend * radius, _SHORTEST))
    lengths = longest * jax.random.uniform(keys[2], (3,))
    rates = jax.random.uniform(keys[3], (3,))
    spin = jax.random.uniform(keys[4], (3,), minval=-_SPIN, maxval=_SPIN)
    shape = jnp.asarray(FROM_LENGTHS[3]) / jnp.stack([radius, radius, jnp.ones(())])[:, None]
    discs, centre = energy_terms(shape @ lengths + jnp.asarray([0.0, 0.0, 1.0]), shape @ rates, spin)
    inertia = 0.25 * radius**2
    weights = 0.5 * jnp.asarray([1.0, 2.0, 1.0])
    return discs, centre, jnp.concatenate([weights, inertia * weights])
