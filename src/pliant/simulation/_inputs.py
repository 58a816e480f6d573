"""Inputs of a simulation: programmes, arrays, or a function of the state, continuous or sampled."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.mechanics import breakpoints, evaluate, two_rates
from pliant.model import Model, State

_DEFAULTS: dict[str, dict[str, float]] = {
    "step": {"from": 0.0},
    "ramp": {"from": 0.0, "start": 0.0},
    "ease": {"from": 0.0, "start": 0.0},
    "sine": {"phase": 0.0, "offset": 0.0},
    "triangle": {"start": 0.0},
    "pulse": {"start": 0.0},
    "table": {},
}


class InputSet(eqx.Module):
    """Values of input ports in time. `law` is a user function u(t, State) -> {port: value} or None; shapes: of the
    values of the robot's ports."""

    ports: tuple[tuple[str, str, tuple[str, ...]], ...] = eqx.field(static=True)  # (port, kind, names of its numbers)
    numbers: dict[str, Array]
    law: Callable[[Array, State], Mapping[str, Array]] | None = eqx.field(static=True)
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

    def _programmes(self) -> list[tuple[str, dict[str, str]]]:
        return [
            (port, {"programme": kind, **{name: f"@{port}.{name}" for name in fields}})
            for port, kind, fields in self.ports
        ]


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
        return InputSet((), {}, inputs, shapes)
    ports, numbers = [], {}
    for port, value in inputs.items():
        if port not in model.input_names:
            legal = ", ".join(model.input_names) or "none"
            raise KeyError(f"robot {model.name!r} has no input {port!r}; its inputs are: {legal}")
        kind, fields = _as_programme(port, value, model.input_shapes[port])
        ports.append((port, kind, tuple(fields)))
        numbers.update({f"{port}.{name}": jnp.asarray(field, dtype=jnp.float64) for name, field in fields.items()})
    return InputSet(tuple(ports), numbers, None, shapes)


def _as_programme(port: str, value: Any, shape: tuple[int, ...]) -> tuple[str, dict[str, Any]]:
    if isinstance(value, Mapping):
        if len(value) != 1 or next(iter(value)) not in _DEFAULTS:
            raise ValueError(f"input {port!r}: expected one programme out of {', '.join(_DEFAULTS)}; got {list(value)}")
        kind, given = next(iter(value.items()))
        return kind, {**_DEFAULTS[kind], **given}
    if isinstance(value, tuple) and len(value) == 2:
        times, values = np.asarray(value[0], dtype=float), np.asarray(value[1], dtype=float)
        if times.ndim != 1 or values.shape != (len(times), *shape) or np.any(np.diff(times) <= 0):
            row = ", ".join(["N", *(str(size) for size in shape)])
            raise ValueError(
                f"input {port!r}: a table is (times (N,), values ({row})) with increasing times; "
                f"got shapes {times.shape} and {values.shape}"
            )
        return "table", {"times": times, "values": values}
    array = np.asarray(value, dtype=float)
    if array.shape != shape or not np.all(np.isfinite(array)):
        count = "one finite number" if shape == () else f"{shape[0]} finite numbers"
        raise ValueError(f"input {port!r}: expected {count}; got {value!r}")
    return "constant", {"value": array}
