"""Rigid rotations and motions: SO(3), SE(3), unit quaternions and Magnus steps.

Twists are [angular; linear] in the body frame, poses are 4x4 homogeneous matrices, quaternions are wxyz.
Every function acts on trailing dimensions and broadcasts over leading ones.
"""

from . import _float64  # noqa: F401  (must precede every other import of jax)
from . import _quaternion as quaternion
from . import _se3 as se3
from . import _so3 as so3
from ._coefficients import SERIES_LIMIT, SERIES_TERMS, stumpff
from ._magnus import magnus2, magnus4, magnus4_bracket, magnus4_derivative

__all__ = [
    "SERIES_LIMIT",
    "SERIES_TERMS",
    "magnus2",
    "magnus4",
    "magnus4_bracket",
    "magnus4_derivative",
    "quaternion",
    "se3",
    "so3",
    "stumpff",
]
