"""Seven seconds of the flying spaghetti: order 3 for about a thousandth of the length, order 5 for less."""

import sys

import jax
import numpy as np

import pliant
from cases.robots import spaghetti
from harness import problems
from harness.timing import first_and_steady, report

_POINTS = {3: 6, 5: 10}
_RTOL, _ATOL = 1e-4, 1e-6  # the rod's discretisation, not the stepper, sets the error (rtol 1e-6 changes it by < 2e-8)


def main(order: int) -> None:
    model = pliant.compile(spaghetti({"gvs": {"order": order, "quadrature": _POINTS[order]}}))

    def run() -> pliant.Trajectory:
        motion = pliant.simulate(
            model, problems.SPAGHETTI_UNTIL, stepper="tsit5", save_every=problems.SPAGHETTI_SAVE, rtol=_RTOL, atol=_ATOL
        )
        return jax.block_until_ready(motion)

    first, seconds, motion = first_and_steady(run)
    end = jax.vmap(lambda q: pliant.forward_kinematics(model, q)["end"][:3, 3])(motion.q)
    report(
        time=seconds,
        compile=first - seconds,
        error=problems.spaghetti_error(np.asarray(end)),
        freedoms=model.nv,
        steps=int(motion.steps),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
