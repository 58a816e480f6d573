"""Every sensible stepper on one robot of a material: `python -m cases.steppers silicone|nitinol|carbon|cloth`."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from cases.fabric import SIZE, cloth
from cases.robots import ALONG_X, arm
from harness import problems
from harness.timing import once, report
from harness.trials import TRIALS, Trial
from pliant.validation.motion._cmtm_prosthesis import LENGTH, OFFSET, PIECES, leaf

_REPEATS = 3


class _Motion(NamedTuple):
    """What moves, for how long [s], the point looked at, its length, and settings with which the motion is exact."""

    robot: pliant.Robot
    until: float
    point: str
    length: float
    exact: dict[str, Any]
    strain: np.ndarray | None = None


def _silicone() -> _Motion:
    return _Motion(arm(), 1.0, "tip", problems.LENGTH, {"stepper": "dopri8", "rtol": 1e-9, "atol": 1e-11})


def _nitinol() -> _Motion:
    """A wire of 1 mm, 0.3 m long, held level and let go."""
    length = 0.3
    robot = (
        pliant.Robot("wire")
        .with_gravity([0.0, -problems.GRAVITY, 0.0])
        .material("nitinol", young="60 GPa", poisson=0.33, density=6450.0, viscosity=2e6)
        .rod(
            "wire",
            parent={"link": "world", "offset": ALONG_X},
            length=length,
            section={"circle": {"radius": "0.5 mm"}},
            material="nitinol",
            model={"pcs": {"pieces": 3}},
        )
    )
    return _Motion(robot, 1.0, "wire", length, {"stepper": "newmark", "step": 2e-5})


def _carbon() -> _Motion:
    """The leaf of the case `cmtm-prosthesis`."""
    exact = {"stepper": "newmark", "step": 2e-6}
    return _Motion(leaf(), 0.05, "leaf", LENGTH, exact, np.tile(OFFSET, PIECES))


def _cloth() -> _Motion:
    return _Motion(cloth(10), 0.3, "corner", SIZE, {"stepper": "rk4", "step": 5e-5})


_MATERIALS: dict[str, Callable[[], _Motion]] = {
    "silicone": _silicone,
    "nitinol": _nitinol,
    "carbon": _carbon,
    "cloth": _cloth,
}


def main(material: str) -> None:
    motion = _MATERIALS[material]()
    model = pliant.compile(motion.robot)
    strain = None if motion.strain is None else pliant.State(jnp.asarray(motion.strain), jnp.zeros(model.nv))

    def path(**settings: Any) -> tuple[np.ndarray, pliant.results.Trajectory]:
        run = pliant.simulate(
            model, motion.until, state=strain, save_every=motion.until / 50.0, throw=False, **settings
        )
        return np.asarray(jax.block_until_ready(run.position(motion.point))), run

    exact, _ = path(**motion.exact)
    figures: dict[str, Any] = {"freedoms": model.nv}
    for trial in TRIALS[material]:
        figures |= {f"{trial.name} {key}": value for key, value in _figures(trial, path, exact, motion).items()}
    report(**figures)


def _figures(trial: Trial, path: Callable, exact: np.ndarray, motion: _Motion) -> dict[str, float]:
    found, run = path(**trial.settings)
    if len(found) < len(exact):
        return {"reached": float(run.time[-1]) / motion.until}
    seconds = min(once(lambda: path(**trial.settings))[0] for _ in range(_REPEATS))
    return {
        "time": seconds / motion.until,
        "error": problems.rms_distance(found, exact) / motion.length,
        "steps": int(run.steps) / motion.until,
        "reached": 1.0,
    }


if __name__ == "__main__":
    main(sys.argv[1])
