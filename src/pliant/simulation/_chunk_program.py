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
from pliant.simulation._checkpoint import SoFar
from pliant.simulation._inputs import InputSet
from pliant.simulation._samples import SampleOutputs, sample_outputs
from pliant.simulation._schedule import Chunk, batch_size, stacked
from pliant.simulation.native_code._native_run import bind
from pliant.simulation.stepping._adaptive_march import Control, begin_adaptive_march
from pliant.simulation.stepping._explicit import ExplicitMarch, adaptive, begin_adaptive, begin_rk4, rk4
from pliant.simulation.stepping._flow import Drive, StepState
from pliant.simulation.stepping._implicit import Caches, begin_implicit, implicit
from pliant.simulation.stepping._march import MarchResult, begin_march
from pliant.simulation.stepping._put_aside import packed, packed_size, unpacked
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
    model: Model, inputs: InputSet, settings: ChunkSettings, begun: State, low: Array, high: Array
) -> Drive:
    """What drives a chunk from `low` to `high` [s] that began in the state `begun`."""
    prepared = prepare(model.structure, model.parameters)
    motions = motion_names(model.structure)
    held = inputs.values(low, begun, motions) if _holds(inputs, settings) else None
    return Drive(model, prepared, inputs, low, high, held, settings.ledger)


def _holds(inputs: InputSet, settings: ChunkSettings) -> bool:
    """Whether inputs are held over a chunk. A programme is a function of time alone and is followed; only a law of the
    state is sampled."""
    return settings.sampled and inputs.law is not None


class _Held(NamedTuple):
    """A chunk that is put aside: q and v with which it began, where they decide what is held, and its march."""

    begun: Any
    march: Any


class ChunkTimes(NamedTuple):
    """When a chunk starts and ends, the times at which states are wanted, whether a value jumps at its start, and
    whether it starts now or goes on from where it was put aside."""

    low: Any
    high: Any
    targets: Any
    jumped: Any
    fresh: Any


_COLUMNS = 4  # of the table of `run_chunks` before the targets


@eqx.filter_jit
def _run_chunk(
    model: Model, inputs: InputSet, settings: ChunkSettings, numbers: ChunkNumbers, moving: StepState, aside: Array,
    cache: Caches | None, times: ChunkTimes, step: Array, left: Array,
) -> MarchResult:  # fmt: skip
    rtol, atol, rule, longest = numbers
    low, high, targets, jumped, fresh = times
    before = unpacked(aside, _shapes_aside(inputs, settings, moving))
    begun = State(moving.q, moving.v)
    if _holds(inputs, settings):
        begun = State(*(jnp.where(fresh, now, then) for now, then in zip(begun[:2], before.begun, strict=True)))
    drive = chunk_drive(model, inputs, settings, begun, low, high)
    by_error = settings.adapt_by == "error"
    control = None if settings.adapt_by is None else Control(step, longest, rtol, atol, rule.beta, by_error)

    def begin() -> tuple[StepState, Any]:
        if cache is not None:
            return begin_implicit(drive, moving, jumped, control)
        return begin_rk4(drive, moving, jumped) if settings.stepper == "rk4" else begin_adaptive(drive, moving)

    start, march = jax.lax.cond(fresh, begin, lambda: (moving, before.march))
    if cache is not None:
        found = implicit(drive, start, march, targets, step, left, rule, cache, control)
    elif settings.stepper == "rk4":
        found = rk4(drive, start, march, targets, step, left)
    else:
        found = adaptive(settings.stepper, drive, start, march, targets, left, rtol, atol)
    own = (begun.q, begun.v) if _holds(inputs, settings) else ()
    return found._replace(march=packed(_Held(own, found.march)))


def _shapes_aside(inputs: InputSet, settings: ChunkSettings, moving: StepState) -> _Held:
    """Shapes of what is kept of a chunk that is put aside."""

    def begun(moving: StepState) -> _Held:
        zero = jnp.zeros(())
        if settings.adapt_by is not None:
            march: Any = begin_adaptive_march(moving, zero)
        elif settings.stepper in ("implicit", "rk4"):
            march = begin_march(moving, zero)
        else:
            march = ExplicitMarch(zero, jnp.int32(0))
        return _Held((moving.q, moving.v) if _holds(inputs, settings) else (), march)

    return jax.eval_shape(begun, moving)


@eqx.filter_jit(**OWN_PROGRAM)
def run_chunks(
    model: Model, inputs: InputSet, settings: ChunkSettings, numbers: ChunkNumbers, moving: StepState, aside: Array,
    cache: Caches | None, table: Array, given: Array,
) -> MarchResult:  # fmt: skip
    """Chunks (n,) one after the other, up to the first that fails, is empty or is put aside, which the rest repeat: so
    that a table of inputs, which has a breakpoint at every sample, does not call the device for each.

    aside: what is kept of a first chunk that is not fresh. table: `ChunkTimes` of the chunks, as rows, since every
    argument of a call takes its time. given: the step [s] where it is fixed, and the work after which a chunk is put
    aside, wherever it is, so that the call ends. States and codes are (n, width); the march is what is kept of the last
    chunk.
    """
    low, high, jumped, fresh = table[:, :_COLUMNS].T
    times = ChunkTimes(low, high, table[:, _COLUMNS:], jumped > 0.0, fresh > 0.0)
    step, left = given[0], given[1].astype(jnp.int32)

    def one(carry: tuple[StepState, Array, Caches | None, Array, Array], times: ChunkTimes):
        before, aside, cache, left, going = carry

        def run(moving: StepState, aside: Array, cache: Caches | None, left: Array):
            return _run_chunk(model, inputs, settings, numbers, moving, aside, cache, times, step, left)

        def skip(moving: StepState, aside: Array, cache: Caches | None, left: Array):
            count = len(times.targets)
            states = jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *jnp.shape(x))), moving)
            codes = jnp.full(count, ResultCode.NOT_CONVERGED, jnp.int32)
            return MarchResult(states, codes, jnp.int32(0), aside, cache, left)

        found = jax.lax.cond(going & (times.low < times.high), run, skip, before, aside, cache, left)
        after = jax.tree.map(lambda x: x[-1], found.states)
        going = going & (found.codes[-1] == ResultCode.SUCCESS)
        return (after, found.march, found.cache, found.left, going), (found.states, found.codes, found.steps)

    if len(times.low) == 1:
        only = jax.tree.map(lambda x: x[0], times)
        found = _run_chunk(model, inputs, settings, numbers, moving, aside, cache, only, step, left)
        return found._replace(states=jax.tree.map(lambda x: x[None], found.states), codes=found.codes[None])
    begin = (moving, aside, cache, left, jnp.asarray(True))
    (_, aside, cache, left, _), (states, codes, steps) = jax.lax.scan(one, begin, times)
    return MarchResult(states, codes, jnp.sum(steps), aside, cache, left)


class Called(NamedTuple):
    """What a call of a `ChunkProgram` gives: states (n, width, ...) and codes (n, width) of the chunks of a batch up to
    the one that fails or is put aside, steps, what is kept of the last chunk, cache, and the work it took."""

    states: StepState
    codes: np.ndarray
    steps: int
    aside: np.ndarray
    cache: Caches | None
    work: int


class ChunkProgram:
    """`run_chunks` of one robot and its inputs, for the chunks of a plan. together: how many make one call."""

    def __init__(
        self, model: Model, inputs: InputSet, settings: ChunkSettings, numbers: ChunkNumbers, native: bool,
        plan: list[Chunk], step: float | None,
    ) -> None:  # fmt: skip
        self._fixed, self._native = (model, inputs, settings, numbers), native
        self._call = bind(native, run_chunks, *self._fixed)
        self._step = step or 1.0
        self._width, self.together = batch_size(plan)
        self.name = (hash(model.structure), settings, inputs.ports, native, self._width, self.together)

    def nothing_aside(self, moving: StepState) -> np.ndarray:
        """What is kept of a chunk that is put aside, where there is none yet."""
        _, inputs, settings, _ = self._fixed
        key = (settings, _holds(inputs, settings), *(np.shape(leaf) for leaf in jax.tree.leaves(moving)))
        if key not in _sizes:
            _sizes[key] = packed_size(_shapes_aside(inputs, settings, moving))
        return np.zeros(_sizes[key])

    def __call__(self, run: SoFar, batch: list[Chunk], budget: int) -> Called:
        """The chunks of a batch, as far as the budget of work goes."""
        *found, after, left = self._call(*self._changing(run, batch, budget))
        states, codes, taken, aside = jax.tree.map(np.asarray, tuple(found))
        count = len(batch)
        done = int(np.argmin(np.append(codes[:count, -1] == ResultCode.SUCCESS, False)))
        return Called(states, codes[: min(done + 1, count)], int(taken), aside, after, budget - int(left))

    def begun(self, run: SoFar) -> State:
        """The state with which the present chunk began, where that decides what is held."""
        model, inputs, settings, _ = self._fixed
        if not _holds(inputs, settings):
            return State(run.moving.q, run.moving.v)
        q, v = np.split(run.aside[: model.nq + model.nv], [model.nq])
        return State(jnp.asarray(q), jnp.asarray(v))

    def _changing(self, run: SoFar, batch: list[Chunk], budget: int) -> tuple[Any, ...]:
        # Left to the jitted call to put on the device: one by one that costs more than a step.
        low, high, targets, jumped, fresh = stacked(batch, self._width, self.together, run.passed, not run.begun)
        table = np.empty((self.together, _COLUMNS + self._width))
        table[:, 0], table[:, 1], table[:, 2], table[:, 3], table[:, _COLUMNS:] = low, high, jumped, fresh, targets
        return run.moving, run.aside, run.cache, table, np.array([self._step, budget])

    def compile_samples_ahead(
        self, outputs: SampleOutputs, run: SoFar, batch: list[Chunk], budget: int
    ) -> threading.Thread | None:
        """Has what the end of a run needs compiled before, so that a run that is interrupted can answer: on another
        core while the run itself is compiled. run, batch, budget: of the first call, which is traced before, since two
        traces at once would be in each other's way."""
        model, inputs, settings, _ = self._fixed
        key = (hash(model.structure), settings, inputs.law is None, self._native, outputs.block)
        if key in _compiled:
            return None
        _compiled.add(key)
        start, count = run.moving, outputs.block
        samples = jax.tree.map(
            lambda x: np.broadcast_to(np.asarray(x), (count, *np.shape(x))),
            (np.zeros(()), start.q, start.v, start.integral, start.memory),
        )
        if self._native or jax.config.jax_compilation_cache_dir is None:  # type: ignore[attr-defined]
            # Nothing hands over what another thread compiles: it is compiled, and run once, here.
            SampleOutputs(model, inputs, self._native, count).of(*jax.tree.map(np.array, samples))
            return None
        traced: Any = run_chunks
        traced.lower(*self._fixed, *self._changing(run, batch, budget))

        def compile_samples() -> None:
            # Compiled, not run: two programs at once may wait for each other's threads. The disk's cache hands it over.
            later: Any = sample_outputs
            later.lower(model, inputs, *samples).compile()

        thread = threading.Thread(target=compile_samples)
        thread.start()
        return thread


_compiled: set[tuple[Any, ...]] = set()
_sizes: dict[tuple[Any, ...], int] = {}
