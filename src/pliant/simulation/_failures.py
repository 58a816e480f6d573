"""What a run that failed says: when, with which step, where, and what may help."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics import is_large, mass_matrix
from pliant.model import Model, State
from pliant.simulation._checks import IMPLICIT
from pliant.simulation._chunk_program import ChunkSettings, chunk_drive
from pliant.simulation._inputs import InputSet
from pliant.simulation._largest_residuals import largest_residuals, unbalanced
from pliant.simulation._schedule import Chunk
from pliant.simulation.stepping._flow import StepState
from pliant.simulation.stepping._implicit import CUTS

_NO_MASS = 1e-14  # of the mass matrix scaled to a unit diagonal: an eigenvalue that rounding leaves of zero
_TAKES_PART = 1e-3  # of the largest share in such a motion
_SHOWN = 4  # coordinates in a message
_TOO_STIFF = "The robot is too stiff for an explicit stepper at this accuracy: use stepper='newmark'."
CURES = {
    **dict.fromkeys(
        IMPLICIT, "Shorter steps were of no use: look for an unstable robot or wrong numbers in these links."
    ),
    "rk4": "An explicit stepper diverges when its step is too long for the stiffest strain: shorten it or use newmark.",
    "tsit5": _TOO_STIFF,
    "dopri8": _TOO_STIFF,
}


def failure_text(
    model: Model, inputs: InputSet, settings: ChunkSettings, kind: str, begun: State, last: StepState, chunk: Chunk,
    step: float | None,
) -> str:  # fmt: skip
    """When it failed, with which step and, for an implicit stepper, where. kind: of the stepper; begun: with which
    the chunk began that failed; last: see `where_it_ends`."""
    t, h = float(last.time), float(last.step)
    size = "" if step is None else f" with a step of {step:g} s"
    if kind not in IMPLICIT:
        return f"{kind}{size} failed after t = {t:g} s{_moving_without_mass(model, last.q, last.time)}"
    if settings.adapt_by is not None:
        size = f" with its shortest step, {h:g} s," if h else ""
    elif h:
        size += f", halved {CUTS} times to {h:g} s,"
    low, high = jnp.asarray(chunk.start), jnp.asarray(chunk.end)
    left = largest_residuals(model, *map(np.asarray, _unbalanced(model, inputs, settings, begun, last, low, high)))
    return f"{kind}{size} failed after t = {t:g} s; what is left unbalanced: {left}"


def _moving_without_mass(model: Model, q: Array, t: Array) -> str:
    """Which coordinates can change together without moving any mass, in words; nothing where there are none. An
    explicit stepper needs an acceleration, and such a motion has none."""
    if is_large(model.structure):
        return ""
    mass = np.asarray(mass_matrix(model, jnp.asarray(q), t=t))
    sizes = np.sqrt(np.diag(mass))
    if not np.all(np.isfinite(mass)) or not len(mass):
        return ""
    scale = np.where(sizes > 0.0, sizes, 1.0)
    shares, motions = np.linalg.eigh(mass / np.outer(scale, scale))
    if shares[0] > _NO_MASS:
        return ""
    own = np.abs(motions[:, 0])
    which = [name for name, share in zip(model.velocity_names, own, strict=True) if share > _TAKES_PART * own.max()]
    more = f" and {len(which) - _SHOWN} others" if len(which) > _SHOWN else ""
    return (
        f": {', '.join(which[:_SHOWN])}{more} can move together without moving any mass (the mass matrix is singular)"
    )


@eqx.filter_jit
def _unbalanced(
    model: Model, inputs: InputSet, settings: ChunkSettings, begun: State, last: StepState, low: Array, high: Array
) -> tuple[Array, Array]:
    return unbalanced(chunk_drive(model, inputs, settings, begun, low, high), last)
