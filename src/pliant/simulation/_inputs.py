"""Inputs of a simulation: programmes, arrays, or a function of the state, continuous or sampled."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import PROGRAMMES, Programme, programme_at, programme_words
from pliant.mechanics import breakpoints, evaluate, jumps, two_rates
from pliant.model import Model, State


class Law(eqx.Module):
    """A user function u(t, State) -> {port: value}. Numbers of a frozen dataclass (or equinox module) that is called
    are arguments of the compiled program, so that other numbers compile nothing; all else about it is static."""

    numbers: Any
    function: Any = eqx.field(static=True)

    def __call__(self, t: Array, state: State) -> Mapping[str, Array]:
        if isinstance(self.function, eqx.Module):
            return eqx.combine(self.numbers, self.function)(t, state)  # type: ignore[operator]
        return dataclasses.replace(self.function, **self.numbers)(t, state) if self.numbers else self.function(t, state)

    @property
    def name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__qualname__)


def make_law(function: Callable[..., Any]) -> Law:
    if isinstance(function, Law):
        return function
    if isinstance(function, eqx.Module):
        numbers, rest = eqx.partition(function, eqx.is_inexact_array_like)
        return Law(jax.tree.map(lambda x: jnp.asarray(x, dtype=jnp.float64), numbers), rest)
    if dataclasses.is_dataclass(function) and type(function).__dataclass_params__.frozen:  # type: ignore[attr-defined]
        fields = {f.name: getattr(function, f.name) for f in dataclasses.fields(function) if f.init}
        numbers = {name: jnp.asarray(value, dtype=jnp.float64) for name, value in fields.items() if _is_number(value)}
        # Other values of the same fields make the same static half.
        blank = dataclasses.replace(function, **dict.fromkeys(numbers, 0.0))  # type: ignore[type-var]
        return Law(numbers, blank)
    return Law({}, function)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray | jax.Array) and value.dtype.kind == "f")


class InputSet(eqx.Module):
    """Values of input ports in time. `law` is a function of the state or None; shapes: of the values of the robot's
    ports."""

    ports: tuple[tuple[str, str], ...] = eqx.field(static=True)  # port, kind of its programme
    numbers: dict[str, Array]
    law: "Law | None"
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)

    def values(self, t: Array, state: State, motions: tuple[str, ...] = ()) -> dict[str, Array]:
        """Port -> value at time t; for the prescribed motions named also `<port>.rate` and `<port>.acceleration`."""
        given: dict[str, Array] = {}
        for port, programme in self._programmes():
            if port in motions:
                value, rate, acceleration = two_rates(partial(evaluate, programme, self.numbers), t)
                given |= {port: value, f"{port}.rate": rate, f"{port}.acceleration": acceleration}
            else:
                given[port] = evaluate(programme, self.numbers, t)
        if self.law is not None:
            given |= dict(self.law(t, state))
        shapes = dict(self.shapes)
        return {port: jnp.broadcast_to(value, shapes.get(port, jnp.shape(value))) for port, value in given.items()}

    def breakpoints(self) -> list[float]:
        return [time for _, programme in self._programmes() for time in breakpoints(programme, self.numbers)]

    def jumps(self) -> list[Any]:
        """Times, traced or not, at which a value jumps."""
        return [time for _, programme in self._programmes() for time in jumps(programme, self.numbers)]

    def _programmes(self) -> list[tuple[str, Programme]]:
        return [(port, programme_at(kind, port)) for port, kind in self.ports]


def make_inputs(model: Model, inputs: Any) -> InputSet:
    """InputSet from what a user gives to `simulate`.

    None; a function u(t, state) -> {port: value}; or {port: value} with value a constant of the port's shape (see
    Model.input_shapes), a pair (times (N,), values (N, ...)) interpolated linearly, or a programme in the words of the
    robot file with plain SI numbers, e.g. {"ramp": {"to": [0, 0, 1], "over": 0.5}}. A function that gives the place of
    a prescribed motion `elbow` gives its rate and acceleration as `elbow.rate` and `elbow.acceleration`.
    """
    shapes = tuple(model.input_shapes.items())
    if inputs is None:
        return InputSet((), {}, None, shapes)
    if isinstance(inputs, InputSet):
        return inputs
    if callable(inputs):
        return InputSet((), {}, make_law(inputs), shapes)
    ports, numbers = [], {}
    for port, value in inputs.items():
        if port not in model.input_names:
            legal = ", ".join(model.input_names) or "none"
            raise KeyError(f"robot {model.name!r} has no input {port!r}; its inputs are: {legal}")
        kind, fields = _as_programme(port, value, model.input_shapes[port])
        if port in model.structure.port_limits and not any(map(_traced, jax.tree.leaves(fields))):
            for level in PROGRAMMES[kind].levels(fields):
                model.structure.port_limits[port].check(f"input {port!r} of robot {model.name!r}", level)
        ports.append((port, kind))
        numbers.update({f"{port}.{name}": jnp.asarray(field, dtype=jnp.float64) for name, field in fields.items()})
    return InputSet(tuple(ports), numbers, None, shapes)


def _as_programme(port: str, value: Any, shape: tuple[int, ...]) -> tuple[str, dict[str, Any]]:
    if isinstance(value, Mapping):
        if len(value) != 1 or next(iter(value)) not in PROGRAMMES:
            raise ValueError(
                f"input {port!r}: expected one programme out of {', '.join(PROGRAMMES)}; got {list(value)}"
            )
        kind, given = next(iter(value.items()))
        words = programme_words(kind)
        fields = {**words, **given}
        if fields.keys() != words.keys() or any(number is None for number in fields.values()):
            raise ValueError(f"input {port!r}: a {kind} has {', '.join(words)}; got {', '.join(given)}")
        return kind, fields
    if isinstance(value, tuple) and len(value) == 2:
        times, values = _plain_or_traced(value[0]), _plain_or_traced(value[1])
        falls = not _traced(times) and bool(np.any(np.diff(times) <= 0))
        if times.ndim != 1 or values.shape != (len(times), *shape) or falls:
            row = ", ".join(["N", *(str(size) for size in shape)])
            raise ValueError(
                f"input {port!r}: a table is (times (N,), values ({row})) with increasing times; "
                f"got shapes {times.shape} and {values.shape}"
            )
        return "table", {"times": times, "values": values}
    array = _plain_or_traced(value)
    if array.shape != shape or not (_traced(array) or np.all(np.isfinite(array))):
        count = "one finite number" if shape == () else f"{shape[0]} finite numbers"
        raise ValueError(f"input {port!r}: expected {count}; got {value!r}")
    return "constant", {"value": array}


def _traced(value: Any) -> bool:
    return isinstance(value, jax.core.Tracer)


def _plain_or_traced(value: Any) -> Any:
    """A NumPy array, or what stands for one while a function is traced."""
    if any(_traced(leaf) for leaf in jax.tree.leaves(value)):
        return jnp.asarray(value, dtype=jnp.float64)
    return np.asarray(value, dtype=float)
