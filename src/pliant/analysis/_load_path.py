"""Load paths as results: from the points that a walk passes to arrays with a leading dimension."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis._arc_length import Loading
from pliant.analysis._load_stepping import LARGEST_TURN
from pliant.analysis._path import ArcLength, PathWalk
from pliant.analysis._provenance import record
from pliant.dynamics import first_memory, is_large, names, port_values, scene, standing_values, static_report, turn_of
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.results import LoadPath

Inputs = Mapping[str, Array]


def followed_path(
    model: Model, start: Array, factors: Sequence[float], t: float, inputs: Inputs, memory: Any, settings: ArcLength,
    throw: bool,
) -> LoadPath:  # fmt: skip
    """A load path by arc length from a configuration; see `equilibrium_path`."""
    stops = [float(factor) for factor in factors]
    if not stops or not np.all(np.isfinite(stops)) or stops[-1] == 0.0:
        raise ValueError(f"factors must be a list of finite numbers that does not end with 0; got {list(factors)}")
    if is_large(model.structure):
        raise ValueError(
            f"robot {model.name!r} is solved with sparse matrices, with which no path is followed by arc length; leave "
            "arc_length out, or give its mesh fewer nodes"
        )
    begin = standing_values(model, start)
    loading = Loading(jnp.asarray(t, dtype=jnp.float64), dict(inputs), begin, port_values(model, begin, t, inputs))
    turn = turn_of(model, loading.ports(0.0) or {}, loading.ports(1.0) or {})
    walk = PathWalk(
        model, start, loading, stops, settings, memory or first_memory(model.structure),
        longest=LARGEST_TURN / turn if turn > 0.0 else np.inf,
    )  # fmt: skip
    rows = []
    for point in walk.points():
        place, verdict = point.found.place, point.verdict
        known = (point.memory,) if point.memory else ()
        report = static_report(model, place.q, place.multipliers, t, loading.ports(place.factor), place.factor, *known)
        told = (point.factor, int(point.kind), place.q, point.found.residual, int(point.found.iterations))
        rows.append((*told, verdict, 0, (report, point.memory)))
    rows[-1] = (*rows[-1][:-2], int(walk.code), rows[-1][-1])
    columns = list(zip(*rows, strict=True))
    factor, kind = (jnp.asarray(np.array(column)) for column in columns[:2])
    described = {"analysis": "load path", "t": t, "factors": stops, "arc_length": dataclasses.asdict(settings)}
    result = LoadPath(factors=factor, kind=kind, **columns_of(columns[2:]), **labels(model, described))
    if walk.code is not ResultCode.SUCCESS and throw:
        raise SolveError(walk.code, _how_it_ended(model, walk, columns[0], stops[-1]), partial=result)
    return result


def _how_it_ended(model: Model, walk: PathWalk, factors: Sequence[float], wanted: float) -> str:
    if len(factors) < 2:
        return f"robot {model.name!r} has no stiffness or no equilibrium without load, from which a path could start"
    if factors[-1] == wanted:
        return (
            f"the path of robot {model.name!r} met {walk.bifurcations} bifurcations up to the load factor {wanted:g}, "
            f"and branch={walk.settings.branch} asks for more. The path is kept; give a larger factor, or another one"
        )
    return (
        f"the path of robot {model.name!r} was followed over {len(factors)} points to the load factor "
        f"{factors[-1]:.6g} and not to {wanted:g}. The points are kept; give ArcLength a smaller step= or more points="
    )


def columns_of(columns: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Fields of a path from its columns: q, residual, iterations, verdict, code, and (report, memory)."""
    q, residual, iterations, verdicts, codes, reported = columns
    report, memory = jax.tree.map(lambda *parts: jnp.asarray(np.stack(parts)), *reported)
    numbers = {
        "q": q,
        "residual": residual,
        "iterations": iterations,
        "smallest_eigenvalue": [verdict.smallest_eigenvalue for verdict in verdicts],
        "stability": [int(verdict.stability) for verdict in verdicts],
        "code": codes,
    }
    return {
        **{name: jnp.asarray(np.array(column)) for name, column in numbers.items()},
        "shape": report.shape,
        "forces": report.forces,
        "internal": report.internal,
        "memory": memory or (),
    }


def labels(model: Model, settings: dict[str, Any]) -> dict[str, Any]:
    return {"scene": scene(model), "names": names(model), "provenance": record(model, settings)}
