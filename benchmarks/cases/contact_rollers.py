"""Exudyn's cable on two rollers in native code: `python -m cases.contact_rollers`, with steps of fixed length taken by
hand, as Exudyn takes them; `python -m cases.contact_rollers simulate`: by `simulate`, which lands on every touch."""

import math
import sys
from typing import Any

import jax
import numpy as np

import pliant
from cases.robots import ALONG_X
from harness.contact_problems import ROLLERS, path_error
from harness.timing import first_and_steady, report
from pliant.dynamics import heat_of_step, power
from pliant.model import State, prepare

_ORDER, _POINTS = 6, 16
_KIND, _NEWTON = "generalised-alpha", 1e-6
_STEP = 5e-4  # s: that of Exudyn's test, and about the longest with which both codes keep their energy to 1 %
_LONG_STEP = 2.5e-3  # s: where `simulate` cuts those with a touch
# Exudyn's cable touches with its axis: here the skin is near it, and the rollers are smaller by as much.
_RADIUS = 1e-3


def rollers() -> pliant.Robot:
    area, inertia = math.pi * _RADIUS**2, 0.25 * math.pi * _RADIUS**4
    damper = ROLLERS.slip_damping / (2.0 * math.sqrt(ROLLERS.sticking * ROLLERS.mass_per_length))
    sliding = {"stiffness": [ROLLERS.spring] * 2 + [0.0], "damping": [ROLLERS.damper] * 2 + [0.0]}
    robot = (
        pliant.Robot("rollers")
        .with_gravity([0.0, 0.0, 0.0])
        .material(
            "steel",
            young=ROLLERS.bending / inertia,
            poisson=ROLLERS.poisson,
            density=ROLLERS.mass_per_length / area,
        )
        .rod(
            "cable",
            parent={"link": "world", "offset": ALONG_X},
            length=ROLLERS.length,
            section={"circle": {"radius": _RADIUS}},
            material="steel",
            allow=["bend_y"],
            model={"gvs": {"order": _ORDER, "quadrature": _POINTS}},
        )
        .load("weight", along={"link": "cable"}, force=[0.0, -ROLLERS.mass_per_length * ROLLERS.weight, 0.0])
        .rigid(
            "roller",
            parent={"link": "world", "offset": {"move": [*ROLLERS.turning[:2], 0.0]}},
            mass=ROLLERS.mass,
            inertia=[ROLLERS.inertia] * 3,
            joint={"planar": {"axis": "z", **sliding}},
        )
        .load("torque", where="roller", moment=[0.0, 0.0, ROLLERS.torque])
        .frame("tip", link="cable", at=1)
    )
    places = {
        "fixed": ({"link": "world", "offset": {"move": [*ROLLERS.fixed[:2], 0.0]}}, ROLLERS.fixed[2]),
        "turning": ({"link": "roller"}, ROLLERS.turning[2]),
    }
    for (name, (where, radius)), (begin, end) in zip(places.items(), ROLLERS.reach, strict=True):
        # In the plane a sphere is a roller, and its distance is the cheaper one.
        robot = (
            robot.surface(f"skin-{name}", along={"link": "cable", "from": begin, "to": end})
            .surface(name, where=where, sphere={"radius": radius - _RADIUS})
            .contact(
                f"on-{name}",
                between=[f"skin-{name}", name],
                stiffness=ROLLERS.stiffness,
                friction=ROLLERS.friction,
                slip_damping=damper,
            )
        )
    return robot


def _tip(model: Any, q: np.ndarray) -> np.ndarray:
    """(n, 3) places of the tip."""
    return np.asarray(jax.vmap(lambda q: pliant.forward_kinematics(model, q)["tip"][:3, 3])(q))


def _every_step(stepper: pliant.Stepper, step: float) -> list[Any]:
    found = [stepper.begin()]
    for _ in range(round(ROLLERS.until / step)):
        found.append(stepper.step(found[-1]))
    if any(int(now.code) != pliant.ResultCode.SUCCESS for now in found):
        sys.exit("a step failed")
    return found


def _balance(model: Any, steps: list[Any], h: float) -> float:
    """What the energy ledger leaves open over the energy lost, kept as `simulate` keeps it."""
    prepared = prepare(model.structure, model.parameters)

    @jax.jit
    def of_step(before: Any, after: Any) -> Any:
        ports: dict[str, Any] = {}
        begin = power(model, before.q, before.v, before.time, ports, prepared, before.memory)
        end = power(model, after.q, after.v, after.time, ports, prepared, before.memory)
        heat = heat_of_step(model, prepared, State(after.q, after.v, before.memory), after.time, ports)
        worked, lost = (0.5 * h * (a + b) for a, b in zip(begin, end, strict=True))
        stored = pliant.energy(model, after.q, after.v, after.time, memory=after.memory)["total"]
        return stored, worked, lost + heat

    bare = [now._replace(cache=(), code=(), inputs=()) for now in steps]
    pairs = zip(bare[:1] + bare[:-1], bare, strict=True)
    stored, worked, lost = np.array([of_step(before, after) for before, after in pairs]).T
    worked[0] = lost[0] = 0.0
    open_ = stored - stored[0] - np.cumsum(worked) + np.cumsum(lost)
    return float(np.abs(open_).max() / np.sum(lost))


def by_hand() -> None:
    model = pliant.compile(rollers())
    steppers: dict[float, pliant.Stepper] = {}

    def run(step: float = _STEP) -> list[Any]:
        stepper = steppers.setdefault(
            step, pliant.Stepper(model, _KIND, step, backend="native", newton_tolerance=_NEWTON)
        )
        return _every_step(stepper, step)

    def saved(steps: list[Any], step: float) -> np.ndarray:
        return _tip(model, np.array([now.q for now in steps[:: round(ROLLERS.save / step)]]))

    first, seconds, steps = first_and_steady(run)
    tip, fine = saved(steps, _STEP), saved(run(0.25 * _STEP), 0.25 * _STEP)
    report(
        time=seconds,
        compile=first - seconds,
        error=path_error(tip, fine, ROLLERS.length),
        balance=_balance(model, steps, _STEP),
        roller_x=float(steps[-1].q[-3]),
        roller_y=float(steps[-1].q[-2]),
        turned=float(steps[-1].q[-1]),
        steps=len(steps) - 1,
        freedoms=model.nv,
        tip=tip[:, :2].tolist(),
    )


def by_simulate() -> None:
    model = pliant.compile(rollers())

    def run(step: float = _LONG_STEP, **more: Any) -> pliant.results.Trajectory:
        stepper = pliant.Stepper(model, _KIND, step, backend="native", newton_tolerance=_NEWTON)
        return pliant.simulate(stepper, ROLLERS.until, save_every=ROLLERS.save, accuracy=None, **more)

    first, seconds, motion = first_and_steady(run)
    tip, fine = (np.asarray(own.position("tip")) for own in (motion, run(0.25 * _LONG_STEP)))
    energy = run(ledger=True).energy
    total = np.asarray(energy["total"])
    report(
        time=seconds,
        compile=first - seconds,
        error=path_error(tip, fine, ROLLERS.length),
        balance=float(np.abs(total - total[0]).max() / np.asarray(energy["dissipated"])[-1]),
        steps=int(motion.steps),
        freedoms=model.nv,
    )


if __name__ == "__main__":
    {"hand": by_hand, "simulate": by_simulate}[sys.argv[1] if sys.argv[1:] else "hand"]()
