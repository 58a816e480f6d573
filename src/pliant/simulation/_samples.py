"""What a run gives for every sample: energies, shape, forces."""

from collections.abc import Callable, Sequence
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
from pliant.simulation.stepping._flow import StepState, with_integral

BLOCK = 256  # most samples whose outputs one call computes: a user who interrupts it waits for its end

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


class SampleOutputs:
    """Outputs of the samples of a run, in blocks: a block is computed as soon as it is full, so that a run that ends or
    is interrupted has little left to do. All blocks are of one size, so that nothing is compiled then.

    whole: how many states the end of the whole run looks at.
    """

    def __init__(self, model: Model, inputs: InputSet, native: bool, whole: int) -> None:
        self.block = NATIVE_CHUNK_SAVES if native else min(whole, BLOCK)
        self._fill = _with_nothing if native else _with_the_last
        function: Any = _for_native_code if native else sample_outputs
        self._program = bind(native, function, model, inputs)
        self._several = whole > self.block
        self._done: list[_Outputs] = []
        self._parts, self._ahead = 0, ()

    def catch_up(self, times: np.ndarray, kept: Sequence[StepState]) -> None:
        """Compute the blocks that are full. kept: the start and the samples that followed it, in parts."""
        if not self._several:
            return
        new = [_first(kept[0])] if self._parts == 0 else []
        new += [_wanted(part) for part in kept[max(self._parts, 1) :]]
        self._ahead = _joined([*([self._ahead] if self._ahead else []), *new]) if new else self._ahead
        self._parts = len(kept)
        while self._ahead and len(jax.tree.leaves(self._ahead)[0]) >= self.block:
            begin = len(self._done) * self.block
            rows = jax.tree.map(lambda x: x[: self.block], self._ahead)
            self._done.append(self._computed((times[begin : begin + self.block], *rows)))
            self._ahead = jax.tree.map(lambda x: x[self.block :], self._ahead)

    def of(self, *samples: Any) -> _Outputs:
        """The outputs of all samples, those of the run first."""
        count, found = len(samples[0]), list(self._done)
        samples = jax.tree.map(np.asarray, samples)
        for begin in range(len(found) * self.block, count, self.block):
            rows = jax.tree.map(lambda x, begin=begin: x[begin : begin + self.block], samples)
            found.append(self._computed(jax.tree.map(lambda x: self._fill(x, self.block), rows)))
        return jax.tree.map(lambda *parts: (np.concatenate(parts) if len(parts) > 1 else parts[0])[:count], *found)

    def _computed(self, samples: Any) -> _Outputs:
        return jax.tree.map(np.asarray, self._program(*samples))


def _first(start: StepState) -> Any:
    return jax.tree.map(lambda x: np.asarray(x)[None], _wanted(start))


def _wanted(part: StepState) -> Any:
    return part.q, part.v, part.integral, part.memory


def _joined(parts: list[Any]) -> Any:
    return jax.tree.map(lambda *own: np.concatenate(own), *parts)


def _with_the_last(rows: np.ndarray, size: int) -> np.ndarray:
    """Rows that are missing repeat the last one."""
    return rows[np.minimum(np.arange(size), len(rows) - 1)] if len(rows) < size else rows


def _with_nothing(rows: np.ndarray, size: int) -> np.ndarray:
    """Rows that are missing are no numbers, and are passed over."""
    filled = np.full((size, *rows.shape[1:]), np.nan if rows.dtype.kind == "f" else 0)
    filled[: len(rows)] = rows
    return filled
