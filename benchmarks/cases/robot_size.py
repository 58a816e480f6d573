"""How large the equations of library robots are: `python -m cases.robot_size silicone-arm four-bar`, default all.

Equations of the residual's jaxpr (what is traced), operations of native inverse and forward dynamics (what is run), and
the best of three compilations of the residual.
"""

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxprs_in_params

import pliant
from harness.timing import once, report
from pliant import library
from pliant.model import prepare
from pliant.native import CFunction, NativeError, library_source
from pliant.simulation.native_code._native_functions import exported

_COMPILATIONS = 3
_FUNCTIONS = ("inverse_dynamics", "forward_dynamics")


def equations(jaxpr: Any) -> int:
    """Equations at any depth."""
    inner = sum(equations(getattr(j, "jaxpr", j)) for e in jaxpr.eqns for j in jaxprs_in_params(e.params))
    return len(jaxpr.eqns) + inner


def operations(model: pliant.Model) -> dict[str, int | None]:
    """Per native function; None where it is refused as too large."""
    known, prepared, counts = exported(model), prepare(model.structure, model.parameters), {}
    for name in _FUNCTIONS:
        function = known[name]
        examples = (prepared, *(np.zeros(shape) for shape in function.arguments.values()))
        whole = CFunction(name, "", f"void {name}(void)", (), (), function.call, examples)
        try:
            counts[name] = library_source("none.h", [whole])[1][name]
        except NativeError:
            counts[name] = None
    return counts


def sizes(model: pliant.Model) -> dict[str, float | None]:
    q, zero = model.neutral(), jnp.zeros(model.nv)
    count = equations(jax.make_jaxpr(pliant.residual)(model, q, zero, zero).jaxpr)
    seconds = []
    for _ in range(_COMPILATIONS):
        jax.clear_caches()
        seconds.append(once(lambda: jax.jit(pliant.residual).lower(model, q, zero, zero).compile())[0])
    return {"equations": count, **operations(model), "compile": min(seconds)}


def main(names: list[str]) -> None:
    jax.config.update("jax_enable_compilation_cache", False)
    found = {}
    for name in names or library.names():
        for figure, value in sizes(pliant.compile(library.load(name))).items():
            found[f"{name}/{figure}"] = value
    report(**found)


if __name__ == "__main__":
    main(sys.argv[1:])
