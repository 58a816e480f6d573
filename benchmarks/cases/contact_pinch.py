"""A ball between two pads in native code: how still it is held, and how it falls: `python -m cases.contact_pinch`."""

from typing import Any

import numpy as np

import pliant
from harness.contact_problems import GRAVITY, HELD, PINCH, SLIPS
from harness.timing import first_and_steady, report


def pinch(begin: float = PINCH.begin) -> pliant.Robot:
    weight = {"ramp": {"from": [0, 0, 0], "to": [0, 0, -GRAVITY], "over": begin, "start": begin}}
    robot = (
        pliant.Robot("pinch")
        .with_gravity(weight)
        .rigid("ball", mass=PINCH.mass, shape={"sphere": {"radius": PINCH.radius}}, joint={"planar": "y"})
    )
    for name, side in (("left", -1.0), ("right", 1.0)):
        place = {"link": "world", "offset": {"move": [side * (PINCH.radius + 0.5 * PINCH.pad), 0.0, 0.0]}}
        size = [PINCH.pad, PINCH.pad_size, PINCH.pad_size]
        robot = (
            robot.rigid(name, mass=PINCH.pad_mass, shape={"box": size}, joint={"prismatic": "x"}, parent=place)
            .load(f"{name}_press", where=name, force=[-side, 0, 0])
            .contact(
                f"{name}_grip", between=["ball", name], stiffness=PINCH.stiffness, damping=5.0, friction=PINCH.friction
            )
        )
    return robot


def pressing(force: float) -> dict[str, Any]:
    return {f"{name}_press.force": [-side * force, 0.0, 0.0] for name, side in (("left", -1), ("right", 1))}


def main() -> None:
    model = pliant.compile(pinch())
    stepper = pliant.Stepper(model, "generalised-alpha", PINCH.step, backend="native")

    def run(share: float, until: float) -> pliant.results.Trajectory:
        return pliant.simulate(stepper, until, save_every=PINCH.save, inputs=pressing(share * PINCH.least))

    first, seconds, held = first_and_steady(lambda: run(HELD, PINCH.until))
    still = np.asarray(held.position("ball"))[np.asarray(held.time) >= PINCH.until - PINCH.watched, 2]
    slipped = run(SLIPS, PINCH.slips_until)
    exact = PINCH.fall(SLIPS)
    report(
        time=seconds,
        compile=first - seconds,
        drift=float(np.ptp(still)),
        slip_error=abs(-float(slipped.position("ball")[-1][2]) - exact) / exact,
        steps=int(held.steps),
    )


if __name__ == "__main__":
    main()
