"""What is timed on a GPU: functions of the 18-DoF arm, for one robot."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pliant.model import Model, prepare
from pliant.simulation.native_code._native_functions import exported, samples_of

RK4_STEPS, NEWMARK_STEPS = 100, 20  # of a rollout
_LENGTHS = {"rk4_step": 1e-4, "newmark_step": 1e-3}  # s


@dataclasses.dataclass(frozen=True, eq=False)
class GpuFunction:
    """call(numbers, *arguments) -> results, of arrays like those of `sample`. work: evaluations of the dynamics or
    steps in one call; compared: the results that are compared; single: in float32."""

    call: Callable[..., Any]
    sample: tuple[np.ndarray, ...]
    words: tuple[str, ...]
    results: tuple[jax.ShapeDtypeStruct, ...]
    compared: Callable[[Any], Any]
    work: int = 1
    single: bool = False


def gpu_functions(model: Model) -> dict[str, GpuFunction]:
    """Numbers of the robot are one argument for all robots; `_constants`: they are in the code."""
    table = exported(model)
    numbers = prepare(model.structure, model.parameters)

    def of(name: str, call: Callable[..., Any] | None = None, **words: Any) -> GpuFunction:
        function = table[name]
        sample = dict(zip(function.arguments, samples_of(model, function, 1)[0], strict=True))
        if name in _LENGTHS:  # released straight and at rest
            sample |= {"q": np.zeros(model.nq), "v": np.zeros(model.nv), "h": np.asarray(_LENGTHS[name])}
        kind = np.float32 if words.get("single") else np.float64
        results = tuple(jax.ShapeDtypeStruct(shape, kind) for shape in function.results.values())
        return GpuFunction(
            call or function.call, tuple(sample.values()), tuple(sample), results, function.compared, **words
        )

    dynamics, rk4, newmark = (table[name].call for name in ("forward_dynamics", "rk4_step", "newmark_step"))

    def by_rk4(numbers: Any, q: Any, v: Any, t: Any, u: Any, h: Any) -> Any:
        def step(k: Any, state: Any) -> Any:
            return rk4(numbers, *state, t + k * h, u, h)

        return jax.lax.fori_loop(0, RK4_STEPS, step, (q, v))

    def by_newmark(numbers: Any, q: Any, v: Any, step_state: Any, t: Any, u: Any, h: Any, jumped: Any) -> Any:
        def step(k: Any, state: Any) -> Any:
            q, v, _, step_state, converged = state
            *moved, now = newmark(numbers, q, v, step_state, t + k * h, u, h, jumped)
            return (*moved, converged * now)

        begun = (q, v, jnp.zeros_like(v), step_state, jnp.ones(()))
        return jax.lax.fori_loop(0, NEWMARK_STEPS, step, begun)

    return {
        "forward_dynamics": of("forward_dynamics"),
        "forward_dynamics_constants": of("forward_dynamics", lambda _, *state: dynamics(numbers, *state)),
        "forward_dynamics_single": of("forward_dynamics", single=True),
        "rk4_rollout": of("rk4_step", by_rk4, work=RK4_STEPS),
        "newmark_rollout": of("newmark_step", by_newmark, work=NEWMARK_STEPS),
    }
