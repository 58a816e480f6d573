"""A robot's functions as formulas: CasADi's for optimal control, SymPy's to be read."""

from typing import Any

import numpy as np

from pliant.model import Model, prepare
from pliant.native import casadi_function as make_casadi
from pliant.native import sympy_expressions
from pliant.simulation.native_code._native_functions import exported


def casadi_function(model: Model, function: str = "forward_dynamics", inputs: tuple[str, ...] = ("all",)) -> Any:
    """A casadi.Function of the arguments that `native_functions` tells, with the robot file's numbers in it."""
    chosen = exported(model, inputs)[function]
    numbers = prepare(model.structure, model.parameters)
    arguments = [np.zeros(shape) for shape in chosen.arguments.values()]
    return make_casadi(lambda *arrays: chosen.call(numbers, *arrays), arguments, function)


def equations(model: Model) -> dict[str, Any]:
    """The equations of motion of a small robot: SymPy expressions, by the velocity on whose coordinate they act, that
    are zero on a motion without inputs. Symbols: the coordinates as they are called, their velocities with `_v` and
    accelerations with `_a`, and t. Numbers are those of the robot file."""
    chosen = exported(model)["inverse_dynamics"]
    numbers = prepare(model.structure, model.parameters)
    names = {
        "q": list(model.coordinate_names),
        "v": [f"{name}_v" for name in model.velocity_names],
        "a": [f"{name}_a" for name in model.velocity_names],
        "t": ["t"],
        "u": [],
    }
    arguments = [np.zeros(shape) for shape in chosen.arguments.values()]
    found = sympy_expressions(
        lambda *arrays: chosen.call(numbers, *arrays),
        arguments,
        [names[name] for name in chosen.arguments],
        f"the equations of {model.name}",
    )
    return dict(zip(model.velocity_names, found, strict=True))
