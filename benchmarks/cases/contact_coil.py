"""A rod that rolls up until it touches itself, in so many segments: `python -m cases.contact_coil 100`. The same rod
without contact beside it, in turns."""

import sys
from typing import Any

import numpy as np

import pliant
from harness.timing import once, report

_LENGTH, _RADIUS = 0.5, 5e-3
_TURNS = 1.4  # of the rod if nothing were in its way
_YOUNG = 1e5
_UNTIL, _STEP, _SAVE = 1.0, 2e-3, 0.05
_ROUNDS = 5


def _coil(segments: int, touches: bool) -> pliant.Robot:
    moment = _YOUNG * np.pi * _RADIUS**4 / 4.0 * 2.0 * np.pi * _TURNS / _LENGTH
    stress = {"ease": {"to": [0, moment, 0, 0, 0, 0], "from": [0] * 6, "over": 0.7 * _UNTIL}}
    robot = (
        pliant.Robot("coil")
        .material("rubber", young=_YOUNG, poisson=0.5, density=1000.0, viscosity=300.0)
        .rod(
            "rod",
            length=_LENGTH,
            section={"circle": {"radius": _RADIUS}},
            material="rubber",
            allow=["bend_x", "bend_y", "twist"],
            model={"gvs": {"order": 3, "quadrature": segments}},
        )
        .internal("muscle", link="rod", stress=stress)
    )
    if touches:
        robot = robot.surface("skin", along={"link": "rod"}, spacing=_LENGTH / segments)
        robot = robot.contact("coils", within="skin", stiffness="20 kPa", damping=1.0, friction=0.3)
    return robot


def main(segments: int) -> None:
    models = {word: pliant.compile(_coil(segments, word == "step")) for word in ("step", "without")}
    steppers = {word: pliant.Stepper(model, "newmark", _STEP, backend="native") for word, model in models.items()}

    def run(word: str) -> tuple[float, Any]:
        return once(lambda: pliant.simulate(steppers[word], _UNTIL, save_every=_SAVE, accuracy=None))

    first = {word: run(word) for word in models}
    rounds = [{word: run(word)[0] for word in models} for _ in range(_ROUNDS)]
    steps = {word: min(own[word] for own in rounds) / int(first[word][1].steps) for word in models}
    report(
        **steps,
        pairs=segments * segments,
        build=first["step"][0],
        gap=float(np.asarray(first["step"][1].forces.report["coils.gap"]).min()),
        freedoms=models["step"].nv,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
