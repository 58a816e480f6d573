"""Everything that acts on a robot, gathered on the rows of the flattened tree and on its coordinates. No kind is known
here by name: all are asked the same."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.constraints import Constraint
from pliant.dynamics._evaluation import Evaluation
from pliant.dynamics._kinematics import project
from pliant.interactions import Force, Push
from pliant.model import Structure


class Acting(NamedTuple):
    """Spatial wrenches (R, 6) on the rows and generalised forces (nv,); None where there are none."""

    rows: Array | None
    force: Array | None


def gathered(structure: Structure, pushes: Iterable[Push | None]) -> Acting:
    """The sum of what acts, in one table of rows."""
    index, wrenches = [], []
    force: Array | None = None
    for push in pushes:
        if push is None:
            continue
        if push.wrench is not None and push.rows is not None:
            index.append(push.rows)
            wrenches.append(push.wrench)
        if push.force is not None:
            force = push.force if force is None else force + push.force
    if not wrenches:
        return Acting(None, force)
    every = wrenches[0] if len(wrenches) == 1 else jnp.concatenate(wrenches)
    rows = jnp.zeros((structure.tree.row_count + 1, 6)).at[np.concatenate(index)].add(every)[1:]
    return Acting(rows, force)


def kinds(at: Evaluation) -> Iterator[tuple[Force, Any]]:
    """Every kind of interaction with its numbers."""
    return zip(at.structure.interactions, at.numbers.interactions, strict=True)


def constraint_kinds(at: Evaluation) -> Iterator[tuple[Constraint, Any, slice]]:
    """Every kind of constraint with its numbers and its rows."""
    start = 0
    for kind, numbers in zip(at.structure.constraints, at.numbers.constraints, strict=True):
        yield kind, numbers, slice(start, start + kind.count)
        start += kind.count


def own_unknowns(at: Evaluation, multipliers: Array | None) -> Iterator[tuple[Force, Any, Array | None]]:
    """Every kind of interaction with its numbers and its unknowns, which follow the multipliers of the constraints;
    None where these are not known."""
    start = at.structure.constraint_count
    for kind, numbers in kinds(at):
        own = multipliers[start : start + kind.unknowns] if multipliers is not None and kind.unknowns else None
        yield kind, numbers, own
        start += kind.unknowns


def applied_forces(at: Evaluation, multipliers: Array | None = None) -> Acting:
    """What loads, actuators, a user's wrenches and, given their multipliers, constraints do to the robot: all that does
    work on it from outside. Gravity is not here: it enters as an acceleration.

    multipliers (m + n,): of the constraints, then the unknowns of interactions."""
    return gathered(at.structure, [*_applied(without_efforts(at), multipliers), *_reactions(at, multipliers)])


def acting_forces(at: Evaluation, multipliers: Array | None = None) -> Acting:
    """All that acts: what is applied, and what interactions store and lose."""
    return gathered(at.structure, [*_applied_and_reactions(at, multipliers), *_resisting(at, kinds(at))])


def steady_forces(at: Evaluation) -> Acting:
    """All that acts, without what may rest."""
    steady = (own for own in kinds(at) if not own[0].may_rest)
    return gathered(at.structure, [*_applied_and_reactions(at, None), *_resisting(at, steady)])


def resting_forces(at: Evaluation) -> Acting:
    """What those interactions store and lose that may rest."""
    return gathered(at.structure, _resisting(at, (own for own in kinds(at) if own[0].may_rest)))


def all_rest(at: Evaluation) -> Array:
    """Whether none of those does anything at the moment."""
    return ~jnp.any(jnp.stack([kind.acts(numbers, at) for kind, numbers in kinds(at) if kind.may_rest]))


def _applied_and_reactions(at: Evaluation, multipliers: Array | None) -> list[Push | None]:
    return [*_applied(without_efforts(at), multipliers), *_reactions(at, multipliers)]


def _resisting(at: Evaluation, some: Iterable[tuple[Force, Any]]) -> Iterator[Push | None]:
    return (kind.resists(numbers, at) for kind, numbers in some)


def _applied(at: Evaluation, multipliers: Array | None) -> Iterator[Push | None]:
    for kind, numbers, unknowns in own_unknowns(at, multipliers):
        yield kind.applies(numbers, at, unknowns)


def _reactions(at: Evaluation, multipliers: Array | None) -> Iterator[Push | None]:
    """What constraints do: by themselves, or by the actuators that keep them."""
    if multipliers is None or not at.structure.constraint_count:
        return
    own = multipliers[: at.structure.constraint_count]
    if at.structure.worked:
        yield from _worked(at, own)
        own = own * jnp.asarray(ideal_rows(at.structure))
    yield from _constraint_pushes(at, own)


def _constraint_pushes(at: Evaluation, multipliers: Array) -> Iterator[Push]:
    for kind, numbers, rows in constraint_kinds(at):
        yield kind.push(numbers, at, multipliers[rows])


def without_efforts(at: Evaluation) -> Evaluation:
    """With every actuator that works for a constraint at zero: what it does comes from its multiplier (TMTDyn Eqs. 41
    to 43, Jacobian control)."""
    worked = at.structure.worked
    if not worked:
        return at
    return at.with_inputs({**at.inputs, **{name: jnp.zeros(()) for name in worked}})


def ideal_rows(structure: Structure) -> np.ndarray:
    """(m,) 1 for rows kept by an ideal reaction, 0 for those that actuators keep."""
    ideal = np.ones(structure.constraint_count)
    ideal[list(structure.worked.values())] = 0.0
    return ideal


def _worked(at: Evaluation, multipliers: Array) -> Iterator[Push]:
    """What the efforts do that the multipliers (m,) are."""
    for kind, numbers in kinds(at):
        own = [(i, at.structure.worked[e.name]) for i, e in enumerate(kind.efforts) if e.name in at.structure.worked]
        if own:
            places, rows = (np.array(column) for column in zip(*own, strict=True))
            effort = jnp.zeros(len(kind.efforts)).at[places].set(multipliers[rows])
            yield kind.drive(numbers, at, effort)


def projected(at: Evaluation, acting: Acting) -> Array:
    """(nv,) generalised force of what acts."""
    force = jnp.zeros(at.structure.nv) if acting.force is None else acting.force
    return force if acting.rows is None else project(at.structure, at.kinematics, acting.rows) + force


def constraint_jacobian(at: Evaluation) -> Array:
    """(m, nv) derivative of the constraints along the velocities."""

    def row(multipliers: Array) -> Array:
        return projected(at, gathered(at.structure, _constraint_pushes(at, multipliers)))

    return jax.vmap(row)(jnp.eye(at.structure.constraint_count))


def force_rows(at: Evaluation, rows: Array) -> Array:
    """(m, nv) generalised force per unit of each multiplier: the Jacobian `rows`, or what the actuator does."""
    if not at.structure.worked:
        return rows

    def one(multipliers: Array) -> Array:
        return projected(at, gathered(at.structure, _worked(at, multipliers)))

    ideal = jnp.asarray(ideal_rows(at.structure))[:, None]
    return ideal * rows + jax.vmap(one)(jnp.eye(at.structure.constraint_count))


def stored_energy(at: Evaluation) -> Array:
    """Energy that interactions store [J]."""
    return _sum(kind.energy(numbers, at) for kind, numbers in kinds(at))


def lost_power(at: Evaluation) -> Array:
    """Power that interactions lose [W]."""
    return _sum(kind.loss(numbers, at) for kind, numbers in kinds(at))


def _sum(terms: Iterable[Array | None]) -> Array:
    return sum((term for term in terms if term is not None), jnp.zeros(()))
