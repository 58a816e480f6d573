"""Every kind of interaction passes every check that concerns it; wrong kinds do not."""

import dataclasses
import functools
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxprs_in_params

import pliant
from catalogue.interactions import (
    KINDS,
    LENGTH,
    ONE,
    RODS,
    TIME,
    Brush,
    Case,
    Direction,
    Magnet,
    State,
    in_a_batch,
    model_with,
    of_the_whole,
    random_state,
    tree,
)
from pliant import Robot
from pliant.dynamics import evaluation, generic, port_values, power
from pliant.dynamics._flattened import residual_of
from pliant.dynamics._functions import energies
from pliant.dynamics._mass import mass_matrix_of
from pliant.interactions import AddedInertia, Contacts, DistributedLoads, Effort, Force, Port, Push, Springs
from pliant.lie import se3
from pliant.model import prepare

STORING = (
    "axial springs",
    "driven axial springs",
    "ropes",
    "beam springs",
    "driven one-sided beam springs",
    "contact of a point",
    "contact of skins",
    "a user's energy",
)
WITHOUT_ENERGY = (
    "point loads in world axes",
    "point loads in body axes",
    "distributed loads in world axes",
    "distributed loads in body axes",
    "tendons and chambers",
    "stresses",
    "forces on hinges",
    "forces on ball joints",
    "a user's dissipation",
    "a user's wrenches",
)
LOSING = (*(name for name, kind in KINDS.items() if kind in (Springs, Contacts)), "a user's dissipation")
PAIRS = (*(name for name, kind in KINDS.items() if kind in (Springs, Contacts, Magnet)), "tendons and chambers")
DRIVEN = (
    "driven axial springs",
    "driven one-sided beam springs",
    "tendons and chambers",
    "stresses",
    "forces on hinges",
    "forces on ball joints",
)
PORTED = (*(name for name in KINDS if "loads" in name), *DRIVEN, "a user's wrenches")


def _close(found, expected, tolerance, what):
    """Arrays agree, relative to the largest number of what is expected; nothing is compared with nothing."""
    scale = np.abs(expected).max()
    assert scale > 0.0, f"{what}: there is nothing to compare"
    error = np.abs(found - expected).max() / scale
    assert error <= tolerance, f"{what}: relative difference {error:.3g} exceeds {tolerance:g}"


def force_is_energy_gradient(case: Case, name: str) -> None:
    """At rest a kind resists with minus the gradient of its energy, which is taken from the elements' own poses."""
    gradient = case.slopes(name).energy
    _close(case.flattened(name)["resisting at rest"], -gradient, 1e-10, "force against the energy gradient")


def loss_is_what_resists_the_motion(case: Case, name: str) -> None:
    """The power lost is not negative; it is that of what resists the motion, and of the gradient of the dissipation."""
    found, v = case.flattened(name), np.asarray(case.state.v)
    damping = found["resisting"] - found["resisting at rest"]
    assert found["loss"] > 0.0, f"a loss of {found['loss']:.3g} W feeds the robot"
    _close(found["loss"], -damping @ v, 1e-10, "loss against the power of what resists the motion")
    _close(damping, -case.slopes(name).dissipation, 1e-10, "damping against the dissipation gradient")


def wrenches_cancel(case: Case, name: str) -> None:
    """What acts between two places of the robot, or of the robot and the world, is in balance by itself."""
    found = case.flattened(name)
    wrench, size = found["wrench"]
    assert size.min() > 0.0, "there is nothing that could cancel"
    assert (np.abs(wrench) <= 1e-12 * size.max()).all(), f"a wrench {wrench} is left over"


def flattened_is_generic(case: Case, name: str) -> None:
    """The generalised force is that of automatic differentiation of the elements' own poses and strains."""
    _close(case.flattened(name)["acting"], case.force(name), 1e-9, "flattened against generic force")


def ports_drive(case: Case, name: str) -> None:
    """An input of the value of the programme does what the programme does; another value of any port does not."""
    found, ports = case.flattened(name), case.kind(name).ports
    same, *changed = found["changed"]
    applied = found["acting"] - found["resisting"]
    scale = np.abs(found["changed"]).max()
    assert np.abs(same - applied).max() <= 1e-13 * scale, "inputs against programmes of the same values"
    for port, force in zip(ports, changed, strict=True):
        assert port.unit, f"port {port.name!r} has no unit"
        assert np.abs(force - same).max() > 1e-7 * scale, f"port {port.name!r} drives nothing"


def power_is_effort_times_rate_of_travel(case: Case, name: str) -> None:
    """Per unit, every effort does the power of its sense times the rate of its travel, for every velocity."""
    kind, columns, gradients = case.kind(name), case.flattened(name)["driven"], case.slopes(name).travel.T
    for port in kind.ports:
        own = [index for index, effort in enumerate(kind.efforts) if effort.name.split(".")[0] == port.name]
        sense = np.array([[kind.efforts[index].sense] for index in own])
        assert len(own) > 0, f"port {port.name!r} has no effort"
        if sense.all():
            _close(columns[own], sense * gradients[own], 1e-10, f"efforts of {port.name!r} against their travels")


CHECKS = {
    force_is_energy_gradient: STORING,
    loss_is_what_resists_the_motion: LOSING,
    wrenches_cancel: PAIRS,
    flattened_is_generic: tuple(KINDS),
    ports_drive: PORTED,
    power_is_effort_times_rate_of_travel: DRIVEN,
}


@pytest.mark.parametrize(
    ("check", "name"),
    [
        pytest.param(check, name, id=f"{name.replace(' ', '-')}-{check.__name__}")
        for check, names in CHECKS.items()
        for name in names
    ],
)
def test_interaction(check, name):
    check(tree(), name)


def test_the_catalogue_knows_all_kinds():
    """What a kind declares decides which checks concern it: a kind that stops declaring it leaves the lists above."""
    found = dict(zip(KINDS, model_with(tuple(RODS)).structure.interactions, strict=True))
    assert {name: type(kind) for name, kind in found.items()} == KINDS
    assert tuple(name for name, kind in found.items() if kind.has_energy) == STORING
    assert tuple(name for name, kind in found.items() if not kind.has_energy) == WITHOUT_ENERGY
    assert tuple(name for name, kind in found.items() if kind.has_dissipation) == LOSING
    assert tuple(name for name, kind in found.items() if kind.efforts) == DRIVEN
    assert tuple(name for name, kind in found.items() if kind.ports) == PORTED


def test_every_port_has_a_name_and_a_unit():
    model = model_with(tuple(RODS))
    kinds = model.structure.interactions
    assert sorted(model.input_names) == sorted(port.name for kind in kinds for port in kind.ports)
    assert all(port.unit and port.about and port.name == name for name, port in model.structure.ports.items())


def test_inputs_take_the_place_of_some_programmes():
    """Where every second port of a kind is given, the others keep their programmes."""
    model = model_with(tuple(RODS))
    tables = [kind.table for kind in model.structure.interactions if getattr(kind, "table", None) is not None]
    assert len(tables) == len(PORTED) - 1  # the user's has none

    @jax.jit
    def values(parameters, t):
        found = []
        for table in tables:
            numbers = table.prepare(parameters)
            programmes = table.values(numbers, types.SimpleNamespace(inputs={}, t=t))
            inputs = {port.name: programmes[index] + 1.0 for index, port in enumerate(table.ports) if index % 2 == 0}
            found.append((programmes, table.values(numbers, types.SimpleNamespace(inputs=inputs, t=t))))
        return found

    for programmes, found in values(model.parameters, TIME):
        np.testing.assert_array_equal(found[1::2], programmes[1::2])
        np.testing.assert_array_equal(found[::2], programmes[::2] + 1.0)


def test_what_is_all_on_the_robot_does_not_move_it_as_a_whole():
    """A tendon, a chamber or a stress that touches nothing but the robot puts no force on the joint of its free base,
    and all wrenches of a tendon cancel, those on the world among them."""
    case = tree()
    whole = [name.startswith("base.") for name in case.model.velocity_names]
    for name in ("tendons and chambers", "stresses"):
        for effort, column in zip(case.kind(name).efforts, case.flattened(name)["driven"], strict=True):
            outside = effort.name == "leash"
            pushed = np.abs(column[whole]).max() > 1e-12 * np.abs(column).max()
            assert pushed == outside or not column.any(), f"{effort.name} pushes the robot as a whole: {pushed}"
    wrench, size = case.flattened("tendons and chambers")["driven wrench"]
    legs = [effort.name in ("loop", "leash", "winch") for effort in case.kind("tendons and chambers").efforts]
    assert (size.max(axis=1) > 0.0).tolist() == legs
    assert (np.abs(wrench) <= 1e-12 * size.max()).all()


@pytest.mark.parametrize("name", [name for name in KINDS if "loads" in name])
def test_loads_add_up(name):
    """All loads of a kind together have the force that the file gives them, per metre along a rod; those in body axes
    turn with the places where they act."""
    case = tree()
    kind = case.kind(name)
    ports = [port.name for port in kind.ports if port.name.endswith(".force")]
    values = port_values(case.model, ports, TIME, None)
    forces = np.array([values[port] for port in ports])
    if isinstance(kind, DistributedLoads):
        spans = kind.spans
        np.testing.assert_allclose(np.bincount(spans.owner, spans.share), np.ones(len(ports)), rtol=1e-14)
        rows, forces = spans.rows, LENGTH * spans.share[:, None] * forces[spans.owner]
    else:
        rows = kind.places.rows
    if "body" in name:
        forces = np.einsum("nij,nj->ni", case.differentiated.rotation[rows], forces)
    _close(case.flattened(name)["wrench"][0][3:], forces.sum(axis=0), 1e-12, "sum of all forces")


def test_moments_on_a_ball_joint_work_on_its_rate_of_turn():
    """The travel of a ball joint, its rotation vector, is no measure of the work (its efforts have no sense): moments
    work on the rate at which the hand turns against the rod that carries it, in the axes of the hand."""
    case = tree()
    hand, carrier = (case.model.structure.frames[case.model.frame_names.index(name)].row for name in ("hand", "cog"))
    turning, rotation = case.differentiated.motions[:, :, :3], case.differentiated.rotation
    relative = (turning[:, hand] - turning[:, carrier]) @ rotation[hand]
    _close(case.flattened("forces on ball joints")["driven"], relative.T, 1e-12, "moments against the rate of turn")


@pytest.fixture(
    scope="module",
    params=[pytest.param(ONE, id="one rod"), pytest.param(tuple(RODS), id="tree", marks=pytest.mark.long)],
)
def whole(request):
    """A robot with all kinds, and what is asked of it as a whole."""
    model = model_with(request.param)
    return model, functools.partial(of_the_whole, model)


def _standing(model) -> dict[str, jnp.ndarray]:
    """No change of any parameter."""
    return {path: jnp.zeros_like(value) for path, value in model.parameters.items()}


def test_energy_balances(whole):
    """Along any motion the rate of the energy is the power of what is applied, less what is lost, plus that of the
    force that the motion asks for beyond (the residual)."""
    model, evaluate = whole
    for seed in (0, 1):
        state = random_state(model, seed)
        found = evaluate(state, Direction(state.v, state.a, _standing(model)))
        parts = np.array([state.v @ found["residual"], *found["power"]])
        assert np.abs(parts).min() > 1e-3 * np.abs(parts).max()
        rate, expected = float(found["energy rate"]), parts @ [1.0, 1.0, -1.0]
        assert abs(rate - expected) <= 1e-10 * np.abs(parts).max()


def test_derivatives_are_finite_in_the_reference_configuration(whole):
    """By q, v and all parameters, at rest, where springs are slack and the ends of some are in one place."""
    model, evaluate = whole
    rng = np.random.default_rng(5)
    still = jnp.zeros(model.nv)
    state = State(model.neutral(), still, still, jnp.asarray(TIME))
    w, u = jnp.asarray(rng.normal(size=(2, model.nv)))
    numbers = {path: jnp.asarray(rng.normal(size=value.shape)) for path, value in model.parameters.items()}
    directions = {
        "q": Direction(w, still, _standing(model)),
        "v": Direction(still, u, _standing(model)),
        "parameters": Direction(still, still, numbers),
    }
    for name, direction in directions.items():
        found = evaluate(state, direction)
        assert np.isfinite(found["residual"]).all()
        rate = np.asarray(found["residual rate"])
        assert np.isfinite(rate).all() and rate.any(), f"derivatives by {name}"


def test_a_batch_equals_a_loop(whole):
    model, evaluate = whole
    states = [random_state(model, seed) for seed in range(3)]
    batch = np.asarray(in_a_batch(model, jax.tree.map(lambda *parts: jnp.stack(parts), *states)))
    for state, found in zip(states, batch, strict=True):
        one = evaluate(state, Direction(state.v, state.a, _standing(model)))["residual"]
        _close(found, np.asarray(one), 1e-12, "a batch against a loop")


@dataclasses.dataclass(frozen=True)
class StrongMagnet(Magnet):
    """It pulls by a hundredth more than its energy says."""

    def resists(self, numbers, at):
        right = super().resists(numbers, at)
        return right._replace(wrench=1.01 * right.wrench, force=1.01 * right.force)


@dataclasses.dataclass(frozen=True)
class FeedingBrush(Brush):
    """It pushes along the motion."""

    coefficient: float = -0.3


@dataclasses.dataclass(frozen=True)
class Piston(Force):
    """It pushes a frame away from the world's origin, but its travel is the height of the frame alone."""

    frame: str

    @property
    def ports(self):
        return (Port(self.name, (), "N", "force"),)

    @property
    def efforts(self):
        return (Effort(self.name, "N", "m"),)

    def effort(self, numbers, at, unknowns=None):
        return at.input(self.name)[None]

    def travel(self, numbers, at):
        return at.pose(self.frame)[2:3, 3]

    def applies(self, numbers, at, unknowns=None):
        return self.drive(numbers, at, self.effort(numbers, at))

    def drive(self, numbers, at, effort):
        place = at.pose(self.frame)[:3, 3]
        line = effort * place / jnp.linalg.norm(place)
        arm = at.from_common_point(at.pose(self.frame))[:3, 3]
        return Push(np.array([at.frame(self.frame).row]), jnp.concatenate([jnp.cross(arm, line), line])[None])


@dataclasses.dataclass(frozen=True)
class DeafPiston(Piston):
    """It pushes as hard as it likes, whatever its port says."""

    def effort(self, numbers, at, unknowns=None):
        return jnp.ones(1)


@dataclasses.dataclass(frozen=True)
class OneEndedMagnet(Magnet):
    """It pulls at one of its frames only."""

    def resists(self, numbers, at):
        right = super().resists(numbers, at)
        return right._replace(wrench=right.wrench.at[at.frame(self.frames[0]).row].set(0.0))


WRONG = {
    "a magnet stronger than its energy": (force_is_energy_gradient, flattened_is_generic),
    "a brush that feeds energy": (loss_is_what_resists_the_motion,),
    "a piston with another travel": (power_is_effort_times_rate_of_travel, flattened_is_generic),
    "a piston that does not listen": (ports_drive,),
    "a magnet with one end": (wrenches_cancel, force_is_energy_gradient),
}
RIGHT = {"a magnet": (force_is_energy_gradient, flattened_is_generic, wrenches_cancel)}
RIGHT |= {"a brush": (loss_is_what_resists_the_motion, flattened_is_generic)}


@functools.cache
def _wrong() -> Case:
    """Two bodies on joints, which attract each other in right and in wrong ways."""
    body = {"mass": 0.3, "inertia": [1e-3, 2e-3, 3e-3]}
    place = {"link": "world", "offset": {"move": [0.1, 0.2, 0.3], "rotate": {"x": 0.4}}}
    robot = (
        Robot("pair")
        .rigid("base", parent=place, joint="spherical", **body)
        .rigid("hand", parent={"link": "base", "offset": {"move": [0.2, 0.1, 0.3]}}, joint="spherical", **body)
        .frame("side", link="base", offset={"move": [0.05, 0.02, -0.01]})
        .frame("tip", link="hand", offset={"move": [0.02, -0.03, 0.04]})
    )
    ends = "side", "tip"
    extra = [
        StrongMagnet("strong", ends),
        FeedingBrush("feeding", "hand"),
        Piston("piston", "hand"),
        DeafPiston("deaf", "hand"),
        OneEndedMagnet("one-ended", ends),
        Magnet("magnet", ends),
        Brush("brush", "hand"),
    ]
    model = pliant.compile(robot, extra=extra)
    return Case(model, (*WRONG, *RIGHT), random_state(model, 4))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_interaction_is_caught(name):
    for check in WRONG[name]:
        with pytest.raises(AssertionError):
            check(_wrong(), name)


@pytest.mark.parametrize("name", RIGHT)
def test_right_interaction_beside_wrong_ones_passes(name):
    for check in RIGHT[name]:
        check(_wrong(), name)


# Symmetric and without any symmetry of a shape: what water moves along with a hull.
_HULL = np.diag([2e-3, 3e-3, 4e-3, 0.2, 0.3, 0.5]) + 1e-3 * (
    np.eye(6, k=1) + np.eye(6, k=-1) + np.eye(6, k=3) + np.eye(6, k=-3)
)
_BALL = np.diag([0.0, 0.0, 0.0, 0.1, 0.1, 0.1])


@dataclasses.dataclass(frozen=True)
class Water(Force):
    """Adds the inertia of a hull to frames, in a current along x that swings in time and differs with height."""

    frames: tuple[str, ...]
    share: float = 1.0  # of the inertia
    speed: float = 0.4  # m/s
    shear: float = 0.7  # 1/s

    def added_inertia(self, numbers, at):
        rows = np.array([at.frame(name).row for name in self.frames])
        height = at.origin[2] + at.position[rows, 2]
        flow = (numbers["speed"] * jnp.sin(3.0 * at.t) + numbers["shear"] * height)[:, None] * jnp.array(
            [1.0, 0.2, 0.0]
        )
        field = jnp.concatenate([jnp.zeros_like(flow), jnp.einsum("nji,nj->ni", at.rotation[rows], flow)], axis=1)
        return AddedInertia(rows, numbers["share"] * jnp.stack([jnp.asarray(_HULL)] * len(rows)), field)


@dataclasses.dataclass(frozen=True)
class StillWater(Force):
    """Adds the inertia of a ball to a frame, in water at rest."""

    frame: str
    share: float = 1.0  # of the inertia

    def added_inertia(self, numbers, at):
        return AddedInertia(np.array([at.frame(self.frame).row]), numbers["share"] * jnp.asarray(_BALL)[None])


@dataclasses.dataclass(frozen=True)
class Idle(Force):
    """Acts on nothing."""

    def wrenches(self, numbers, at):
        return {}


def _swimmer() -> Robot:
    """A rod and a hand on a ball joint at its tip."""
    place = {"link": "world", "offset": {"move": [0.1, 0.2, 0.3], "rotate": {"x": 0.4}}}
    return (
        Robot("swimmer")
        .material("rubber", young=1e6, poisson=0.4, density=1000.0, viscosity=500.0)
        .rod("rod", parent=place, **RODS["srl"][1], length=0.3)
        .rigid("hand", parent="rod", joint="spherical", mass=0.3, centre=[0.01, 0.02, 0.03], inertia=[1e-3, 2e-3, 3e-3])
    )


@jax.jit
def _afloat(model, state):
    """The flattened path: residual, mass matrix, energies, the rate of the total along the motion, and power."""
    q, v, a, t = state

    def balance(q, v):
        at = evaluation(model.structure, prepare(model.structure, model.parameters), q, v, t, {})
        found = energies(at)
        return found["total"], {**found, "residual": residual_of(at, a), "mass": mass_matrix_of(at)}

    _, rate, found = jax.jvp(balance, (q, v), (model.rate(q, v), a), has_aux=True)
    return {**found, "rate": rate, "power": power(model, q, v, t)}


@jax.jit
def _lagrange(model, state):
    """Kinetic energy of what the kinds add, its Hessian by the velocities, and Lagrange's equations of it, from the
    elements' own poses."""
    (q, v, a, t), zero = state, jnp.zeros(model.nv)
    prepared = prepare(model.structure, model.parameters)

    def kinetic(x, x_rate, t):
        """In the chart x -> integrate(q, x), at whose origin a constant x' is a constant v."""

        def walked(x):
            return generic.Walked(model, prepared, model.integrate(q, x), v, t, {})

        at, total = walked(x), jnp.zeros(())
        at.poses, rates = jax.jvp(lambda x: walked(x).poses, (x,), (x_rate,))
        for kind, numbers in zip(model.structure.interactions, prepared.interactions, strict=True):
            added = kind.added_inertia(numbers, at)
            slip = se3.twist(at.poses[added.rows], rates[added.rows]) - (0.0 if added.field is None else added.field)
            total += 0.5 * jnp.einsum("ni,nij,nj->", slip, added.matrix, slip)
        return total

    def along(*direction):
        """The energy, its gradients by place and velocity, and how they change in a direction."""
        return jax.jvp(jax.value_and_grad(kinetic, argnums=(0, 1)), (zero, v, t), direction)

    # Along the motion, and along every velocity.
    still = jnp.zeros((model.nv, model.nv))
    ways = jnp.vstack([v, still]), jnp.vstack([a, jnp.eye(model.nv)]), jnp.zeros(1 + model.nv).at[0].set(1.0)
    (energy, (by_place, _)), (_, (_, change)) = jax.vmap(along, out_axes=((None, (None, None)), 0))(*ways)
    return {"kinetic": energy, "mass": change[1:], "residual": change[0] - by_place}


DRY = {"extra.water.share": 0.0, "extra.still.share": 0.0}
CALM = {"extra.water.speed": 0.0, "extra.water.shear": 0.0}


@functools.cache
def _wet():
    """The swimmer in a current, and a state of it."""
    model = pliant.compile(_swimmer(), extra=[Water("water", ("rod", "hand")), StillWater("still", "hand")])
    return model, random_state(model, 6)


@pytest.mark.parametrize("name", ["mass", "kinetic", "residual"])
def test_added_inertia_is_lagrange(name):
    """What the kinds add to the mass matrix is the Hessian of their kinetic energy, and to the residual Lagrange's
    equations of it, the current's share included."""
    model, state = _wet()
    found = np.asarray(_afloat(model, state)[name] - _afloat(model.with_parameters(DRY), state)[name])
    _close(found, np.asarray(_lagrange(model, state)[name]), 1e-10, name)


def test_added_inertia_has_no_weight():
    model, state = _wet()
    still = state._replace(v=jnp.zeros(model.nv), a=jnp.zeros(model.nv))
    calm, dry = (_afloat(model.with_parameters(numbers), still) for numbers in (CALM, CALM | DRY))
    np.testing.assert_allclose(calm["gravity"], dry["gravity"], rtol=1e-14)
    np.testing.assert_allclose(calm["residual"], dry["residual"], rtol=0, atol=1e-14 * np.abs(dry["residual"]).max())
    assert np.abs(calm["mass"] - dry["mass"]).max() > 1e-3 * np.abs(dry["mass"]).max()


def test_energy_balances_with_added_inertia():
    model, state = _wet()
    found = _afloat(model.with_parameters(CALM), state)
    asked, (worked, lost) = float(state.v @ found["residual"]), found["power"]
    assert float(worked) == 0.0
    assert abs(float(found["rate"]) - asked + float(lost)) <= 1e-11 * (abs(asked) + float(lost))


def _equations(jaxpr) -> int:
    """Equations at any depth."""
    inner = sum(_equations(getattr(j, "jaxpr", j)) for e in jaxpr.eqns for j in jaxprs_in_params(e.params))
    return len(jaxpr.eqns) + inner


def test_robots_without_added_inertia_do_not_pay_for_it():
    counts = []
    for extra in ([], [Idle("idle")], [StillWater("still", "hand")]):
        model = pliant.compile(_swimmer(), extra=extra)
        still = jnp.zeros(model.nv)
        counts.append(_equations(jax.make_jaxpr(pliant.residual)(model, model.neutral(), still, still).jaxpr))
        assert model.structure.adds_inertia == bool(extra and extra[0].name == "still")
    assert counts[0] == counts[1] < counts[2]
