"""Motions of a robot that move no mass, such as those of lumps in the frame of a base that slides the way they do."""

import numpy as np
import scipy.linalg

from pliant.model import Model

_NO_MASS = 1e-14  # of the mass matrix scaled to a unit diagonal: an eigenvalue that rounding leaves of zero
_TAKES_PART = 1e-3  # of the largest share in such a motion
_SHOWN = 4  # coordinates in a message


def massless_motion(model: Model, mass: np.ndarray, free: np.ndarray | None = None) -> str:
    """Which coordinates can change together without moving any mass, in words; nothing where there are none, or where
    the mass matrix (nv, nv) is not finite. free (nv, f): the motions that constraints allow; default: all."""
    if not np.all(np.isfinite(mass)) or not len(mass) or (free is not None and not free.shape[1]):
        return ""
    sizes = np.sqrt(np.diag(mass))
    scale = np.where(sizes > 0.0, sizes, 1.0)
    among = np.eye(len(mass)) if free is None else scipy.linalg.orth(scale[:, None] * free)
    shares, motions = np.linalg.eigh(among.T @ (mass / np.outer(scale, scale)) @ among)
    if shares[0] > _NO_MASS:
        return ""
    own = np.abs(among @ motions[:, 0])
    which = [name for name, share in zip(model.velocity_names, own, strict=True) if share > _TAKES_PART * own.max()]
    more = f" and {len(which) - _SHOWN} others" if len(which) > _SHOWN else ""
    return f"{', '.join(which[:_SHOWN])}{more} can move together without moving any mass (the mass matrix is singular)"
