"""compile_native(): the functions of one robot as native code, called from Python."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from pliant.arguments import names, number, plain_numbers
from pliant.blueprint import ParameterInfo
from pliant.model import Model, as_model, prepare
from pliant.native import NativeFunction, compare, compile_function
from pliant.simulation.native_code._native_functions import Exported, chosen, exported, samples_of
from pliant.simulation.stepping._rules import NEWTON_TOLERANCE

DEFAULT = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "energy", "forward_kinematics")
TOLERANCE = 1e-10  # of the largest element of a result
_CHECKED = 3  # random states
_TOLERANCE = ParameterInfo((), "", "of Newton's iteration", low=0.0, high=1.0, low_open=True, high_open=True)


class NativeModel:
    """Functions of a robot in native code, by name: `native.forward_dynamics(q, v)`. NumPy arrays in and out.

    Missing arguments are zero; `u` holds the values of the ports that were chosen, one after the other. Parameters are
    no part of the code: `with_parameters` builds nothing.
    """

    def __init__(self, model: Model, functions: Mapping[str, tuple[Exported, NativeFunction]], prepare: Any) -> None:
        self.model = model
        self._functions, self._prepare = dict(functions), prepare
        self._prepared = prepare(model.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._functions)

    def with_parameters(self, values: Mapping[str, Any]) -> "NativeModel":
        return NativeModel(self.model.with_parameters(values), self._functions, self._prepare)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._functions:
            built = ", ".join(self.__dict__.get("_functions", {}))
            raise AttributeError(f"native code of this robot has no {name!r}; built: {built}")
        exported, native = self._functions[name]

        def call(*arrays: Any, **by_name: Any) -> Any:
            results = native(self._prepared, *_arguments(exported, arrays, by_name))
            return results[0] if len(results) == 1 else dict(zip(exported.results, results, strict=True))

        return call


def _arguments(function: Exported, arrays: Sequence[Any], by_name: Mapping[str, Any]) -> list[np.ndarray]:
    known = list(function.arguments)
    given = dict(zip(known, arrays, strict=False)) | dict(by_name)
    unknown = [name for name in given if name not in function.arguments]
    if len(arrays) > len(known) or unknown:
        raise TypeError(f"{function.name} takes {', '.join(known) or 'nothing'}; got {len(arrays)} and {list(by_name)}")
    ready = []
    for name, shape in function.arguments.items():
        array = _array(function.name, name, given.get(name), shape)
        if array.shape != shape:
            raise ValueError(f"{function.name}: {name} has shape {shape}; got {array.shape}")
        ready.append(array)
    return ready


def _array(function: str, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    if isinstance(value, jax.core.Tracer):
        raise TypeError(
            f"native {function} takes NumPy arrays and cannot be called under jit, grad or vmap; pliant.{function} "
            "can, and so can what pliant.native.jax_function makes of a function"
        )
    return np.zeros(shape) if value is None else plain_numbers(f"{function}: {name}", value, "numbers")


def compile_native(
    model: Model,
    functions: Sequence[str] = DEFAULT,
    *,
    inputs: Sequence[str] = (),
    check: bool = True,
    newton_tolerance: float = NEWTON_TOLERANCE,
) -> NativeModel:
    """Functions of a robot as native code: built by the system's C compiler, or taken from its cache.

    functions: names out of `native_functions(model)`. inputs: ports (Model.input_names) that the argument `u` drives,
    ("all",) for all; the others follow the file's programmes. check: compare with JAX at random states; a difference of
    more than 1e-10 of the largest element raises MismatchError. newton_tolerance: of `newmark_step`, see `simulate`.
    """
    model = as_model(model)
    functions, inputs = names("functions", functions, "functions"), names("inputs", inputs, "inputs")
    newton_tolerance = number("newton_tolerance", newton_tolerance, _TOLERANCE)
    built = {}
    numbers = prepare(model.structure, model.parameters)
    for function in chosen(model, functions, inputs, newton_tolerance):
        arguments = (numbers, *(np.zeros(shape) for shape in function.arguments.values()))
        native = compile_function(function.call, arguments, f"pliant_{function.name}")
        if check:
            samples = [(numbers, *sample) for sample in samples_of(model, function, _CHECKED)]
            compare(native, function.call, samples, TOLERANCE, function.compared)
        built[function.name] = (function, native)
    preparing = compile_function(
        lambda parameters: prepare(model.structure, parameters), (model.parameters,), "pliant_prepare"
    )
    return NativeModel(model, built, preparing)


def native_functions(model: Model) -> dict[str, str]:
    """What `compile_native` can build of a robot: name -> what it gives."""
    return {name: function.about for name, function in exported(model).items()}
