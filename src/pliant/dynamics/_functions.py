"""The public functions of a compiled robot. Pure: a Model and arrays in, arrays out; jit, vmap and grad apply.

Each is jitted at this boundary and prepares the parameters itself. Code that evaluates many states with the same
parameters (steppers, solvers) prepares once and calls `accelerations`, `residual`, ... with `prepared=`.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._constraints import constraint_rates, constraint_values
from pliant.dynamics._flattened import (
    element_forces_of,
    forward_dynamics_of,
    residual_of,
)
from pliant.dynamics._kinematics import (
    Kinematics,
    along,
    from_common_point,
    jacobian_columns,
    kinematics,
    point_poses,
    row_twists,
    subspaces,
)
from pliant.dynamics._mass import mass_matrix_of, spatial_inertia
from pliant.dynamics._own_inertia import own_kinetic_energy, own_masses
from pliant.dynamics._paths import path_measures
from pliant.dynamics._springs import spring_energy, spring_loss
from pliant.dynamics._update import refreshed
from pliant.dynamics._wrenches import applied_forces, frame_kinematics, frame_rows, gravity
from pliant.elements import FlatCoordinates
from pliant.lie import se3
from pliant.model import Model, Prepared, Structure, prepare

Inputs = Mapping[str, Array]

_TENSION_SCALE, _SLACK_SCALE = 1.0, 0.01  # N and m: which of the two is the smaller is decided in these


def _prepared(model: Model, prepared: Prepared | None) -> Prepared:
    return prepare(model.structure, model.parameters) if prepared is None else prepared


def _time(t: Array | float) -> Array:
    return jnp.asarray(t, dtype=jnp.float64)


def _motion_rates(model: Model) -> list[str]:
    """Ports that say how fast a prescribed motion is at the moment, or what a controller's error adds up to."""
    rates = [f"{motion.name}.{what}" for motion in model.structure.motions for what in ("rate", "acceleration")]
    return rates + [f"{name}.integral" for name in model.structure.led]


def check_inputs(model: Model, inputs: Inputs | None) -> Inputs:
    """The inputs as arrays, or an error that lists the ports when one does not exist or says what shape it has."""
    legal, given = model.input_shapes, {}
    for name, value in (inputs or {}).items():
        if name not in legal and name not in _motion_rates(model):
            ports = ", ".join(legal) or "none"
            raise KeyError(f"robot {model.name!r} has no input {name!r}; its inputs are: {ports}")
        array = jnp.asarray(value)
        # Whole numbers are numbers too; a float32 batch stays what it is.
        given[name] = array if jnp.issubdtype(array.dtype, jnp.floating) else array.astype(jnp.float64)
        if name in legal and given[name].shape != legal[name]:
            shapes = f"has shape {legal[name]}; got {given[name].shape}"
            raise ValueError(f"input {name!r} of robot {model.name!r} {shapes}")
    return given


@jax.jit
def residual(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
    multipliers: Array | None = None,
) -> Array:
    """(nv,) inertial + elastic + damping - applied forces [N, N m, or their work-conjugates]; zero on a motion.

    inputs: port name (see Model.input_names) -> value that replaces the file's programme. load_factor scales gravity,
    loads and actuators. multipliers (m,): of the constraints, in the order of Model.constraint_names.
    """
    inputs = check_inputs(model, inputs)
    prepared = refreshed(model.structure, _prepared(model, prepared), q, v, _time(t))
    kin = kinematics(model.structure, prepared, q, v)
    return residual_of(model.structure, prepared, kin, q, v, a, _time(t), inputs, load_factor, multipliers)


def element_forces(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    """(nv,) elastic and damping forces with prepared parameters."""
    return element_forces_of(model.structure, prepared, q, v)


@jax.jit
def static_residual(
    model: Model,
    q: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
    multipliers: Array | None = None,
) -> Array:
    """(nv,) elastic minus applied forces at rest."""
    inputs = check_inputs(model, inputs)
    still = jnp.zeros(model.nv, dtype=q.dtype)
    prepared = refreshed(model.structure, _prepared(model, prepared), q, still, _time(t))
    kin = kinematics(model.structure, prepared, q)
    return residual_of(model.structure, prepared, kin, q, still, None, _time(t), inputs, load_factor, multipliers)


def dynamic_balance(
    model: Model, prepared: Prepared, q: Array, v: Array, a: Array, multipliers: Array, t: Array, inputs: Inputs
) -> Array:
    """(nv + m,) residual, then the second time derivative of the constraints; zero on a motion."""
    structure = model.structure
    prepared = refreshed(structure, prepared, q, v, t)
    kin = kinematics(structure, prepared, q, v)
    forces = residual_of(structure, prepared, kin, q, v, a, t, inputs, 1.0, multipliers)
    if not structure.constraint_count:
        return forces
    _, second = constraint_rates(structure, prepared, kin, q, v, t, inputs, a, along(structure, kin, a))
    return jnp.concatenate([forces, second])


def multiplier_count(model: Model) -> int:
    """Unknown forces of a static problem: one per constraint row, one per tendon held to a length."""
    return model.structure.constraint_count + len(model.structure.inextensible)


@jax.jit
def static_balance(
    model: Model,
    q: Array,
    multipliers: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
) -> Array:
    """(nv + m + n,) everything that is zero in equilibrium: forces, then constraints [m, rad], then, for every tendon
    held to a length, the smaller of its tension and its slack (both scaled): one of them is zero, neither negative."""
    inputs = check_inputs(model, inputs)
    structure = model.structure
    still = jnp.zeros(model.nv, dtype=q.dtype)
    prepared = refreshed(structure, _prepared(model, prepared), q, still, _time(t))
    kin = kinematics(structure, prepared, q)
    forces = residual_of(structure, prepared, kin, q, still, None, _time(t), inputs, load_factor, multipliers)
    parts = [forces]
    if structure.constraint_count:
        parts.append(constraint_values(structure, prepared, kin, q, _time(t), inputs))
    if structure.inextensible:
        lengths = path_measures(structure, prepared, kin, q)
        tension = multipliers[structure.constraint_count :]
        wanted = jnp.stack([tendon.value(prepared.parameters, inputs, _time(t)) for tendon in structure.inextensible])
        slack = wanted - lengths[np.array([tendon.path for tendon in structure.inextensible])]
        parts.append(jnp.minimum(tension / _TENSION_SCALE, slack / _SLACK_SCALE))
    return jnp.concatenate(parts)


@jax.jit
def constraint_residual(model: Model, q: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(m,) how far each closed loop is from closed and each prescribed joint from its place [m or rad]."""
    prepared = _prepared(model, None)
    kin = kinematics(model.structure, prepared, q)
    return constraint_values(model.structure, prepared, kin, q, _time(t), check_inputs(model, inputs))


def inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, t: Array | float = 0.0, inputs: Inputs | None = None
) -> Array:
    """(nv,) generalised force that has to be added for the robot to move with acceleration a."""
    return residual(model, q, v, a, t, inputs)


@jax.jit
def bias(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(nv,) all terms of the residual that do not multiply the acceleration: h = r(q, v, 0)."""
    prepared = refreshed(model.structure, _prepared(model, None), q, v, _time(t))
    kin = kinematics(model.structure, prepared, q, v)
    return residual_of(model.structure, prepared, kin, q, v, None, _time(t), check_inputs(model, inputs))


@jax.jit
def mass_matrix(model: Model, q: Array, prepared: Prepared | None = None) -> Array:
    """(nv, nv) symmetric positive definite."""
    prepared = _prepared(model, prepared)
    kin = kinematics(model.structure, prepared, q)
    return mass_matrix_of(model.structure, prepared, kin, q)


@jax.jit
def coriolis_matrix(model: Model, q: Array, v: Array) -> Array:
    """(nv, nv) C of Christoffel's symbols: C v are the forces of velocity, and the rate of the mass matrix less 2 C is
    skew. For robots whose coordinates are a vector space: no free or spherical joints, eba or meshes."""
    structure = model.structure
    if any(not isinstance(group.element, FlatCoordinates) for group in structure.groups):
        raise ValueError(
            f"robot {model.name!r} has orientations among its coordinates, and Christoffel's symbols are those of a "
            "vector space; bias() has its forces of velocity"
        )
    prepared = _prepared(model, None)
    by_q = jax.jacfwd(lambda q: mass_matrix_of(structure, prepared, kinematics(structure, prepared, q), q))(q)
    first = jnp.einsum("ijk,k->ij", by_q, v)
    second = jnp.einsum("ikj,k->ij", by_q, v)
    return 0.5 * (first + second - second.T)


def accelerations(model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Inputs) -> Array:
    """(nv,) forward dynamics with prepared parameters, for use inside a jitted loop."""
    return forward_dynamics_of(model.structure, prepared, q, v, t, inputs)[0]


@jax.jit
def forward_dynamics(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(nv,) acceleration a with residual(q, v, a) = 0, keeping closed loops closed and driven joints on their way."""
    return accelerations(model, _prepared(model, None), q, v, _time(t), check_inputs(model, inputs))


@jax.jit
def forward_kinematics(model: Model, q: Array, prepared: Prepared | None = None) -> dict[str, Array]:
    """World pose (4, 4) of every frame, by name."""
    prepared = _prepared(model, prepared)
    kin = kinematics(model.structure, prepared, q)
    poses = point_poses(kin, frame_rows(model.structure), prepared.frame_offset)
    return {frame.name: poses[i] for i, frame in enumerate(model.structure.frames)}


@jax.jit
def twist(model: Model, q: Array, v: Array) -> dict[str, Array]:
    """Body twist (6,) [angular; linear] of every frame, by name."""
    prepared = _prepared(model, None)
    frames = frame_kinematics(model.structure, prepared, kinematics(model.structure, prepared, q, v))
    return {frame.name: frames.twists[i] for i, frame in enumerate(model.structure.frames)}


def jacobian(model: Model, q: Array, frame: str, prepared: Prepared | None = None) -> Array:
    """(6, nv) body Jacobian of a frame: its twist is J v."""
    return _jacobian(model, q, model.structure.frame_index(frame), prepared)


def _jacobian_at(model: Model, q: Array, index: int, prepared: Prepared | None = None) -> Array:
    prepared = _prepared(model, prepared)
    kin = kinematics(model.structure, prepared, q)
    row = np.array([model.structure.frames[index].row])
    pose = point_poses(kin, row, prepared.frame_offset[index : index + 1])[0]
    tree = model.structure.tree
    spatial = jacobian_columns(subspaces(model.structure, kin))[tree.jacobian_gather(row)[0]]
    return se3.adjoint_inverse(from_common_point(kin, pose)) @ spatial.T


_jacobian = jax.jit(_jacobian_at, static_argnums=2)


def jacobian_rate(model: Model, q: Array, v: Array, frame: str) -> Array:
    """(6, nv) time derivative of the body Jacobian along the motion."""
    return _jacobian_rate(model, q, v, model.structure.frame_index(frame))


def _jacobian_rate_at(model: Model, q: Array, v: Array, index: int) -> Array:
    return jax.jvp(lambda q: _jacobian_at(model, q, index), (q,), (model.rate(q, v),))[1]


_jacobian_rate = jax.jit(_jacobian_rate_at, static_argnums=3)


def _along_velocities(model: Model, function, q: Array) -> Array:
    """Derivative of function(q) along every velocity, (n, nv)."""
    zero = jnp.zeros(model.nv, dtype=q.dtype)
    return jax.jacfwd(lambda dv: function(model.integrate(q, dv)))(zero)


@jax.jit
def stiffness_matrix(
    model: Model,
    q: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
) -> Array:
    """(nv, nv) tangent stiffness at rest: elastic, geometric, gravity and (unsymmetric) follower-load terms."""
    prepared = _prepared(model, prepared)
    return _along_velocities(model, lambda q: static_residual(model, q, t, inputs, load_factor, prepared), q)


@jax.jit
def damping_matrix(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(nv, nv) derivative of the residual by velocity."""
    prepared = _prepared(model, None)
    return jax.jacfwd(lambda v: residual(model, q, v, jnp.zeros_like(v), t, inputs, 1.0, prepared))(v)


@jax.jit
def energy(
    model: Model, q: Array, v: Array, t: Array | float = 0.0, prepared: Prepared | None = None
) -> dict[str, Array]:
    """Kinetic, gravity and elastic energy, and their total [J]."""
    structure = model.structure
    prepared = _prepared(model, prepared)
    kin = kinematics(structure, prepared, q, v)
    return energies(structure, prepared, kin, q, _time(t), v)


def energies(
    structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, t: Array, v: Array | None = None
) -> dict[str, Array]:
    """The same with kinematics at hand; without velocities in them the kinetic energy is zero."""
    inertia = spatial_inertia(prepared, kin)
    kinetic = jnp.zeros(())
    if kin.motion is not None and v is not None:
        kinetic = 0.5 * jnp.sum(kin.motion.twist * inertia.momentum(kin.motion.twist))
        kinetic = kinetic + own_kinetic_energy(structure, prepared, kin, q, v)
    moment = jnp.sum(inertia.moment, axis=0) + jnp.sum(inertia.mass) * kin.origin
    for own in own_masses(structure, prepared, kin, q).values():
        moment = moment + jnp.sum(own.base.moment, axis=0) + jnp.sum(own.base.mass) * kin.origin
    weight = -moment @ gravity(structure, prepared, t)
    elastic = sum(
        (
            jnp.sum(jax.vmap(group.element.energy)(numbers, q[group.q_index]))
            for group, numbers in zip(structure.groups, prepared.elements, strict=True)
        ),
        jnp.zeros(()),
    )
    if structure.springs:
        elastic = elastic + spring_energy(structure, prepared, kin)
    return {"kinetic": kinetic, "gravity": weight, "elastic": elastic, "total": kinetic + weight + elastic}


@jax.jit
def power(
    model: Model,
    q: Array,
    v: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    prepared: Prepared | None = None,
) -> tuple[Array, Array]:
    """(power of loads, user forces, actuators and what prescribes a motion; power lost in damping) [W]."""
    structure = model.structure
    inputs = check_inputs(model, inputs)
    prepared = _prepared(model, prepared)
    kin = kinematics(structure, prepared, q, v)
    multipliers = None
    if structure.prescribes:  # loops that only close do no work
        multipliers = forward_dynamics_of(structure, prepared, q, v, _time(t), inputs)[1]
    wrench, force = applied_forces(structure, prepared, kin, q, _time(t), inputs, 1.0, multipliers)
    worked = jnp.zeros(()) if wrench is None else jnp.sum(wrench * row_twists(kin)[1:])
    worked = worked if force is None else worked + force @ v
    lost = jnp.zeros(())
    for group, numbers in zip(structure.groups, prepared.elements, strict=True):
        own_q, own_v = q[group.q_index], v[group.v_index]
        resist = jax.vmap(group.element.force)
        lost += jnp.sum(own_v * (resist(numbers, own_q, own_v) - resist(numbers, own_q, jnp.zeros_like(own_v))))
    if structure.springs:
        lost += spring_loss(structure, prepared, kin)
    return worked, lost
