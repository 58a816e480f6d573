"""How fast the functions of a robot are, by JAX and in native code, in a loop inside the compiled program."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.model import Model, prepare
from pliant.native import compare, compile_function
from pliant.simulation.native_code._native_functions import Exported, chosen, samples_of
from pliant.simulation.native_code._native_model import TOLERANCE

TIMED = ("forward_dynamics", "inverse_dynamics", "mass_matrix")
_ROUNDS, _REPEATS = 1000, 5
_NUDGE = 1e-12  # of what a round moves its argument by, so that none can be left out


class NativeTiming(NamedTuple):
    """One function: operations of its program, seconds of the compiler, seconds of one evaluation by JAX and in native
    code, and their largest difference over the largest element."""

    name: str
    operations: int
    build: float
    jax: float
    native: float
    difference: float


def time_native(model: Model, functions: Sequence[str] = TIMED) -> list[NativeTiming]:
    return [_timed(model, function) for function in chosen(model, functions)]


def _timed(model: Model, function: Exported) -> NativeTiming:
    numbers = prepare(model.structure, model.parameters)
    samples = [(numbers, *sample) for sample in samples_of(model, function, 3)]
    native = compile_function(function.call, samples[0], f"pliant_{function.name}")
    difference = compare(native, function.call, samples, TOLERANCE, function.compared)
    loop = _loop(function)
    native_loop, jax_loop = compile_function(loop, samples[0], f"pliant_{function.name}_loop"), jax.jit(loop)
    by_native = _best(lambda: native_loop(*samples[0]))
    by_jax = _best(lambda: jax.block_until_ready(jax_loop(*samples[0])))
    about = native.about
    return NativeTiming(function.name, int(about["operations"]), about["seconds"], by_jax, by_native, difference)


def _loop(function: Exported) -> Callable[..., Array]:
    def loop(numbers: Any, first: Array, *rest: Array) -> Array:
        def turn(_: Array, first: Array) -> Array:
            results = function.call(numbers, first, *rest)
            return first + _NUDGE * jnp.mean(results[0])

        return jax.lax.fori_loop(0, _ROUNDS, turn, jnp.asarray(first))

    return loop


def _best(run: Callable[[], Any]) -> float:
    run()
    times = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return float(np.min(times)) / _ROUNDS
