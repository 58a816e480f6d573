"""The hybrid arm of the library: 11 links, tree and loops, at rest from the straight pose and at its six stages."""

import jax
import numpy as np

import pliant
from harness.timing import first_and_steady, report, steady
from pliant.dynamics import constraint_residual


def main() -> None:
    robot = pliant.library.load("hybrid-arm")
    model = pliant.compile(robot)
    first, seconds, rest = first_and_steady(lambda: jax.block_until_ready(pliant.equilibrium(model)))
    times = model.structure.analyses[0].times
    stages = pliant.quasi_static(model, times)
    gaps = np.linalg.norm(np.asarray(stages.position("finger-1") - stages.position("finger-2")), axis=1)
    open_loop = [np.abs(constraint_residual(model, q, t)).max() for q, t in zip(stages.q, times, strict=True)]
    report(
        time=seconds,
        compile=first - seconds,
        stages=steady(lambda: jax.block_until_ready(pliant.quasi_static(model, times))),
        iterations=int(rest.iterations),
        residual=float(stages.residual.max()),
        open_loop=float(max(open_loop)),
        links=len(robot.description.links),
        freedoms=model.nv,
        inputs=sum(int(np.prod(model.input_shapes[name])) for name in model.actuator_names),
        grip=float(gaps[-1] / gaps[-2]),
        **{f"gap-{stage}": float(gap) for stage, gap in enumerate(gaps, start=1)},
    )


if __name__ == "__main__":
    main()
