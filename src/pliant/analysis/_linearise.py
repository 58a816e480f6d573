"""Linear state space of a robot about a state."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import TIME, is_traced, names, number
from pliant.dynamics import check_inputs, configuration, forward_dynamics, forward_kinematics, port_values, velocity
from pliant.model import Model, as_model

Ports = tuple[tuple[str, tuple[int, ...]], ...]  # name and shape of each


class Linearisation(NamedTuple):
    """d/dt [dq; dv] = A [dq; dv] + B du + offset, dy = C [dq; dv] + D du; dq is measured along the velocities.

    A (2nv, 2nv); B (2nv, inputs); C (3 frames, 2nv); D (3 frames, inputs), which is zero: nothing moves at once; offset
    (2nv,) is zero about an equilibrium; y are the world positions of the frames [m]; inputs and outputs name the
    columns of B and the rows of C. `scipy.signal.StateSpace(*linear[:4])` and `control.ss(*linear[:4])` take it.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    offset: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def linearise(
    model: Model,
    q: Array,
    v: Array | None = None,
    t: float = 0.0,
    inputs: Mapping[str, Array] | None = None,
    frames: Sequence[str] | None = None,
) -> Linearisation:
    """State space about (q, v). inputs: values of the driven ports there (default: every actuator and every load's
    force, at the values of the file); frames: outputs (default: all). With closed loops the coordinates stay those of
    the open robot, and A describes the motions that keep the loops closed."""
    model = as_model(model)
    q, t = configuration(model, "q", q), t if is_traced(t) else number("t", t, TIME)
    v = jnp.zeros(model.nv) if v is None else jnp.asarray(velocity(model, "v", v))
    if inputs is None:
        loads = [name for name in model.structure.load_ports if name.endswith(".force")]
        inputs = port_values(model, (*model.actuator_names, *loads), t, None)
    else:
        inputs = check_inputs(model, inputs)
    frames = model.frame_names if frames is None else names("frames", frames, "frames")
    for frame in frames:
        model.structure.frame_index(frame)
    given = {port: jnp.asarray(value, dtype=jnp.float64) for port, value in inputs.items()}
    ports = tuple((port, value.shape) for port, value in given.items())
    nominal = jnp.concatenate([value.ravel() for value in given.values()]) if given else jnp.zeros(0)
    moment = jnp.asarray(t, dtype=jnp.float64)
    a, b, c, offset = _derivatives(model, jnp.asarray(q), v, moment, nominal, ports, frames)
    return Linearisation(
        a,
        b,
        c,
        jnp.zeros((len(c), len(nominal))),
        offset,
        tuple(name for port, shape in ports for name in _labels(port, shape)),
        tuple(f"{frame}.{axis}" for frame in frames for axis in "xyz"),
    )


# Compiled once for all states, times and values of the inputs.
@partial(jax.jit, static_argnames=("ports", "frames"))
def _derivatives(
    model: Model, q: Array, v: Array, t: Array, nominal: Array, ports: Ports, frames: tuple[str, ...]
) -> tuple[Array, Array, Array, Array]:
    """A, B, C and the rate about a state."""
    ends = np.cumsum([0, *(int(np.prod(shape)) for _, shape in ports)])

    def rate(x: Array, u: Array) -> Array:
        moved, dv = model.integrate(q, x[: model.nv]), x[model.nv :]
        driven = {p: u[ends[i] : ends[i + 1]].reshape(shape) for i, (p, shape) in enumerate(ports)}
        return jnp.concatenate([v + dv, forward_dynamics(model, moved, v + dv, t, driven)])

    def outputs(x: Array) -> Array:
        poses = forward_kinematics(model, model.integrate(q, x[: model.nv]))
        return jnp.concatenate([poses[frame][:3, 3] for frame in frames])

    zero = jnp.zeros(2 * model.nv)
    by_state, by_input = jax.jacfwd(rate, argnums=(0, 1))(zero, nominal)
    return by_state, by_input, jax.jacfwd(outputs)(zero), rate(zero, nominal)


def _labels(port: str, shape: tuple[int, ...]) -> list[str]:
    if shape == ():
        return [port]
    axes = "xyz" if shape == (3,) and port.endswith((".force", ".moment")) else range(1, shape[0] + 1)
    return [f"{port}.{axis}" for axis in axes]
