"""simulate(): the host side of a run. It cuts time into chunks, has them run, and keeps what they return."""

import dataclasses
import math
import os
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pliant.analysis import description_hash, record
from pliant.arguments import TIME, number, refuse_tracing
from pliant.mechanics import breakpoints, jumps
from pliant.model import Model, State
from pliant.numerics import ResultCode, SolveError
from pliant.results import Trajectory
from pliant.simulation._accuracy import (
    ACCURACY,
    SPECIAL,
    checked_order,
    pair_count,
    with_checks,
)
from pliant.simulation._checkpoint import Checkpoint, SoFar, run_key
from pliant.simulation._checks import check_run
from pliant.simulation._chunk_program import Called, ChunkNumbers, ChunkProgram, ChunkSettings
from pliant.simulation._failures import CURES, failure_text
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._outcome import Check, judged, make_trajectory
from pliant.simulation._pace import Pace
from pliant.simulation._samples import SampleOutputs
from pliant.simulation._schedule import CHUNK_SAVES, NATIVE_CHUNK_SAVES, Chunk, chunks, planned_steps, save_times
from pliant.simulation._start import starting_state
from pliant.simulation._step_settings import Step, StepSettings
from pliant.simulation._stepper import Stepper, stepper_of
from pliant.simulation.stepping._flow import UNFINISHED, begin_step
from pliant.simulation.stepping._implicit import Caches
from pliant.simulation.stepping._step_newton import empty_cache

Progress = Callable[[float, float], None]

_PURE = "use pliant.pure.simulate there, and look at its code"


def simulate(
    model: Model | Stepper,
    until: float,
    *,
    state: State | None = None,
    start: float = 0.0,
    stepper: str | None = None,
    step: Step = None,
    rtol: float | None = None,
    atol: float | None = None,
    backend: str | None = None,
    save_every: float | None = None,
    inputs: Any = None,
    rate: float | None = None,
    ledger: bool = False,
    accuracy: float | None = ACCURACY,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    throw: bool = True,
) -> Trajectory:
    """The motion of the robot from `start` to `until` [s].

    model: the robot, moved by the steps that the words stepper (default "tsit5"), step, rtol, atol and backend say; or
    a `Stepper`, which holds robot and steps and has further settings. The words mean what they mean there: "tsit5" and
    "dopri8" adapt their steps (rtol, atol), "rk4", "newmark" and "generalised-alpha" have a fixed `step` [s] (default:
    save_every, but not of rk4), which the implicit two halve where it fails, and adapt between a shortest and a longest
    one if two are given.

    state: where it starts, its loops closed (default: the file's initial state; its loops are closed here).
    save_every: interval of the samples [s] (default: a two-hundredth of the run). inputs: see `make_inputs`; rate: [Hz]
    at which inputs that are a function of the state are sampled and held, as a digital controller does.
    ledger: also integrate the work of loads and the energy lost, so that the total of `energy` is constant on an exact
    motion.
    accuracy: about one step in two hundred of a fixed length is taken twice, whole and in halves. Where what that says
    of the run, less what damping takes away again, is above this share of the size of the motion, or of the largest
    energy exchanged, the result carries the code INACCURATE, and a warning names the step that would do; None: no step
    is checked. Steps that would pass through a touch (of a spring that acts on one side only) are cut and land on it.
    progress(t, until) is called between chunks; a `pliant.simulation.Clock` tells the speed and the time left.
    checkpoint: a file that keeps the run every checkpoint_every [s] of computing, and from which the same call goes on
    after the process was killed, with the same result to the last bit; it is removed at the end. A run that fails
    raises SolveError with what was computed in `.partial`; with throw=False that is returned, with its code.
    """
    robot = (model.model, model.settings.step) if isinstance(model, Stepper) else model
    refuse_tracing("pliant.simulate", _PURE, robot, until, state, start, step, rtol, atol, save_every, inputs, rate)
    words = {"stepper": stepper, "step": step, "rtol": rtol, "atol": atol, "backend": backend}
    steps = stepper_of(model, "simulate", words, default="tsit5")
    model, native, how = steps.model, steps.native, steps.settings
    start, until, save_every, rate = check_run(how, until, start, save_every, rate)
    checkpoint_every = number("checkpoint_every", checkpoint_every, TIME)
    if ledger and jumps(model.structure.gravity, model.parameters):
        raise ValueError("the energy ledger needs gravity that does not jump: a jump changes the energy at once")
    given = make_inputs(model, inputs)
    first, assembly = starting_state(model, state, start, given)
    begin = begin_step(model, first, start)
    times = save_times(start, until, save_every)
    plan = _plan(model, given, times, rate, how.restart == "always", NATIVE_CHUNK_SAVES if native else CHUNK_SAVES)
    length, longest = how.lengths(save_every)
    order = None if accuracy is None else checked_order(how)
    check = None
    if order is not None and length is not None and accuracy is not None:
        regular = pair_count((until - start) / length, len(times))
        begin = with_checks(begin, (until - start) / length, regular)
        check = Check(regular + SPECIAL, length, order, accuracy)
    settings = ChunkSettings("implicit" if how.implicit else how.kind, ledger, rate is not None, how.adapt_by)
    program = ChunkProgram(model, given, settings, _numbers(how, longest), native, plan, length)
    cache = _caches(model) if how.implicit else None
    run, code = SoFar(0, 1, 0, begin, cache, [begin], program.nothing_aside(begin)), ResultCode.SUCCESS
    outputs = SampleOutputs(model, given, native, len(times) + (0 if check is None else 2 * check.pairs))
    recorded = {
        "analysis": "simulate", "until": until, "start": start, **how.record(save_every), "save_every": save_every,
        "rate": rate,
    }  # fmt: skip
    if assembly is not None:
        recorded["assembly"] = {"gap_m_or_rad": assembly.gap, "stored_J": assembly.stored}
    disk = None
    if checkpoint is not None:
        key = run_key(description_hash(model), {**recorded, "ledger": ledger}, begin, given)
        disk = Checkpoint(checkpoint, key, checkpoint_every)
        run = disk.resume(run)
    failure, ahead, started, pace = "", None, False, Pace(program.name)
    try:
        while run.position < len(plan) and code is ResultCode.SUCCESS:
            batch = plan[run.position : run.position + program.together]
            if not started:
                ahead, started = program.compile_samples_ahead(outputs, run, batch, pace.budget), True
            with pace.measured() as work:
                called = program(run, batch, pace.budget)
                work.append(called.work)
            code = _keep(run, called, batch)
            if code is not ResultCode.SUCCESS:
                chunk = plan[run.position]
                failure = failure_text(model, given, settings, how.kind, program.begun(run), run.moving, chunk, length)
                break
            if disk is not None:
                disk.save(run)
            outputs.catch_up(times, run.kept)
            if progress is not None:
                progress(float(run.moving.time) if run.begun else plan[run.position - 1].end, until)
    except KeyboardInterrupt:
        code, failure = ResultCode.INTERRUPTED, f"{how.kind} stopped after t = {times[run.reached - 1]:g} s"
    if run.cache is not None:
        recorded |= {"residuals": int(run.cache.steps.evaluations), "matrices": int(run.cache.steps.matrices)}
    if check is not None and (cut := run.steps - planned_steps(plan[: run.position], check.step)) > 0:
        recorded["cut_steps"] = cut
    if failure:
        recorded["failure"] = failure
    if ahead is not None:
        ahead.join()
    result = make_trajectory(model, given, times[: run.reached], run, code, ledger, native, check, outputs)
    if code is ResultCode.SUCCESS and accuracy is not None:
        code = judged(result, model.name, how, accuracy, length, order, ledger, recorded)
    told: Any = {"code": np.asarray(int(code)), "provenance": record(model, recorded)}
    result = dataclasses.replace(result, **told)
    finished = code in (ResultCode.SUCCESS, ResultCode.INACCURATE)
    if disk is not None and finished:
        disk.remove()
    if not finished and throw:
        kept = f"{run.reached} samples up to {times[run.reached - 1]:g} s are kept in `.partial`."
        cure = "" if code is ResultCode.INTERRUPTED else CURES[how.kind]
        raise SolveError(code, f"{failure}; {kept} {cure}".rstrip(), partial=result)
    return result


def _keep(run: SoFar, called: Called, batch: list[Chunk]) -> ResultCode:
    """Add to a run what a call has computed: the samples of chunks that are whole, and those of the last one up to
    where it failed or was put aside."""
    run.steps += called.steps
    run.cache, run.aside = called.cache, called.aside
    for index, (chunk, codes) in enumerate(zip(batch, called.codes, strict=False)):
        arrived = int(np.sum(codes == ResultCode.SUCCESS))
        saved = max(0, min(arrived, chunk.saved - run.passed))
        if saved:
            run.kept.append(jax.tree.map(lambda x, i=index, n=saved: x[i, :n], called.states))
            run.reached += saved
        run.moving = jax.tree.map(lambda x, i=index: x[i, -1], called.states)
        if codes[-1] == UNFINISHED:
            run.passed, run.begun = run.passed + arrived, True
        elif codes[-1] != ResultCode.SUCCESS:
            return ResultCode(int(codes[-1]))
        else:
            run.position, run.passed, run.begun = run.position + 1, 0, False
    return ResultCode.SUCCESS


def _plan(
    model: Model, inputs: InputSet, times: np.ndarray, rate: float | None, restart: bool, most: int
) -> list[Chunk]:
    """Chunks between the breakpoints of programmes and the samples of a law. restart: whether what it holds jumps."""
    programmes, numbers = model.structure.programmes, model.parameters
    cuts = [time for programme in programmes for time in breakpoints(programme, numbers)] + inputs.breakpoints()
    own = [time for programme in programmes for time in jumps(programme, numbers)]
    jumped = [float(time) for time in (*own, *inputs.jumps())]
    if rate is not None:
        start, until = float(times[0]), float(times[-1])
        sampled = [start + k / rate for k in range(1, math.ceil((until - start) * rate))]
        cuts += sampled
        jumped += sampled if restart and inputs.law is not None else []
    return chunks(times, cuts, most, jumped)


def _numbers(how: StepSettings, longest: float | None) -> ChunkNumbers:
    numbers: Any = (np.asarray(how.rtol), np.asarray(how.atol), how.coefficients, np.asarray(longest or 0.0))
    return ChunkNumbers(*numbers)


def _caches(model: Model) -> Caches:
    return Caches(empty_cache(model), empty_cache(model))
