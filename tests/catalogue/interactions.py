"""Robots with every kind of interaction, and all that the checks of `test_interactions` need to know of them.

The tree holds every rod model, and every kind acts on every rod. Compilation is what these tests cost: one program
gives all that the flattened path says of the kinds in a state, another what automatic differentiation of the elements'
own poses and strains says. A new kind joins the catalogue by being put on the robot and named in KINDS.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import pliant
from pliant import Model, Robot
from pliant.dynamics import Evaluation, evaluation, generic, port_values, power
from pliant.dynamics._flattened import residual_of
from pliant.dynamics._functions import energies
from pliant.dynamics._interactions import Acting, kinds, projected
from pliant.interactions import (
    Contacts,
    DistributedLoads,
    Force,
    JointForces,
    Paths,
    PointLoads,
    Port,
    Push,
    Springs,
    Stresses,
)
from pliant.model import prepare

TIME = 0.3  # s: between the ends of all programmes
LENGTH, OFFSET = 0.2, 0.008  # m: of every rod, and of what runs beside its axis

_MATERIAL = {"young": 1e6, "poisson": 0.4, "density": 1000.0, "viscosity": 500.0}
_HINGE = {"revolute": "y"}
_ROUND = {"section": {"circle": {"radius": 0.02}}, "material": "rubber"}
_PLANE = {**_ROUND, "allow": ["bend_y", "shear_x", "stretch"]}
_MUSCLES = {"radius": 0.02, "stiffness": 300.0, "damping": 10.0, "mass": 0.8}
_ARC = {"section": {"muscles": _MUSCLES}, "allow": ["bend_x", "bend_y", "stretch"]}

# Rod model -> the link that it hangs on, and its fields.
RODS: dict[str, tuple[str, dict[str, Any]]] = {
    "gvs": ("base", {**_ROUND, "allow": ["bend_x", "stretch"], "model": {"gvs": {"order": 1, "quadrature": 2}}}),
    "pcs": ("base", {**_ROUND, "allow": ["bend_y", "twist"], "model": {"pcs": {"pieces": 2, "quadrature": 1}}}),
    "srl": ("base", {**_ROUND, "allow": ["bend_x", "bend_y"], "model": {"srl": {"pieces": 1, "nodes": "end"}}}),
    "rom": ("base", {**_PLANE, "model": {"rom": {"order": 1, "quadrature": 2}}}),
    "eba": ("gvs", {**_PLANE, "model": {"eba": {"pieces": 1}}}),
    "ebr": ("pcs", {**_ROUND, "allow": ["bend_x", "stretch"], "model": {"ebr": {"pieces": 1, "nodes": "end"}}}),
    "cog": ("srl", {**_ARC, "model": "cog"}),
    "integral": ("rom", {**_ARC, "model": {"integral": {"quadrature": 2}}}),
}
# Size of a random coordinate: metres and shares of the length, where one is a large number.
SIZES = {"rom": 0.1, "eba": 0.05, "srl": 0.1, "ebr": 0.1, "cog": 0.02, "integral": 0.02}
ONE = ("srl",)


@dataclasses.dataclass(frozen=True)
class Magnet(Force):
    """Two frames attract each other, more so the nearer they are: an energy alone."""

    frames: tuple[str, str]
    strength: float = 2e-3  # J m

    def energy(self, numbers, at):
        first, second = (at.pose(name)[:3, 3] for name in self.frames)
        return -numbers["strength"] / jnp.sqrt(jnp.sum((first - second) ** 2))


@dataclasses.dataclass(frozen=True)
class Brush(Force):
    """Resists how fast a frame moves and how fast all coordinates change: a dissipation alone."""

    frame: str
    coefficient: float = 0.3  # N s/m, and its like for the coordinates

    def dissipation(self, numbers, at):
        return 0.5 * numbers["coefficient"] * (jnp.sum(at.twist(self.frame) ** 2) + jnp.sum(at.v**2))


@dataclasses.dataclass(frozen=True)
class Fan(Force):
    """Blows along frames as fast as its port says, less what they move along themselves: wrenches alone."""

    frames: tuple[str, ...]
    drag: float = 0.05  # N s/m

    @property
    def ports(self):
        return (Port("fan.speed", (), "m/s", "how fast the air is"),)

    def wrenches(self, numbers, at):
        slip = {frame: at.input("fan.speed") - at.twist(frame)[3:] for frame in self.frames}
        return {frame: numbers["drag"] * jnp.concatenate([0.01 * own, own]) for frame, own in slip.items()}


# Kind of interaction -> its class, in the order in which the structure of the robots has them.
KINDS: dict[str, type[Force]] = {
    "point loads in world axes": PointLoads,
    "point loads in body axes": PointLoads,
    "distributed loads in world axes": DistributedLoads,
    "distributed loads in body axes": DistributedLoads,
    "axial springs": Springs,
    "driven axial springs": Springs,
    "ropes": Springs,
    "beam springs": Springs,
    "driven one-sided beam springs": Springs,
    "contact of a point": Contacts,
    "contact of skins": Contacts,
    "tendons and chambers": Paths,
    "stresses": Stresses,
    "forces on hinges": JointForces,
    "forces on ball joints": JointForces,
    "a user's energy": Magnet,
    "a user's dissipation": Brush,
    "a user's wrenches": Fan,
}


def robot_with(rods: tuple[str, ...]) -> Robot:
    """A body from which rods hang, and a hand on a ball joint at the tip of one; loads, stresses, tendons and chambers
    on every rod, and springs between rods and to the world. The body is free and the first rod has a hinge; where there
    is one rod, the body has it."""
    robot = (
        Robot("-".join(rods))
        .material("rubber", **_MATERIAL)
        .rigid(
            "base",
            mass=0.7,
            centre=[0.02, -0.05, 0.1],
            inertia=[0.02, 0.03, 0.04],
            joint=_HINGE if _hinged(rods) == "base" else "free",
        )
    )
    for index, name in enumerate(rods):
        parent, fields = RODS[name]
        turned = {"move": [0.04 * index, 0.01, 0.02], "rotate": {"x": 0.3 + 0.1 * index}}
        joint = {"joint": _HINGE} if _hinged(rods) == name else {}
        robot = robot.rod(name, parent={"link": parent, "offset": turned}, length=LENGTH, **joint, **fields)
    hand = {"mass": 0.1, "inertia": [1e-3, 2e-3, 3e-3], "shape": {"sphere": {"radius": 0.03}}}
    robot = robot.rigid("hand", parent=_one_of(rods, 6), joint="spherical", **hand)
    return _with_contacts(_with_actuators(_with_springs(_with_loads(robot, rods), rods), rods), rods)


def _hinged(rods: tuple[str, ...]) -> str:
    return rods[0] if len(rods) > 1 else "base"


def _one_of(links: tuple[str, ...], index: int) -> str:
    """A link by its number, of which there may be fewer; where there are an even number of them, an even and an odd
    number are never the same."""
    return links[index % len(links)]


def _with_loads(robot: Robot, rods: tuple[str, ...]) -> Robot:
    """Every rod has a dead and a follower load at its tip or beside it, and one of each spread along it, by several
    kinds of programme."""
    programmes = (
        [0.3, -0.2, 0.1],
        {"ramp": {"from": [0.1, 0, 0], "to": [0.2, -0.1, 0.3], "over": 1.0}},
        {"sine": {"amplitude": [0.1, 0.2, 0.3], "frequency": 0.7, "phase": 0.4}},
        {"table": {"times": [0.0, 1.0], "values": [[0.1, 0, 0.2], [0.3, 0.2, 0.1]]}},
    )
    for index, name in enumerate(rods):
        one, other = programmes[index % 4], programmes[(index + 1) % 4]
        place = {"link": name, "offset": {"move": [0.01, 0.02, 0.03]}} if index % 2 else {"link": name}
        for frame in ("world", "body"):
            robot = robot.load(f"{name}-{frame}", where=place, force=one, moment=other, frame=frame)
            robot = robot.load(f"{name}-{frame}-along", along={"link": name}, force=other, moment=one, frame=frame)
    return robot


def _with_springs(robot: Robot, rods: tuple[str, ...]) -> Robot:
    """Two springs of every kind, one of them to the world, or one that is both driven and one-sided. The ends of `knot`
    are always in one place, where there is no line between them."""
    law = {"stiffness": 40.0, "damping": 2.0}
    beam = {"stiffness": [0.4, 0.3, 0.2, 30.0, 20.0, 10.0], "damping": [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]}
    anchor = {"link": "world", "offset": {"move": [0.3, 0.4, -0.5], "rotate": {"z": 0.5}}}
    side = {"link": "hand", "offset": {"move": [0.02, 0.0, 0.03], "rotate": {"x": 0.4}}}
    push = {"sine": {"amplitude": 0.8, "frequency": 0.5}}
    r = [_one_of(rods if len(rods) > 1 else (*rods, "hand"), index) for index in range(7)]
    return (
        robot.spring("strut", between=["base", r[1]], axial={**law, "rest_ratio": 0.7, "damping_power": 1.5})
        .spring("stay", between=[anchor, "base"], axial={**law, "rest_ratio": 0.9})
        .spring("ram", between=["base", side], axial={**law, "rest": 0.1}, force=push)
        .spring("jack", between=[anchor, r[5]], axial={**law, "rest": 0.2}, force=0.6)
        .spring("taut", between=["base", r[5]], axial={**law, "rest": 0.01, "acts": "tension"})
        .spring("knot", between=[_one_of(rods, 6), "hand"], axial={**law, "rest": 0.01, "acts": "tension"})
        .spring("slack", between=[anchor, r[4]], axial={**law, "rest": 9.0, "acts": "tension"})
        .spring("sleeve", between=[r[6], r[3]], beam={**beam, "rest": [0.1, 0.0, -0.1, 0.0, 0.02, 0.0]})
        .spring("mount", between=[anchor, side], beam={**beam, "rest": [0.0] * 6, "damping_power": 2.0})
        .spring(
            "bumper",
            between=[r[2], side],
            beam={
                **beam,
                "rest": [0.0, 0.1, 0.0, 0.1, 0.0, 0.2],
                "acts": {"x": "tension", "y": "compression", "z": "compression"},
                "frame": "middle",
            },
            force=[0.01, 0.02, -0.03, 0.4, 0.5, -0.6],
        )
    )


def _with_actuators(robot: Robot, rods: tuple[str, ...]) -> Robot:
    """Every rod has a tendon, a chamber and a stress. Of the tendons that pass from link to link, `loop` is all on the
    robot, `leash` comes from the world and `winch` is wound to a length. The hinge and the ball joint have motors."""
    stress = [0.01, 0.02, 0.03, 0.4, 0.5, 0.6]
    for index, name in enumerate(rods):
        robot = (
            robot.tendon(f"{name}-tendon", link=name, x=OFFSET, y=[-0.003, 0.004], tension=1.0 + 0.2 * index)
            .chamber(f"{name}-chamber", link=name, centre={"x": 0.006, "y": OFFSET}, radius=0.004, pressure=4e4)
            .internal(f"{name}-stress", link=name, stress=stress)
        )
    runs = [{"link": _one_of(rods, index), "y": OFFSET} for index in (3, 6)]
    way = [*runs, {"link": "hand", "move": [0.0, 0.01, 0.02]}]
    wound = [{"link": _one_of(rods, index), "x": OFFSET} for index in (1, 4)]
    return (
        robot.tendon("loop", route=[{"link": "base", "move": [0.02, 0.0, 0.1]}, *way], tension=2.0)
        .tendon("leash", route=["world", *way], tension={"ramp": {"from": 1.0, "to": 3.0, "over": 1.0}})
        .tendon("winch", route=wound, length=0.3, stiffness=50.0)
        .drive("motor", joint=_hinged(rods), force=0.3)
        .drive("wrist", joint="hand", force=[0.01, 0.02, 0.03])
    )


def _with_contacts(robot: Robot, rods: tuple[str, ...]) -> Robot:
    """Everything touches: the hand lies behind a plane on the base, the skins of two rods are outside a shell, which
    holds what is inside it; one of each kind gives way by what is damped."""
    behind = {"link": "base", "offset": {"move": [0.0, 0.0, 2.0], "rotate": {"x": 0.2}}}
    shell = {"link": "hand", "offset": {"move": [0.3, 0.1, -0.2]}}
    robot = (
        robot.surface("wall", where=behind, plane="z")
        .surface("shell", where=shell, sphere={"radius": 0.01}, hollow=True)
        .contact("bump", between=["hand", "wall"], stiffness=2.0, exponent=1.5, damping=0.3)
    )
    for name in dict.fromkeys((_one_of(rods, 0), _one_of(rods, 3))):
        robot = robot.surface(f"{name}-skin", along={"link": name})
        robot = robot.contact(f"{name}-rub", between=[f"{name}-skin", "shell"], stiffness=40.0, damping=0.2)
    return robot


@functools.cache
def model_with(rods: tuple[str, ...]) -> Model:
    ends = _one_of(rods, 4), (*rods, "base")[1]
    extra = [Magnet("magnet", ends), Brush("brush", _one_of(rods, 1)), Fan("fan", (_one_of(rods, 1), "base"))]
    return pliant.compile(robot_with(rods), extra=extra)


class State(NamedTuple):
    """Where a robot is, how it moves, and at what time [s]."""

    q: Array
    v: Array
    a: Array
    t: Array


def random_state(model: Model, seed: int) -> State:
    rng = np.random.default_rng(seed)
    size = np.array([SIZES.get(name.partition(".")[0], 0.5) for name in model.velocity_names])
    tangent, v, a = (jnp.asarray(size * rng.normal(size=model.nv)) for _ in range(3))
    return State(model.integrate(model.neutral(), tangent), v, a, jnp.asarray(TIME))


class Differentiated(NamedTuple):
    """Generalised force (nv,) of each kind, the gradients of its energy, its travels and its dissipation, orientations
    (R + 1, 3, 3) of all rows and their spatial twists (nv, R + 1, 6) per unit of every velocity: all from the elements'
    own poses and strains."""

    forces: list[Array]
    slopes: list[generic.Slopes]
    rotation: Array
    motions: Array


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """The kinds of a robot, by name, in one state."""

    model: Model
    names: tuple[str, ...]
    state: State

    @functools.cached_property
    def _flattened(self) -> list[dict[str, Any]]:
        inputs = changed_inputs(self.model, float(self.state.t))
        return jax.tree.map(np.asarray, of_each_kind(self.model, self.state, inputs))

    @functools.cached_property
    def differentiated(self) -> Differentiated:
        return jax.tree.map(np.asarray, by_differentiation(self.model, self.state))

    def kind(self, name: str) -> Force:
        return self.model.structure.interactions[self.names.index(name)]

    def flattened(self, name: str) -> dict[str, Any]:
        return self._flattened[self.names.index(name)]

    def force(self, name: str) -> np.ndarray:
        return self.differentiated.forces[self.names.index(name)]

    def slopes(self, name: str) -> generic.Slopes:
        return self.differentiated.slopes[self.names.index(name)]


@functools.cache
def tree() -> Case:
    """Every rod model and every kind."""
    model = model_with(tuple(RODS))
    return Case(model, tuple(KINDS), random_state(model, 3))


def changed_inputs(model: Model, t: float) -> dict[str, np.ndarray]:
    """(1 + n, ...) values of every port, of whose kind there are n: those of the programmes at time t, then with one
    port after the other changed."""
    found = {}
    for kind in model.structure.interactions:
        same = port_values(model, [port.name for port in kind.ports], t, None)
        for index, (name, value) in enumerate(same.items()):
            found[name] = np.repeat(np.asarray(value)[None], 1 + len(same), axis=0)
            found[name][1 + index] = 0.7 * found[name][0] + 0.1
    return found


@jax.jit
def of_each_kind(model: Model, state: State, inputs: dict[str, Array]) -> list[dict[str, Any]]:
    """What the flattened path says of each kind, in the order of the structure. inputs: see `changed_inputs`."""
    structure, (q, v, _, t) = model.structure, state
    at = evaluation(structure, prepare(structure, model.parameters), q, v, t, {})
    resting = at.at_rates(jnp.zeros_like(at.twists), jnp.zeros(model.nv))
    found, acting = [], []
    for kind, numbers in kinds(at):
        applied, resists = kind.applies(numbers, at), kind.resists(numbers, at)
        driven, changed = _driven(kind, numbers, at), _changed(kind, numbers, at, inputs)
        found.append(
            {
                "loss": kind.loss(numbers, at),
                "wrench": _total(applied, resists),
                "driven wrench": None if driven is None else jax.vmap(lambda push: _total(push))(driven),
            }
        )
        acting.append(
            {
                "acting": _table(at, applied, resists),
                "resisting": _table(at, resists),
                "resisting at rest": _table(at, kind.resists(numbers, resting)),
                "driven": None if driven is None else jax.vmap(lambda push: _table(at, push))(driven),
                "changed": None if changed is None else jax.vmap(lambda push: _table(at, push))(changed),
            }
        )
    # All are projected together: the projection is as long a program for many as for one.
    tables, form = jax.tree.flatten(acting)
    every, rows = jnp.concatenate([jnp.atleast_2d(table) for table in tables]), 6 * structure.tree.row_count
    forces = jax.vmap(lambda own: projected(at, Acting(own[:rows].reshape(-1, 6), own[rows:])))(every)
    parts = jnp.split(forces, np.cumsum([len(jnp.atleast_2d(table)) for table in tables])[:-1])
    shaped = [part.reshape(*table.shape[:-1], model.nv) for part, table in zip(parts, tables, strict=True)]
    projections = jax.tree.unflatten(form, shaped)
    return [{**own, **force} for own, force in zip(found, projections, strict=True)]


def _driven(kind: Force, numbers: Any, at: Evaluation) -> Push | None:
    """(n, ...) what every effort of a kind does at one unit."""
    return _each(lambda effort: kind.drive(numbers, at, effort), jnp.eye(len(kind.efforts))) if kind.efforts else None


def _changed(kind: Force, numbers: Any, at: Evaluation, inputs: dict[str, Array]) -> Push | None:
    """(1 + ports, ...) what a kind applies with inputs in place of its programmes."""
    given = {port.name: inputs[port.name] for port in kind.ports}
    return _each(lambda inputs: kind.applies(numbers, at.with_inputs(inputs)), given) if given else None


def _each(function: Callable[[Any], Push | None], values: Any) -> Push:
    """(n, ...) pushes for n values."""

    def one(value: Any) -> Push:
        push = function(value)
        assert push is not None
        return push._replace(rows=None if push.rows is None else jnp.asarray(push.rows))

    return jax.vmap(one)(values)


def _table(at: Evaluation, *pushes: Push | None) -> Array:
    """(6 R + nv,) pushes together: wrenches on all rows, one after the other, then the generalised force."""
    rows, force = jnp.zeros((at.structure.tree.row_count + 1, 6)), jnp.zeros(at.structure.nv)
    for push in pushes:
        if push is not None and push.wrench is not None:
            rows = rows.at[push.rows].add(push.wrench)
        if push is not None and push.force is not None:
            force = force + push.force
    return jnp.concatenate([rows[1:].reshape(-1), force])


def _total(*pushes: Push | None) -> tuple[Array, Array]:
    """Sum of the spatial wrenches (6,) on all rows, the world among them, and the sum of their sizes."""
    given = [push.wrench for push in pushes if push is not None and push.wrench is not None]
    every = jnp.concatenate([jnp.zeros((1, 6)), *given])
    return every.sum(axis=0), jnp.abs(every).sum(axis=0)


@jax.jit
def by_differentiation(model: Model, state: State) -> Differentiated:
    prepared = prepare(model.structure, model.parameters)
    at = generic.Walked(model, prepared, state.q, state.v, state.t, {})
    return Differentiated(generic.interaction_forces(at), at.slopes, at.rotation, at.motions)


class Direction(NamedTuple):
    """A way to change a state and a robot: q along the velocity w, v along u, and the parameters by path."""

    w: Array
    u: Array
    parameters: dict[str, Array]


@jax.jit
def of_the_whole(model: Model, state: State, along: Direction) -> dict[str, Any]:
    """Residual and total energy of a robot with their rates along a direction, and the power applied and lost."""
    structure, (q, v, a, t) = model.structure, state

    def balance(q: Array, v: Array, parameters: dict[str, Array]) -> dict[str, Array]:
        at = evaluation(structure, prepare(structure, parameters), q, v, t, {})
        return {"residual": residual_of(at, a), "energy": energies(at)["total"]}

    changes = model.rate(q, along.w), along.u, along.parameters
    found, rates = jax.jvp(balance, (q, v, model.parameters), changes)
    return {
        **found,
        **{f"{name} rate": value for name, value in rates.items()},
        "power": power(model, q, v, t),
    }


@jax.jit
def in_a_batch(model: Model, states: State) -> Array:
    """(n, nv) residuals in n states."""
    return jax.vmap(lambda state: pliant.residual(model, state.q, state.v, state.a, state.t))(states)
