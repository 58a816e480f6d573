"""Acceleration of the three-piece arm (18 degrees of freedom), one at a time and in a batch."""

import jax
import jax.numpy as jnp

import pliant
from cases.robots import arm
from harness import problems
from harness.timing import first_and_steady, report
from pliant.dynamics import accelerations
from pliant.model import prepare

_LOOP, _BATCH_LOOP = 1000, 20  # evaluations inside one compiled loop: what is timed is arithmetic, not dispatch


def main() -> None:
    model = pliant.compile(arm())
    prepared = prepare(model.structure, model.parameters)
    no_inputs: dict[str, jax.Array] = {}

    def acceleration(state: tuple[jax.Array, jax.Array]) -> jax.Array:
        return accelerations(model, prepared, *state, jnp.zeros(()), no_inputs)

    def repeated(evaluate, times: int):
        # Each evaluation moves the state a little, so that none of them can be left out.
        def step(_, state):
            q, v = state
            return q + 1e-9 * v, v + 1e-9 * evaluate(state)

        return jax.jit(lambda state: jax.lax.fori_loop(0, times, step, state))

    def flat(batch: int | None) -> tuple[jax.Array, jax.Array]:
        shape = (model.nv,) if batch is None else (batch, model.nv)
        strain, rate = problems.arm_state(batch)
        return jnp.asarray(strain.reshape(shape)), jnp.asarray(rate.reshape(shape))

    one, many = flat(None), flat(problems.BATCH)
    loop, batch_loop = repeated(acceleration, _LOOP), repeated(jax.vmap(acceleration), _BATCH_LOOP)
    first, loop_time, _ = first_and_steady(lambda: jax.block_until_ready(loop(one)))
    _, batch_time, _ = first_and_steady(lambda: jax.block_until_ready(batch_loop(many)))
    value = jax.jit(acceleration)(one).reshape(problems.PIECES, 6)
    report(
        loop=loop_time / _LOOP,
        batch=batch_time / (_BATCH_LOOP * problems.BATCH),
        compile=first - loop_time,
        acceleration=value.tolist(),
    )


if __name__ == "__main__":
    main()
