"""The motion as a flow: what every stepper advances and what it is driven by."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics import (
    Touches,
    accelerations,
    control_errors,
    first_memory,
    heat_of_step,
    motion_names,
    power,
    projected_state,
    remembered,
    touches,
)
from pliant.model import Model, Prepared, State
from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._rules import RESTARTS

UNFINISHED = -1  # beside the ResultCodes of targets: not reached yet, since the call has done the work it was given


class StepState(NamedTuple):
    """A robot between two steps.

    - ``q``, ``v``, ``memory``: its state; ``time`` [s].
    - ``a``, ``average``: its acceleration (nv,), and generalised-alpha's average of it; ``begun``: the one with which
      the last step began; ``multipliers`` (m,) of the constraints.
    - ``restarts``: how many of the next steps have to forget the acceleration with which they begin.
    - ``work``, ``lost``: the ledger's integrals [J]; ``integral`` (k,): of the errors of what controllers lead.
    - ``step``: what an adaptive stepper would take next [s]; 0: not known.
    - ``check``: the last step that was taken twice (`StepCheck`); () where none is.
    - ``inputs``, ``cache``, ``code``: of the last step its inputs, what Newton's iteration keeps, and its ResultCode;
      only in steps that are taken by hand.
    """

    q: Array
    v: Array
    memory: Any
    a: Array
    average: Array
    begun: Array
    multipliers: Array
    restarts: Array
    work: Array
    lost: Array
    integral: Array
    step: Array
    time: Array
    check: Any = ()
    inputs: Any = ()
    cache: Any = ()
    code: Any = ()

    @property
    def state(self) -> State:
        return State(self.q, self.v, self.memory)


def begin_step(model: Model, state: State, t: Any) -> StepState:
    """A robot before its first step, which finds its acceleration: the first steps begin anew."""
    # NumPy's arrays, which the first jitted call puts on the device all at once.
    zero, still = np.zeros(()), np.zeros(model.nv)
    led = 0 if model.structure.held is None else int(np.sum(model.structure.held == 0.0))
    begun: Any = {
        "q": jnp.asarray(state.q),
        "v": jnp.asarray(state.v),
        "memory": state.memory or first_memory(model.structure),
        "a": still, "average": still, "begun": still,
        "multipliers": np.zeros(model.structure.constraint_count),
        "restarts": np.int32(RESTARTS),
        "work": zero, "lost": zero, "integral": np.zeros(led), "step": zero,
        "time": t if isinstance(t, jax.Array) else np.asarray(t, dtype=np.float64),
    }  # fmt: skip
    return StepState(**begun)


class Drive(eqx.Module):
    """Model, inputs and the open interval of time in which programmes are evaluated.

    A chunk lies between two breakpoints; at its ends a programme that jumps is taken from inside the chunk. `held` are
    inputs that are constant over the chunk, of a sampled controller or of a step by hand; with `ending` they go from
    the one to the other in a straight line. None when inputs follow time.
    """

    model: Model
    prepared: Prepared
    inputs: InputSet
    low: Array
    high: Array
    held: dict[str, Array] | None
    ledger: bool = eqx.field(static=True)
    ending: dict[str, Array] | None = None

    def inside(self, t: Array) -> Array:
        # How far that is from t is rounding, and has no derivative.
        now, low, high = jax.lax.stop_gradient((t, self.low, self.high))
        return t + (jnp.clip(now, jnp.nextafter(low, jnp.inf), jnp.nextafter(high, -jnp.inf)) - now)

    def ports(self, t: Array, q: Array, v: Array) -> dict[str, Array]:
        if self.held is None:
            return self.inputs.values(self.inside(t), State(q, v), motion_names(self.model.structure))
        if self.ending is None:
            return self.held
        share = (t - self.low) / (self.high - self.low)
        return {name: value + share * (self.ending[name] - value) for name, value in self.held.items()}

    def on_constraints(self, t: Array, moving: StepState) -> StepState:
        """The state with loops closed and driven joints in place and at their rate at time t. A stepper keeps the
        accelerations right; what it drifts by in a step is taken away here."""
        if not self.model.structure.constraint_count:
            return moving
        ports, moment = self.ports(t, moving.q, moving.v), self.inside(t)
        q, v = projected_state(self.model, self.prepared, moving.q, moving.v, moment, ports)
        return moving._replace(q=q, v=v)

    def on_moved_constraints(self, t: Array, moving: StepState) -> StepState:
        """The state at the beginning of a step, which is where the last one left it. Only what is prescribed may have
        jumped away from it since."""
        return self.on_constraints(t, moving) if self.model.structure.prescribes else moving

    def remembering(self, t: Array, moving: StepState) -> StepState:
        """The state after a step that ends at time t, with what interactions remember of it."""
        if not moving.memory:
            return moving
        ports = self.ports(t, moving.q, moving.v)
        where: Any = (self.model, self.prepared, moving.state, self.inside(t), ports)
        lost = moving.lost + heat_of_step(*where) if self.ledger else moving.lost
        return moving._replace(memory=remembered(*where), lost=lost)

    def acceleration(self, t: Array, moving: StepState) -> Array:
        ports = with_integral(self.model, self.ports(t, moving.q, moving.v), moving.integral)
        return accelerations(self.model, self.prepared, moving.q, moving.v, self.inside(t), ports, moving.memory)

    def touches(self, t: Array, moving: StepState, a: Array) -> Touches:
        """What acts on one side only, in a state with the acceleration a (nv,)."""
        ports = self.ports(t, moving.q, moving.v)
        return touches(self.model, self.prepared, moving.state, a, self.inside(t), ports)

    def errors(self, t: Array, q: Array, v: Array) -> Array:
        """(k,) the errors of what controllers lead."""
        return control_errors(self.model, self.prepared, q, self.inside(t), self.ports(t, q, v))

    def powers(self, t: Array, moving: StepState) -> tuple[Array, Array]:
        """Power of loads and power lost, zero when no ledger is kept."""
        if not self.ledger:
            return jnp.zeros(()), jnp.zeros(())
        q, v, _ = moving.state
        ports = with_integral(self.model, self.ports(t, q, v), moving.integral)
        return power(self.model, q, v, self.inside(t), ports, self.prepared, moving.memory)


def with_integral(model: Model, ports: dict[str, Array], integral: Array) -> dict[str, Array]:
    """The ports with what the errors (k,) of controllers add up to."""
    return ports | {f"{name}.integral": integral[at] for name, at in model.structure.led.items()}


def finite(moving: StepState) -> Array:
    return jnp.all(jnp.isfinite(moving.q)) & jnp.all(jnp.isfinite(moving.v))
