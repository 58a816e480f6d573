"""Vibration modes about an equilibrium."""

from typing import Any, ClassVar

import equinox as eqx
import numpy as np
from jax import Array

from pliant.results import _variables as variables
from pliant.results._message import message
from pliant.results._result import Result
from pliant.results._scene import Names, Scene, Shape
from pliant.results._stability import STABILITY_MEANING, stability_summary
from pliant.results._variables import Variable


class Modes(Result):
    """The n lowest vibration modes of the undamped robot, and the eigenvalues of the damped one.

    - ``frequency``: (n,) [rad/s]; ``vectors``: (nv, n), mass-normalised: in them the modal mass is 1 and the modal
      stiffness ``frequency**2``.
    - ``modal_mass``: (n,) [kg] and ``modal_stiffness``: (n,) [N/m]: of the same mode scaled so that the node or body
      that moves most moves by 1 m; infinite mass where nothing is displaced, only turned.
    - ``damping_ratio``: (n,) x^T D x / (2 omega x^T M x): what each mode loses on its own, 1 being critical. It is
      exact where damping does not couple modes, and right to first order otherwise; NaN at frequency zero.
    - ``eigenvalues``: (m,) complex [1/s], exp(l t), nearest to zero first: -zeta omega +- i omega_d, side by side, of a
      mode that swings, two real numbers of one that creeps back. 2 n of them, or one more to complete a pair.
      ``damped_vectors``: (nv, m) complex, x^H M x = 1.
    - ``stability``: () a `Stability`: whether all motions, not only these, die out or go on as they are. Where a robot
      flutters under its follower loads, two modes have met and share a frequency: their vectors are the real and the
      imaginary part of one complex shape, and one of their damping ratios is negative, that of the motion that grows.
    - ``node_displacement``, ``node_rotation``: (n, K, 3), ``body_displacement``, ``body_rotation``: (n, B, 3): world
      displacement and rotation vector per unit modal amplitude; ``line_displacement``: (n, L, 2, 3), likewise of the
      ends of mesh edges and springs.
    - ``q``: (nq,) and ``shape``: the equilibrium the robot vibrates about.
    """

    frequency: Array
    damping_ratio: Array
    modal_mass: Array
    modal_stiffness: Array
    eigenvalues: Array
    vectors: Array
    damped_vectors: Array
    stability: Array
    node_displacement: Array
    node_rotation: Array
    body_displacement: Array
    body_rotation: Array
    line_displacement: Array
    q: Array
    shape: Shape
    code: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)

    variables: ClassVar[tuple[Variable, ...]] = (
        Variable("frequency", ("mode",), "rad/s", "circular frequency of the mode"),
        Variable("damping_ratio", ("mode",), "1", "share of critical damping of the mode alone"),
        Variable("modal_mass", ("mode",), "kg", "modal mass for a largest displacement of 1 m"),
        Variable("modal_stiffness", ("mode",), "N/m", "modal stiffness for a largest displacement of 1 m"),
        Variable("eigenvalues", ("eigenvalue",), "1/s", "eigenvalue of the damped robot"),
        Variable("vectors", ("velocity", "mode"), "SI", "mass-normalised mode shape in the velocities"),
        Variable("damped_vectors", ("velocity", "eigenvalue"), "SI", "shape of the damped mode in the velocities"),
        Variable("stability", (), "1", STABILITY_MEANING),
        Variable("node_displacement", ("mode", "node", "axis"), "m", "displacement of the node per unit amplitude"),
        Variable("node_rotation", ("mode", "node", "axis"), "rad", "rotation of the node per unit amplitude"),
        Variable("body_displacement", ("mode", "body", "axis"), "m", "displacement of the body per unit amplitude"),
        Variable("body_rotation", ("mode", "body", "axis"), "rad", "rotation of the body per unit amplitude"),
        Variable(
            "line_displacement", ("mode", "line", "end", "axis"), "m", "displacement of the end per unit amplitude"
        ),
        variables.coordinates(),
        *variables.shape_variables(()),
        variables.code(),
        *variables.SCENE,
    )

    def _summary(self) -> dict[str, Any]:
        frequency, eigenvalues = np.asarray(self.frequency), np.asarray(self.eigenvalues)
        return {
            "code": self.code,
            "message": message(self.code),
            **stability_summary(self.stability),
            "frequency_rad_per_s": frequency,
            "frequency_Hz": frequency / (2 * np.pi),
            "damping_ratio": self.damping_ratio,
            "modal_mass_kg": self.modal_mass,
            "modal_stiffness_N_per_m": self.modal_stiffness,
            "eigenvalues_per_s": np.stack([eigenvalues.real, eigenvalues.imag], axis=-1),
        }
