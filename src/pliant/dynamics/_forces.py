"""What a robot's actuators, loops and sections carry: efforts, travels, reactions, internal wrenches."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._constraints import constraint_jacobian, constraint_values, loop_reactions
from pliant.dynamics._flattened import forward_dynamics_of, refuse_inextensible, row_loads
from pliant.dynamics._functions import check_inputs, energies
from pliant.dynamics._kinematics import Kinematics, kinematics, point_poses, project, to_body, up
from pliant.dynamics._paths import far_end_factors, path_forces, path_measures, section_wrenches
from pliant.dynamics._shape import shape_of
from pliant.dynamics._wrenches import path_intensity
from pliant.elements import ScrewJoint
from pliant.interactions import JointActuator
from pliant.model import Model, Prepared, prepare
from pliant.results import Forces, Shape

Inputs = Mapping[str, Array]


def _coordinates(model: Model, actuator: JointActuator, q: Array) -> Array:
    """(n,) driven coordinates of a joint, as a prescribed motion gives them: for rotations the rotation vector."""
    member = model.structure.joint_of(actuator.link)
    element: Any = member.element
    return element.values(q[member.q_start : member.q_start + element.nq])[actuator.coordinates]


def _coordinate_names(model: Model, actuator: JointActuator) -> list[str]:
    """The actuator's name, followed by the coordinate's where it drives several."""
    element: Any = model.structure.joint_of(actuator.link).element
    names = element.coordinate_names() if isinstance(element, ScrewJoint) else element.velocity_names()
    if actuator.size is None:
        return [actuator.name]
    return [f"{actuator.name}.{names[index]}" for index in actuator.coordinates]


def standing_motions(model: Model, q: Array) -> dict[str, Array]:
    """Where the joints whose motion is prescribed stand: name -> value, as an input takes it."""
    return {
        motion.name: _coordinates(model, motion, q)[0] if motion.size is None else _coordinates(model, motion, q)
        for motion in model.structure.motions
        if isinstance(model.structure.joint_of(motion.link).element, ScrewJoint)
    }


def turn_of(model: Model, begin: Mapping[str, Array], end: Mapping[str, Array]) -> float:
    """Largest change of a prescribed angle [rad] between two sets of inputs."""
    largest = 0.0
    for motion in model.structure.motions:
        if motion.name in begin:
            names = model.structure.joint_of(motion.link).element.velocity_names()
            turns = np.array([names[index].startswith(("rate", "angular")) for index in motion.coordinates])
            change = np.abs(np.atleast_1d(np.asarray(end[motion.name]) - np.asarray(begin[motion.name])))
            largest = max(largest, float(change[turns].max(initial=0.0)))
    return largest


def standing_lengths(model: Model, q: Array) -> dict[str, Array]:
    """Present lengths of the tendons that are driven by length."""
    driven = [actuator for actuator in model.structure.path_actuators if actuator.drive == "length"]
    if not driven:
        return {}
    lengths = travel(model, q)
    return {actuator.name: lengths[actuator.name] for actuator in driven}


def target_values(model: Model, names: Iterable[str], t: float, inputs: Inputs | None) -> dict[str, Array]:
    """What the named actuators are asked for at time t."""
    actuators = {a.name: a for a in (*model.structure.path_actuators, *model.structure.joint_actuators)}
    moment = jnp.asarray(t, dtype=jnp.float64)
    return {name: actuators[name].value(model.parameters, inputs or {}, moment) for name in names}


def _travel(model: Model, prepared: Prepared, kin: Kinematics, q: Array) -> dict[str, Array]:
    lengths = path_measures(model.structure, prepared, kin, q)
    found = {actuator.name: lengths[actuator.path] for actuator in model.structure.path_actuators}
    for joint in model.structure.joint_actuators:
        found |= dict(zip(_coordinate_names(model, joint), _coordinates(model, joint, q), strict=True))
    return found


@jax.jit
def travel(model: Model, q: Array) -> dict[str, Array]:
    """Length [m] of every tendon, volume [m^3] of every chamber, coordinate of every driven joint, by name."""
    prepared = prepare(model.structure, model.parameters)
    return _travel(model, prepared, kinematics(model.structure, prepared, q), q)


def _effort(
    model: Model,
    prepared: Prepared,
    intensity: Array,
    t: Array,
    inputs: Inputs,
    factor: Array | float,
    multipliers: Array,
) -> dict[str, Array]:
    structure = model.structure
    found = {
        actuator.name: intensity[actuator.path] if actuator.drive == "pressure" else -intensity[actuator.path]
        for actuator in structure.path_actuators
    }
    found |= {name: multipliers[row] for name, row in structure.worked.items() if name in found}
    for joint in structure.joint_actuators:
        if joint.name in structure.worked:
            values = multipliers[structure.worked[joint.name]][None]
        elif joint.drive == "motion":
            values = multipliers[structure.constraint_slices[joint.name]]
        else:
            values = factor * jnp.atleast_1d(joint.value(prepared.parameters, inputs, t))
        found |= dict(zip(_coordinate_names(model, joint), values, strict=True))
    return found


def _forces(
    model: Model, prepared: Prepared, kin: Kinematics, q: Array, t: Array, inputs: Inputs, factor: Array | float,
    multipliers: Array,
) -> Forces:  # fmt: skip
    structure = model.structure
    intensity = jnp.zeros(0)
    far_end = jnp.zeros(0)
    if structure.path_actuators:
        intensity = path_intensity(structure, prepared, kin, q, t, inputs, factor, multipliers)
        far_end = far_end_factors(structure, prepared, kin, q)
    rubbed = {path for path, *_ in structure.routes.friction} if structure.routes is not None else set()
    return Forces(
        effort=_effort(model, prepared, intensity, t, inputs, factor, multipliers),
        travel=_travel(model, prepared, kin, q),
        far_end={a.name: -intensity[a.path] * far_end[a.path] for a in structure.path_actuators if a.path in rubbed},
        reaction=loop_reactions(structure, prepared, kin, multipliers),
    )


class StaticReport(NamedTuple):
    """All that is told about a robot at rest: where it is, its energies, what actuators and loops carry, the internal
    wrench at its nodes (K, 6), and how far the worst constraint is from closed [m or rad]."""

    shape: Shape
    energy: dict[str, Array]
    forces: Forces
    internal: Array
    violation: Array


@jax.jit
def static_report(
    model: Model,
    q: Array,
    multipliers: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
) -> StaticReport:
    """One function for all of it, because each would compile the same kinematics again."""
    inputs = check_inputs(model, inputs)
    structure = model.structure
    prepared = prepare(structure, model.parameters)
    kin = kinematics(structure, prepared, q)
    moment = jnp.asarray(t, dtype=jnp.float64)
    return StaticReport(
        shape=shape_of(model, prepared, kin, q),
        energy=energies(structure, prepared, kin, q, moment),
        forces=_forces(model, prepared, kin, q, moment, inputs, load_factor, multipliers),
        internal=_internal(
            model, prepared, kin, q, None, moment, inputs, load_factor, multipliers, jnp.zeros(model.nv)
        ),
        violation=jnp.max(jnp.abs(constraint_values(structure, prepared, kin, q, moment, inputs)), initial=0.0),
    )


@jax.jit
def dynamic_forces(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Forces:
    """Efforts, travels and reactions of a robot in motion."""
    refuse_inextensible(model.structure)
    inputs = check_inputs(model, inputs)
    prepared = prepare(model.structure, model.parameters)
    moment = jnp.asarray(t, dtype=jnp.float64)
    kin = kinematics(model.structure, prepared, q, v)
    multipliers = jnp.zeros(0)
    if model.structure.constraint_count:
        multipliers = forward_dynamics_of(model.structure, prepared, q, v, moment, inputs)[1]
    return _forces(model, prepared, kin, q, moment, inputs, 1.0, multipliers)


@jax.jit
def internal_wrench(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(K, 6) wrench [moment; force] in the material of the rods at their nodes, in the frame of the section, for a
    robot in motion; positive force along z is tension. See `static_report` for a robot at rest."""
    inputs = check_inputs(model, inputs)
    prepared = prepare(model.structure, model.parameters)
    moment = jnp.asarray(t, dtype=jnp.float64)
    kin = kinematics(model.structure, prepared, q, v)
    a, multipliers = forward_dynamics_of(model.structure, prepared, q, v, moment, inputs)
    return _internal(model, prepared, kin, q, a, moment, inputs, 1.0, multipliers, v)


def _internal(
    model: Model, prepared: Prepared, kin: Kinematics, q: Array, a: Array | None, t: Array, inputs: Inputs,
    factor: Array | float, multipliers: Array, v: Array,
) -> Array:  # fmt: skip
    """What a section passes on is what everything beyond it lacks; tendons and chambers there carry a part of it."""
    structure = model.structure
    nodes = structure.nodes
    if not nodes:
        return jnp.zeros((0, 6))
    beyond = up(structure.tree, row_loads(structure, prepared, kin, q, a, t, inputs, factor, multipliers, v))
    first = {link.name: link.rod for link in structure.links if link.rod is not None}
    starts = {
        m.link: g.row_start + i * g.row_count // len(g.members)
        for g in structure.groups
        for i, m in enumerate(g.members)
        if m is first.get(m.link)
    }
    at_base = np.array(structure.node_fractions) == 0.0
    rows = np.array([starts[n.name] if base else n.row for n, base in zip(nodes, at_base, strict=True)]) - 1
    own_rows = np.array([node.row for node in nodes])
    poses = point_poses(kin, own_rows, prepared.node_offset)
    wrench = -to_body(poses[:, :3, :3], poses[:, :3, 3] - kin.origin, beyond[rows])
    if not structure.path_actuators:
        return wrench
    intensity = path_intensity(structure, prepared, kin, q, t, inputs, factor, multipliers)
    return wrench + section_wrenches(structure, prepared, kin, q, intensity)[rows]


@jax.jit
def actuation_matrix(model: Model, q: Array) -> Array:
    """B(q) (nv, actuators): generalised force per unit of every actuator's effort, in the order of
    Model.actuator_names (a joint with several driven coordinates has one column each); tension pulls, so a tendon's
    column is minus the gradient of its length. For a prescribed motion the effort is the force that brings it about."""
    structure = model.structure
    prepared = prepare(structure, model.parameters)
    kin = kinematics(structure, prepared, q)
    columns = []
    if structure.path_actuators:
        sign = jnp.asarray([1.0 if a.drive == "pressure" else -1.0 for a in structure.path_actuators])

        def column(intensity: Array) -> Array:
            rows, force = path_forces(structure, prepared, kin, q, intensity)
            return project(structure, kin, rows) + force

        columns.append(jax.vmap(column)(jnp.diag(sign)).T)
    for joint in structure.joint_actuators:
        columns.append(jnp.eye(model.nv)[:, joint.velocities])
    return jnp.concatenate(columns, axis=1) if columns else jnp.zeros((model.nv, 0))


@jax.jit
def constraint_matrix(model: Model, q: Array) -> Array:
    """(m, nv) derivative of the constraints along the velocities, in the order of Model.constraint_names."""
    prepared = prepare(model.structure, model.parameters)
    return constraint_jacobian(model.structure, prepared, kinematics(model.structure, prepared, q))
