"""Cantilevers released straight and at rest, by Newmark's method: `python -m cases.release arm`, or another; in native
code, `python -m cases.release arm-long native`."""

import sys
from typing import Any, NamedTuple

import jax
import numpy as np

import pliant
from cases.robots import PLANAR, cantilever
from harness import problems
from harness.timing import first_and_steady, report

_ARM = {"pcs": {"pieces": problems.PIECES, "quadrature": problems.POINTS_PER_PIECE}}
_SOFT = {"gvs": {"order": 8, "quadrature": 14}}
# Two pieces of order 4 have the error of one of order 8 and half the native code; with order 5 in bending and shorter
# steps, half the error again.
_SOFT_PIECES = {"gvs": {"order": 4, "quadrature": 7, "pieces": 2}}
_SOFT_FINE = {"gvs": {"order": {"bend_y": 5, "shear_x": 4, "stretch": 4}, "quadrature": 9, "pieces": 2}}
_STIFF = {"gvs": {"order": 3}}
_STIFF_FEW = {"gvs": {"order": 3, "quadrature": 5}}  # the same error with half the points
_BEND = ["bend_y"]


class _Problem(NamedTuple):
    rod: problems.Release
    model: dict[str, Any]
    allow: list[str] | None
    # s, by name, "" for the one that needs none; two: the shortest and the longest, from Newton's convergence
    steps: dict[str, float | tuple[float, float]]
    newton: float = 1e-4  # of the forces; in 2 s tighter ones change the errors by 1 % at most
    exact: dict[str, Any] | None = None  # settings of the reference, where it is the model's motion and not the rod's


# Peers take the same three pieces.
_TIGHT = {"kind": "dopri8", "rtol": 1e-9, "atol": 1e-11}
# Over 10 s it is within 1.1e-8 lengths of that, and five times quicker.
_TIGHT_LONG = {"kind": "rk4", "step": 1e-2 / 30.0}
_PROBLEMS = {
    "arm": _Problem(problems.RELEASED, _ARM, None, {"": 5e-3}, exact=_TIGHT),
    # With the tolerance of `arm` errors grow to 0.1 lengths in this time.
    "arm-long": _Problem(
        problems.RELEASED_LONG, _ARM, None, {"": 5e-3, "fine": 1e-2 / 3.0}, newton=1e-6, exact=_TIGHT_LONG
    ),
    "soft": _Problem(problems.RELEASED, _SOFT, PLANAR, {"": 2e-3}),
    "soft-coarse": _Problem(problems.RELEASED, _SOFT, PLANAR, {"": 5e-3}),
    "soft-pieces": _Problem(problems.RELEASED, _SOFT_PIECES, PLANAR, {"": 2e-3, "coarse": 5e-3}),
    "soft-fine": _Problem(problems.RELEASED, _SOFT_FINE, PLANAR, {"": 1.25e-3}),
    "stiff": _Problem(problems.STIFF, _STIFF, _BEND, {"": 5e-4}),
    "stiff-coarse": _Problem(problems.STIFF, _STIFF, _BEND, {"": (1e-5, 2e-3)}),
    "stiff-steps": _Problem(problems.STIFF, _STIFF_FEW, _BEND, {"": 5e-4, "coarse": 1e-3}),
}


def main(name: str, backend: str = "jax") -> None:
    problem = _PROBLEMS[name]
    rod = problem.rod
    model = pliant.compile(cantilever(problem.model, rod=rod, allow=problem.allow, viscosity=rod.viscosity))

    def run(kind: str, **settings: Any) -> pliant.results.Trajectory:
        stepper = pliant.Stepper(model, kind, **settings)
        return jax.block_until_ready(pliant.simulate(stepper, rod.until, save_every=rod.save))

    figures: dict[str, Any] = {"freedoms": model.nv}
    paths = {}
    for word, step in problem.steps.items():
        settings = {"step": step, "adapt": "newton", "newton_tolerance": problem.newton, "backend": backend}
        first, seconds, motion = first_and_steady(lambda settings=settings: run("newmark", **settings))
        paths[word] = np.asarray(motion.position("tip"))
        found = {"time": seconds, "realtime": rod.until / seconds, "steps": int(motion.steps)}
        # What was compiled for the first of the steps serves the others.
        figures |= _named(word, found) | {"compile": figures.get("compile", first - seconds)}
    exact = None
    if problem.exact is not None:
        exact = np.asarray(run(**problem.exact).position("tip"))
        figures |= {"tip": exact.tolist(), "length": problems.LENGTH}
    for word, path in paths.items():
        figures |= _named(word, rod.errors(path) if exact is None else _errors(path, exact))
    report(**figures)


def _named(word: str, figures: dict[str, Any]) -> dict[str, Any]:
    return {f"{word}-{key}" if word else key: value for key, value in figures.items()}


def _errors(path: np.ndarray, exact: np.ndarray) -> dict[str, float]:
    half = len(exact) // 2 + 1
    return {
        "error": problems.rms_distance(path, exact) / problems.LENGTH,
        "first_error": problems.rms_distance(path[:half], exact[:half]) / problems.LENGTH,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
