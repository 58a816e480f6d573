"""Compiling the residual of a chain of rods, and evaluating it: does the cost of a robot grow with its links?"""

import sys

import jax
import jax.numpy as jnp

import pliant
from cases.robots import chain
from harness.timing import once, report, steady
from pliant.model import prepare

_COMPILATIONS = 3  # the best of three: one alone varies by half on a machine that is not idle
_LOOP = 50


def main(links: int) -> None:
    build, model = once(lambda: pliant.compile(chain(links)))
    jax.config.update("jax_enable_compilation_cache", False)  # each of the compilations below is a real one
    zero, q = jnp.zeros(model.nv), 0.1 * jnp.ones(model.nq)
    lower, compile_ = [], []
    for _ in range(_COMPILATIONS):
        jax.clear_caches()
        seconds, lowered = once(lambda: jax.jit(pliant.residual).lower(model, q, zero, zero))
        lower.append(seconds)
        seconds, compiled = once(lowered.compile)
        compile_.append(seconds)
    call = steady(lambda: compiled(model, q, zero, zero).block_until_ready())

    # What a solver does: the parameters prepared once, evaluations in a compiled loop.
    prepared = prepare(model.structure, model.parameters)

    @jax.jit
    def loop(q: jax.Array) -> jax.Array:
        def step(_, q: jax.Array) -> jax.Array:
            return q + 1e-12 * pliant.residual(model, q, zero, zero, prepared=prepared)

        return jax.lax.fori_loop(0, _LOOP, step, q)

    evaluate = steady(lambda: loop(q).block_until_ready()) / _LOOP
    report(
        build=build,
        lower=min(lower),
        compile=min(compile_),
        total=min(lower) + min(compile_),
        call=call,
        evaluate=evaluate,
        freedoms=model.nv,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
