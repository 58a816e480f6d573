"""A function in native code, timed inside a native loop and compared with the same loop by JAX."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from harness.timing import first_and_steady, once, steady
from pliant.native import NativeFunction, compile_function

_TURNS, _JAX_TURNS = 10_000, 1_000  # evaluations inside one loop: what is timed is arithmetic, not dispatch
# In the generated C: a line that computes, the numbers in it, and what counts as an operation.
_COMPUTES = re.compile(r"^(?:V t\d+|\w+\[\d+\])=(.*);$", re.MULTILINE)
_NUMBER = re.compile(r"PLIANT_REAL\([^)]*\)")
_OPERATION = re.compile(r"[-+*/]|[<=!]=|<|pliant_\w+\(|[^\w]f\w+\(")


def measured(step: Callable[[Any, Any], Any], fixed: Any, state: Any) -> dict[str, float]:
    """Figures of step(fixed, state) -> state, which moves the state a little, so that no evaluation can be left out,
    and puts last in it what is compared with JAX. `fixed` are arguments, no part of the code."""

    def loop(turns: jax.Array, fixed: Any, state: Any) -> Any:
        return jax.lax.fori_loop(0, turns, lambda _, state: step(fixed, state), state)

    build, native = once(lambda: compile_function(loop, (np.asarray(_TURNS), fixed, state), "pliant_loop"))
    seconds = steady(lambda: native(np.asarray(_TURNS), fixed, state)) / _TURNS
    by_jax = jax.jit(loop)
    first, jax_seconds, expected = first_and_steady(
        lambda: jax.block_until_ready(by_jax(np.asarray(_JAX_TURNS), fixed, state))
    )
    found, known = native(np.asarray(_JAX_TURNS), fixed, state)[-1], np.asarray(expected[-1])
    operations, length = _written(native)
    return {
        "loop": seconds,
        "rate": 1.0 / seconds,
        "jax": jax_seconds / _JAX_TURNS,
        "jax_compile": first - jax_seconds,
        "error": float(np.max(np.abs(found - known)) / np.max(np.abs(known))),
        "build": build,
        "operations": operations,
        "source": length,
        "build_per_operation": build / operations,
    }


def _written(native: NativeFunction) -> tuple[int, int]:
    """Operations and bytes of the C that was generated for it."""
    texts = [path.read_text(encoding="utf-8") for path in Path(native.library).parent.glob("*.c")]
    computed = (_NUMBER.sub("", line) for text in texts for line in _COMPUTES.findall(text))
    return sum(len(_OPERATION.findall(line)) for line in computed), sum(map(len, texts))
