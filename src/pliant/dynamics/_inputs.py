"""Values that a user gives to the ports of a robot."""

import math
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import did_you_mean, in_si, is_traced, mapping, plain_numbers, shown
from pliant.interactions import Port
from pliant.model import Model, Structure

Inputs = Mapping[str, Array]


def check_inputs(model: Model, inputs: Inputs | None) -> dict[str, Array]:
    """The inputs as arrays, or an error that lists the ports when one does not exist, or says what shape it has or what
    values are legal; those that are traced are not looked at."""
    given = {name: jnp.asarray(value) for name, value in plain_inputs(model, inputs).items()}
    # Whole numbers are numbers too; a float32 batch stays what it is.
    floats = {
        name: array if jnp.issubdtype(array.dtype, jnp.floating) else array.astype(jnp.float64)
        for name, array in given.items()
    }
    shapes = model.input_shapes
    for name, array in floats.items():
        if name in shapes and array.shape != shapes[name]:
            raise ValueError(f"input {name!r} of robot {model.name!r} has shape {shapes[name]}; got {array.shape}")
    return floats


def plain_inputs(model: Model, inputs: Inputs | None) -> dict[str, Any]:
    """The inputs with texts as numbers, and an error where one has no port, is no number or, if it is known, not legal;
    otherwise as they are given, so that a compiled function takes them to its device itself."""
    if inputs is None:
        return {}
    expected = "a dict {port: value}; functions and programmes are for simulate"
    return {name: _port_value(model, name, value) for name, value in mapping("inputs", inputs, expected).items()}


def _port_value(model: Model, name: str, value: Any) -> Any:
    structure = model.structure
    port = structure.ports.get(name)
    if port is not None and inside_limits(port, value):
        return value
    if port is None and name not in _side_ports(structure):
        known = structure.ports
        raise KeyError(
            f"robot {model.name!r} has no input {name!r}; its inputs are: {', '.join(known) or 'none'}"
            f"{did_you_mean(name, known)}"
        )
    who = f"input {name!r} of robot {model.name!r}"
    plain = in_si(who, value, "" if port is None else port.unit)
    if is_traced(plain):
        return plain
    if isinstance(plain, Mapping):
        raise TypeError(f"{who} must be a value here, not a programme, which is for simulate; got {shown(plain)}")
    numbers = plain_numbers(who, plain, "a number, or an array of numbers")
    if name in structure.port_limits:
        structure.port_limits[name].check(who, numbers)
    elif not np.all(np.isfinite(numbers)):
        raise ValueError(f"{who} must be finite; got {shown(numbers.tolist())}")
    return plain if plain is value and not isinstance(plain, list | tuple) else numbers


def inside_limits(port: Port, value: Any) -> bool:
    """Whether a value is a finite number, or an array of them, within the limits of a port. What it says no to is
    looked at closely, which takes longer."""
    if type(value) is float:
        return port.low <= value <= port.high and -math.inf < value < math.inf
    if isinstance(value, jax.core.Tracer) or not isinstance(value, np.ndarray | jax.Array):
        return False
    array = np.asarray(value)
    return array.dtype.kind == "f" and bool(np.all((port.low <= array) & (array <= port.high) & np.isfinite(array)))


def _side_ports(structure: Structure) -> list[str]:
    """Ports that say how fast a prescribed motion is at the moment, or what a controller's error adds up to."""
    rates = [f"{name}.{what}" for name in motion_names(structure) for what in ("rate", "acceleration")]
    return rates + [f"{name}.integral" for name in structure.led]


def motion_names(structure: Structure) -> tuple[str, ...]:
    """Ports that prescribe a motion, of which rates count too."""
    return tuple(port.name for kind in structure.constraints for port in kind.ports)
