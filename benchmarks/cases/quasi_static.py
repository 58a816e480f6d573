"""The quasi-static arm of 100 intervals: shapes per second, one at a time and in a batch."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from harness.timing import first_and_steady, on_one_core, report
from pliant.arms import ArmLoad, QuasiStaticArm, arm_shape
from pliant.validation.arms._quasi_static_arm import FORCE, LAWS, PRESSURES, module_arm

_LOOP, _BATCH = 1000, 4096


def pressed(arm: QuasiStaticArm, frame: str) -> Callable[[Any], Any]:
    """(pressures, tip before) -> the same later: each shape moves the pressures a little, so that none of them can be
    left out."""

    def step(state: Any) -> Any:
        pressures, _ = state
        load = ArmLoad(jnp.asarray(FORCE), frame=frame)
        tip = arm_shape(arm, pressures, (load,)).tip[:3, 3]
        return pressures + 1e-9 * jnp.sum(tip), tip

    return step


def _loop(arm: QuasiStaticArm, frame: str) -> Callable[[], Any]:
    step = pressed(arm, frame)
    run = jax.jit(lambda state: jax.lax.fori_loop(0, _LOOP, lambda _, state: step(state), state))
    return lambda: jax.block_until_ready(run((jnp.asarray(PRESSURES), jnp.zeros(3))))


def _batch(arm: QuasiStaticArm) -> Callable[[], Any]:
    load = ArmLoad(jnp.asarray(FORCE), frame="tip")
    run = jax.jit(jax.vmap(lambda pressures: arm_shape(arm, pressures, (load,)).tip))
    many = jnp.asarray(PRESSURES) * jnp.linspace(0.5, 1.0, _BATCH)[:, None]
    return lambda: jax.block_until_ready(run(many))


def main() -> None:
    on_one_core()
    hooke, gent = module_arm(), module_arm(law=LAWS["G-UNI"])
    first, seconds, _ = first_and_steady(_loop(hooke, "tip"))
    _, world, _ = first_and_steady(_loop(hooke, "base"))
    _, root, _ = first_and_steady(_loop(gent, "tip"))
    _, batch, _ = first_and_steady(_batch(hooke))
    report(
        rate=_LOOP / seconds,
        world_rate=_LOOP / world,
        gent_rate=_LOOP / root,
        batch_rate=_BATCH / batch,
        compile=first - seconds,
    )


if __name__ == "__main__":
    main()
