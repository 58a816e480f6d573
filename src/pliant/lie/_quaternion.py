"""Quaternions (w, x, y, z). A rotation is held by any nonzero multiple of its unit quaternion, so length may drift."""

import jax
import jax.numpy as jnp

from ._coefficients import arctangent_ratio, stumpff

__all__ = ["conjugate", "exp", "from_matrix", "log", "multiply", "normalise", "rate", "to_matrix"]


def multiply(p: jax.Array, q: jax.Array) -> jax.Array:
    """Hamilton product (..., 4); to_matrix(multiply(p, q)) = to_matrix(p) @ to_matrix(q)."""
    pw, px, py, pz = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    qw, qx, qy, qz = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return jnp.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        axis=-1,
    )


def conjugate(q: jax.Array) -> jax.Array:
    """(w, -x, -y, -z): the inverse rotation."""
    return jnp.stack([q[..., 0], -q[..., 1], -q[..., 2], -q[..., 3]], axis=-1)


def normalise(q: jax.Array) -> jax.Array:
    """q / |q|; q must not be zero. The sign is kept."""
    return q / jnp.sqrt(jnp.sum(q * q, axis=-1, keepdims=True))


def to_matrix(q: jax.Array) -> jax.Array:
    """Rotation matrix (..., 3, 3) of q / |q|; the length of q (..., 4) does not matter, zero excepted."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    scale = 2.0 / (w * w + x * x + y * y + z * z)
    sw, sx, sy, sz = scale * w, scale * x, scale * y, scale * z
    flat = jnp.stack(
        [
            1.0 - sy * y - sz * z,
            sx * y - sw * z,
            sx * z + sw * y,
            sx * y + sw * z,
            1.0 - sx * x - sz * z,
            sy * z - sw * x,
            sx * z - sw * y,
            sy * z + sw * x,
            1.0 - sx * x - sy * y,
        ],
        axis=-1,
    )
    return flat.reshape(*flat.shape[:-1], 3, 3)


def from_matrix(rotation: jax.Array) -> jax.Array:
    """Unit quaternion (..., 4) with w >= 0 of a rotation matrix (..., 3, 3).

    The entries of R give all of 4 q q^T; its column with the largest diagonal has length at least 2 and is
    normalised (Shepperd 1978), so there is no small divisor in any branch and every derivative is finite.
    """
    r = [[rotation[..., i, j] for j in range(3)] for i in range(3)]
    trace = r[0][0] + r[1][1] + r[2][2]
    ww = 1.0 + trace
    xx, yy, zz = (1.0 + 2.0 * r[i][i] - trace for i in range(3))
    wx, wy, wz = r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]
    xy, xz, yz = r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]

    columns = ((ww, wx, wy, wz), (wx, xx, xy, xz), (wy, xy, yy, yz), (wz, xz, yz, zz))
    best, chosen = ww, columns[0]
    for diagonal, column in zip((xx, yy, zz), columns[1:], strict=True):
        better = diagonal > best
        best = jnp.where(better, diagonal, best)
        a, b, c, d = (jnp.where(better, new, old) for new, old in zip(column, chosen, strict=True))
        chosen = (a, b, c, d)

    q = normalise(jnp.stack(chosen, axis=-1))
    return jnp.where(q[..., :1] < 0.0, -q, q)


def exp(w: jax.Array) -> jax.Array:
    """Rotation vector (..., 3) in rad to unit quaternion (..., 4): (cos(theta/2), sin(theta/2) w / theta)."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    c = stumpff(0.25 * (x * x + y * y + z * z))
    half = 0.5 * c[1]
    return jnp.stack([c[0], half * x, half * y, half * z], axis=-1)


def log(q: jax.Array) -> jax.Array:
    """Shortest rotation vector (..., 3), |w| <= pi, of the rotation held by q (..., 4) of any nonzero length.

    With u the vector part, 4 arctan(t) u / |u| where t = tan(theta/4) = |u| / (|q| + w), after q is replaced by -q
    where w < 0. The quarter angle keeps t <= tan(pi/4) = 1, so nothing is singular up to and beyond the half turn.
    """
    q = jnp.where(q[..., :1] < 0.0, -q, q)
    w, u = q[..., :1], q[..., 1:]
    x, y, z = u[..., :1], u[..., 1:2], u[..., 2:]
    u2 = x * x + y * y + z * z
    inverse = 1.0 / (w + jnp.sqrt(w * w + u2))
    return (4.0 * inverse * arctangent_ratio(u2 * inverse * inverse, 1)) * u


def rate(q: jax.Array, angular_velocity: jax.Array) -> jax.Array:
    """Time derivative (..., 4) of q under a body angular velocity (..., 3) in rad/s: q (x) (0, omega) / 2."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    a, b, c = 0.5 * angular_velocity[..., 0], 0.5 * angular_velocity[..., 1], 0.5 * angular_velocity[..., 2]
    return jnp.stack(
        [-x * a - y * b - z * c, w * a + y * c - z * b, w * b - x * c + z * a, w * c + x * b - y * a], axis=-1
    )
