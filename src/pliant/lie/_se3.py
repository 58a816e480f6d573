"""Rigid motions. xi = [w; v] is a twist or strain times its interval (rad; m), T a 4x4 homogeneous matrix.

Since ad([w; v]) = [[hat w, 0], [hat v, hat w]] is a dual number over so(3), any power series f of it is
[[f(hat w), 0], [Df(hat w)[hat v], f(hat w)]]. The coupling block of dexp is therefore the directional derivative of
the SO(3) dexp along v, that of dexp_dot a second derivative, and no separate "Q matrix" is needed.
"""

import jax
import jax.numpy as jnp

from . import _so3 as so3
from ._coefficients import stumpff
from ._so3 import dot, identity, outer, scaled, symmetric_outer

__all__ = [
    "ad",
    "ad_transpose",
    "adjoint",
    "adjoint_inverse",
    "bracket",
    "coefficients",
    "dexp",
    "dexp_dot",
    "dexp_dot_along",
    "dexp_inv",
    "exp",
    "exp_and_dexp",
    "from_rotation_translation",
    "hat",
    "inverse",
    "log",
    "rotation",
    "transform_point",
    "translation",
    "twist",
    "vee",
]


def _split(xi: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Angular and linear part of (..., 6)."""
    return xi[..., :3], xi[..., 3:]


def _blocks(diagonal: jax.Array, coupling: jax.Array) -> jax.Array:
    """[[diagonal, 0], [coupling, diagonal]] of (..., 3, 3) blocks."""
    upper = jnp.concatenate([diagonal, jnp.zeros_like(diagonal)], axis=-1)
    return jnp.concatenate([upper, jnp.concatenate([coupling, diagonal], axis=-1)], axis=-2)


def _apply(matrix: jax.Array, vector: jax.Array) -> jax.Array:
    """Matrix times vector as a fused product and sum; a batched dot of this size is slower on a CPU."""
    return jnp.sum(matrix * vector[..., None, :], axis=-1)


def _crossed_columns(p: jax.Array, matrix: jax.Array) -> jax.Array:
    """hat(p) @ matrix for p (..., 3), matrix (..., 3, n)."""
    return jnp.swapaxes(so3.cross(p[..., None, :], jnp.swapaxes(matrix, -1, -2)), -1, -2)


def from_rotation_translation(rotation: jax.Array, translation: jax.Array) -> jax.Array:
    """Pose (..., 4, 4) from R (..., 3, 3) and p (..., 3) in m."""
    batch = jnp.broadcast_shapes(rotation.shape[:-2], translation.shape[:-1])
    top = jnp.concatenate(
        [
            jnp.broadcast_to(rotation, (*batch, 3, 3)),
            jnp.broadcast_to(translation[..., None], (*batch, 3, 1)),
        ],
        axis=-1,
    )
    bottom = jnp.broadcast_to(jnp.array([0.0, 0.0, 0.0, 1.0], dtype=top.dtype), (*batch, 1, 4))
    return jnp.concatenate([top, bottom], axis=-2)


def rotation(pose: jax.Array) -> jax.Array:
    """R (..., 3, 3) of a pose (..., 4, 4)."""
    return pose[..., :3, :3]


def translation(pose: jax.Array) -> jax.Array:
    """p (..., 3) of a pose (..., 4, 4)."""
    return pose[..., :3, 3]


def inverse(pose: jax.Array) -> jax.Array:
    """Inverse pose (R^T, -R^T p)."""
    transposed = jnp.swapaxes(rotation(pose), -1, -2)
    return from_rotation_translation(transposed, -_apply(transposed, translation(pose)))


def transform_point(pose: jax.Array, point: jax.Array) -> jax.Array:
    """p_w = T_wb p_b for points (..., 3)."""
    return _apply(rotation(pose), point) + translation(pose)


def hat(xi: jax.Array) -> jax.Array:
    """(..., 6) to (..., 4, 4): [[hat w, v], [0, 0]]."""
    w, v = _split(xi)
    top = jnp.concatenate([so3.hat(w), v[..., None]], axis=-1)
    return jnp.concatenate([top, jnp.zeros_like(top[..., :1, :])], axis=-2)


def vee(matrix: jax.Array) -> jax.Array:
    """Inverse of hat; the angular part is taken from the skew part of the upper left block."""
    return jnp.concatenate([so3.vee(rotation(matrix)), translation(matrix)], axis=-1)


def twist(pose: jax.Array, pose_rate: jax.Array) -> jax.Array:
    """Body twist (..., 6) vee(T^-1 T') of a moving pose T with time derivative T'."""
    transposed = jnp.swapaxes(rotation(pose), -1, -2)
    linear = _apply(transposed, translation(pose_rate))
    return jnp.concatenate([so3.vee(transposed @ rotation(pose_rate)), linear], axis=-1)


def adjoint(pose: jax.Array) -> jax.Array:
    """Ad(T) (..., 6, 6) = [[R, 0], [hat(p) R, R]]: twists of the body frame to twists of the frame T maps to."""
    r = rotation(pose)
    return _blocks(r, _crossed_columns(translation(pose), r))


def adjoint_inverse(pose: jax.Array) -> jax.Array:
    """Ad(T^-1) (..., 6, 6) = [[R^T, 0], [-R^T hat(p), R^T]]."""
    r = rotation(pose)
    return _blocks(jnp.swapaxes(r, -1, -2), jnp.swapaxes(_crossed_columns(translation(pose), r), -1, -2))


def ad(xi: jax.Array) -> jax.Array:
    """(..., 6) to (..., 6, 6): [[hat w, 0], [hat v, hat w]]."""
    return _blocks(so3.hat(xi[..., :3]), so3.hat(xi[..., 3:]))


def bracket(x: jax.Array, y: jax.Array) -> jax.Array:
    """ad(x) y of twists (..., 6): [w_x x w_y; v_x x w_y + w_x x v_y]."""
    x0, x1, x2, x3, x4, x5 = (x[..., i] for i in range(6))
    y0, y1, y2, y3, y4, y5 = (y[..., i] for i in range(6))
    return jnp.stack(
        [
            x1 * y2 - x2 * y1,
            x2 * y0 - x0 * y2,
            x0 * y1 - x1 * y0,
            x4 * y2 - x5 * y1 + x1 * y5 - x2 * y4,
            x5 * y0 - x3 * y2 + x2 * y3 - x0 * y5,
            x3 * y1 - x4 * y0 + x0 * y4 - x1 * y3,
        ],
        axis=-1,
    )


def ad_transpose(x: jax.Array, wrench: jax.Array) -> jax.Array:
    """ad(x)^T f of a twist x and a wrench f = [m; n], both (..., 6): [m x w + n x v; n x w]."""
    w0, w1, w2, v0, v1, v2 = (x[..., i] for i in range(6))
    m0, m1, m2, n0, n1, n2 = (wrench[..., i] for i in range(6))
    return jnp.stack(
        [
            m1 * w2 - m2 * w1 + n1 * v2 - n2 * v1,
            m2 * w0 - m0 * w2 + n2 * v0 - n0 * v2,
            m0 * w1 - m1 * w0 + n0 * v1 - n1 * v0,
            n1 * w2 - n2 * w1,
            n2 * w0 - n0 * w2,
            n0 * w1 - n1 * w0,
        ],
        axis=-1,
    )


def _exp(w: jax.Array, v: jax.Array, c: tuple[jax.Array, ...]) -> jax.Array:
    # The translation is the left Jacobian, the transpose of the body one, times v.
    p = scaled(c[1], v) + scaled(c[2], so3.cross(w, v)) + scaled(c[3] * dot(w, v), w)
    return from_rotation_translation(so3.exp_from(w, c), p)


def _dexp(w: jax.Array, v: jax.Array, c: tuple[jax.Array, ...]) -> jax.Array:
    return _blocks(so3.dexp_from(w, c), so3.dexp_derivative_from(w, v, c))


def exp(xi: jax.Array) -> jax.Array:
    """Pose (..., 4, 4) reached from the identity along the constant body twist xi (..., 6) in unit time."""
    w, v = _split(xi)
    return _exp(w, v, stumpff(dot(w, w)))


def dexp(xi: jax.Array) -> jax.Array:
    """Body Jacobian (..., 6, 6): for T(t) = exp(xi(t)), vee(T^-1 T') = dexp(xi) xi'.

    Equals sum_k (-ad xi)^k / (k + 1)!.
    """
    w, v = _split(xi)
    return _dexp(w, v, stumpff(dot(w, w)))


def coefficients(xi: jax.Array) -> tuple[jax.Array, ...]:
    """Coefficients of the closed forms at xi (..., 6), for functions that take them."""
    w, _ = _split(xi)
    return stumpff(dot(w, w))


def exp_and_dexp(xi: jax.Array, c: tuple[jax.Array, ...] | None = None) -> tuple[jax.Array, jax.Array]:
    """(exp(xi), dexp(xi)) with the coefficients computed once, or given."""
    w, v = _split(xi)
    c = coefficients(xi) if c is None else c
    return _exp(w, v, c), _dexp(w, v, c)


def log(pose: jax.Array) -> jax.Array:
    """xi (..., 6) with exp(xi) = T and rotation angle at most pi.

    The linear part is the inverse left Jacobian times p: p - w x p / 2 + e w x (w x p), e as in so3.dexp_inv.
    """
    angular = so3.log(rotation(pose))
    p = translation(pose)
    c = stumpff(dot(angular, angular))
    e = (c[3] - 2.0 * c[4]) / (2.0 * c[2])
    turned = so3.cross(angular, p)
    return jnp.concatenate([angular, p - 0.5 * turned + scaled(e, so3.cross(angular, turned))], axis=-1)


def dexp_inv(xi: jax.Array) -> jax.Array:
    """Inverse of dexp, (..., 6, 6); singular, as dexp is, at rotation angles 2 pi k, k >= 1."""
    w, v = _split(xi)
    x, wv = dot(w, w), dot(w, v)
    c = stumpff(x)
    # e multiplies hat(w)^2; n is its numerator and, up to sign, the derivative of its denominator.
    n = c[3] - 2.0 * c[4]
    e = n / (2.0 * c[2])
    e_dot = wv * ((5.0 * c[5] - c[4] - 8.0 * c[6]) / (2.0 * c[2]) + 2.0 * e * e)
    diagonal = identity(1.0 - e * x) + so3.hat(0.5 * w) + outer(scaled(e, w), w)
    m = scaled(0.5 * e_dot, w) + scaled(e, v)
    coupling = identity(-e_dot * x - 2.0 * e * wv) + so3.hat(0.5 * v) + symmetric_outer(w, m)
    return _blocks(diagonal, coupling)


def dexp_dot(xi: jax.Array, xi_dot: jax.Array) -> jax.Array:
    """Time derivative (..., 6, 6) of dexp(xi(t)), linear in xi_dot (..., 6).

    Blocks: D dexp(w)[w'] on the diagonal, D^2 dexp(w)[v, w'] + D dexp(w)[v'] below, all of SO(3).
    """
    xi, xi_dot = jnp.broadcast_arrays(xi, xi_dot)
    w, v = _split(xi)
    u, _ = _split(xi_dot)
    c = coefficients(xi)
    c1_dot, axial, m = _coupling(xi, xi_dot, c)
    coupling = identity(c1_dot) - so3.hat(axial) + symmetric_outer(w, m) + symmetric_outer(scaled(c[3], v), u)
    return _blocks(so3.dexp_derivative_from(w, u, c), coupling)


def _coupling(xi: jax.Array, xi_dot: jax.Array, c: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array, jax.Array]:
    """What the lower left block of dexp_dot is made of: c1' (...), its axial vector and m (..., 3)."""
    w, v = _split(xi)
    u, a = _split(xi_dot)
    wv, wu, vu = dot(w, v), dot(w, u), dot(v, u)

    # Chain rule for c_k(|w|^2): 2 c_k' = k c_{k+2} - c_{k+1} once and twice, for k = 1, 2, 3.
    first = (c[3] - c[2], 2.0 * c[4] - c[3], 3.0 * c[5] - c[4])
    second = (
        3.0 * c[5] - 3.0 * c[4] + c[3],
        8.0 * c[6] - 5.0 * c[5] + c[4],
        15.0 * c[7] - 7.0 * c[6] + c[5],
    )
    both, linear = wv * wu, vu + dot(w, a)
    c1_dot, c2_dot, c3_dot = (s * both + f * linear for s, f in zip(second, first, strict=True))

    # Along u for v, along v for u, and the plain first derivative along a, gathered by the vector they multiply.
    axial = scaled(c2_dot, w) + scaled(first[1] * wv, u) + scaled(first[1] * wu, v) + scaled(c[2], a)
    m = scaled(0.5 * c3_dot, w) + scaled(first[2] * wv, u) + scaled(first[2] * wu, v) + scaled(c[3], a)
    return c1_dot, axial, m


def dexp_dot_along(xi: jax.Array, xi_dot: jax.Array, c: tuple[jax.Array, ...]) -> jax.Array:
    """dexp_dot(xi, xi_dot) times xi_dot (..., 6) without its matrix; c: coefficients(xi)."""
    w, v = _split(xi)
    u, a = _split(xi_dot)
    wu, uu, vu = dot(w, u), dot(u, u), dot(v, u)
    c1_dot, axial, m = _coupling(xi, xi_dot, c)
    slope, turned = wu * (c[3] - c[2]), scaled(wu * (2.0 * c[4] - c[3]), w) + scaled(c[2], u)
    own = scaled(0.5 * wu * (3.0 * c[5] - c[4]), w) + scaled(c[3], u)

    def diagonal(y: jax.Array) -> jax.Array:
        return scaled(slope, y) - so3.cross(turned, y) + scaled(dot(own, y), w) + scaled(dot(w, y), own)

    coupled = scaled(c1_dot + c[3] * vu, u) - so3.cross(axial, u) + scaled(dot(m, u), w) + scaled(wu, m)
    linear = coupled + scaled(c[3] * uu, v) + diagonal(a)
    return jnp.concatenate([diagonal(u), linear], axis=-1)
