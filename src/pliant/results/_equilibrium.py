"""Static results: one equilibrium, and the equilibria along a load path."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import numpy as np
from jax import Array

from pliant.results import _variables as variables
from pliant.results._forces import Forces
from pliant.results._message import message
from pliant.results._result import Result
from pliant.results._scene import Names, Scene, Shape
from pliant.results._stability import KIND_MEANING, STABILITY_MEANING, PointKind, Stability, stability_summary
from pliant.results._variables import Variable

_EIGENVALUE = "smallest eigenvalue of the tangent stiffness (negative: unstable)"


class Equilibrium(Result):
    """A configuration in which all forces balance.

    - ``q``: (nq,) generalised coordinates.
    - ``residual``: () remaining force, relative to the loads.
    - ``iterations``, ``load_steps``: () Newton iterations in all, load steps taken.
    - ``smallest_eigenvalue``: () of the tangent stiffness; negative when the equilibrium is unstable.
    - ``stability``: () a `Stability`: whether small motions grow, inertia and damping counted where follower loads make
      the tangent stiffness unsymmetric.
    - ``energy``: name -> () [J].
    - ``forces``: efforts and travels of the actuators, reactions of the loops.
    - ``internal``: (K, 6) wrench [moment; force] in the material at the rods' nodes, in the section's own frame.
    - ``memory``: what interactions remember, by their names; () for nothing. It is not written to files.
    """

    q: Array
    shape: Shape
    residual: Array
    iterations: Array
    load_steps: Array
    smallest_eigenvalue: Array
    stability: Array
    energy: dict[str, Array]
    forces: Forces
    internal: Array
    code: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)
    memory: Any = eqx.field(default=(), kw_only=True)

    variables: ClassVar[tuple[Variable, ...]] = (
        variables.coordinates(),
        *variables.shape_variables(()),
        Variable("residual", (), "1", "residual force relative to the loads"),
        Variable("iterations", (), "1", "Newton iterations"),
        Variable("load_steps", (), "1", "load steps"),
        Variable("smallest_eigenvalue", (), "SI", _EIGENVALUE),
        Variable("stability", (), "1", STABILITY_MEANING),
        variables.energy(),
        *variables.force_variables(()),
        variables.internal(),
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
            **stability_summary(self.stability),
            "energy_J": dict(self.energy),
            **_force_summary(self.forces),
        }


def _force_summary(forces: Forces, at: int | None = None) -> dict[str, Any]:
    """Efforts, travels and reactions (of one configuration where `at` is given); what is empty is left out."""
    groups = {name: getattr(forces, name) for name in ("effort", "travel", "far_end", "reaction")}
    return {
        name: {key: value if at is None else value[at] for key, value in values.items()}
        for name, values in groups.items()
        if values
    }


class _Path(Result):
    """Equilibria one after the other.

    - ``q``: (P, nq); ``shape``, ``forces``, ``internal``: P leading; ``residual``, ``iterations``,
      ``smallest_eigenvalue``, ``stability``, ``code``: (P,).
    - ``memory``: what interactions remember (P leading), by their names; () for nothing. It is not written to files.
    """

    q: Array
    shape: Shape
    residual: Array
    iterations: Array
    smallest_eigenvalue: Array
    stability: Array
    forces: Forces
    internal: Array
    code: Array
    scene: Scene
    names: Names
    provenance: str = eqx.field(static=True)
    memory: Any = eqx.field(default=(), kw_only=True)

    def _path_summary(self, values: Array, name: str) -> dict[str, Any]:
        codes = np.asarray(self.code)
        failed = np.flatnonzero(codes)
        worst = codes[failed[0]] if failed.size else 0
        return {
            "code": worst,
            "message": message(worst),
            "points": len(codes),
            "failed_points": int(failed.size),
            name: values[-1] if len(codes) else None,
            "largest_residual": np.max(np.asarray(self.residual), initial=0.0),
            "smallest_eigenvalue": np.min(np.asarray(self.smallest_eigenvalue), initial=np.inf),
            **(stability_summary(np.asarray(self.stability)[-1]) if len(codes) else {}),
            "iterations": int(np.sum(np.asarray(self.iterations))),
            **(_force_summary(self.forces, -1) if len(codes) else {}),
        }


def _path_variables(lead: str) -> tuple[Variable, ...]:
    return (
        variables.coordinates(lead),
        *variables.shape_variables((lead,)),
        Variable("residual", (lead,), "1", "residual force relative to the loads"),
        Variable("iterations", (lead,), "1", "Newton iterations"),
        Variable("smallest_eigenvalue", (lead,), "SI", _EIGENVALUE),
        Variable("stability", (lead,), "1", STABILITY_MEANING),
        *variables.force_variables((lead,)),
        variables.internal(lead),
        variables.code(lead),
        *variables.SCENE,
    )


class LoadPath(_Path):
    """Equilibria at P factors of the load, in the order in which they were reached.

    - ``factors``: (P,) factor on the loads. A path that was followed through limit points comes by a factor several
      times.
    - ``kind``: (P,) a `PointKind`: what is special about the point.
    - ``q``: (P, nq); ``shape``, ``forces``, ``internal``: P leading; ``residual``, ``iterations``,
      ``smallest_eigenvalue``, ``stability``, ``code``: (P,).
    - ``memory``: what interactions remember (P leading), by their names; () for nothing. It is not written to files.
    """

    factors: Array
    kind: Array

    lead: ClassVar[tuple[str, ...]] = ("point",)
    variables: ClassVar[tuple[Variable, ...]] = (
        Variable("factors", ("point",), "1", "factor on the loads"),
        Variable("kind", ("point",), "1", KIND_MEANING),
        *_path_variables("point"),
    )

    def marks(self) -> list[tuple[int, PointKind, float]]:
        """Index, kind and load factor of the points that are special, along the path."""
        kinds, factors = np.asarray(self.kind), np.asarray(self.factors)
        return [(int(i), PointKind(int(kinds[i])), float(factors[i])) for i in np.flatnonzero(kinds)]

    def _summary(self) -> dict[str, Any]:
        marks = [{"point": index, "kind": kind.word, "factor": factor} for index, kind, factor in self.marks()]
        stable = np.asarray(self.stability) == Stability.STABLE
        return {
            **self._path_summary(self.factors, "last_factor"),
            "largest_factor": np.max(np.asarray(self.factors), initial=-np.inf),
            "stable_points": int(np.sum(stable)),
            "marks": marks,
        }


class QuasiStatic(_Path):
    """Equilibria at P times of the programmes, each reached from the one before: a motion without inertia.

    - ``time``: (P,) [s].
    - ``q``: (P, nq); ``shape``, ``forces``, ``internal``: P leading; ``residual``, ``iterations``,
      ``smallest_eigenvalue``, ``stability``, ``code``: (P,).
    - ``memory``: what interactions remember (P leading), by their names; () for nothing. It is not written to files.
    """

    time: Array

    lead: ClassVar[tuple[str, ...]] = ("time",)
    variables: ClassVar[tuple[Variable, ...]] = (
        Variable("time", ("time",), "s", "time"),
        *_path_variables("time"),
    )

    def _summary(self) -> dict[str, Any]:
        # On the host at once: taking a number out of an array on the device is slow.
        columns = {
            "time_s": self.time,
            "code": self.code,
            "residual": self.residual,
            "iterations": self.iterations,
            "smallest_eigenvalue": self.smallest_eigenvalue,
            "stability": self.stability,
        }
        host, forces, places = jax.tree.map(np.asarray, (columns, self.forces, self.shape.frame_pose[..., :3, 3]))
        stages = [
            {
                **{name: column[stage] for name, column in host.items()},
                **stability_summary(host["stability"][stage]),
                "frames": dict(zip(self.names.frames, places[stage], strict=True)),
                **_force_summary(forces, stage),
            }
            for stage in range(len(host["code"]))
        ]
        return {**self._path_summary(self.time, "last_time_s"), "stages": stages}
