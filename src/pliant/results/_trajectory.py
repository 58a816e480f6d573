"""A motion in time."""

from typing import Any, ClassVar

import equinox as eqx
import numpy as np
from jax import Array

from pliant.results import _variables as variables
from pliant.results._forces import Forces
from pliant.results._message import message
from pliant.results._result import Result
from pliant.results._scene import Names, Scene, Shape
from pliant.results._variables import Variable


class Trajectory(Result):
    """The robot at N times.

    - ``time``: (N,) [s].
    - ``q``: (N, nq), ``v``: (N, nv); ``shape``: N leading.
    - ``energy``: name -> (N,) [J]; kinetic, gravity, elastic, dissipated, work,
      numerical (what the steps have lost), total; may be empty.
    - ``forces``: efforts and travels of the actuators, reactions of the loops; N leading.
    - ``steps``: () steps taken by the stepper.
    - ``clamped``: port -> () samples at which a function of the user's, or a traced input, asked for more than the port
      may have: the limit was taken instead; ports without limits are left out.
    - ``estimated_error``: `position`, over the size of the motion, and `energy`, over the largest energy exchanged, as
      steps that were taken twice tell; empty where none were.
    - ``memory``: what interactions remember (N leading), by their names; () for nothing. It is not written to files.
    """

    time: Array
    q: Array
    v: Array
    shape: Shape
    energy: dict[str, Array]
    forces: Forces
    code: Array
    steps: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)
    memory: Any = eqx.field(default=(), kw_only=True)
    clamped: dict[str, Array] = eqx.field(default_factory=dict, kw_only=True)
    estimated_error: dict[str, Array] = eqx.field(default_factory=dict, kw_only=True)

    lead: ClassVar[tuple[str, ...]] = ("time",)
    variables: ClassVar[tuple[Variable, ...]] = (
        Variable("time", ("time",), "s", "time"),
        variables.coordinates("time"),
        Variable("v", ("time", "velocity"), "SI", "generalised velocities"),
        *variables.shape_variables(("time",)),
        variables.energy("time"),
        *variables.force_variables(("time",)),
        variables.code(),
        Variable("steps", (), "1", "steps taken"),
        Variable("clamped", (), "1", "samples at which the input was kept within its limits", many=True),
        Variable("estimated_error", (), "1", "estimated error of the steps", many=True),
        *variables.SCENE,
    )

    def slips(self, contact: str) -> list[tuple[float, float]]:
        """When a contact with friction slipped: from the first sample [s] at which it touches and slips at one point or
        more, to the first after it at which it holds or touches no more, or the last of all. Samples are `save_every`
        apart.

            >>> motion = pliant.simulate(gripper, until="3.5 s", save_every="10 ms")
            >>> motion.slips("left-grip")
            [(0.43, 0.47)]
        """
        report = self.forces.report
        known = [name.removesuffix(".sticking") for name in report if name.endswith(".sticking")]
        if contact not in known:
            raise ValueError(f"no contact with friction is named {contact!r}; known: {', '.join(known) or 'none'}")
        time = np.asarray(self.time)
        slipping = (np.asarray(report[f"{contact}.gap"]) < 0.0) & (np.asarray(report[f"{contact}.sticking"]) == 0.0)
        turns = np.flatnonzero(np.diff(slipping, prepend=False, append=False))
        return [(float(time[begin]), float(time[min(end, time.size - 1)])) for begin, end in turns.reshape(-1, 2)]

    def _summary(self) -> dict[str, Any]:
        time = np.asarray(self.time)
        return {
            "code": self.code,
            "message": message(self.code),
            "samples": time.size,
            "start_s": time[0] if time.size else None,
            "end_s": time[-1] if time.size else None,
            "steps": self.steps,
            **({"clamped_samples": self.clamped} if self.clamped else {}),
            "estimated_error": dict(self.estimated_error),
            "final_energy_J": {name: series[-1] for name, series in self.energy.items()} if time.size else {},
        }
