"""simulate(): the host side of a run. It cuts time into chunks, runs them jitted, keeps what they return."""

import math
import os
import threading
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant._jax import OWN_PROGRAM
from pliant.analysis import description_hash, record
from pliant.dynamics import motion_names, names, refuse_immovable, scene
from pliant.mechanics import breakpoints, jumps
from pliant.model import Model, State, prepare
from pliant.numerics import ResultCode, SolveError
from pliant.results import Trajectory
from pliant.simulation._checkpoint import Checkpoint, SoFar, run_key
from pliant.simulation._checks import IMPLICIT, Step, check_restart, check_settings, check_steps
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._largest_residuals import largest_residuals, unbalanced
from pliant.simulation._samples import native_sample_outputs, sample_outputs
from pliant.simulation._schedule import CHUNK_SAVES, NATIVE_CHUNK_SAVES, Chunk, batch_size, chunks, save_times, stacked
from pliant.simulation._start import starting_state
from pliant.simulation.native_code._native_run import has_compiler, prepared
from pliant.simulation.stepping._adaptive_march import Control
from pliant.simulation.stepping._explicit import adaptive, rk4
from pliant.simulation.stepping._flow import Drive, StepState, begin_step
from pliant.simulation.stepping._implicit import CUTS, implicit
from pliant.simulation.stepping._rules import NEWTON_TOLERANCE, Coefficients, generalised_alpha
from pliant.simulation.stepping._step_newton import NewtonCache, empty_cache

Progress = Callable[[float, float], None]


def simulate(
    model: Model,
    until: float,
    *,
    state: State | None = None,
    start: float = 0.0,
    stepper: str = "tsit5",
    step: Step = None,
    adapt: str = "error",
    save_every: float | None = None,
    rtol: float = 1e-6,
    atol: float = 1e-9,
    beta: float = 0.25,
    gamma: float = 0.5,
    spectral_radius: float = 0.8,
    newton_tolerance: float = NEWTON_TOLERANCE,
    restart: str = "always",
    inputs: Any = None,
    rate: float | None = None,
    ledger: bool = False,
    backend: str = "jax",
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    throw: bool = True,
) -> Trajectory:
    """The motion of the robot from `start` to `until` [s].

    state: where it starts, its loops closed (default: the file's initial state; its loops are closed here). stepper:
    "tsit5" or "dopri8" (adaptive, rtol and atol), "rk4", "newmark" or "generalised-alpha" (fixed `step` [s], which the
    implicit two halve where it fails; newmark takes beta and gamma, the other the spectral_radius of its fastest modes,
    from 0 to 1: what a step leaves of them). Two numbers as `step` of an implicit stepper are its shortest and longest,
    and adapt says what decides: the local "error" (rtol and atol) or whether "newton" converges. newton_tolerance: the
    residual of an implicit step, over the forces that have to balance. save_every: interval
    of the samples [s] (default: a two-hundredth of the run). inputs: see `make_inputs`; rate: [Hz] at which inputs that
    are a function of the state are sampled and held, as a digital controller does; restart: whether an implicit stepper
    begins anew at every sample ("always": what it holds jumps) or goes on as if nothing had happened ("never").
    ledger: also integrate the work of loads and the energy lost, so that the total of `energy` is constant on an exact
    motion. backend: "jax" or "native": the same program built by the system's C compiler, and kept for the next time.
    progress(t, until) is called between chunks; a `pliant.simulation.Clock` tells the speed and the time left.
    checkpoint: a file that keeps the run every checkpoint_every [s] of computing, and from which the same call goes on
    after the process was killed, with the same result to the last bit; it is removed at the end. A run that fails
    raises SolveError with what was computed in `.partial`; with throw=False that is returned, with its code.
    """
    check_settings(until, start, stepper, rtol, atol, beta, gamma, spectral_radius, newton_tolerance, rate, backend)
    check_restart(restart)
    step, longest, save_every = check_steps(until - start, stepper, step, adapt, save_every)
    if ledger and model.structure.gravity["programme"] != "constant":
        raise ValueError("the energy ledger needs constant gravity: a field that changes in time does work of its own")
    refuse_immovable(model.structure)
    given = make_inputs(model, inputs)
    state = starting_state(model, state, start, given)
    times = save_times(start, until, save_every)
    cuts = _breakpoints(model) + given.breakpoints()
    jumped = [float(time) for time in (*_jumps(model), *given.jumps())]
    if rate is not None:
        sampled = [start + k / rate for k in range(1, math.ceil((until - start) * rate))]
        cuts += sampled
        jumped += sampled if restart == "always" and given.law is not None else []
    moving = begin_step(model, state, start)
    cache = empty_cache(model) if stepper in IMPLICIT else None
    run, code = SoFar(0, 1, 0, moving, cache, [moving]), ResultCode.SUCCESS
    kind = "implicit" if stepper in IMPLICIT else stepper  # which share one program
    settings = _Settings(kind, ledger, rate is not None, None if longest is None else adapt)
    coefficients = (beta, gamma, 0.0, 0.0) if stepper == "newmark" else generalised_alpha(spectral_radius)
    rule = (*coefficients, newton_tolerance)
    numbers: Any = (
        np.asarray(rtol),
        np.asarray(atol),
        Coefficients(*(np.asarray(x) for x in rule)),  # type: ignore[arg-type]
        np.asarray(longest or 0.0),
    )
    failure, ahead = "", None
    native = backend == "native" and has_compiler()
    plan = chunks(times, cuts, NATIVE_CHUNK_SAVES if native else CHUNK_SAVES, jumped)
    width, together = batch_size(plan)
    told = {
        "analysis": "simulate", "until": until, "start": start, "stepper": stepper, "step": step, "rtol": rtol,
        "atol": atol, "save_every": save_every, "rate": rate,
        **({} if longest is None else {"longest_step": longest, "adapt": adapt}),
        **({} if backend == "jax" else {"backend": backend}),
    }  # fmt: skip
    program = prepared(native, _batch, model, given, settings, numbers)
    disk = None
    if checkpoint is not None:
        key = run_key(description_hash(model), {**told, "rule": rule, "ledger": ledger}, moving, given)
        disk = Checkpoint(checkpoint, key, checkpoint_every)
        run = disk.load(run)
    try:
        while run.position < len(plan) and code is ResultCode.SUCCESS:
            batch = plan[run.position : run.position + together]
            # Left to the jitted call to put on the device: one by one that costs more than a step.
            host = (*stacked(batch, width, together), np.asarray(step or 1.0))
            changing = (run.moving, run.cache, *host)
            if not native:
                arguments = (model, given, settings, numbers, *changing)
                ahead = ahead or _compile_ahead(model, given, settings, times, moving, arguments)
            states, codes, taken, run.cache = _run(program, changing, len(batch))
            run.steps += taken
            for chunk, chunk_codes, index in zip(batch, codes, range(len(codes)), strict=False):
                arrived = int(np.sum(chunk_codes == ResultCode.SUCCESS))
                saved = min(arrived, chunk.saved)
                if saved:
                    run.kept.append(jax.tree.map(lambda x, i=index, n=saved: x[i, :n], states))
                    run.reached += saved
                code = ResultCode(int(chunk_codes[-1]))
                if code is not ResultCode.SUCCESS:
                    last = jax.tree.map(lambda x, i=index: x[i, -1], states)
                    failure = _failure(model, given, settings, stepper, run.moving, last, chunk, step)
                    break
                run.moving = jax.tree.map(lambda x, i=index: x[i, -1], states)
            run.position += len(codes)
            if disk is not None and code is ResultCode.SUCCESS:
                disk.save(run)
            if progress is not None and code is ResultCode.SUCCESS:
                progress(batch[len(codes) - 1].end, until)
    except KeyboardInterrupt:
        code, failure = ResultCode.INTERRUPTED, f"{stepper} stopped after t = {times[run.reached - 1]:g} s"
    if run.cache is not None:
        told |= {"residuals": int(run.cache.evaluations), "matrices": int(run.cache.matrices)}
    if failure:
        told["failure"] = failure
    if ahead is not None:
        ahead.join()
    result = _trajectory(model, given, times[: run.reached], run.kept, run.steps, code, ledger, told, native)
    if disk is not None and code is ResultCode.SUCCESS:
        disk.remove()
    if code is not ResultCode.SUCCESS and throw:
        kept = f"{run.reached} samples up to {times[run.reached - 1]:g} s are kept in `.partial`."
        cure = "" if code is ResultCode.INTERRUPTED else _CURES.get(stepper, _CURES["tsit5"])
        raise SolveError(code, f"{failure}; {kept} {cure}".rstrip(), partial=result)
    return result


def _breakpoints(model: Model) -> list[float]:
    return [time for programme in model.structure.programmes for time in breakpoints(programme, model.parameters)]


def _jumps(model: Model) -> list[float]:
    return [time for programme in model.structure.programmes for time in jumps(programme, model.parameters)]


_Numbers = tuple[Array, Array, Coefficients, Array]


class _Settings(eqx.Module):
    stepper: str = eqx.field(static=True)
    ledger: bool = eqx.field(static=True)
    sampled: bool = eqx.field(static=True)
    adapt: str | None = eqx.field(static=True, default=None)


def _drive(model: Model, inputs: InputSet, settings: _Settings, moving: StepState, low: Array, high: Array) -> Drive:
    prepared = prepare(model.structure, model.parameters)
    motions = motion_names(model.structure)
    # A programme is a function of time alone and is followed; only a law of the state is sampled.
    sampled = settings.sampled and inputs.law is not None
    held = inputs.values(low, State(moving.q, moving.v), motions) if sampled else None
    return Drive(model, prepared, inputs, low, high, held, settings.ledger)


@eqx.filter_jit
def _chunk(
    model: Model, inputs: InputSet, settings: _Settings, numbers: _Numbers, moving: StepState,
    cache: NewtonCache | None, low: Array, high: Array, targets: Array, jumped: Array, step: Array,
) -> tuple[StepState, Array, Array, NewtonCache | None]:  # fmt: skip
    rtol, atol, rule, longest = numbers
    drive = _drive(model, inputs, settings, moving, low, high)
    if cache is not None:
        by_error = settings.adapt == "error"
        control = None if settings.adapt is None else Control(step, longest, rtol, atol, rule.beta, by_error)
        return implicit(drive, moving, targets, step, rule, cache, jumped, control)
    if settings.stepper == "rk4":
        return *rk4(drive, moving, targets, step), None
    return *adaptive(settings.stepper, drive, moving, targets, rtol, atol), None


@eqx.filter_jit(**OWN_PROGRAM)
def _batch(
    model: Model, inputs: InputSet, settings: _Settings, numbers: _Numbers, moving: StepState,
    cache: NewtonCache | None, low: Array, high: Array, targets: Array, jumped: Array, step: Array,
) -> tuple[StepState, Array, Array, NewtonCache | None]:  # fmt: skip
    """Chunks (n,) one after the other, up to the first that fails or is empty, which the rest repeat: so that a table
    of inputs, which has a breakpoint at every sample, does not call the device for each."""

    def one(carry: tuple[StepState, NewtonCache | None, Array], chunk: tuple[Array, Array, Array, Array]):
        before, cache, going = carry
        low, high, targets, jumped = chunk

        def run(moving: StepState, cache: NewtonCache | None):
            return _chunk(model, inputs, settings, numbers, moving, cache, low, high, targets, jumped, step)

        def skip(moving: StepState, cache: NewtonCache | None):
            states = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(targets), *jnp.shape(x))), moving)
            return states, jnp.full(len(targets), ResultCode.NOT_CONVERGED, jnp.int32), jnp.int32(0), cache

        states, codes, steps, cache = jax.lax.cond(going & (low < high), run, skip, before, cache)
        after = jax.tree.map(lambda x: x[-1], states)
        return (after, cache, going & (codes[-1] == ResultCode.SUCCESS)), (states, codes.astype(jnp.int32), steps)

    if len(low) == 1:
        states, codes, steps, cache = _chunk(
            model, inputs, settings, numbers, moving, cache, low[0], high[0], targets[0], jumped[0], step
        )
        states = jax.tree.map(lambda x: x[None], states)
        return states, codes[None].astype(jnp.int32), steps, cache
    begin = (moving, cache, jnp.asarray(True))
    (_, cache, _), (states, codes, steps) = jax.lax.scan(one, begin, (low, high, targets, jumped))
    return states, codes, jnp.sum(steps), cache


def _run(
    program: Callable[..., Any], arguments: tuple[Any, ...], count: int
) -> tuple[StepState, np.ndarray, int, NewtonCache | None]:
    """States (n, width, ...) and codes (n, width) of the first `count` chunks of a batch up to the one that fails,
    steps, cache."""
    *found, after = program(*arguments)
    states, codes, taken = jax.tree.map(np.asarray, tuple(found))
    done = int(np.argmin(np.append(codes[:count, -1] == ResultCode.SUCCESS, False)))
    return states, codes[: min(done + 1, count)], int(taken), after


_compiled: set[tuple[Any, ...]] = set()


def _compile_ahead(
    model: Model, inputs: InputSet, settings: _Settings, times: np.ndarray, start: StepState, arguments: tuple[Any, ...]
) -> threading.Thread | None:
    """Has what the end of a run needs compiled on another core while the run itself is compiled. arguments: of the
    first `_batch`, which is traced before, since two traces at once would be in each other's way."""
    if jax.config.jax_compilation_cache_dir is None:  # type: ignore[attr-defined]
        return None  # it would be compiled twice
    key = (model.structure, settings, inputs.law is None, len(times))
    if key in _compiled:
        return None
    _compiled.add(key)
    traced: Any = _batch
    traced.lower(*arguments)
    q, v, integral = (
        np.broadcast_to(np.asarray(x), (len(times), *np.shape(x))) for x in (start.q, start.v, start.integral)
    )

    def compile_samples() -> None:
        # Compiled, not run: two programs at once may wait for each other's threads. The disk's cache hands it over.
        later: Any = sample_outputs
        later.lower(model, inputs, jnp.asarray(times), q, v, integral).compile()

    thread = threading.Thread(target=compile_samples)
    thread.start()
    return thread


def _trajectory(
    model: Model,
    inputs: InputSet,
    times: np.ndarray,
    kept: list[StepState],
    steps: int,
    code: ResultCode,
    ledger: bool,
    settings: dict,
    native: bool,
) -> Trajectory:
    def series(name: str) -> np.ndarray:
        first, *rest = (np.asarray(getattr(part, name)) for part in kept)
        return np.concatenate([first[None], *rest])

    own: Any = {name: series(name) for name in ("q", "v", "integral", *(("lost", "work") if ledger else ()))}
    own |= {"time": times, "code": np.asarray(int(code)), "steps": np.asarray(steps)}
    if not native:  # whose results stay NumPy's: to put them on the device takes longer than a short run
        own = jax.device_put(own)
    samples = (own["time"], own["q"], own["v"], own["integral"])
    energies, shapes, forces = (native_sample_outputs if native else sample_outputs)(model, inputs, *samples)
    if ledger:
        energies |= {"dissipated": own["lost"], "work": own["work"]}
        energies["total"] = energies["total"] + own["lost"] - own["work"]
    return Trajectory(
        time=own["time"],
        q=own["q"],
        v=own["v"],
        shape=shapes,
        energy=energies,
        forces=forces,
        code=own["code"],
        steps=own["steps"],
        scene=scene(model),
        names=names(model),
        provenance=record(model, settings),
    )


_CURES = {
    **dict.fromkeys(
        IMPLICIT, "Shorter steps were of no use: look for an unstable robot or wrong numbers in these links."
    ),
    "rk4": "An explicit stepper diverges when its step is too long for the stiffest strain: shorten it or use newmark.",
    "tsit5": "The robot is too stiff for an explicit stepper at this accuracy: use stepper='newmark'.",
}


@eqx.filter_jit
def _unbalanced(
    model: Model, inputs: InputSet, settings: _Settings, start: StepState, last: StepState, low: Array, high: Array
) -> tuple[Array, Array]:
    return unbalanced(_drive(model, inputs, settings, start, low, high), last)


def _failure(
    model: Model, inputs: InputSet, settings: _Settings, stepper: str, start: StepState, last: StepState, chunk: Chunk,
    step: float | None,
) -> str:  # fmt: skip
    """When, with which step and, of an implicit stepper, where. start: of the chunk that failed; last: see
    `where_it_ends`."""
    t, h = float(last.time), float(last.step)
    size = "" if step is None else f" with a step of {step:g} s"
    if stepper not in IMPLICIT:
        return f"{stepper}{size} failed after t = {t:g} s"
    if settings.adapt is not None:
        size = f" with its shortest step, {h:g} s," if h else ""
    elif h:
        size += f", halved {CUTS} times to {h:g} s,"
    low, high = jnp.asarray(chunk.start), jnp.asarray(chunk.end)
    left = largest_residuals(model, *map(np.asarray, _unbalanced(model, inputs, settings, start, last, low, high)))
    return f"{stepper}{size} failed after t = {t:g} s; what is left unbalanced: {left}"
