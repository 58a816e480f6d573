"""Programmes: values prescribed in time. The kind is static, the numbers are traced parameters."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Programme, numbers
from pliant.mechanics._stacking import stacked, taken


def _numbers(programme: Programme, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: parameters[path] for name, path in numbers(programme).items()}


def evaluate(programme: Programme, parameters: Mapping[str, Array], t: Array) -> Array:
    """Value of a programme at time t [s]."""
    return _value(programme.kind, _numbers(programme, parameters), t)


def _value(kind: str, n: Mapping[str, Array], t: Array) -> Array:
    if kind == "constant":
        return n["value"]
    if kind == "step":
        return jnp.where(t >= n["at"], n["to"], n["from"])
    if kind == "ramp":
        progress = jnp.clip((t - n["start"]) / n["over"], 0.0, 1.0)
        return n["from"] + (n["to"] - n["from"]) * progress
    if kind == "ease":
        # The quintic whose rate and acceleration vanish at both ends.
        x = jnp.clip((t - n["start"]) / n["over"], 0.0, 1.0)
        return n["from"] + (n["to"] - n["from"]) * (x**3 * (10.0 + x * (6.0 * x - 15.0)))
    if kind == "sine":
        return n["offset"] + n["amplitude"] * jnp.sin(2.0 * jnp.pi * n["frequency"] * t + n["phase"])
    if kind == "triangle":
        since = t - n["start"]
        rising, falling = since / n["rise"], 1.0 - (since - n["rise"]) / n["fall"]
        return n["peak"] * jnp.clip(jnp.minimum(rising, falling), 0.0, 1.0)
    if kind == "pulse":
        inside = (t >= n["start"]) & (t < n["start"] + n["width"])
        return jnp.where(inside, n["value"], jnp.zeros_like(n["value"]))
    if kind == "table":
        return _interpolated(t, n["times"], n["values"])
    raise ValueError(f"unknown programme {kind!r}")


def _interpolated(t: Array, times: Array, values: Array) -> Array:
    """Straight lines between values (k, ...) at times (k,); the first and the last hold before and after. The times
    increase, or the last one is repeated. One search does for all columns."""
    after = jnp.clip(jnp.searchsorted(times, t, side="right"), 1, len(times) - 1)
    (begin, first), (end, second) = (
        (times.at[i].get(mode="promise_in_bounds"), values.at[i].get(mode="promise_in_bounds"))
        for i in (after - 1, after)
    )
    share = (t - begin) / jnp.where(end > begin, end - begin, 1.0)
    between = first + share * (second - first)
    return jnp.where(t < times[0], values[0], jnp.where(t > times[-1], values[-1], between))


@dataclasses.dataclass(frozen=True, eq=False)
class _Alike:
    """Programmes of one kind whose numbers have equal shapes, tables with those of the least length first: their places
    in the table, and the paths of their numbers by name."""

    kind: str
    members: tuple[int, ...]
    paths: Mapping[str, tuple[str, ...]]


@dataclasses.dataclass(frozen=True, eq=False)
class ProgrammeTable:
    """Many programmes whose values have one shape, evaluated together: the program that computes them grows with the
    number of kinds among them, not with their own."""

    programmes: tuple[Programme, ...]
    shape: tuple[int, ...]
    alike: tuple[_Alike, ...]

    def prepare(self, parameters: Mapping[str, Array]) -> tuple[dict[str, Array], ...]:
        """Per kind, the numbers of its programmes side by side."""
        return tuple(
            {name: _side_by_side(paths, parameters) for name, paths in group.paths.items()} for group in self.alike
        )

    def values(self, numbers: Sequence[Mapping[str, Array]], t: Array) -> Array:
        """(n, *shape) at time t."""
        parts: list[Array] = []
        order: list[int] = []
        for group, own in zip(self.alike, numbers, strict=True):
            if len(group.members) == 1:
                value = _value(group.kind, {name: number[0] for name, number in own.items()}, t)[None]
            elif group.kind == "constant":
                value = own["value"]
            else:
                value = jax.vmap(lambda n, kind=group.kind: _value(kind, n, t))(own)
            missing = len(self.shape) - (value.ndim - 1)
            value = value.reshape(len(group.members), *[1] * missing, *value.shape[1:]) if missing else value
            parts.append(jnp.broadcast_to(value, (len(group.members), *self.shape)))
            order += group.members
        joined = parts[0] if len(parts) == 1 else jnp.concatenate(parts)
        return joined if order == sorted(order) else taken(joined, np.argsort(order))


def _side_by_side(paths: Sequence[str], parameters: Mapping[str, Array]) -> Array:
    """(n, ...) numbers of n programmes; where tables differ in length, the last numbers of the shorter are repeated."""
    longest = max(parameters[path].shape for path in paths)
    parts = []
    for shape, own in itertools.groupby(paths, lambda path: parameters[path].shape):
        values = stacked(tuple(own), parameters)
        parts.append(values if shape == longest else values[:, np.minimum(np.arange(longest[0]), shape[0] - 1)])
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts)


def programme_table(
    programmes: Sequence[Programme], shape: tuple[int, ...], shapes: Mapping[str, tuple[int, ...]]
) -> ProgrammeTable:
    """shape: of every value; shapes: of the parameters, by path."""
    groups: dict[Any, list[int]] = {}
    lengths = {}
    for index, programme in enumerate(programmes):
        sizes = tuple(shapes[path] for _, path in sorted(numbers(programme).items()))
        lengths[index] = 0
        if programme.kind == "table":
            lengths[index], sizes = sizes[0][0], tuple(size[1:] for size in sizes)
        groups.setdefault((programme.kind, sizes), []).append(index)
    for members in groups.values():
        members.sort(key=lengths.__getitem__)
    alike = []
    for (kind, _), members in groups.items():
        paths = [numbers(programmes[index]) for index in members]
        by_name = {name: tuple(own[name] for own in paths) for name in sorted(paths[0])}
        alike.append(_Alike(kind, tuple(members), by_name))
    return ProgrammeTable(tuple(programmes), shape, tuple(alike))


def two_rates(function: Callable[[Array], Array], t: Array) -> tuple[Array, Array, Array]:
    """Value, first and second derivative by a scalar."""
    one = jnp.ones_like(t)

    def first(t: Array) -> tuple[Array, Array]:
        return jax.jvp(function, (t,), (one,))

    (value, rate), (_, second) = jax.jvp(first, (t,), (one,))
    return value, rate, second


def breakpoints(programme: Programme, parameters: Mapping[str, Any]) -> list[float]:
    """Times at which the programme or its slope jumps (host side), so that a stepper can land on them."""
    kind, n = programme.kind, _numbers(programme, parameters)
    times: list[Any] = jumps(programme, parameters)
    if kind in ("ramp", "ease"):
        times = [n["start"], n["start"] + n["over"]]
    elif kind == "triangle":
        times = [n["start"], n["start"] + n["rise"], n["start"] + n["rise"] + n["fall"]]
    elif kind == "table":
        times = list(np.asarray(n["times"]))
    return [float(time) for time in times]


def jumps(programme: Programme, parameters: Mapping[str, Any]) -> list[Any]:
    """Times, traced or not, at which the value itself jumps: a stepper begins anew there."""
    n = _numbers(programme, parameters)
    if programme.kind == "step":
        return [n["at"]]
    if programme.kind == "pulse":
        return [n["start"], n["start"] + n["width"]]
    return []
