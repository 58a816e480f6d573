"""Seven seconds of the flying spaghetti: order 3 for about a thousandth of the length, order 5 for less; in native
code, `python -m cases.flying_spaghetti 3 native`."""

import sys

import jax
import numpy as np

import pliant
from cases.robots import spaghetti
from harness import problems
from harness.timing import first_and_steady, report

_POINTS = {3: 6, 5: 10}
# Order 2 in shear and stretch leaves the error of order 3 as it is, and takes longer steps.
_LOWER = {"bend_x": 3, "bend_y": 3, "twist": 3, "shear_x": 2, "shear_y": 2, "stretch": 2}
# The rod's discretisation, not the stepper, sets the error: rtol 1e-6 changes it by less than 2e-8.
_STEPPERS = {"jax": {"stepper": "tsit5", "rtol": 1e-4, "atol": 1e-6}, "native": {"stepper": "rk4", "step": 1 / 60}}


def main(order: int, backend: str = "jax") -> None:
    orders = _LOWER if backend == "native" else order
    model = pliant.compile(spaghetti({"gvs": {"order": orders, "quadrature": _POINTS[order]}}))

    def run() -> pliant.results.Trajectory:
        until, save = problems.SPAGHETTI_UNTIL, problems.SPAGHETTI_SAVE
        settings = {"save_every": save, "backend": backend, **_STEPPERS[backend]}
        return jax.block_until_ready(pliant.simulate(model, until, **settings))

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
    main(int(sys.argv[1]), *sys.argv[2:])
