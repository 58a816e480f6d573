"""How a lumped piece turns by three small angles: the rotation (..., 3, 3) and its body Jacobian (..., 3, 3)."""

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array

from pliant.lie import quaternion, so3


def _matrix(rows: list[list[Array]]) -> Array:
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def ordered(angles: Array) -> tuple[Array, Array]:
    """Rz(a3) Rx(a1) Ry(a2): a joint about z, then one about x, then one about y (TMTDyn Table 3)."""
    (s1, s2, s3), (c1, c2, c3) = ([function(angles[..., i]) for i in range(3)] for function in (jnp.sin, jnp.cos))
    none, one = jnp.zeros_like(s1), jnp.ones_like(s1)
    first, second, third = [c2, none, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]  # rows of Rx Ry
    turned = [c3 * a - s3 * b for a, b in zip(first, second, strict=True)]
    beside = [s3 * a + c3 * b for a, b in zip(first, second, strict=True)]
    # Body angular velocity: a2' e_y + Ry^T (a1' e_x + Rx^T a3' e_z).
    columns = zip(first, [none, one, none], third, strict=True)
    return _matrix([turned, beside, third]), _matrix([list(row) for row in columns])


def rational(angles: Array) -> tuple[Array, Array]:
    """The rotation of the quaternion [1, alpha / 2], normalised (TMTDyn Eq. 6)."""
    half = 0.5 * angles
    turn = quaternion.to_matrix(jnp.concatenate([jnp.ones_like(half[..., :1]), half], axis=-1))
    # Twice the vector part of Q^-1 Q' for Q = [1, b] is 2 (b' - b x b') / (1 + b^2).
    scale = 1.0 / (1.0 + so3.dot(half, half))
    return turn, scale[..., None, None] * (jnp.eye(3) - so3.hat(half))


SPINS: dict[str, Callable[[Array], tuple[Array, Array]]] = {"ordered": ordered, "quaternion": rational}
