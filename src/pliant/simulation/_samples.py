"""What a run tells of every sample: energies, shape, forces."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax import Array

from pliant.dynamics import dynamic_forces, energy, shape
from pliant.model import Model, State
from pliant.numerics import for_scalars
from pliant.results import Forces, Shape
from pliant.simulation._flow import with_integral
from pliant.simulation._inputs import InputSet
from pliant.simulation._native_run import prepared
from pliant.simulation._schedule import CHUNK_SAVES


@eqx.filter_jit
def tell(
    model: Model, inputs: InputSet, times: Array, q: Array, v: Array, integral: Array
) -> tuple[dict[str, Array], Shape, Forces]:
    """What is told of every sample; one program, since it compiles faster than three."""

    def state(sample: tuple[Array, ...]) -> tuple[dict[str, Array], Shape]:
        t, q, v = sample
        return energy(model, q, v, t), shape(model, q)

    # Arrays of all samples at once, or a scalar program for one after the other.
    energies, shapes = (jax.lax.map if for_scalars() else _mapped)(state, (times, q, v))
    structure = model.structure
    if not (structure.path_actuators or structure.joint_actuators or structure.loops):
        return energies, shapes, Forces({}, {}, {}, {})
    motions = tuple(motion.name for motion in structure.motions)

    def forces(t: Array, q: Array, v: Array, integral: Array) -> Forces:
        ports = with_integral(model, inputs.values(t, State(q, v), motions), integral)
        return dynamic_forces(model, q, v, t, ports)

    # One after the other: batched triangular solves wait for each other on a machine of two cores (jaxlib 0.10), and
    # with loops there is one in every sample.
    return energies, shapes, jax.lax.map(lambda sample: forces(*sample), (times, q, v, integral))


def _mapped(function: Callable[..., Any], samples: Any) -> Any:
    return jax.vmap(function)(samples)


def tell_natively(model: Model, inputs: InputSet, samples: tuple[np.ndarray, ...]) -> Any:
    """`tell` in blocks of equal length, the last one filled up, so that one program serves every run."""
    program = prepared(True, tell, model, inputs)
    count = len(samples[0])
    found = []
    for begin in range(0, count, CHUNK_SAVES):
        rows = np.minimum(np.arange(begin, begin + CHUNK_SAVES), count - 1)
        found.append(program(*(sample[rows] for sample in samples)))
    return jax.tree.map(lambda *parts: np.concatenate(parts)[:count], *found)
