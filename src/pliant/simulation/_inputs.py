"""Inputs of a simulation: programmes, arrays, or a function of the state, continuous or sampled."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import call_traced, did_you_mean, is_traced, mapping, shown
from pliant.blueprint import PROGRAMMES, ParameterInfo, Programme, programme_at
from pliant.mechanics import breakpoints, evaluate, jumps, two_rates
from pliant.model import Model, State
from pliant.simulation._given_programmes import as_programme

_CONTROLLER = "controllers must be JAX functions u(t, state) -> {port: value}"


class Law(eqx.Module):
    """A user function u(t, State) -> {port: value}. Numbers of a frozen dataclass (or equinox module) that is called
    are arguments of the compiled program, so that other numbers compile nothing; all else about it is static."""

    numbers: Any
    function: Any = eqx.field(static=True)

    def __call__(self, t: Array, state: State) -> Mapping[str, Array]:
        function: Any = self.function
        if isinstance(function, eqx.Module):
            function = eqx.combine(self.numbers, function)
        elif self.numbers:
            function = dataclasses.replace(function, **self.numbers)
        return call_traced(f"inputs: the function {self.name!r}", _CONTROLLER, function, t, state)

    @property
    def name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__qualname__)


def make_law(function: Callable[..., Any]) -> Law:
    if isinstance(function, Law):
        return function
    _refuse_signature(function)
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


def _refuse_signature(function: Callable[..., Any]) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of built-in functions none is known
        return
    try:
        signature.bind(0.0, None)
    except TypeError as error:
        name = getattr(function, "__qualname__", type(function).__qualname__)
        raise TypeError(
            f"inputs must be a function of t and state, u(t, state) -> {{port: value}}; got {name}{signature}"
        ) from error


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray | jax.Array) and value.dtype.kind == "f")


class InputSet(eqx.Module):
    """Values of input ports in time. `law` is a function of the state or None; shapes: of the values of the robot's
    ports; limits: what is legal at those ports whose values are not known beforehand, and are kept within it."""

    ports: tuple[tuple[str, str], ...] = eqx.field(static=True)  # port, kind of its programme
    numbers: dict[str, Array]
    law: "Law | None"
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)
    limits: tuple[tuple[str, ParameterInfo], ...] = eqx.field(static=True, default=())

    def values(self, t: Array, state: State, motions: tuple[str, ...] = ()) -> dict[str, Array]:
        """Port -> value at time t, within the limits of the port; for the prescribed motions named also `<port>.rate`
        and `<port>.acceleration`."""
        given = self._asked(t, state, motions)
        for port, legal in self.limits:
            if port in given:
                given[port] = within(legal, given[port])
        return given

    def beyond(self, t: Array, state: State, motions: tuple[str, ...] = ()) -> dict[str, Array]:
        """Port -> 1 where what is asked for lies beyond the limits of the port, which `values` keeps, else 0."""
        given, limits = self._asked(t, state, motions), dict(self.limits)
        return {
            port: jnp.where(jnp.any((value < limits[port].low) | (value > limits[port].high)), 1.0, 0.0)
            for port, value in given.items()
            if port in limits
        }

    def _asked(self, t: Array, state: State, motions: tuple[str, ...]) -> dict[str, Array]:
        given: dict[str, Array] = {}
        for port, programme in self._programmes():
            if port in motions:
                value, rate, acceleration = two_rates(partial(evaluate, programme, self.numbers), t)
                given |= {port: value, f"{port}.rate": rate, f"{port}.acceleration": acceleration}
            else:
                given[port] = evaluate(programme, self.numbers, t)
        if self.law is not None:
            given |= self._law_values(t, state, motions)
        shapes = dict(self.shapes)
        return {port: jnp.broadcast_to(value, shapes.get(port, jnp.shape(value))) for port, value in given.items()}

    def _law_values(self, t: Array, state: State, motions: tuple[str, ...]) -> dict[str, Array]:
        """What the law says, each value of the shape of its port."""
        assert self.law is not None
        function, shapes, limits = f"the function {self.law.name!r}", dict(self.shapes), dict(self.limits)
        shapes |= {f"{port}.{rate}": shapes[port] for port in motions for rate in ("rate", "acceleration")}
        said = mapping(f"what {function} of inputs returns", self.law(t, state), "a dict {port: value}")
        who, found = f"inputs: {function}", {}
        for port, value in said.items():
            if port not in shapes:
                raise KeyError(
                    f"{who} returns {port!r}, which is no input of the robot; its inputs are: "
                    f"{', '.join(shapes) or 'none'}{did_you_mean(port, shapes)}"
                )
            try:
                array = jnp.asarray(value, dtype=jnp.float64)
            except (TypeError, ValueError) as error:
                raise TypeError(f"{who} returns {shown(value)} for {port!r}; expected numbers") from error
            if array.shape != shapes[port]:
                raise ValueError(
                    f"{who} returns a value of shape {array.shape} for {port!r}; expected shape {shapes[port]}"
                )
            if port in limits and not is_traced(value):
                limits[port].check(f"{who} returns {port!r}", value)
            found[port] = array
        return found

    def breakpoints(self) -> list[float]:
        return [time for _, programme in self._programmes() for time in breakpoints(programme, self.numbers)]

    def jumps(self) -> list[Any]:
        """Times, traced or not, at which a value jumps."""
        return [time for _, programme in self._programmes() for time in jumps(programme, self.numbers)]

    def _programmes(self) -> list[tuple[str, Programme]]:
        return [(port, programme_at(kind, port)) for port, kind in self.ports]


def within(legal: ParameterInfo, value: Array) -> Array:
    """The value, or the limit that it lies beyond."""
    # Not clip, whose derivative on a limit is half of that beside it.
    value = jnp.where(value < legal.low, legal.low, value) if legal.low > -np.inf else value
    return jnp.where(value > legal.high, legal.high, value) if legal.high < np.inf else value


def make_inputs(model: Model, inputs: Any) -> InputSet:
    """InputSet from what a user gives to `simulate`.

    None; a function u(t, state) -> {port: value}; or {port: value} with value a constant of the port's shape (see
    Model.input_shapes), a pair (times (N,), values (N, ...)) interpolated linearly, or a programme in the words of the
    robot file, e.g. {"ramp": {"to": [0, 0, 1], "over": 0.5}}. Numbers are SI, or texts with units. A function that
    gives the place of a prescribed motion `elbow` gives its rate and acceleration as `elbow.rate` and
    `elbow.acceleration`.
    """
    shapes = tuple(model.input_shapes.items())
    if inputs is None:
        return InputSet((), {}, None, shapes)
    if isinstance(inputs, InputSet):
        return inputs
    legal = model.structure.port_limits
    if callable(inputs):
        return InputSet((), {}, make_law(inputs), shapes, tuple(legal.items()))
    expected = "a function u(t, state) -> {port: value}, or a dict {port: value, table or programme}"
    ports, limits, numbers = [], [], {}
    for port, value in mapping("inputs", inputs, expected).items():
        if port not in model.structure.ports:
            known = model.input_names
            raise KeyError(
                f"robot {model.name!r} has no input {port!r}; its inputs are: {', '.join(known) or 'none'}"
                f"{did_you_mean(port, known)}"
            )
        kind, fields = as_programme(model.structure.ports[port], value)
        if port in legal and is_traced(fields):
            limits.append((port, legal[port]))
        elif port in legal:
            for level in PROGRAMMES[kind].levels(fields):
                legal[port].check(f"input {port!r} of robot {model.name!r}", level)
        ports.append((port, kind))
        numbers.update({f"{port}.{name}": jnp.asarray(field, dtype=jnp.float64) for name, field in fields.items()})
    return InputSet(tuple(ports), numbers, None, shapes, tuple(limits))
