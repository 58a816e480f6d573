"""Static results: one equilibrium, and the equilibria along a load path."""

from typing import Any, ClassVar

import equinox as eqx
import numpy as np
from jax import Array

from pliant.results import _variables as variables
from pliant.results._message import message
from pliant.results._result import Result
from pliant.results._scene import Names, Scene, Shape
from pliant.results._variables import Variable

_EIGENVALUE = "smallest eigenvalue of the tangent stiffness (negative: unstable)"


class Equilibrium(Result):
    """A configuration in which all forces balance.

    - ``q``: (nq,) generalised coordinates.
    - ``residual``: () remaining force, relative to the loads.
    - ``iterations``, ``load_steps``: () Newton iterations in all, load steps taken.
    - ``smallest_eigenvalue``: () of the tangent stiffness; negative when the equilibrium is unstable.
    - ``energy``: name -> () [J].
    """

    q: Array
    shape: Shape
    residual: Array
    iterations: Array
    load_steps: Array
    smallest_eigenvalue: Array
    energy: dict[str, Array]
    code: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)

    variables: ClassVar[tuple[Variable, ...]] = (
        variables.coordinates(),
        *variables.shape_variables(()),
        Variable("residual", (), "1", "residual force relative to the loads"),
        Variable("iterations", (), "1", "Newton iterations"),
        Variable("load_steps", (), "1", "load steps"),
        Variable("smallest_eigenvalue", (), "SI", _EIGENVALUE),
        variables.energy(),
        variables.code(),
        *variables.SCENE,
    )

    def _summary(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": message(self.code),
            "residual": self.residual,
            "iterations": self.iterations,
            "load_steps": self.load_steps,
            "smallest_eigenvalue": self.smallest_eigenvalue,
            "energy_J": dict(self.energy),
        }


class LoadPath(Result):
    """Equilibria at P factors of the load.

    - ``factors``: (P,) factor on the loads.
    - ``q``: (P, nq); ``shape``: P leading; ``residual``, ``iterations``, ``smallest_eigenvalue``, ``code``: (P,).
    """

    factors: Array
    q: Array
    shape: Shape
    residual: Array
    iterations: Array
    smallest_eigenvalue: Array
    code: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)

    lead: ClassVar[tuple[str, ...]] = ("point",)
    variables: ClassVar[tuple[Variable, ...]] = (
        Variable("factors", ("point",), "1", "factor on the loads"),
        variables.coordinates("point"),
        *variables.shape_variables(("point",)),
        Variable("residual", ("point",), "1", "residual force relative to the loads"),
        Variable("iterations", ("point",), "1", "Newton iterations"),
        Variable("smallest_eigenvalue", ("point",), "SI", _EIGENVALUE),
        variables.code("point"),
        *variables.SCENE,
    )

    def _summary(self) -> dict[str, Any]:
        codes = np.asarray(self.code)
        failed = np.flatnonzero(codes)
        worst = codes[failed[0]] if failed.size else 0
        return {
            "code": worst,
            "message": message(worst),
            "points": len(codes),
            "failed_points": int(failed.size),
            "last_factor": self.factors[-1] if len(codes) else None,
            "largest_residual": np.max(np.asarray(self.residual), initial=0.0),
            "smallest_eigenvalue": np.min(np.asarray(self.smallest_eigenvalue), initial=np.inf),
            "iterations": int(np.sum(np.asarray(self.iterations))),
        }
