"""What a robot's actuators, loops and sections carry: efforts, travels, reactions, internal wrenches."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._arguments import robot_function
from pliant.dynamics._constraints import constraint_values, reactions
from pliant.dynamics._evaluation import Evaluation, evaluate
from pliant.dynamics._flattened import forward_dynamics_of, refuse_immovable, row_loads
from pliant.dynamics._functions import energies, multiplier_count
from pliant.dynamics._inputs import Inputs, check_inputs
from pliant.dynamics._interactions import (
    constraint_jacobian,
    constraint_kinds,
    gathered,
    kinds,
    own_unknowns,
    projected,
    without_efforts,
)
from pliant.dynamics._kinematics import point_poses, to_body, up
from pliant.dynamics._shape import shape_of
from pliant.interactions import Effort, Push
from pliant.mechanics import evaluate as evaluate_programme
from pliant.model import Model, State
from pliant.results import Forces, Shape


@jax.jit
def standing_values(model: Model, q: Array) -> dict[str, Array]:
    """Values of the walked ports (prescribed joints, tendons wound to a length) that leave the robot where it is."""
    at = evaluate(model, State(q, jnp.zeros(model.nv)), at_rest=True)
    found: dict[str, Array] = {}
    for kind, numbers in kinds(at):
        found |= kind.standing(numbers, at)
    for constraint, numbers, _ in constraint_kinds(at):
        found |= constraint.standing(numbers, at)
    return found


def turn_of(model: Model, begin: Mapping[str, Array], end: Mapping[str, Array]) -> float:
    """Largest change of a prescribed angle [rad] between two sets of inputs."""
    largest = 0.0
    for name, units in prescribed_units(model).items():
        if name in begin:
            change = np.abs(np.atleast_1d(np.asarray(end[name]) - np.asarray(begin[name])))
            largest = max(largest, float(change[np.array(units) == "rad"].max(initial=0.0)))
    return largest


def prescribed_units(model: Model) -> dict[str, tuple[str, ...]]:
    """Ports that prescribe a motion -> units of their numbers."""
    structure = model.structure
    ports = [port.name for kind in structure.constraints for port in kind.ports]
    return {name: tuple(effort.travel_unit for effort in structure.efforts[name]) for name in ports}


def port_values(model: Model, names: Iterable[str], t: float, inputs: Inputs | None) -> dict[str, Array]:
    """What the named ports are asked for at time t: an input where one is given, else the programme of the file."""
    given = {name: value for name, value in (inputs or {}).items() if value is not None}
    names = tuple(names)
    programmed = _programmed_values(model, tuple(name for name in names if name not in given), jnp.asarray(t, float))
    return {name: jnp.asarray(given[name]) if name in given else programmed[name] for name in names}


# Compiled: the host asks for them in every load step, and operation by operation a table takes longer than the solve.
@partial(jax.jit, static_argnums=1)
def _programmed_values(model: Model, names: tuple[str, ...], t: Array) -> dict[str, Array]:
    found = {}
    for name in names:
        port = model.structure.ports[name]
        value = 0.0 if port.programme is None else evaluate_programme(port.programme, model.parameters, t)
        found[name] = jnp.broadcast_to(value, port.shape)
    return found


def _travel(at: Evaluation) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for part, numbers in _driving(at):
        found |= _by_name(part.efforts, part.travel(numbers, at))
    return _in_order(at, found)


def _driving(at: Evaluation) -> list[tuple[Any, Any]]:
    """Interactions and constraints that have efforts, with their numbers."""
    parts: list[Any] = [*kinds(at), *((kind, numbers) for kind, numbers, _ in constraint_kinds(at))]
    return [(part, numbers) for part, numbers in parts if part.efforts]


def _by_name(efforts: Iterable[Effort], values: Array) -> dict[str, Array]:
    return {effort.name: values[index] for index, effort in enumerate(efforts)}


def _in_order(at: Evaluation, found: Mapping[str, Array]) -> dict[str, Array]:
    names = [effort.name for efforts in at.structure.efforts.values() for effort in efforts]
    return {name: found[name] for name in names}


@jax.jit
def travel(model: Model, q: Array) -> dict[str, Array]:
    """Length [m] of every tendon, volume [m^3] of every chamber, coordinate of every driven joint, by name."""
    return _travel(evaluate(model, State(q, jnp.zeros(model.nv)), at_rest=True))


def _effort(at: Evaluation, multipliers: Array) -> dict[str, Array]:
    idle = without_efforts(at)
    found: dict[str, Array] = {}
    for kind, numbers, unknowns in own_unknowns(idle, multipliers):
        if kind.efforts:
            found |= _by_name(kind.efforts, kind.effort(numbers, idle, unknowns))
    for constraint, _, rows in constraint_kinds(at):
        found |= _by_name(constraint.efforts, multipliers[rows])
    found |= {name: multipliers[row] for name, row in at.structure.worked.items()}
    return _in_order(at, found)


def _forces(at: Evaluation, multipliers: Array) -> Forces:
    far_end: dict[str, Array] = {}
    report: dict[str, Array] = {}
    for kind, numbers, unknowns in own_unknowns(at, multipliers):
        far_end |= kind.far_end(numbers, at, unknowns)
        report |= kind.report(numbers, at)
    return Forces(
        effort=_effort(at, multipliers),
        travel=_travel(at),
        far_end=far_end,
        reaction=reactions(at, multipliers),
        report=report,
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
    memory: Any = (),
) -> StaticReport:
    """One function for all of it, because each would compile the same kinematics again."""
    state = State(q, jnp.zeros(model.nv), memory)
    at = evaluate(model, state, t, check_inputs(model, inputs), load_factor, at_rest=True)
    return StaticReport(
        shape=shape_of(at),
        energy=energies(at),
        forces=_forces(at, multipliers),
        internal=_internal(at, None, multipliers),
        violation=jnp.max(jnp.abs(constraint_values(at)), initial=0.0),
    )


@robot_function
def forces_at_rest(
    model: Model,
    q: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    multipliers: Array | None = None,
    memory: Any = None,
) -> Forces:
    """Efforts, travels, reactions and reports of a robot at rest in q, as a pure function: of what
    `pliant.pure.equilibrium` has found, with its multipliers and its memory."""
    at = evaluate(model, State(q, jnp.zeros(model.nv), memory or ()), t, inputs, load_factor, at_rest=True)
    return _forces(at, jnp.zeros(multiplier_count(model)) if multipliers is None else multipliers)


@jax.jit
def dynamic_forces(
    model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None, memory: Any = ()
) -> Forces:
    """Efforts, travels and reactions of a robot in motion."""
    refuse_immovable(model.structure)
    at = evaluate(model, State(q, v, memory), t, inputs)
    multipliers = jnp.zeros(0)
    if model.structure.constraint_count:
        multipliers = forward_dynamics_of(at)[1]
    return _forces(at, multipliers)


@jax.jit
def internal_wrench(model: Model, q: Array, v: Array, t: Array | float = 0.0, inputs: Inputs | None = None) -> Array:
    """(K, 6) wrench [moment; force] in the material of the rods at their nodes, in the frame of the section, for a
    robot in motion; positive force along z is tension. See `static_report` for a robot at rest."""
    at = evaluate(model, State(q, v), t, inputs)
    a, multipliers = forward_dynamics_of(at)
    return _internal(at, a, multipliers)


def _internal(at: Evaluation, a: Array | None, multipliers: Array) -> Array:
    """What a section passes on is what everything beyond it lacks; tendons and chambers there carry a part of it."""
    structure = at.structure
    nodes = structure.nodes
    if not nodes:
        return jnp.zeros((0, 6))
    beyond = up(structure.tree, row_loads(at, a, multipliers))
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
    poses = point_poses(at.kinematics, own_rows, at.numbers.node_offset)
    wrench = -to_body(poses[:, :3, :3], poses[:, :3, 3] - at.origin, beyond[rows])
    carried = gathered(
        structure, [k.section_wrenches(numbers, at, unknowns) for k, numbers, unknowns in own_unknowns(at, multipliers)]
    )
    return wrench if carried.rows is None else wrench + carried.rows[rows]


@robot_function
def actuation_matrix(model: Model, q: Array) -> Array:
    """B(q) (nv, efforts): generalised force per unit of every effort, in the order of Model.actuator_names (an actuator
    of several numbers has one column each); tension pulls, so a tendon's column is minus the gradient of its length.
    For a prescribed motion the effort is the force that brings it about."""
    at = evaluate(model, State(q, jnp.zeros(model.nv)), at_rest=True)
    columns: dict[str, Array] = {}

    def add(efforts: tuple[Effort, ...], drive: Callable[[Array], Push]) -> None:
        pushed = jax.vmap(lambda effort: projected(at, gathered(at.structure, [drive(effort)])))
        columns.update(_by_name(efforts, pushed(jnp.eye(len(efforts)))))

    for kind, numbers in kinds(at):
        if kind.efforts:
            add(kind.efforts, partial(kind.drive, numbers, at))
    for constraint, numbers, _ in constraint_kinds(at):
        if constraint.efforts:
            add(constraint.efforts, partial(constraint.push, numbers, at))
    ordered = list(_in_order(at, columns).values())
    return jnp.stack(ordered, axis=1) if ordered else jnp.zeros((model.nv, 0))


@jax.jit
def constraint_matrix(model: Model, q: Array) -> Array:
    """(m, nv) derivative of the constraints along the velocities, in the order of Model.constraint_names."""
    return constraint_jacobian(evaluate(model, State(q, jnp.zeros(model.nv)), at_rest=True))
