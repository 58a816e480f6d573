"""The robot at rest: one equilibrium, a path of loads, a sequence in time."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis._assembly import assemble
from pliant.analysis._load_path import columns_of, followed_path, labels
from pliant.analysis._load_stepping import CAREFUL_ROD_TURN, Loading, LoadStepping
from pliant.analysis._path import ArcLength
from pliant.analysis._provenance import record
from pliant.arguments import TIME, count, number, numbers, shown
from pliant.blueprint import ParameterInfo
from pliant.dynamics import (
    check_inputs,
    check_memory,
    configuration,
    host_model,
    multiplier_count,
    names,
    port_values,
    refuse_overlap,
    scene,
    standing_values,
    static_balance,
    static_report,
)
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.results import Equilibrium, LoadPath, QuasiStatic

_NEARLY_CLOSED = 1e-3  # m or rad: loops open by no more are closed by the solve itself
_SMALLEST_INCREMENT = 2.0**-12  # of the load; below it a path has met a limit point
_CAREFUL_INCREMENT = 0.1  # of the load, where the direct solution turned out unstable or cannot be expected
_MOST_STEPS = 10**6  # of the load
_FACTOR = ParameterInfo((), "", "a load factor")
_PURE = "use pliant.pure.equilibrium there, and look at its code"

Inputs = Mapping[str, Array]


def _loading(model: Model, q: Array, t: float, inputs: Inputs | None) -> Loading:
    """Loads and actuators grow with the factor; driven joints and tendons held to a length go from where they are in
    the configuration q to where they shall be."""
    begin = standing_values(model, q)
    end = port_values(model, begin, t, inputs)

    def loading(factor: float) -> tuple[float, Inputs | None, float]:
        moved = {name: begin[name] + factor * (end[name] - begin[name]) for name in begin}
        return t, {**(inputs or {}), **moved} or None, factor

    return loading


def _start(model: Model, q0: Array | None, t: float, inputs: Inputs | None) -> Array:
    """Where the walk begins: loops closed (nearly closed ones are left to Newton), driven joints where they stand."""
    q = model.initial_state().q if q0 is None else jnp.asarray(configuration(model, "q0", q0))
    refuse_overlap(model, q, q0 is not None)
    if not model.structure.constraints:
        return q
    standing = {**(inputs or {}), **standing_values(model, q)}
    report = static_report(model, q, jnp.zeros(multiplier_count(model)), t, standing, 1.0)
    return q if float(report.violation) <= _NEARLY_CLOSED else assemble(model, q, t, standing)


def equilibrium(
    model: Model,
    *,
    q0: Array | None = None,
    t: float = 0.0,
    inputs: Inputs | None = None,
    steps: int | None = None,
    memory: Any = None,
    throw: bool = True,
) -> Equilibrium:
    """The robot at rest under its loads and actuators at time t.

    Starts from q0 (default: the file's initial configuration, its loops closed) and raises the loads in `steps`
    increments; by default it tries the full load at once (not where coordinates are poses, as in rom, eba and meshes),
    shortens the increment where Newton fails, and walks the load up in small increments when the direct solution turns
    out unstable. Raises SolveError, with the last converged state in `.partial`, unless throw=False.

    memory: what interactions remember at the start, such as the `.memory` of another result (default: what they do at
    first); they are asked again after every increment.
    """
    model = host_model("pliant.equilibrium", _PURE, model, q0, t, inputs, memory)
    t, steps = number("t", t, TIME), None if steps is None else count("steps", steps, most=_MOST_STEPS)
    check_memory(model, memory)
    inputs = check_inputs(model, inputs)
    start = _start(model, q0, t, inputs)
    loading = _loading(model, start, t, inputs)
    walk = LoadStepping(model, start, loading, 0.0, memory)
    first = _CAREFUL_INCREMENT if steps is None and model.structure.moves_poses else 1.0 / (steps or 1)
    code = walk.advance(1.0, first, _SMALLEST_INCREMENT)
    verdict = walk.verdict()
    if code is ResultCode.SUCCESS and verdict.smallest_eigenvalue < 0.0 and steps is None:
        careful = LoadStepping(model, start, loading, 0.0, memory, CAREFUL_ROD_TURN)
        if careful.advance(1.0, _CAREFUL_INCREMENT, _SMALLEST_INCREMENT) is ResultCode.SUCCESS:
            other = careful.verdict()
            if other.smallest_eigenvalue > verdict.smallest_eigenvalue:
                careful.iterations += walk.iterations
                walk, verdict = careful, other
    report = walk.report()
    result = Equilibrium(
        q=walk.q,
        shape=report.shape,
        residual=walk.solution.residual,
        iterations=jnp.asarray(walk.iterations),
        load_steps=jnp.asarray(walk.steps),
        smallest_eigenvalue=jnp.asarray(verdict.smallest_eigenvalue),
        stability=jnp.asarray(int(verdict.stability)),
        energy=report.energy,
        forces=report.forces,
        internal=report.internal,
        code=jnp.asarray(int(code)),
        scene=scene(model),
        names=names(model),
        memory=walk.memory or (),
        provenance=record(model, {"analysis": "statics", "t": t, "steps": steps, "load_factor": walk.at}),
    )
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, walk, f"{walk.at:.4g} of its load"), partial=result)
    return result


def equilibrium_path(
    model: Model,
    factors: Sequence[float],
    *,
    q0: Array | None = None,
    t: float = 0.0,
    inputs: Inputs | None = None,
    memory: Any = None,
    arc_length: ArcLength | bool = False,
    throw: bool = True,
) -> LoadPath:
    """Equilibria at increasing (or any) load factors, each started from the one before. memory: see `equilibrium`.

    With arc_length the path is followed from zero load through limit points, where the load has to fall for the robot
    to go on in balance, until it first comes to the last of the factors. Its points are those of the steps, every place
    where it comes by one of the factors, and its special points: limit points, bifurcations, and where flutter begins
    (`LoadPath.kind`). `ArcLength` says how long the steps are, and whether to leave the path at a bifurcation.

        >>> path = equilibrium_path(model, [1.0], arc_length=True)
        >>> [(kind.word, factor) for _, kind, factor in path.marks()]
    """
    model = host_model("pliant.equilibrium_path", _PURE, model, factors, q0, t, inputs, memory)
    t, factors = number("t", t, TIME), numbers("factors", factors, _FACTOR)
    check_memory(model, memory)
    inputs = check_inputs(model, inputs)
    start = _start(model, q0, t, inputs)
    if not isinstance(arc_length, ArcLength | bool):
        raise TypeError(f"arc_length must be True, False or a pliant.ArcLength; got {shown(arc_length)}")
    if arc_length:
        settings = arc_length if isinstance(arc_length, ArcLength) else ArcLength()
        return followed_path(model, start, factors, t, inputs, memory, settings, throw)
    walk = LoadStepping(model, start, _loading(model, start, t, inputs), 0.0, memory)
    stops = _stops(model, walk, factors, _SMALLEST_INCREMENT)
    described = {"analysis": "load path", "t": t, "factors": list(factors)}
    kinds = jnp.zeros(len(stops["at"]), dtype=int)
    result = LoadPath(factors=stops.pop("at"), kind=kinds, **stops, **labels(model, described))
    code = ResultCode(int(result.code[-1]))
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, walk, f"{walk.at:.4g} of its load"), partial=result)
    return result


def quasi_static(
    model: Model,
    times: Sequence[float],
    *,
    q0: Array | None = None,
    inputs: Inputs | None = None,
    memory: Any = None,
    throw: bool = True,
) -> QuasiStatic:
    """Equilibria at increasing times of the programmes, each started from the one before: a motion so slow that
    inertia does not matter. Between two times the walk takes shorter increments where Newton fails. memory: see
    `equilibrium`."""
    model = host_model("pliant.quasi_static", _PURE, model, times, q0, inputs, memory)
    moments = numbers("times", times, TIME, increasing=True)
    inputs = check_inputs(model, inputs)
    settings = {"analysis": "quasi-static", "times": moments}
    try:
        first = equilibrium(model, q0=q0, t=moments[0], inputs=inputs, memory=memory)
    except SolveError as error:
        if throw or error.partial is None:  # None: its loops cannot be closed, and there is no state to return
            raise
        return QuasiStatic(**_only_stop(error.partial, moments[0]), **labels(model, settings))
    driven = model.structure.walked

    def loading(time: float) -> tuple[float, Inputs | None, float]:
        # The same ports as in `equilibrium`, so that one compiled program serves both.
        return time, {**(inputs or {}), **port_values(model, driven, time, inputs)} or None, 1.0

    walk = LoadStepping(model, first.q, loading, moments[0], first.memory)
    stops = _stops(model, walk, moments, _SMALLEST_INCREMENT * (moments[-1] - moments[0]))
    result = QuasiStatic(time=stops.pop("at"), **stops, **labels(model, settings))
    code = ResultCode(int(result.code[-1]))
    if code is not ResultCode.SUCCESS and throw:
        raise SolveError(code, _failure(model, walk, f"t = {walk.at:.6g} s"), partial=result)
    return result


def _stops(model: Model, walk: LoadStepping, targets: Sequence[float], smallest: float) -> dict[str, Any]:
    """LoadStepping to every target in turn; the columns of a result up to the first failure."""
    rows = []
    for target in targets:
        before = walk.iterations
        code = walk.advance(float(target), abs(float(target) - walk.at) or 1.0, smallest)
        spent, reported = walk.iterations - before, (walk.report(), walk.memory)
        rows.append((walk.at, walk.q, walk.solution.residual, spent, walk.verdict(), int(code), reported))
        if code is not ResultCode.SUCCESS:
            break
    at, *columns = zip(*rows, strict=True)
    return {"at": jnp.asarray(np.array(at)), **columns_of(columns)}


def _only_stop(found: Equilibrium, time: float) -> dict[str, Any]:
    """The columns of a sequence that ends at its first time, without having reached it."""
    arrays = ("q", "residual", "iterations", "smallest_eigenvalue", "stability", "internal", "code")
    kept = (*arrays, "shape", "forces", "memory")
    one = {"time": jnp.asarray(time)} | {name: getattr(found, name) for name in kept}
    return jax.tree.map(lambda part: jnp.asarray(part)[None], one)


def _failure(model: Model, walk: LoadStepping, reached: str) -> str:
    t, inputs, factor = walk.loading(walk.at)
    balance = static_balance(model, walk.q, walk.multipliers, t, inputs, factor, memory=walk.memory)
    balance = np.abs(np.asarray(balance))[: model.nv]
    worst = model.velocity_names[int(balance.argmax())] if len(balance) else "none"
    if walk.impossible:
        return f"robot {model.name!r} reached {reached} in {walk.steps} load steps. Further on, {walk.impossible}"
    coiled = walk.coiled_rod()
    if coiled is not None:
        return f"robot {model.name!r} reached {reached} in {walk.steps} load steps. {coiled}"
    return (
        f"robot {model.name!r} reached {reached} in {walk.steps} load steps and "
        f"{walk.iterations} iterations; the largest residual is on {worst}. The last converged state is kept: "
        "look at its smallest eigenvalue (near zero: a limit or buckling load), give a better start with q0=, "
        "or ask for more load steps with steps="
    )
