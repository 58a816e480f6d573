"""The public functions of a compiled robot. Pure: a Model and arrays in, arrays out; jit, vmap and grad apply.

Each is jitted at this boundary, where what it is given is checked, and prepares the parameters itself. Code that
evaluates many states with the same parameters (steppers, solvers) prepares once and calls `accelerations`, `residual`,
... with `prepared=`.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._added_inertia import added_energy
from pliant.dynamics._arguments import robot_function
from pliant.dynamics._constraints import constraint_rates, constraint_values
from pliant.dynamics._evaluation import Evaluation, evaluation
from pliant.dynamics._flattened import element_forces_of, forward_dynamics_of, residual_of
from pliant.dynamics._inputs import Inputs, check_inputs
from pliant.dynamics._interactions import (
    Acting,
    all_rest,
    applied_forces,
    gathered,
    kinds,
    lost_power,
    own_unknowns,
    projected,
    stored_energy,
)
from pliant.dynamics._kinematics import along, down, from_common_point, jacobian_columns, point_poses, subspaces
from pliant.dynamics._mass import mass_blocks_of, mass_columns, mass_matrix_of, spatial_inertia
from pliant.dynamics._own_inertia import own_kinetic_energy, own_masses
from pliant.lie import se3
from pliant.model import Model, Prepared, State, Structure, as_model, prepare
from pliant.numerics import apply, for_scalars


def _prepared(model: Model, prepared: Prepared | None) -> Prepared:
    return prepare(model.structure, model.parameters) if prepared is None else prepared


def _time(t: Array | float) -> Array:
    return jnp.asarray(t, dtype=jnp.float64)


def _at(
    model: Model,
    q: Array,
    v: Array | None = None,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
    memory: Any = None,
) -> Evaluation:
    """The robot evaluated, at rest without v."""
    ready = _prepared(model, prepared)
    given = check_inputs(model, inputs)
    return evaluation(model.structure, ready, q, v, _time(t), given, load_factor, memory or None)


@robot_function
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
    memory: Any = None,
) -> Array:
    """(nv,) inertial + elastic + damping - applied forces [N, N m, or their work-conjugates]; zero on a motion.

    inputs: port name (see Model.input_names) -> value that replaces the file's programme. load_factor scales gravity,
    loads and actuators. multipliers (m,): of the constraints, in the order of Model.constraint_names. memory: what
    interactions remember, by their names (default: what they do at first).
    """
    return residual_of(_at(model, q, v, t, inputs, load_factor, prepared, memory), a, multipliers)


def element_forces(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    """(nv,) elastic and damping forces with prepared parameters."""
    return element_forces_of(model.structure, prepared, q, v)


def may_rest_on_one_side(structure: Structure) -> bool:
    """Whether there is an interaction that acts on one side only, on which a robot may rest."""
    return any(kind.gap_count for kind in structure.interactions)


def one_sided_forces(
    model: Model, prepared: Prepared, state: State, direction: Array, t: Array, inputs: Inputs
) -> tuple[Array, Array]:
    """(nv,) what those interactions do, and how it changes with the configuration along a direction (nv,): as what they
    push at moves, and not as they push at it."""
    at = evaluation(model.structure, prepared, state.q, state.v, t, inputs, memory=state.memory or None)
    turned = down(model.structure.tree, along(model.structure, at.kinematics, direction))

    def push(rows: Array, v: Array) -> Acting:
        moved = at.displaced(rows, v)
        pushes = [kind.resists(numbers, moved) for kind, numbers in kinds(at) if kind.gap_count]
        return gathered(model.structure, pushes)

    def both() -> tuple[Array, Array]:
        nowhere = jnp.zeros((len(turned) + 1, 6)), jnp.zeros_like(direction)
        way = jnp.concatenate([jnp.zeros((1, 6)), turned]), direction
        carried, felt = jax.jvp(push, nowhere, way)
        return projected(at, carried), projected(at, felt)

    if not for_scalars() or not all(kind.may_rest for kind in model.structure.interactions if kind.gap_count):
        return both()
    return jax.lax.cond(all_rest(at), lambda: (jnp.zeros_like(direction), jnp.zeros_like(direction)), both)


@jax.jit
def static_residual(
    model: Model,
    q: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
    multipliers: Array | None = None,
    memory: Any = None,
) -> Array:
    """(nv,) elastic minus applied forces at rest."""
    return residual_of(_at(model, q, None, t, inputs, load_factor, prepared, memory), None, multipliers)


def dynamic_balance(
    model: Model, prepared: Prepared, state: State, a: Array, multipliers: Array, t: Array, inputs: Inputs
) -> Array:
    """(nv + m,) residual, then the second time derivative of the constraints; zero on a motion."""
    at = evaluation(model.structure, prepared, state.q, state.v, t, inputs, memory=state.memory or None)
    forces = residual_of(at, a, multipliers)
    if not model.structure.constraint_count:
        return forces
    _, second = constraint_rates(at, a, along(model.structure, at.kinematics, a))
    return jnp.concatenate([forces, second])


def multiplier_count(model: Model) -> int:
    """Unknown forces of a static problem: one per constraint row, one per tendon held to a length."""
    return model.structure.unknown_count


@jax.jit
def static_balance(
    model: Model,
    q: Array,
    multipliers: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
    memory: Any = None,
) -> Array:
    """(nv + m + n,) everything that is zero in equilibrium: forces, then constraints [m, rad], then, for every tendon
    held to a length, the smaller of its tension and its slack (both scaled): one of them is zero, neither negative.
    memory: what interactions remember (default: what they do at first)."""
    at = _at(model, q, None, t, inputs, load_factor, prepared, memory)
    parts = [residual_of(at, None, multipliers)]
    if model.structure.constraint_count:
        parts.append(constraint_values(at))
    for kind, numbers, unknowns in own_unknowns(at, multipliers):
        if unknowns is not None:
            parts.append(kind.equations(numbers, at, unknowns))
    return jnp.concatenate(parts)


@jax.jit
def constraint_residual(model: Model, q: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(m,) how far each closed loop is from closed and each prescribed joint from its place [m or rad]."""
    return constraint_values(_at(model, q, None, t, inputs))


def inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, t: Array | float = 0.0, inputs: Inputs | None = None
) -> Array:
    """(nv,) generalised force that has to be added for the robot to move with acceleration a."""
    return residual(model, q, v, a, t, inputs)


@robot_function
def bias(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(nv,) all terms of the residual that do not multiply the acceleration: h = r(q, v, 0)."""
    return residual_of(_at(model, q, v, t, inputs), None)


@robot_function
def mass_matrix(model: Model, q: Array, prepared: Prepared | None = None, t: Array | float = 0.0) -> Array:
    """(nv, nv) symmetric positive definite. t [s] counts where an update or water depends on it."""
    return mass_matrix_of(_at(model, q, None, t, prepared=prepared))


@jax.jit
def _mass_blocks(model: Model, q: Array, t: Array | float) -> list[Array]:
    return mass_blocks_of(_at(model, q, None, t))


def mass_blocks(model: Model, q: Array, t: Array | float = 0.0) -> list[tuple[np.ndarray, Array]]:
    """The mass matrix as what it has on its diagonal: velocities (S, w) and blocks (S, w, w)."""
    return list(zip(mass_columns(model.structure), _mass_blocks(model, q, t), strict=True))


@robot_function
def coriolis_matrix(model: Model, q: Array, v: Array) -> Array:
    """(nv, nv) C of Christoffel's symbols: C v are the forces of velocity, and the rate of the mass matrix less 2 C is
    skew. For robots whose coordinates are a vector space: no free or spherical joints, eba or meshes."""
    if not all(group.element.is_flat for group in model.structure.groups):
        raise ValueError(
            f"robot {model.name!r} has orientations among its coordinates, and Christoffel's symbols are those of a "
            "vector space; bias() has its forces of velocity"
        )
    prepared = _prepared(model, None)
    by_q = jax.jacfwd(lambda q: mass_matrix_of(_at(model, q, prepared=prepared)))(q)
    first = jnp.einsum("ijk,k->ij", by_q, v)
    second = jnp.einsum("ikj,k->ij", by_q, v)
    return 0.5 * (first + second - second.T)


def accelerations(
    model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Inputs, memory: Any = None
) -> Array:
    """(nv,) forward dynamics with prepared parameters, for use inside a jitted loop."""
    return forward_dynamics_of(evaluation(model.structure, prepared, q, v, t, inputs, memory=memory or None))[0]


def remembered(model: Model, prepared: Prepared, state: State, t: Array, inputs: Inputs) -> Any:
    """What interactions remember after a step that was accepted; `state.memory` where they remember nothing."""
    if not state.memory:
        return state.memory
    return _remembered(evaluation(model.structure, prepared, state.q, state.v, t, inputs, memory=state.memory))


def heat_of_step(model: Model, prepared: Prepared, state: State, t: Array, inputs: Inputs) -> Array:
    """Energy [J] that what remembers has lost in the step that ends in a state, whose memory is that of its start."""
    at = evaluation(model.structure, prepared, state.q, state.v, t, inputs, memory=state.memory)
    found = [kind.heat(numbers, at) for kind, numbers in kinds(at)]
    return sum((own for own in found if own is not None), jnp.zeros(()))


@jax.jit
def remembered_at_rest(
    model: Model, q: Array, t: Array | float, inputs: Inputs | None, load_factor: Array | float, memory: Any
) -> Any:
    """What interactions remember after a load step that was accepted."""
    return _remembered(_at(model, q, None, t, inputs, load_factor, memory=memory))


def _remembered(at: Evaluation) -> dict[str, Any]:
    return {kind.name: kind.remember(numbers, at) for kind, numbers in kinds(at) if kind.name in at.memory}


@robot_function
def forward_dynamics(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(nv,) acceleration a with residual(q, v, a) = 0, keeping closed loops closed and driven joints on their way; NaN
    where something of the robot moves without mass."""
    return accelerations(model, _prepared(model, None), q, v, _time(t), check_inputs(model, inputs))


@robot_function
def forward_kinematics(model: Model, q: Array, prepared: Prepared | None = None) -> dict[str, Array]:
    """World pose (4, 4) of every frame, by name."""
    poses = frame_poses(_at(model, q, prepared=prepared))
    return {frame.name: poses[i] for i, frame in enumerate(model.structure.frames)}


@robot_function
def twist(model: Model, q: Array, v: Array) -> dict[str, Array]:
    """Body twist (6,) [angular; linear] of every frame, by name."""
    at = _at(model, q, v)
    poses = from_common_point(at.kinematics, frame_poses(at))
    twists = apply(se3.adjoint_inverse(poses), at.twists[frame_rows(model.structure)])
    return {frame.name: twists[i] for i, frame in enumerate(model.structure.frames)}


def jacobian(model: Model, q: Array, frame: str, prepared: Prepared | None = None) -> Array:
    """(6, nv) body Jacobian of a frame: its twist is J v."""
    model = as_model(model)
    return _jacobian(model, q, model.structure.frame_index(frame), prepared)


def _jacobian_at(model: Model, q: Array, index: int, prepared: Prepared | None = None) -> Array:
    at = _at(model, q, prepared=prepared)
    kin = at.kinematics
    row = np.array([model.structure.frames[index].row])
    pose = point_poses(kin, row, at.numbers.frame_offset[index : index + 1])[0]
    tree = model.structure.tree
    spatial = jacobian_columns(subspaces(model.structure, kin))[tree.jacobian_gather(row)[0]]
    return se3.adjoint_inverse(from_common_point(kin, pose)) @ spatial.T


_jacobian = robot_function(_jacobian_at, static_argnums=2)


def jacobian_rate(model: Model, q: Array, v: Array, frame: str) -> Array:
    """(6, nv) time derivative of the body Jacobian along the motion."""
    model = as_model(model)
    return _jacobian_rate(model, q, v, model.structure.frame_index(frame))


def _jacobian_rate_at(model: Model, q: Array, v: Array, index: int) -> Array:
    return jax.jvp(lambda q: _jacobian_at(model, q, index), (q,), (model.rate(q, v),))[1]


_jacobian_rate = robot_function(_jacobian_rate_at, static_argnums=3)


def _along_velocities(model: Model, function, q: Array) -> Array:
    """Derivative of function(q) along every velocity, (n, nv)."""
    zero = jnp.zeros(model.nv, dtype=q.dtype)
    return jax.jacfwd(lambda dv: function(model.integrate(q, dv)))(zero)


@robot_function
def stiffness_matrix(
    model: Model,
    q: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    prepared: Prepared | None = None,
    memory: Any = None,
) -> Array:
    """(nv, nv) tangent stiffness at rest: elastic, geometric, gravity and (unsymmetric) follower-load terms."""
    prepared = _prepared(model, prepared)

    def forces(q: Array) -> Array:
        return static_residual(model, q, t, inputs, load_factor, prepared, memory=memory)

    return _along_velocities(model, forces, q)


@robot_function
def damping_matrix(
    model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None, memory: Any = None
) -> Array:
    """(nv, nv) derivative of the residual by velocity."""
    prepared = _prepared(model, None)
    return jax.jacfwd(lambda v: residual(model, q, v, jnp.zeros_like(v), t, inputs, 1.0, prepared, memory=memory))(v)


@robot_function
def energy(
    model: Model,
    q: Array,
    v: Array,
    t: Array | float = 0.0,
    prepared: Prepared | None = None,
    memory: Any = None,
) -> dict[str, Array]:
    """Kinetic, gravity and elastic energy, and their total [J]."""
    return energies(_at(model, q, v, t, prepared=prepared, memory=memory))


def energies(at: Evaluation) -> dict[str, Array]:
    """The energies of `energy`; at rest the kinetic one is zero."""
    structure, kin = at.structure, at.kinematics
    inertia = spatial_inertia(at.numbers, kin)
    kinetic = jnp.zeros(())
    if kin.motion is not None:
        kinetic = 0.5 * jnp.sum(kin.motion.twist * inertia.momentum(kin.motion.twist)) + own_kinetic_energy(at)
        if structure.adds_inertia:
            kinetic = kinetic + added_energy(at)
    weight = -_first_moment(at) @ at.gravity
    elastic = sum(
        (
            jnp.sum(jax.vmap(group.element.energy)(numbers, at.q[group.q_index]))
            for group, numbers in zip(structure.groups, at.numbers.elements, strict=True)
        ),
        stored_energy(at),
    )
    return {"kinetic": kinetic, "gravity": weight, "elastic": elastic, "total": kinetic + weight + elastic}


def _first_moment(at: Evaluation) -> Array:
    """(3,) mass times its place in the world [kg m]."""
    inertias = [spatial_inertia(at.numbers, at.kinematics), *(own.base for own in own_masses(at).values())]
    return sum(
        (jnp.sum(inertia.moment, axis=0) + jnp.sum(inertia.mass) * at.origin for inertia in inertias), jnp.zeros(3)
    )


@jax.jit
def power(
    model: Model,
    q: Array,
    v: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    prepared: Prepared | None = None,
    memory: Any = None,
) -> tuple[Array, Array]:
    """(power of loads, user forces, actuators, what prescribes a motion, and gravity that changes; power lost in
    damping) [W]."""
    at = _at(model, q, v, t, inputs, prepared=prepared, memory=memory)
    multipliers = None
    if model.structure.prescribes:  # loops that only close do no work
        multipliers = forward_dynamics_of(at)[1]
    wrench, force = applied_forces(at, multipliers)
    worked = jnp.zeros(()) if wrench is None else jnp.sum(wrench * at.twists[1:])
    worked = worked if force is None else worked + force @ v
    if model.structure.gravity.kind != "constant":
        change = jax.jvp(lambda t: at.at_time(t).gravity, (at.t,), (jnp.ones_like(at.t),))[1]
        worked = worked - _first_moment(at) @ change
    lost = lost_power(at)
    for group, numbers in zip(model.structure.groups, at.numbers.elements, strict=True):
        own_q, own_v = q[group.q_index], v[group.v_index]
        resist = jax.vmap(group.element.force)
        lost += jnp.sum(own_v * (resist(numbers, own_q, own_v) - resist(numbers, own_q, jnp.zeros_like(own_v))))
    return worked, lost


def frame_rows(structure: Structure) -> np.ndarray:
    return np.array([frame.row for frame in structure.frames], dtype=int)


def frame_poses(at: Evaluation) -> Array:
    """(F, 4, 4) world poses of the robot's frames."""
    return point_poses(at.kinematics, frame_rows(at.structure), at.numbers.frame_offset)
