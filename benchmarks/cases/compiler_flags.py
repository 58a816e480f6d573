"""What the XLA flags of `pliant.configure` do to compile and run time: python benchmarks/cases/compiler_flags.py"""

import json
import os
import subprocess
import sys
import time

OFF = {"xla_cpu_use_fusion_emitters": "true", "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"}
EVALUATIONS = 100


def measure() -> dict[str, float]:
    """Compile time [s] and run time [us] of the residual's Jacobian for the 18-DoF arm."""
    import jax
    import jax.numpy as jnp

    import pliant
    from pliant.model import prepare

    pliant.configure(cache=False)
    jax.config.update("jax_enable_compilation_cache", False)
    robot = pliant.Robot("arm").material("rubber", young=1e6, poisson=0.5, density=1000.0, viscosity=300.0)
    robot = robot.rod(
        "rod",
        length=0.5,
        section={"circle": {"radius": 0.01}},
        material="rubber",
        model={"pcs": {"pieces": 3, "quadrature": 5}},
    )
    model = pliant.compile(robot)
    prepared = jax.jit(lambda m: prepare(m.structure, m.parameters))(model)

    def jacobian(q, v):
        return jax.jacfwd(lambda a: pliant.residual(model, q + 1e-6 * a, v + 1e-3 * a, a, 0.0, None, 1.0, prepared))(v)

    def repeat(q, v):
        return jax.lax.fori_loop(
            0, EVALUATIONS, lambda i, s: (s[0] + 1e-9 * s[1], s[1] + 1e-9 * jacobian(*s)[0]), (q, v)
        )

    state = (0.1 * jnp.arange(18.0), 0.1 * jnp.ones(18))
    start = time.perf_counter()
    compiled = jax.jit(repeat).lower(*state).compile()
    seconds = time.perf_counter() - start
    times = []
    for _ in range(5):
        start = time.perf_counter()
        jax.block_until_ready(compiled(*state))
        times.append(time.perf_counter() - start)
    return {"compile_s": round(seconds, 2), "jacobian_us": round(min(times) / EVALUATIONS * 1e6, 1)}


def main() -> None:
    if "--one" in sys.argv:
        print(json.dumps(measure()))
        return
    for name, flags in {"as Pliant sets them": "", **{f"without {k}": f"--{k}={v}" for k, v in OFF.items()}}.items():
        environment = {**os.environ, "XLA_FLAGS": flags}
        done = subprocess.run([sys.executable, __file__, "--one"], env=environment, capture_output=True, text=True)
        print(f"{name}: {done.stdout.strip() or done.stderr.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
