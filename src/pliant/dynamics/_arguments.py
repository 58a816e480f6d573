"""What the public functions of a robot are given: one place for what each argument must be."""

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import TIME, finite_vector, in_si, is_traced, number, plain_numbers, refuse_tracing, shown, vector
from pliant.blueprint import ParameterInfo
from pliant.dynamics._evaluation import first_memory
from pliant.dynamics._inputs import plain_inputs
from pliant.model import Model, State, as_model

P = ParamSpec("P")
R = TypeVar("R")

_FACTOR = ParameterInfo((), "", "what the loads are scaled by")
_NUMBERS = {"t": TIME, "load_factor": _FACTOR}
# Arrays of a state -> what says their length, and what they are.
_VECTORS: dict[str, tuple[Callable[[Model], tuple[int, ...]], str]] = {
    "q": (lambda model: (model.nq,), "coordinates (Model.coordinate_names)"),
    "v": (lambda model: (model.nv,), "velocities (Model.velocity_names)"),
    "a": (lambda model: (model.nv,), "accelerations (Model.velocity_names)"),
    "multipliers": (
        lambda model: (model.structure.constraint_count, model.structure.unknown_count),
        "multipliers (Model.constraint_names)",
    ),
}
_VECTORS["q0"] = _VECTORS["q"]


def robot_function(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    """`function(model, ...)` compiled, and checked: see `shaped` and `checked`. options: of jax.jit."""
    return checked(jax.jit(shaped(function), **options))


def shaped(function: Callable[P, R]) -> Callable[P, R]:
    """`function(model, ...)`, which refuses states that have not the shapes of the robot. For functions that JAX
    traces: shapes are looked at then, and cost nothing when the function runs."""
    names = _names(function)

    @functools.wraps(function)
    def called(model: Any, *arguments: Any, **named: Any) -> Any:
        by_place = [_shaped(model, name, value) for name, value in zip(names, arguments, strict=False)]
        by_name = {name: _shaped(model, name, value) for name, value in named.items()}
        return function(model, *by_place, *arguments[len(names) :], **by_name)

    return cast("Callable[P, R]", called)


def checked(program: Callable[P, R]) -> Callable[P, R]:
    """`program(model, ...)` as users call it: a `Robot` is compiled, texts with units are read, and inputs that are
    known must be legal. Arrays and finite numbers are handed on as they are."""
    names = _names(program)

    @functools.wraps(program)
    def called(model: Any, *arguments: Any, **named: Any) -> Any:
        if named or type(model) is not Model or not all(map(_is_plain, arguments)):
            model = as_model(model)
            placed = [_plain(model, name, value) for name, value in zip(names, arguments, strict=False)]
            arguments = (*placed, *arguments[len(names) :])
            named = {name: _plain(model, name, value) for name, value in named.items()}
        return program(model, *arguments, **named)

    return cast("Callable[P, R]", called)


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of all arguments after the model."""
    return tuple(inspect.signature(function).parameters)[1:]


_ARRAYS = (jax.Array, np.ndarray)


def _is_plain(value: Any) -> bool:
    """Whether an argument can be taken as it is."""
    return value is None or isinstance(value, _ARRAYS) or (type(value) is float and math.isfinite(value))


def _plain(model: Model, name: str, value: Any) -> Any:
    """An argument as the compiled function takes it."""
    if name == "inputs":
        return None if value is None else plain_inputs(model, value)
    if value is None or is_traced(value):
        return value
    if name in _NUMBERS:
        # The number itself where it is one: another type of it would compile another program.
        number(name, value, _NUMBERS[name])
        return in_si(name, value, _NUMBERS[name].unit)
    if name in _VECTORS and isinstance(value, list | tuple):
        return plain_numbers(name, value, f"an array of {_VECTORS[name][1]}")
    return value


def _shaped(model: Model, name: str, value: Any) -> Any:
    """An argument while it is traced, with the shape that it has to have."""
    if name in _NUMBERS and jnp.shape(value):
        raise ValueError(f"{name} must be one number, {_NUMBERS[name].meaning}; got shape {jnp.shape(value)}")
    if name not in _VECTORS or (value is None and name == "multipliers"):
        return value
    sizes, meaning = _VECTORS[name]
    return vector(name, value, sizes(model), f"{meaning} of robot {model.name!r}")


def configuration(model: Model, name: str, q: Any) -> Array:
    """A configuration (nq,) of the robot, finite where it is known."""
    return finite_vector(name, q, (model.nq,), f"the coordinates (Model.coordinate_names) of robot {model.name!r}")


def velocity(model: Model, name: str, v: Any) -> Array:
    """A velocity (nv,) of the robot, finite where it is known."""
    return finite_vector(name, v, (model.nv,), f"the velocities (Model.velocity_names) of robot {model.name!r}")


def check_state(model: Model, state: Any) -> State:
    """A state of the robot: what has q, v and memory, with the robot's own shapes."""
    if not (hasattr(state, "q") and hasattr(state, "v")):
        raise TypeError(f"state must be a pliant.State(q, v) of robot {model.name!r}; got {shown(state)}")
    memory = getattr(state, "memory", ())
    check_memory(model, memory, "state.memory")
    return State(configuration(model, "state.q", state.q), velocity(model, "state.v", state.v), memory)


def check_memory(model: Model, memory: Any, name: str = "memory") -> None:
    """ValueError where what interactions remember is not that of this robot. Nothing (None, ()) is what they remember
    at first."""
    if not memory:
        return
    expected = first_memory(model.structure)
    like, given = (jax.tree.map(np.shape, part) for part in (expected, memory))
    if like != given:
        remembers = f"remembers something of {', '.join(expected)}" if expected else "remembers nothing"
        raise ValueError(
            f"{name} must be the `.memory` of a result of robot {model.name!r}, which {remembers}; got {shown(memory)}"
        )


def host_model(function: str, instead: str, model: Any, *given: Any) -> Model:
    """The model that a function of the host is called with; a `Robot` or a robot file is compiled. TypeError under jit,
    grad or vmap. instead: what to call there."""
    refuse_tracing(function, instead, model, *given)
    return as_model(model)
