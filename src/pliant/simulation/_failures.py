"""What a run that failed says: when, with which step, where, and what may help."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics import is_large, mass_matrix, massless_motion
from pliant.model import Model, State
from pliant.simulation._checks import IMPLICIT
from pliant.simulation._chunk_program import ChunkSettings, chunk_drive
from pliant.simulation._inputs import InputSet
from pliant.simulation._largest_residuals import largest_residuals, unbalanced
from pliant.simulation._schedule import Chunk
from pliant.simulation.stepping._flow import StepState
from pliant.simulation.stepping._implicit import CUTS

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
    """What can move without mass, after a colon: an explicit stepper needs an acceleration, and it has none."""
    if is_large(model.structure):
        return ""
    found = massless_motion(model, np.asarray(mass_matrix(model, jnp.asarray(q), t=t)))
    return found and f": {found}"


@eqx.filter_jit
def _unbalanced(
    model: Model, inputs: InputSet, settings: ChunkSettings, begun: State, last: StepState, low: Array, high: Array
) -> tuple[Array, Array]:
    return unbalanced(chunk_drive(model, inputs, settings, begun, low, high), last)
