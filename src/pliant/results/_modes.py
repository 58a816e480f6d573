"""Vibration modes about an equilibrium."""

from typing import Any, ClassVar

import equinox as eqx
import numpy as np
from jax import Array

from pliant.results import _variables as variables
from pliant.results._message import message
from pliant.results._result import Result
from pliant.results._scene import Names, Scene, Shape
from pliant.results._variables import Variable


class Modes(Result):
    """The n lowest undamped vibration modes.

    - ``frequency``: (n,) [rad/s].
    - ``vectors``: (nv, n), mass-normalised.
    - ``node_displacement``: (n, K, 3), ``body_displacement``: (n, B, 3): world displacement per unit modal amplitude.
    - ``q``: (nq,) and ``shape``: the equilibrium the robot vibrates about.
    """

    frequency: Array
    vectors: Array
    node_displacement: Array
    body_displacement: Array
    q: Array
    shape: Shape
    code: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)

    variables: ClassVar[tuple[Variable, ...]] = (
        Variable("frequency", ("mode",), "rad/s", "circular frequency of the mode"),
        Variable("vectors", ("velocity", "mode"), "SI", "mass-normalised mode shape in the velocities"),
        Variable("node_displacement", ("mode", "node", "axis"), "m", "displacement of the node per unit amplitude"),
        Variable("body_displacement", ("mode", "body", "axis"), "m", "displacement of the body per unit amplitude"),
        variables.coordinates(),
        *variables.shape_variables(()),
        variables.code(),
        *variables.SCENE,
    )

    def _summary(self) -> dict[str, Any]:
        frequency = np.asarray(self.frequency)
        return {
            "code": self.code,
            "message": message(self.code),
            "frequency_rad_per_s": frequency,
            "frequency_Hz": frequency / (2 * np.pi),
        }
