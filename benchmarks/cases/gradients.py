"""The matrix of an implicit step, in closed form and by automatic differentiation, for a chain of ten PCS pieces."""

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from cases.robots import arm
from harness.timing import first_and_steady, report
from pliant.dynamics import Weights, closed_tangent, residual
from pliant.model import State, prepare

_PIECES = 10
_LOOP = 50  # matrices inside one compiled loop: what is timed is arithmetic, not dispatch
_STEP = 4e-3  # s


def main() -> None:
    model = pliant.compile(arm(_PIECES))
    prepared = prepare(model.structure, model.parameters)
    weights = Weights(jnp.asarray(_STEP**2 / 4.0), jnp.asarray(_STEP / 2.0), jnp.ones(()))

    def closed(q: jax.Array, v: jax.Array, a: jax.Array) -> jax.Array:
        return closed_tangent(model, prepared, State(q, v), a, jnp.zeros(()), {}, weights)

    def differentiated(q: jax.Array, v: jax.Array, a: jax.Array) -> jax.Array:
        along = lambda x: residual(model, q + weights.q * x, v + weights.v * x, a + x)  # noqa: E731
        return jax.jacfwd(along)(jnp.zeros_like(a))

    def repeated(matrix):
        # Each matrix moves the state a little, so that none of them can be left out.
        def step(_, state):
            q, v, a = state
            return q + 1e-12 * jnp.sum(matrix(q, v, a), axis=1), v, a

        return jax.jit(lambda state: jax.lax.fori_loop(0, _LOOP, step, state))

    random = np.random.default_rng(1)
    size = np.tile([3.0, 3.0, 3.0, 0.05, 0.05, 0.05], _PIECES)
    state = tuple(jnp.asarray(size * random.normal(size=model.nv)) for _ in range(3))
    ours, theirs = repeated(closed), repeated(differentiated)
    first, seconds, _ = first_and_steady(lambda: jax.block_until_ready(ours(state)))
    first_ad, seconds_ad, _ = first_and_steady(lambda: jax.block_until_ready(theirs(state)))
    matrix, expected = (jax.jit(function)(*state) for function in (closed, differentiated))
    same = str(jax.make_jaxpr(closed)(*state)) == str(jax.make_jaxpr(differentiated)(*state))
    report(
        closed=seconds / _LOOP,
        ad=seconds_ad / _LOOP,
        closed_compile=first - seconds,
        ad_compile=first_ad - seconds_ad,
        difference=float(jnp.max(jnp.abs(matrix - expected)) / jnp.max(jnp.abs(expected))),
        distinct=int(not same),
        freedoms=model.nv,
    )


if __name__ == "__main__":
    main()
