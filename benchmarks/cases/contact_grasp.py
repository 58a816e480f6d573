"""The three-finger gripper of the library grasps for 9 s in native code: `python -m cases.contact_grasp`."""

import sys
from typing import Any

import numpy as np

import pliant
from harness.contact_problems import path_error
from harness.timing import first_and_steady, report

_ROBOT, _UNTIL, _SAVE = "three-finger-gripper", 9.0, 0.05
_OBJECT = "object"  # the link whose path is compared
_SIZE = 40e-3  # m: the ball's diameter
_STEPPER, _STEP = "generalised-alpha", 2e-3


def main() -> None:
    if _ROBOT not in pliant.library.names():
        sys.exit(f"the library has no robot {_ROBOT!r} yet")
    model = pliant.compile(pliant.library.load(_ROBOT))

    def run(step: float, **more: Any) -> pliant.results.Trajectory:
        stepper = pliant.Stepper(model, _STEPPER, step, backend="native")
        return pliant.simulate(stepper, _UNTIL, save_every=_SAVE, **more)

    first, seconds, motion = first_and_steady(lambda: run(_STEP))
    path, fine = (np.asarray(own.position(_OBJECT)) for own in (motion, run(0.25 * _STEP)))
    energy = run(_STEP, ledger=True).energy
    total = np.asarray(energy["total"])
    report(
        time=seconds,
        compile=first - seconds,
        error=path_error(path, fine, _SIZE),
        balance=float(np.abs(total - total[0]).max() / np.asarray(energy["dissipated"])[-1]),
        steps=int(motion.steps),
        freedoms=model.nv,
    )


if __name__ == "__main__":
    main()
