"""A square cloth of beams held along one edge, falling: n x n nodes that move, and n that are held."""

import sys

import jax

import pliant
from harness.timing import once, report

SIZE = 0.3  # m
MASS = 0.036  # kg
STIFFNESS = [5e-4, 5e-4, 5e-4, 5.0, 5.0, 20.0]  # N m/rad of bends and twist, N/m of shears and stretch, of an edge
DAMPING = [2e-7, 2e-7, 2e-7, 2e-3, 2e-3, 2e-3]
STEPS = {10: 1e-3, 30: 4e-4, 50: 5e-5}  # s: a finer net has lighter nodes, and rk4 is stable with a shorter step only
_STEPS_TIMED = 200


def cloth(side: int) -> pliant.Robot:
    return (
        pliant.Robot("cloth")
        .with_gravity([0.0, 0.0, -9.81])
        .mesh(
            "cloth",
            where="world",
            grid={"size": [SIZE, SIZE], "nodes": [side, side + 1]},
            beam={"stiffness": STIFFNESS, "damping": DAMPING},
            mass={"total": MASS},
            fixed=[f"1-{side}"],
        )
        .frame("corner", link="cloth", node=side * (side + 1))
    )


def main(side: int, seconds: float) -> None:
    build, model = once(lambda: pliant.compile(cloth(side)))

    def simulate(until: float) -> pliant.results.Trajectory:
        run = pliant.simulate(model, until, stepper="rk4", step=STEPS[side], save_every=until / 20.0)
        return jax.block_until_ready(run)

    short = _STEPS_TIMED * STEPS[side]
    first, _ = once(lambda: simulate(short))
    timed = min(once(lambda: simulate(short))[0] for _ in range(2))
    figures = {"build": build, "compile": first - timed, "step": timed / _STEPS_TIMED, "freedoms": model.nv}
    if seconds:
        figures["motion"], run = once(lambda: simulate(seconds))
        figures["fall"] = -float(run.position("corner")[-1, 2])
    report(**figures)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
