"""What contact adds to a native step: an arm of four pieces with 20 points and a tip, three surfaces that each of them
may touch: `python -m cases.contact_samples`. Runs take turns, so that whatever else the machine does falls on all."""

from typing import Any

import numpy as np

import pliant
from cases.robots import arm
from harness.timing import once, report

_PIECES, _UNTIL, _STEP, _SAVE = 4, 2.0, 2.5e-3, 0.02
_TURNS = 5
_FAR = 10.0  # m: surfaces that are never touched


def _arm(distance: float) -> pliant.Robot:
    """The arm falls on a floor and, as far as that lets it, on a post and a ball; or all of these are farther away."""
    places = {
        "floor": ([0.0, -0.25 - distance, 0.0], {"plane": "y"}),
        "post": ([0.3, -0.2 - distance, 0.0], {"cylinder": {"radius": 0.05, "length": 0.4}}),
        "ball": ([0.15, -0.15 - distance, 0.0], {"sphere": {"radius": 0.05}}),
    }
    robot = arm(_PIECES).surface("skin", along={"link": "arm"})
    for name, (place, shape) in places.items():
        robot = robot.surface(name, where={"link": "world", "offset": {"move": place}}, **shape)
        robot = robot.contact(f"on-{name}", between=["skin", name], stiffness="50 kPa", damping=2.0, friction=0.5)
    return robot


def main() -> None:
    models = {
        "without": pliant.compile(arm(_PIECES)),
        "apart": pliant.compile(_arm(_FAR)),
        "touching": pliant.compile(_arm(0.0)),
    }
    steppers = {name: pliant.Stepper(model, "newmark", _STEP, backend="native") for name, model in models.items()}

    def run(name: str) -> tuple[float, Any]:
        return once(lambda: pliant.simulate(steppers[name], _UNTIL, save_every=_SAVE, accuracy=None))

    first = {name: run(name) for name in models}
    touched = np.asarray(first["touching"][1].forces.report["on-floor.gap"]).min() < 0.0
    if not touched or np.asarray(first["apart"][1].forces.report["on-floor.gap"]).min() < 0.0:
        raise SystemExit("the arm touches where it should not, or does not touch")
    turns = [{name: run(name)[0] for name in models} for _ in range(_TURNS)]
    steps = {name: min(turn[name] for turn in turns) / int(first[name][1].steps) for name in models}
    report(
        **steps,
        added_apart=steps["apart"] / steps["without"] - 1.0,
        added_touching=steps["touching"] / steps["without"] - 1.0,
        pairs=sum(len(kind.owner) for kind in models["apart"].structure.interactions if hasattr(kind, "owner")),
        build=first["apart"][0],
        build_without=first["without"][0],
    )


if __name__ == "__main__":
    main()
