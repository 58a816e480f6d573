"""Tendons and chambers: what their lengths and volumes are, that their forces do the conjugate work, and friction."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Robot
from pliant.dynamics import dynamic_forces, travel

LENGTH, OFFSET = 0.3, 0.008
RADIUS, TURNS = 0.006, 1.5
FRICTION = 0.25
ROPE = {
    "rope-1": {"link": "world", "offset": {"move": [0.1, -0.05, 0.02]}},
    "rope-2": {"link": "base", "offset": {"move": [0.02, 0.03, 0.0]}},
    "rope-3": {"link": "arm", "at": 0.6, "offset": {"move": [0.0, 0.02, 0.01]}},
    "rope-4": {"link": "thumb", "offset": {"move": [0.01, 0.0, 0.0]}},
}
SAMPLES = 25


@functools.cache
def _rig():
    """A tree of rigid and soft links: base (hinged), arm, hand (on a ball joint), finger, and a thumb on the base."""
    body = {"mass": 0.1, "inertia": [1e-4, 2e-4, 3e-4]}
    digit = {"section": {"circle": {"radius": 0.01}}, "material": "rubber", "length": 0.1, "allow": ["bend_x", "twist"]}
    digit |= {"model": {"pcs": {"pieces": 2, "quadrature": 2}}}
    robot = (
        Robot("rig")
        .material("rubber", young=2e5, poisson=0.4, density=1000.0)
        .rigid("base", joint={"revolute": "y"}, **body)
        .rod(
            "arm",
            parent={"link": "base", "offset": {"move": [0, 0, 0.02], "rotate": {"x": 0.3}}},
            length=LENGTH,
            section={"circle": {"radius": 0.015}},
            material="rubber",
            model={"gvs": {"order": {"bend_x": 1, "bend_y": 1, "twist": 0, "shear_x": 0, "shear_y": 0, "stretch": 0}}},
        )
        .rigid("hand", parent="arm", joint="spherical", **body)
        .rod("finger", parent="hand", **digit)
        .rod("thumb", parent={"link": "base", "offset": {"move": [0.05, 0, 0], "rotate": {"y": 0.8}}}, **digit)
        .tendon("along", link="arm", y=OFFSET, tension=2.0)
        .tendon("helical", link="arm", helix={"radius": RADIUS, "turns": TURNS, "phase": 0.4}, tension=1.0)
        .tendon(
            "spatial",
            route=[
                {"link": "world", "offset": {"move": [0, 0.1, 0]}},
                {"link": "base", "move": [0, 0.02, 0]},
                {"link": "arm", "from": 0.2, "to": 0.9, "x": [0.002, 0.01], "y": 0.005},
                {"link": "hand", "move": [0.01, 0.01, 0.02]},
                {"link": "finger", "from": 0.7, "to": 0.2, "y": [0.005, 0.002]},
                {"link": "thumb", "from": 0.2, "to": 0.7, "helix": {"radius": [0.004, 0.008], "turns": -1}},
            ],
            tension=3.0,
        )
        .tendon("straight", route=[{"link": "base", "move": [0.02, 0.03, 0]}, ROPE["rope-4"]], tension=1.5)
        .tendon("rope", route=list(ROPE.values()), friction=FRICTION, tension=2.5)
        .tendon(
            "rubbed",
            route=[{"link": "arm", "y": OFFSET}, {"link": "finger", "y": OFFSET}],
            friction=FRICTION,
            tension=2.0,
        )
        .tendon(
            "back",
            route=[
                {"link": "finger", "from": 1, "to": 0, "y": OFFSET},
                {"link": "arm", "from": 1, "to": 0, "y": OFFSET},
            ],
            friction=FRICTION,
            tension=1.0,
        )
        .chamber("cell", link="arm", centre={"y": OFFSET}, radius=0.003, pressure=3e4)
        .chamber("oblique", link="arm", from_=0.2, to=0.9, centre={"x": [-0.005, 0.004]}, area=2e-5, pressure=2e4)
        .drive("motor", joint="base", force=0.2)
        .drive("wrist", joint="hand", force=[0.01, 0.02, 0.03])
    )
    for name, place in ROPE.items():
        robot = robot.frame(name, **place)
    return pliant.compile(robot.frame("root", link="arm", at=0))


TENDONS = ("along", "helical", "spatial", "straight")
CHAMBERS = ("cell", "oblique")
EFFORTS = {"along": 2.0, "helical": 1.0, "spatial": 3.0, "straight": 1.5, "rope": 2.5, "rubbed": 2.0, "back": 1.0}
EFFORTS |= {"cell": 3e4, "oblique": -2e4, "motor": 0.2, "wrist": jnp.array([0.01, 0.02, 0.03])}


@jax.jit
def _evaluate(model, q, v, efforts):
    rate = model.rate(q, v)
    poses, moved = jax.jvp(lambda q: pliant.forward_kinematics(model, q), (q,), (rate,))
    return {
        "travel": jax.jvp(lambda q: travel(model, q), (q,), (rate,)),
        "columns": pliant.actuation_matrix(model, q),
        "forces": dynamic_forces(model, q, v, 0.0, efforts),
        "poses": poses,
        "velocity": {name: pose[:3, 3] for name, pose in moved.items()},
    }


def _found(q, v=None, model=None):
    model = model or _rig()
    efforts = {name: jnp.asarray(value) for name, value in EFFORTS.items()}
    return jax.tree.map(np.asarray, _evaluate(model, q, jnp.zeros(model.nv) if v is None else v, efforts))


def _bent(**values):
    """q with some coordinates set by name, the rest neutral: `arm_bend_x=2` is the coordinate arm.bend_x[0]."""
    q = np.array(_rig().neutral())
    for name, value in values.items():
        link, strain = name.split("_", 1)
        own = [i for i, n in enumerate(_rig().coordinate_names) if n.startswith(f"{link}.") and f"{strain}[0]" in n]
        q[own] = value
    return jnp.asarray(q)


def _varied(rng):
    """The rig with other routes, radii, lengths and friction."""
    model = _rig()
    paths = [path for path in model.parameters if path.startswith("actuators.") and not path.endswith("pressure")]
    paths += ["links.arm.length", "links.finger.length", *(f"frames.{name}.offset.move" for name in ROPE)]
    changed = {}
    for path in paths:
        value = np.asarray(model.parameters[path])
        changed[path] = value * (1.0 + 0.3 * rng.uniform(-1, 1, value.shape)) + 1e-3 * rng.uniform(0, 1, value.shape)
    for index, name in enumerate(ROPE):
        changed[f"actuators.rope.tendon.route.{index}.offset.move"] = changed[f"frames.{name}.offset.move"]
    return model.with_parameters(changed)


def _column(model, name):
    """Columns of the actuation matrix, in the order of the actuators; a joint has one for each driven coordinate."""
    sizes = [int(np.prod(model.input_shapes[n])) for n in model.actuator_names]
    start = sum(sizes[: model.actuator_names.index(name)])
    return slice(start, start + sizes[model.actuator_names.index(name)])


def _rope_shares(points, friction):
    """Share of the tension on every leg of a rope over points (n, 3), by the capstan equation at each corner."""
    legs = np.diff(points, axis=0)
    unit = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    turns = [np.arccos(np.clip(a @ b, -1.0, 1.0)) for a, b in itertools.pairwise(unit)]
    return unit, np.exp(-friction * np.cumsum([0.0, *turns]))


def test_power_of_actuators_is_effort_times_rate_of_travel():
    rng = np.random.default_rng(7)
    for _ in range(SAMPLES):
        model = _varied(rng)
        q = model.integrate(model.neutral(), jnp.asarray(rng.normal(size=model.nv)))
        v = rng.normal(size=model.nv)
        found = _found(q, jnp.asarray(v), model)
        columns, (lengths, rates) = found["columns"], found["travel"]
        for name in model.actuator_names:
            own = columns[:, _column(model, name)]
            power, scale = float(v @ own @ np.ones(own.shape[1])), np.abs(v) @ np.abs(own).sum(axis=1)
            if name in TENDONS or name in CHAMBERS:
                expected = rates[name] if name in CHAMBERS else -rates[name]
                np.testing.assert_allclose(power, expected, rtol=0, atol=1e-10 * scale, err_msg=name)
            if name in found["forces"].travel:
                np.testing.assert_allclose(found["forces"].travel[name], lengths[name], rtol=1e-12)
        # A rope: every leg works with the tension that the corners before it have left.
        points = np.array([found["poses"][name][:3, 3] for name in ROPE])
        velocity = np.array([found["velocity"][name] for name in ROPE])
        friction = float(model.parameters["actuators.rope.friction"])
        unit, shares = _rope_shares(points, friction)
        expected = -shares @ np.sum(unit * np.diff(velocity, axis=0), axis=1)
        own = columns[:, _column(model, "rope")][:, 0]
        np.testing.assert_allclose(v @ own, expected, rtol=0, atol=1e-10 * np.abs(v) @ np.abs(own))
        np.testing.assert_allclose(lengths["rope"], np.linalg.norm(np.diff(points, axis=0), axis=1).sum(), rtol=1e-12)
        far_end = found["forces"].far_end["rope"]
        np.testing.assert_allclose(far_end, EFFORTS["rope"] * shares[-1], rtol=1e-7)


def test_joint_forces_act_on_their_own_velocities():
    model = _rig()
    found = _found(model.neutral())
    chosen = [model.velocity_names.index(name) for name in ("base.rate", *(f"hand.angular_{a}" for a in "xyz"))]
    own = np.hstack([found["columns"][:, _column(model, name)] for name in ("motor", "wrist")])
    np.testing.assert_array_equal(own, np.eye(model.nv)[:, chosen])


@pytest.mark.parametrize("curvature", [-4.0, 2.5])
def test_length_beside_a_rod_bent_to_a_circle(curvature):
    found = _found(_bent(arm_bend_x=curvature))
    root, tip = found["poses"]["root"], found["poses"]["arm"]
    towards = np.sign((np.linalg.inv(root) @ tip)[1, 3])
    # The side to which the rod bends is the shorter one.
    expected = LENGTH * (1.0 - abs(curvature) * towards * OFFSET)
    lengths = found["travel"][0]
    np.testing.assert_allclose(lengths["along"], expected, rtol=1e-13)
    np.testing.assert_allclose(lengths["cell"], np.pi * 0.003**2 * expected, rtol=1e-13)


def test_length_of_a_helix_and_of_straight_legs():
    found = _found(_bent())
    lengths, poses = found["travel"][0], found["poses"]
    np.testing.assert_allclose(lengths["helical"], np.hypot(LENGTH, 2 * np.pi * RADIUS * TURNS), rtol=1e-13)
    # Stretched by a fifth: the circumference of the helix stays.
    stretched = _found(_bent(arm_stretch=0.2))["travel"][0]["helical"]
    np.testing.assert_allclose(stretched, np.hypot(1.2 * LENGTH, 2 * np.pi * RADIUS * TURNS), rtol=1e-13)
    distance = np.linalg.norm(poses["rope-4"][:3, 3] - poses["rope-2"][:3, 3])
    np.testing.assert_allclose(lengths["straight"], distance, rtol=1e-13)


def test_volume_of_chambers_is_that_between_plane_sections():
    oblique = 2e-5 * np.hypot(0.7 * LENGTH, 0.009)  # as long as the line between its ends
    np.testing.assert_allclose(_found(_bent())["travel"][0]["oblique"], oblique, rtol=1e-13)
    # Sections that slide over each other hold what they held (Cavalieri); a tendon there gets longer.
    sheared = _found(_bent(arm_shear_x=0.3, arm_shear_y=-0.2))["travel"][0]
    np.testing.assert_allclose(sheared["oblique"], oblique, rtol=1e-13)
    np.testing.assert_allclose(sheared["cell"], np.pi * 0.003**2 * LENGTH, rtol=1e-13)
    np.testing.assert_allclose(sheared["along"], LENGTH * np.sqrt(1.0 + 0.3**2 + 0.2**2), rtol=1e-13)
    stretched = _found(_bent(arm_stretch=0.2))["travel"][0]
    np.testing.assert_allclose(stretched["oblique"], 1.2 * oblique, rtol=1e-13)


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_capstan(turn):
    """The tension falls by exp(-friction angle): along the arm, in the wrist and along the finger."""
    q = np.array(_bent(arm_bend_x=2.0, finger_bend_x=4.0))
    wrist = [_rig().coordinate_names.index(f"hand.quaternion_{a}") for a in "wx"]
    q[wrist] = np.cos(turn / 2), np.sin(turn / 2)
    found = _found(jnp.asarray(q))
    angle = 2.0 * LENGTH + turn + 4.0 * 0.1
    for name in ("rubbed", "back"):  # pulled at the base, and at the tip
        share = found["forces"].far_end[name] / found["forces"].effort[name]
        np.testing.assert_allclose(share, np.exp(-FRICTION * angle), rtol=1e-9, err_msg=name)
    # The arm's curvature is pushed with what friction leaves at each place: the integral of T exp(-mu k s) y.
    own = found["columns"][:, _column(_rig(), "rubbed")][_rig().velocity_names.index("arm.bend_x[0]"), 0]
    expected = -OFFSET * (1.0 - np.exp(-FRICTION * 2.0 * LENGTH)) / (FRICTION * 2.0)
    np.testing.assert_allclose(own, expected, rtol=1e-9)


def test_straight_rods_rub_nothing_off():
    found = _found(_bent())
    np.testing.assert_allclose(found["forces"].far_end["rubbed"], EFFORTS["rubbed"], rtol=1e-7)
