"""Cantilevers released straight and at rest, by Newmark's method: `python -m cases.release arm`, or another."""

import sys
from typing import Any, NamedTuple

import jax
import numpy as np

import pliant
from cases.robots import PLANAR, cantilever
from harness import problems
from harness.timing import first_and_steady, report

_SOFT = {"gvs": {"order": 8, "quadrature": 14}}
_ARM = {"pcs": {"pieces": problems.PIECES, "quadrature": problems.POINTS_PER_PIECE}}


class _Problem(NamedTuple):
    rod: problems.Release
    model: dict[str, Any]
    allow: list[str] | None
    step: float | tuple[float, float]  # s; two: the shortest and the longest, from Newton's convergence


_PROBLEMS = {
    "arm": _Problem(problems.RELEASED, _ARM, None, 5e-3),
    "soft": _Problem(problems.RELEASED, _SOFT, PLANAR, 2e-3),
    "soft-coarse": _Problem(problems.RELEASED, _SOFT, PLANAR, 5e-3),
    "stiff": _Problem(problems.STIFF, {"gvs": {"order": 3}}, ["bend_y"], 5e-4),
    "stiff-coarse": _Problem(problems.STIFF, {"gvs": {"order": 3}}, ["bend_y"], (1e-5, 2e-3)),
}
_NEWTON = 1e-4  # of the forces; tighter ones change the errors by 1 % at most
_TIGHT = {"stepper": "dopri8", "rtol": 1e-9, "atol": 1e-11}


def main(name: str) -> None:
    rod, discretised, allow, step = _PROBLEMS[name]
    model = pliant.compile(cantilever(discretised, rod=rod, allow=allow, viscosity=rod.viscosity))

    def run(**settings: Any) -> pliant.Trajectory:
        return jax.block_until_ready(pliant.simulate(model, rod.until, save_every=rod.save, **settings))

    first, seconds, motion = first_and_steady(
        lambda: run(stepper="newmark", step=step, adapt="newton", newton_tolerance=_NEWTON)
    )
    path = np.asarray(motion.position("tip"))
    figures: dict[str, Any] = {
        "time": seconds,
        "realtime": rod.until / seconds,
        "compile": first - seconds,
        "freedoms": model.nv,
        "steps": int(motion.steps),
    }
    if name == "arm":
        # Not the rod's own motion, but that of its three pieces: peers take the same.
        tight = np.asarray(run(**_TIGHT).position("tip"))
        half = len(tight) // 2 + 1
        figures["error"] = problems.rms_distance(path, tight) / problems.LENGTH
        figures["first_error"] = problems.rms_distance(path[:half], tight[:half]) / problems.LENGTH
        figures |= {"tip": tight.tolist(), "length": problems.LENGTH}
    else:
        figures |= rod.errors(path)
    report(**figures)


if __name__ == "__main__":
    main(sys.argv[1])
