"""What a run gives for every sample: energies, shape, forces."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant._jax import OWN_PROGRAM
from pliant.dynamics import dynamic_forces, energy, motion_names, shape
from pliant.model import Model, State
from pliant.results import Forces, Shape
from pliant.simulation._inputs import InputSet
from pliant.simulation._schedule import NATIVE_CHUNK_SAVES
from pliant.simulation.native_code._native_run import bind
from pliant.simulation.stepping._flow import with_integral

BLOCK = 1024  # most samples whose outputs one call computes: a user who interrupts it waits for its end

_Outputs = tuple[dict[str, Array], Shape, Forces, dict[str, Array]]


@eqx.filter_jit(**OWN_PROGRAM)
def sample_outputs(
    model: Model, inputs: InputSet, times: Array, q: Array, v: Array, integral: Array, memory: Any
) -> _Outputs:
    """Energies, shapes and forces of all samples, and at which of them inputs were kept within their limits; one
    program, since it compiles faster than three."""
    # Forces one after the other: batched triangular solves wait for each other on a machine of two cores (jaxlib 0.10),
    # and with loops there is one in every sample.
    return _outputs(model, inputs, (times, q, v, integral, memory), _mapped, jax.lax.map)


def _for_native_code(
    model: Model, inputs: InputSet, times: Array, q: Array, v: Array, integral: Array, memory: Any
) -> _Outputs:
    """The outputs as a program of scalars wants them: one sample after the other."""
    return _outputs(model, inputs, (times, q, v, integral, memory), _one_by_one, _one_by_one)


def _outputs(
    model: Model,
    inputs: InputSet,
    samples: tuple[Any, ...],
    over_states: Callable[..., Any],
    over_forces: Callable[..., Any],
) -> _Outputs:
    """over_states, over_forces: how a function of one sample is applied to all."""

    def state(sample: tuple[Any, ...]) -> tuple[dict[str, Array], Shape]:
        t, q, v, memory = sample
        return energy(model, q, v, t, memory=memory), shape(model, q)

    energies, shapes = over_states(state, (*samples[:3], samples[4]))
    structure = model.structure
    if not (structure.actuator_names or structure.constraints or structure.reported or inputs.limits):
        return energies, shapes, Forces({}, {}, {}, {}), {}
    motions = motion_names(structure)

    def forces(sample: tuple[Any, ...]) -> tuple[Forces, dict[str, Array]]:
        t, q, v, integral, memory = sample
        state = State(q, v)
        ports = with_integral(model, inputs.values(t, state, motions), integral)
        beyond = inputs.beyond(t, state, motions) if inputs.limits else {}
        return dynamic_forces(model, q, v, t, ports, memory), beyond

    return energies, shapes, *over_forces(forces, samples)


def _mapped(function: Callable[..., Any], samples: Any) -> Any:
    return jax.vmap(function)(samples)


def _one_by_one(function: Callable[..., Any], samples: Any) -> Any:
    """A function of samples in a loop; samples whose time is no number fill a block up and are passed over."""

    def one(sample: Any) -> Any:
        nothing = jax.tree.map(lambda found: jnp.zeros(found.shape, found.dtype), jax.eval_shape(function, sample))
        return jax.lax.cond(jnp.isnan(sample[0]), lambda sample: nothing, function, sample)

    return jax.lax.map(one, samples)


def sample_outputs_in_blocks(model: Model, inputs: InputSet, whole: int, *samples: Any) -> _Outputs:
    """`sample_outputs` of some of `whole` samples. All calls are of the size that the whole run needs, so that a run
    that is interrupted compiles nothing: samples that are missing repeat the last one."""
    count, block = len(samples[0]), min(whole, BLOCK)
    if count == block:
        return sample_outputs(model, inputs, *samples)
    blocks = -(-count // block)
    rows = np.minimum(np.arange(blocks * block), count - 1).reshape(blocks, block)
    filled = jax.tree.map(np.asarray, samples)
    found = [
        jax.tree.map(np.asarray, sample_outputs(model, inputs, *jax.tree.map(lambda x, own=own: x[own], filled)))
        for own in rows
    ]
    return jax.device_put(jax.tree.map(lambda *parts: np.concatenate(parts)[:count], *found))


def native_sample_outputs(model: Model, inputs: InputSet, *samples: Any) -> Any:
    """`sample_outputs` in blocks of equal length, so that one program serves every run."""
    program = bind(True, _for_native_code, model, inputs)
    count = len(samples[0])
    blocks = -(-count // NATIVE_CHUNK_SAVES)

    def fill(sample: np.ndarray) -> np.ndarray:
        block = np.full((blocks * NATIVE_CHUNK_SAVES, *sample.shape[1:]), np.nan if sample.dtype.kind == "f" else 0)
        block[:count] = sample
        return block.reshape(blocks, NATIVE_CHUNK_SAVES, *sample.shape[1:])

    filled = jax.tree.map(fill, samples)
    found = [program(*jax.tree.map(lambda block, i=i: block[i], filled)) for i in range(blocks)]
    return jax.tree.map(lambda *parts: (np.concatenate(parts) if blocks > 1 else parts[0])[:count], *found)
