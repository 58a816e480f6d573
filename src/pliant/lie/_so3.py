"""Rotations in space. w is a rotation vector (rad), R a 3x3 rotation matrix, hat(w) v = w x v.

Closed forms are broadcast products, so that a batch lowers to a few fused elementwise loops, not to chains of tiny
matrix products or to one small loop per matrix entry. With hat(w)^2 = w w^T - |w|^2 I and c_k the Stumpff functions of
|w|^2,

    exp(w)  = c_0 I + c_1 hat(w) + c_2 w w^T        (Rodrigues)
    dexp(w) = c_1 I - c_2 hat(w) + c_3 w w^T
"""

import jax
import jax.numpy as jnp
import numpy as np

from . import _quaternion as quaternion
from ._coefficients import stumpff

__all__ = ["about", "cross", "dexp", "dexp_dot", "dexp_inv", "exp", "hat", "log", "vee"]

# hat(w) = w_x G_x + w_y G_y + w_z G_z
_GENERATORS = np.array(
    [
        [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
        [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ]
)
_IDENTITY = np.eye(3)


def dot(a: jax.Array, b: jax.Array) -> jax.Array:
    """Inner product (...) of (..., 3) vectors, in components: a reduction would end the fused loop."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def scaled(factor: jax.Array, vector: jax.Array) -> jax.Array:
    """factor (...) times vector (..., 3)."""
    return factor[..., None] * vector


def identity(factor: jax.Array) -> jax.Array:
    """factor (...) times the identity, (..., 3, 3)."""
    factor = factor[..., None, None]
    return factor * jnp.asarray(_IDENTITY, dtype=factor.dtype).reshape(*([1] * (factor.ndim - 2)), 3, 3)


def outer(a: jax.Array, b: jax.Array) -> jax.Array:
    """a b^T (..., 3, 3)."""
    return a[..., :, None] * b[..., None, :]


def symmetric_outer(a: jax.Array, b: jax.Array) -> jax.Array:
    """a b^T + b a^T (..., 3, 3)."""
    return outer(a, b) + outer(b, a)


def exp_from(w: jax.Array, c: tuple[jax.Array, ...]) -> jax.Array:
    """exp(w) from c = stumpff(|w|^2)."""
    return identity(c[0]) + hat(scaled(c[1], w)) + outer(scaled(c[2], w), w)


def dexp_from(w: jax.Array, c: tuple[jax.Array, ...]) -> jax.Array:
    """dexp(w) from c = stumpff(|w|^2)."""
    return identity(c[1]) - hat(scaled(c[2], w)) + outer(scaled(c[3], w), w)


def dexp_derivative_from(w: jax.Array, v: jax.Array, c: tuple[jax.Array, ...]) -> jax.Array:
    """Derivative of dexp at w along v from c = stumpff(|w|^2)."""
    wv = dot(w, v)
    axial = scaled(wv * (2.0 * c[4] - c[3]), w) + scaled(c[2], v)
    # c_3' w w^T + c_3 (w v^T + v w^T) = w m^T + m w^T with one common vector m.
    m = scaled(0.5 * wv * (3.0 * c[5] - c[4]), w) + scaled(c[3], v)
    return identity(wv * (c[3] - c[2])) - hat(axial) + symmetric_outer(w, m)


def cross(a: jax.Array, b: jax.Array) -> jax.Array:
    """a x b of (..., 3) vectors."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return jnp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def hat(w: jax.Array) -> jax.Array:
    """(..., 3) to the skew matrix (..., 3, 3) with hat(w) v = w x v."""
    components = w[..., None, None]
    generators = jnp.asarray(_GENERATORS, dtype=w.dtype).reshape(*([1] * (w.ndim - 1)), 3, 3, 3)
    x, y, z = (components[..., k, :, :] * generators[..., k, :, :] for k in range(3))
    return x + y + z


def vee(matrix: jax.Array) -> jax.Array:
    """Inverse of hat; of any (..., 3, 3) matrix, the axial vector of its skew part."""
    skew = 0.5 * (matrix - jnp.swapaxes(matrix, -1, -2))
    return jnp.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)


def exp(w: jax.Array) -> jax.Array:
    """Rotation vector (..., 3) in rad to rotation matrix (..., 3, 3): Rodrigues' formula."""
    return exp_from(w, stumpff(dot(w, w)))


def about(axis: jax.Array, angle: jax.Array) -> jax.Array:
    """Rotation (..., 3, 3) by an angle (...) in rad about a unit axis (..., 3): for a fixed axis much less work than
    `exp`, which must be smooth where the axis vanishes."""
    sine, versine = jnp.sin(angle), 1.0 - jnp.cos(angle)
    return identity(1.0 - versine) + hat(scaled(sine, axis)) + outer(scaled(versine, axis), axis)


def log(rotation: jax.Array) -> jax.Array:
    """Rotation matrix (..., 3, 3) to its shortest rotation vector (..., 3), |w| <= pi; through the quaternion.

    At |w| = pi either sign is a correct answer and one of them is returned.
    """
    return quaternion.log(quaternion.from_matrix(rotation))


def dexp(w: jax.Array) -> jax.Array:
    """Body Jacobian (..., 3, 3): for R(t) = exp(w(t)), the body angular velocity vee(R^T R') is dexp(w) w'.

    dexp(w) = I - (1 - cos)/theta^2 hat(w) + (theta - sin)/theta^3 hat(w)^2.
    """
    return dexp_from(w, stumpff(dot(w, w)))


def dexp_inv(w: jax.Array) -> jax.Array:
    """Inverse of dexp, (..., 3, 3): I + hat(w)/2 + e hat(w)^2, e = (c_3 - 2 c_4) / (2 c_2).

    Singular, as dexp is, at |w| = 2 pi k, k >= 1.
    """
    x = dot(w, w)
    c = stumpff(x)
    e = (c[3] - 2.0 * c[4]) / (2.0 * c[2])
    return identity(1.0 - e * x) + hat(0.5 * w) + outer(scaled(e, w), w)


def dexp_dot(w: jax.Array, w_dot: jax.Array) -> jax.Array:
    """Time derivative (..., 3, 3) of dexp(w(t)), linear in w_dot (..., 3)."""
    return dexp_derivative_from(w, w_dot, stumpff(dot(w, w)))
