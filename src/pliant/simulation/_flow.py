"""The motion as a flow: what every stepper advances and what it is driven by."""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from pliant.dynamics import accelerations, control_errors, motion_names, power, projected_state
from pliant.model import Model, Prepared, State
from pliant.simulation._inputs import InputSet


class Moving(NamedTuple):
    """State of a run: q, v, the acceleration, generalised-alpha's average of it and the multipliers of the constraints
    (used by implicit steppers), the ledger's integrals (work of loads, energy lost in damping) [J], the integrals (k,)
    of the errors of what controllers lead, the step [s] an adaptive stepper would take next (0: unknown) and the time
    [s]."""

    q: Array
    v: Array
    a: Array
    average: Array
    multipliers: Array
    work: Array
    lost: Array
    integral: Array
    step: Array
    time: Array


class Drive(eqx.Module):
    """Model, inputs and the open interval of time in which programmes are evaluated.

    A chunk lies between two breakpoints; at its ends a programme that jumps is taken from inside the chunk.
    `held` are the inputs of a sampled controller, constant over the chunk; None when inputs follow time.
    """

    model: Model
    prepared: Prepared
    inputs: InputSet
    low: Array
    high: Array
    held: dict[str, Array] | None
    ledger: bool = eqx.field(static=True)

    def inside(self, t: Array) -> Array:
        return jnp.clip(t, jnp.nextafter(self.low, jnp.inf), jnp.nextafter(self.high, -jnp.inf))

    def ports(self, t: Array, q: Array, v: Array) -> dict[str, Array]:
        if self.held is not None:
            return self.held
        return self.inputs.values(self.inside(t), State(q, v), self._motions)

    @property
    def _motions(self) -> tuple[str, ...]:
        return motion_names(self.model.structure)

    def on_constraints(self, t: Array, moving: Moving) -> Moving:
        """The state with loops closed and driven joints in place and at their rate at time t. A stepper keeps the
        accelerations right; what it drifts by in a step is taken away here."""
        if not self.model.structure.constraint_count:
            return moving
        ports, moment = self.ports(t, moving.q, moving.v), self.inside(t)
        q, v = projected_state(self.model, self.prepared, moving.q, moving.v, moment, ports)
        return moving._replace(q=q, v=v)

    def acceleration(self, t: Array, q: Array, v: Array, integral: Array) -> Array:
        ports = with_integral(self.model, self.ports(t, q, v), integral)
        return accelerations(self.model, self.prepared, q, v, self.inside(t), ports)

    def errors(self, t: Array, q: Array, v: Array) -> Array:
        """(k,) the errors of what controllers lead."""
        return control_errors(self.model, self.prepared, q, self.inside(t), self.ports(t, q, v))

    def powers(self, t: Array, q: Array, v: Array, integral: Array) -> tuple[Array, Array]:
        """Power of loads and power lost, zero when no ledger is kept."""
        if not self.ledger:
            return jnp.zeros(()), jnp.zeros(())
        ports = with_integral(self.model, self.ports(t, q, v), integral)
        return power(self.model, q, v, self.inside(t), ports, self.prepared)


def with_integral(model: Model, ports: dict[str, Array], integral: Array) -> dict[str, Array]:
    """The ports with what the errors (k,) of controllers add up to."""
    return ports | {f"{name}.integral": integral[at] for name, at in model.structure.led.items()}


def finite(moving: Moving) -> Array:
    return jnp.all(jnp.isfinite(moving.q)) & jnp.all(jnp.isfinite(moving.v))
