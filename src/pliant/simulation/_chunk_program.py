"""The compiled side of a run: chunks of time one after the other, by JAX or as native code."""

import threading
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant._jax import OWN_PROGRAM
from pliant.dynamics import motion_names
from pliant.model import Model, State, prepare
from pliant.numerics import ResultCode
from pliant.simulation._inputs import InputSet
from pliant.simulation._samples import sample_outputs
from pliant.simulation._schedule import Chunk, batch_size, stacked
from pliant.simulation.native_code._native_run import bind
from pliant.simulation.stepping._adaptive_march import Control
from pliant.simulation.stepping._explicit import adaptive, rk4
from pliant.simulation.stepping._flow import Drive, StepState
from pliant.simulation.stepping._implicit import Caches, implicit
from pliant.simulation.stepping._rules import Coefficients


class ChunkSettings(eqx.Module):
    """What a program of chunks is compiled for. stepper: "implicit" for all implicit ones, which share a program;
    sampled: whether a law of the state is held over a chunk; adapt_by: what decides an implicit step, if not fixed."""

    stepper: str = eqx.field(static=True)
    ledger: bool = eqx.field(static=True)
    sampled: bool = eqx.field(static=True)
    adapt_by: str | None = eqx.field(static=True, default=None)


class ChunkNumbers(NamedTuple):
    """Numbers that a program of chunks is given. longest: step [s], where it adapts."""

    rtol: Array
    atol: Array
    rule: Coefficients
    longest: Array


def chunk_drive(
    model: Model, inputs: InputSet, settings: ChunkSettings, moving: StepState, low: Array, high: Array
) -> Drive:
    """What drives a chunk from `low` to `high` [s] that begins with `moving`."""
    prepared = prepare(model.structure, model.parameters)
    motions = motion_names(model.structure)
    # A programme is a function of time alone and is followed; only a law of the state is sampled.
    sampled = settings.sampled and inputs.law is not None
    held = inputs.values(low, State(moving.q, moving.v), motions) if sampled else None
    return Drive(model, prepared, inputs, low, high, held, settings.ledger)


@eqx.filter_jit
def _run_chunk(
    model: Model, inputs: InputSet, settings: ChunkSettings, numbers: ChunkNumbers, moving: StepState,
    cache: Caches | None, low: Array, high: Array, targets: Array, jumped: Array, step: Array,
) -> tuple[StepState, Array, Array, Caches | None]:  # fmt: skip
    rtol, atol, rule, longest = numbers
    drive = chunk_drive(model, inputs, settings, moving, low, high)
    if cache is not None:
        by_error = settings.adapt_by == "error"
        control = None if settings.adapt_by is None else Control(step, longest, rtol, atol, rule.beta, by_error)
        return implicit(drive, moving, targets, step, rule, cache, jumped, control)
    if settings.stepper == "rk4":
        return *rk4(drive, moving, targets, step, jumped), None
    return *adaptive(settings.stepper, drive, moving, targets, rtol, atol), None


@eqx.filter_jit(**OWN_PROGRAM)
def run_chunks(
    model: Model, inputs: InputSet, settings: ChunkSettings, numbers: ChunkNumbers, moving: StepState,
    cache: Caches | None, low: Array, high: Array, targets: Array, jumped: Array, step: Array,
) -> tuple[StepState, Array, Array, Caches | None]:  # fmt: skip
    """Chunks (n,) one after the other, up to the first that fails or is empty, which the rest repeat: so that a table
    of inputs, which has a breakpoint at every sample, does not call the device for each."""

    def one(carry: tuple[StepState, Caches | None, Array], chunk: tuple[Array, Array, Array, Array]):
        before, cache, going = carry
        low, high, targets, jumped = chunk

        def run(moving: StepState, cache: Caches | None):
            return _run_chunk(model, inputs, settings, numbers, moving, cache, low, high, targets, jumped, step)

        def skip(moving: StepState, cache: Caches | None):
            states = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(targets), *jnp.shape(x))), moving)
            return states, jnp.full(len(targets), ResultCode.NOT_CONVERGED, jnp.int32), jnp.int32(0), cache

        states, codes, steps, cache = jax.lax.cond(going & (low < high), run, skip, before, cache)
        after = jax.tree.map(lambda x: x[-1], states)
        return (after, cache, going & (codes[-1] == ResultCode.SUCCESS)), (states, codes.astype(jnp.int32), steps)

    if len(low) == 1:
        states, codes, steps, cache = _run_chunk(
            model, inputs, settings, numbers, moving, cache, low[0], high[0], targets[0], jumped[0], step
        )
        states = jax.tree.map(lambda x: x[None], states)
        return states, codes[None].astype(jnp.int32), steps, cache
    begin = (moving, cache, jnp.asarray(True))
    (_, cache, _), (states, codes, steps) = jax.lax.scan(one, begin, (low, high, targets, jumped))
    return states, codes, jnp.sum(steps), cache


class ChunkProgram:
    """`run_chunks` of one robot and its inputs, for the chunks of a plan. together: how many make one call."""

    def __init__(
        self, model: Model, inputs: InputSet, settings: ChunkSettings, numbers: ChunkNumbers, native: bool,
        plan: list[Chunk], step: float | None,
    ) -> None:  # fmt: skip
        self._fixed = (model, inputs, settings, numbers)
        self._call = bind(native, run_chunks, *self._fixed)
        self._step = np.asarray(step or 1.0)
        self._width, self.together = batch_size(plan)

    def __call__(
        self, moving: StepState, cache: Caches | None, batch: list[Chunk]
    ) -> tuple[StepState, np.ndarray, int, Caches | None]:
        """States (n, width, ...) and codes (n, width) of the chunks of a batch up to the one that fails, steps,
        cache."""
        *found, after = self._call(*self._changing(moving, cache, batch))
        states, codes, taken = jax.tree.map(np.asarray, tuple(found))
        count = len(batch)
        done = int(np.argmin(np.append(codes[:count, -1] == ResultCode.SUCCESS, False)))
        return states, codes[: min(done + 1, count)], int(taken), after

    def _changing(self, moving: StepState, cache: Caches | None, batch: list[Chunk]) -> tuple[Any, ...]:
        # Left to the jitted call to put on the device: one by one that costs more than a step.
        return moving, cache, *stacked(batch, self._width, self.together), self._step

    def compile_samples_ahead(
        self, count: int, start: StepState, cache: Caches | None, batch: list[Chunk]
    ) -> threading.Thread | None:
        """Has what the end of a run needs compiled on another core while the run itself is compiled. count: how many
        states are looked at in the end; start, cache, batch: of the first call, which is traced before, since two
        traces at once would be in each other's way."""
        if jax.config.jax_compilation_cache_dir is None:  # type: ignore[attr-defined]
            return None  # it would be compiled twice
        model, inputs, settings, _ = self._fixed
        key = (model.structure, settings, inputs.law is None, count)
        if key in _compiled:
            return None
        _compiled.add(key)
        traced: Any = run_chunks
        traced.lower(*self._fixed, *self._changing(start, cache, batch))
        samples = jax.tree.map(
            lambda x: np.broadcast_to(np.asarray(x), (count, *np.shape(x))),
            (start.q, start.v, start.integral, start.memory),
        )

        def compile_samples() -> None:
            # Compiled, not run: two programs at once may wait for each other's threads. The disk's cache hands it over.
            later: Any = sample_outputs
            later.lower(model, inputs, jnp.zeros(count), *samples).compile()

        thread = threading.Thread(target=compile_samples)
        thread.start()
        return thread


_compiled: set[tuple[Any, ...]] = set()
