"""Pinches with different friction and stiffness, by vmap and by native runs: `python -m cases.contact_pinches 500`."""

import resource
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from cases.contact_pinch import pinch, pressing
from harness.contact_problems import PINCH
from harness.timing import once, report

_BEGIN, _UNTIL, _STEP = 0.1, 1.0, 1e-3
_HELD = 5e-3  # m that a ball may have sunk; what has fallen past the pads is not compared
_FRICTION, _STIFFNESS = (0.35, 0.65), (5e3, 5e4)
_SIDES = ("left", "right")
_KIND = "generalised-alpha"


def _numbers(friction: Any, stiffness: Any) -> dict[str, Any]:
    own = {"friction": friction, "stiffness": stiffness}
    return {f"contacts.{side}_grip.{name}": value for side in _SIDES for name, value in own.items()}


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def main(count: int) -> None:
    model = pliant.compile(pinch(_BEGIN))
    inputs = pressing(PINCH.least)
    random = np.random.default_rng(0)
    friction = random.uniform(*_FRICTION, count)
    stiffness = np.exp(random.uniform(*np.log(_STIFFNESS), count))

    def one(friction: jax.Array, stiffness: jax.Array) -> tuple[jax.Array, jax.Array]:
        changed = model.with_parameters(_numbers(friction, stiffness))
        # Its own Newton tolerance: the 1e-12 of pure.simulate is below the rounding of forces that stick.
        stepper = pliant.Stepper(changed, _KIND, _STEP)
        found = pliant.pure.simulate(stepper, round(_UNTIL / _STEP), inputs=inputs)
        return pliant.forward_kinematics(changed, found.q[-1])["ball"][:3, 3], found.code

    batch = jax.jit(jax.vmap(one))
    given = jnp.asarray(friction), jnp.asarray(stiffness)
    compiling, compiled = once(lambda: batch.lower(*given).compile())
    before = _memory()
    seconds, (ends, codes) = once(lambda: jax.block_until_ready(compiled(*given)))
    added = _memory() - before
    good = np.asarray(codes) == 0

    def native(friction: float, stiffness: float) -> np.ndarray:
        changed = model.with_parameters(_numbers(friction, stiffness))
        settings = {"stepper": _KIND, "step": _STEP, "save_every": _UNTIL, "backend": "native", "accuracy": None}
        return np.asarray(pliant.simulate(changed, _UNTIL, inputs=inputs, **settings).position("ball")[-1])

    runs = [once(lambda own=own: native(*own)) for own in zip(friction, stiffness, strict=True)]
    times = np.array([time for time, _ in runs])
    held = good & (np.asarray(ends)[:, 2] > -_HELD)
    apart = np.linalg.norm(np.array([end for _, end in runs]) - np.asarray(ends), axis=1)
    report(
        vmap=seconds,
        vmap_compile=compiling,
        vmap_memory=added,
        native=float(times.sum() - times[0] + np.median(times)),
        native_first=float(times[0]),
        native_later=float(times[1:].max()),
        difference=float(apart[held].max()),
        held=int(np.count_nonzero(held)),
        failed=int(np.count_nonzero(~good)),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
