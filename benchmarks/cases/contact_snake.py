"""PyElastica's snake in native code: `python -m cases.contact_snake`, or with the order of bending, the step and the
end of the run: `python -m cases.contact_snake 5 0.008 4`."""

import dataclasses
import sys
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.interpolate import BSpline

import pliant
from harness.contact_problems import GRAVITY, SNAKE, path_error
from harness.timing import first_and_steady, report
from pliant.interactions import Push

_PARTS = 16  # of the wave of muscles, with a torque and a point of the floor each; a power of two: middles are exact
_DEPTH = 0.01  # radii that it sinks into the floor
_NEWTON = 1e-5  # of the forces


@dataclasses.dataclass(frozen=True)
class Turning(pliant.Force):
    """A moment against the rate of turn, along the snake: PyElastica's damping. rows: of the middles of its parts."""

    coefficient: float = SNAKE.damping * SNAKE.mass_per_length * SNAKE.length / _PARTS  # N m s each

    def _rates(self, at: Any) -> tuple[np.ndarray, Any]:
        rows = np.array([at.frame(f"part-{part}").row for part in range(_PARTS)])
        return rows, at.twists[rows, :3]

    def resists(self, numbers: Any, at: Any) -> Push | None:
        if not at.moves:
            return None
        rows, rates = self._rates(at)
        moment = -numbers["coefficient"] * rates
        return Push(rows, jnp.concatenate([moment, jnp.zeros_like(moment)], axis=-1))

    def loss(self, numbers: Any, at: Any) -> Any:
        return numbers["coefficient"] * jnp.sum(self._rates(at)[1] ** 2) if at.moves else None


def _torque(fractions: np.ndarray) -> np.ndarray:
    """The clamped cubic spline of PyElastica, its argument counted from the head."""
    inner = np.linspace(0.0, 1.0, len(SNAKE.torque) - 2)
    knots = np.concatenate([[0.0] * 3, inner, [1.0] * 3])
    return BSpline(knots, np.array(SNAKE.torque), 3)(1.0 - fractions)


_MIDDLES = (np.arange(_PARTS) + 0.5) / _PARTS
_TORQUES = _torque(_MIDDLES)


def muscles(t: Any, state: pliant.State) -> dict[str, Any]:
    """A wave of one length towards the base, which grows for a period."""
    phase = 2.0 * jnp.pi * (t / SNAKE.period - (1.0 - jnp.asarray(_MIDDLES)))
    moments = jnp.minimum(t / SNAKE.period, 1.0) * jnp.asarray(_TORQUES) * jnp.sin(phase)
    return {f"muscle-{part}": jnp.zeros(6).at[1].set(moments[part]) for part in range(_PARTS)}


def snake(order: int) -> pliant.Robot:
    weight = SNAKE.mass_per_length * GRAVITY
    depth = _DEPTH * SNAKE.radius
    forward, backward, sideways = SNAKE.friction
    robot = (
        pliant.Robot("snake")
        .with_gravity([0.0, -GRAVITY, 0.0])
        .material("muscle", young=SNAKE.young, poisson=0.5, density=SNAKE.density)
        .rod(
            "snake",
            length=SNAKE.length,
            section={"circle": {"radius": SNAKE.radius}},
            material="muscle",
            allow=["bend_y"],
            model={"gvs": {"order": order, "quadrature": 1}},
            joint="free",
        )
        .surface("floor", where={"link": "world", "offset": {"move": [0, depth - SNAKE.radius, 0]}}, plane="y")
        .surface("skin", along={"link": "snake"})
        .contact(
            "ground",
            between=["skin", "floor"],
            stiffness=weight / depth,
            damping=10.0,
            friction={"along": [forward, backward], "across": sideways, "law": "slip"},
        )
        .frame("head", link="snake", at=1)
    )
    for part, middle in enumerate(_MIDDLES):
        ends = {"from_": part / _PARTS, "to": (part + 1) / _PARTS}
        robot = robot.internal(f"muscle-{part}", link="snake", stress=[0.0] * 6, **ends)
        robot = robot.frame(f"part-{part}", link="snake", at=float(middle))
    return robot


def main(order: int, step: float, until: float) -> None:
    model = pliant.compile(snake(order), extra=[Turning("turning")])

    def run(step: float, **more: Any) -> pliant.results.Trajectory:
        settings = {"adapt": "newton", "newton_tolerance": _NEWTON, "backend": "native"}
        stepper = pliant.Stepper(model, "generalised-alpha", step, **settings)
        return pliant.simulate(stepper, until, save_every=SNAKE.save, inputs=muscles, **more)

    first, seconds, motion = first_and_steady(lambda: run(step))
    fine = run(0.25 * step)
    balance = run(step, ledger=True).energy
    total = np.asarray(balance["total"])
    middle = _middle(motion)
    report(
        time=seconds,
        compile=first - seconds,
        error=path_error(np.asarray(motion.position("head")), np.asarray(fine.position("head")), SNAKE.length),
        balance=float(np.abs(total - total[0]).max() / np.asarray(balance["dissipated"])[-1]),
        way=float(np.linalg.norm(middle[-1] - middle[0])),
        steps=int(motion.steps),
        freedoms=model.nv,
        middle=middle.tolist(),
    )


def _middle(motion: pliant.results.Trajectory) -> np.ndarray:
    """(n, 3) the centre of mass, from the middles of equal parts."""
    return np.mean([np.asarray(motion.position(f"part-{part}")) for part in range(_PARTS)], axis=0)


if __name__ == "__main__":
    _order, _step, _until = [*sys.argv[1:], *("5", "0.008", str(SNAKE.until))[len(sys.argv) - 1 :]]
    main(int(_order), float(_step), float(_until))
