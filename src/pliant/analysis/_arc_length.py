"""One step along a path of equilibria: configuration and load factor are found together, a given arc from the last
point (Riks 1979; Keller's pseudo-arclength), so that a limit of the load is a point like any other."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis._rounding import unknown_sizes
from pliant.analysis._statics import StaticSolution, conditioned, force_scale
from pliant.dynamics import element_forces, multiplier_count, static_balance
from pliant.model import Model, prepare
from pliant.numerics import lu_solve, newton

_TOLERANCE = 1e-10  # residual relative to the loads
_MAX_ITERATIONS = 15  # more are a sign that the step is too long
_TRUSTED_STEPS = 5  # of a robot that moves poses; see `newton`
_STILL = 1e-8  # in units of the coordinates: a load that moves them by less sets no scale for them
_UNIT = 0.1  # of the coordinates (m, rad, rad/m), where the load sets no scale

Inputs = Mapping[str, Array]


class Loading(NamedTuple):
    """How the load factor enters: it scales loads and actuators, and takes the walked ports from `begin` to `end`."""

    t: Array
    inputs: dict[str, Array]
    begin: dict[str, Array]
    end: dict[str, Array]

    def ports(self, factor: Array | float) -> dict[str, Array] | None:
        moved = {name: self.begin[name] + factor * (self.end[name] - self.begin[name]) for name in self.begin}
        return {**self.inputs, **moved} or None


class Place(NamedTuple):
    """A point of the path: configuration (nq,), multipliers (m,), load factor ()."""

    q: Array
    multipliers: Array
    factor: Array


class Ahead(NamedTuple):
    """Where a step leads: the place, residual, iterations and ResultCode of Newton's method, the tangent (n, n) of the
    equations, and the direction (n + 1,) of the path there, not normalised; n = nv + m."""

    place: Place
    residual: Array
    iterations: Array
    code: Array
    tangent: Array
    direction: Array

    @property
    def solution(self) -> StaticSolution:
        return StaticSolution(
            self.place.q, self.place.multipliers, self.residual, self.iterations, self.code, self.tangent
        )


@jax.jit
def step_ahead(
    model: Model, loading: Loading, base: Place, along: Array, arc: Array | float, move: Array, memory: Any = None
) -> Ahead:
    """The equilibrium whose way from `base`, weighed by `along` (n + 1,), is `arc`; Newton starts after `move`
    (n + 1,) from there. With `along` the load factor alone this is the equilibrium at a given factor."""
    nq, nv, count = model.nq, model.nv, multiplier_count(model)
    prepared = prepare(model.structure, model.parameters)

    def residual(x: Array) -> Array:
        q, multipliers, factor = x[:nq], x[nq:-1], x[-1]
        balance = static_balance(model, q, multipliers, loading.t, loading.ports(factor), factor, prepared, memory)
        way = jnp.concatenate(
            [model.difference(q, base.q), multipliers - base.multipliers, (factor - base.factor)[None]]
        )
        return jnp.concatenate([balance, (along @ way - arc)[None]])

    def moved(x: Array, dx: Array) -> Array:
        return jnp.concatenate([model.integrate(x[:nq], dx[:nv]), x[nq:] + dx[nv:]])

    start = moved(jnp.concatenate([base.q, base.multipliers, base.factor[None]]), move)
    stored = element_forces(model, prepared, start[:nq], jnp.zeros(nv))

    def scale(tangent: Array, balance: Array) -> Array:
        loads = balance[:nv] - tangent[:nv, nv : nv + count] @ start[nq:-1] - stored
        forces = force_scale(tangent[:nv, :nv], jnp.abs(loads) + jnp.abs(stored))
        length = jnp.where(arc == 0.0, 1.0, jnp.abs(arc))
        return jnp.concatenate([forces, jnp.ones(count), length[None]])

    found = newton(
        residual,
        start,
        conditioned=lambda tangent: conditioned(model, tangent),
        retract=moved,
        scale=scale,
        magnitude=lambda x: jnp.concatenate([unknown_sizes(model, prepared, x[:-1]), jnp.abs(x[-1:])]),
        size=nv + count + 1,
        tolerance=_TOLERANCE,
        max_iterations=_MAX_ITERATIONS,
        trust=_TRUSTED_STEPS if model.structure.moves_poses else 0,
    )
    # Along the path the balance stays zero; that the way grows by one makes it go on in the same sense.
    onward = jnp.zeros(nv + count + 1).at[-1].set(1.0)
    direction = lu_solve(conditioned(model, found.jacobian), onward)
    place = Place(found.x[:nq], found.x[nq:-1], found.x[-1])
    return Ahead(place, found.residual_norm, found.iterations, found.code, found.jacobian[:-1, :-1], direction)


class Metric(NamedTuple):
    """What makes configurations and load factors comparable: weights (n + 1,) of the squares of their changes.

    Velocities are weighed by their stiffness, so that their squares are energies whatever their units. One is what the
    whole load does to the robot if it stays as stiff as it is without load, and so is the whole load itself.
    Multipliers follow from the rest and do not count.
    """

    weight: np.ndarray

    def unit(self, direction: Array | np.ndarray) -> np.ndarray:
        """The direction with length one."""
        way = np.asarray(direction)
        return way / np.sqrt(np.sum(self.weight * way**2))

    def product(self, first: np.ndarray, second: np.ndarray) -> float:
        return float(np.sum(self.weight * first * second))


def load_alone(model: Model) -> np.ndarray:
    """`along` of `step_ahead` for a given change of the load factor."""
    along = np.zeros(model.nv + multiplier_count(model) + 1)
    along[-1] = 1.0
    return along


def metric_at(model: Model, start: Ahead, whole: float) -> Metric:
    """The metric for a path that goes to the factor `whole`, from a start whose direction is per unit of the factor."""
    nv = model.nv
    stiffness = np.abs(np.asarray(start.tangent)[:nv, :nv]).max(axis=1, initial=0.0)
    stiffness = np.maximum(stiffness, 1e-8 * stiffness.max(initial=1e-300))
    travel = np.asarray(start.direction)[:nv] * whole
    mean = float(stiffness.mean()) if nv else 1.0
    energy = float(np.sum(stiffness * travel**2))
    energy = energy if energy > mean * _STILL**2 else mean * _UNIT**2
    weight = np.zeros(len(start.direction))
    weight[:nv], weight[-1] = stiffness / energy, whole**-2
    return Metric(weight)
