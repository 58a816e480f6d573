"""Closed loops at rest: their equations, closing them, counting what they leave free, and what they carry."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

import pliant
from interactions import mechanism as four_bar
from interactions.mechanism import compiled, mechanism
from pliant import Robot, SolveError
from pliant.dynamics import constraint_matrix, constraint_residual
from pliant.elements import JOINTS
from pliant.lie import quaternion, so3

POST = {"link": "post", "offset": {"move": [0.1, -0.2, 0.3], "rotate": {"x": 0.7}}}
SEAT = {"offset": {"move": [0.05, 0.1, -0.1], "rotate": {"y": -0.4}}}
AXIS, SECOND = [1.0, 2.0, 2.0], [2.0, -1.0, 1.0]  # not square to each other
JOINED = {
    "fixed": "fixed",
    "revolute": {"revolute": {"axis": AXIS}},
    "prismatic": {"prismatic": {"axis": AXIS}},
    "helical": {"helical": {"axis": AXIS, "pitch": 0.3}},
    "cylindrical": {"cylindrical": {"axis": AXIS}},
    "universal": {"universal": {"axes": [AXIS, SECOND]}},
    "planar": {"planar": "y"},
    "spherical": "spherical",
}
# Given always, so that one compiled program closes the loops in all tests.
STANDING = {"motor": 0.0}
HELD = {"first": ["x", "z"], "second": ["y", "rx", "rz"], "world": ["x", "ry"]}


@functools.cache
def _tied():
    """Free bodies, each tied to a free post in another way, and one tied to the world."""
    robot = Robot("tied").rigid("post", mass=1.0, shape={"sphere": {"radius": 0.1}}, joint="free")
    ties = {kind: {"joint": joint} for kind, joint in JOINED.items()}
    ties |= {f"by-{frame}": {"fix": fix, "frame": frame} for frame, fix in HELD.items()}
    for name, tie in ties.items():
        robot = robot.rigid(name, mass=1.0, shape={"sphere": {"radius": 0.1}}, joint="free")
        robot = robot.constraint(f"tie-{name}", between=[POST, {"link": name, **SEAT}], **tie)
        robot = robot.frame(f"seat-{name}", link=name, **SEAT)
    robot = robot.rigid("moored", mass=1.0, shape={"sphere": {"radius": 0.1}}, joint="free")
    robot = robot.constraint("mooring", between=["world", {"link": "moored", **SEAT}], fix=["z", "ry"])
    return pliant.compile(robot.frame("seat-moored", link="moored", **SEAT).frame("mount", **POST))


@jax.jit
def _rows(model, q, v):
    """Rows and poses, their matrix, and the rate of the rows along a velocity."""
    both = lambda q: (constraint_residual(model, q), pliant.forward_kinematics(model, q))  # noqa: E731
    (rows, poses), (rate, _) = jax.jvp(both, (q,), (model.rate(q, v),))
    return rows, poses, constraint_matrix(model, q), rate


def _scattered(rng):
    """A configuration with every body turned and moved at random, and a velocity."""
    bodies = rng.normal(size=(_tied().nq // 7, 7))
    bodies[:, :4] /= np.linalg.norm(bodies[:, :4], axis=1, keepdims=True)
    return jnp.asarray(bodies.ravel()), jnp.asarray(rng.normal(size=_tied().nv))


def _own(model, name, values):
    return np.asarray(values)[model.structure.constraint_slices[name]]


def test_constraint_matrix_is_the_derivative_of_the_rows():
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, v = _scattered(rng)
        _, _, matrix, rate = _rows(_tied(), q, v)
        np.testing.assert_allclose(matrix @ v, rate, atol=1e-12)


def test_directions_are_held_in_the_axes_of_the_frame_named():
    rows, poses, _, _ = _rows(_tied(), *_scattered(np.random.default_rng(4)))
    first = np.asarray(poses["mount"])
    for frame, fix in HELD.items():
        second = np.asarray(poses[f"seat-by-{frame}"])
        axes = {"first": first[:3, :3], "second": second[:3, :3], "world": np.eye(3)}[frame]
        apart = axes.T @ (second[:3, 3] - first[:3, 3])
        turn = axes.T @ first[:3, :3] @ np.asarray(so3.log(jnp.asarray(first[:3, :3].T @ second[:3, :3])))
        held = dict(zip(("x", "y", "z", "rx", "ry", "rz"), [*apart, *turn], strict=True))
        found = _own(_tied(), f"tie-by-{frame}", rows)
        np.testing.assert_allclose(found, [held[name] for name in fix], atol=1e-12, err_msg=frame)
    moored = np.asarray(poses["seat-moored"])
    expected = [moored[2, 3], float(so3.log(jnp.asarray(moored[:3, :3]))[1])]
    np.testing.assert_allclose(_own(_tied(), "mooring", rows), expected, atol=1e-12)


def _joint_pose(kind, rng):
    """Pose of the frame after a joint of the tree with random coordinates."""
    if kind == "fixed":
        return np.eye(4)
    element = JOINTS[kind]
    axes = {"planar": [jnp.array([0.0, 1.0, 0.0])], "universal": [jnp.array(AXIS), jnp.array(SECOND)]}
    numbers = {f"axis_{i}": axis for i, axis in enumerate(axes.get(kind, [jnp.array(AXIS)]))}
    numbers["pitch"] = jnp.asarray(0.3)
    q = element.integrate(jnp.asarray(element.neutral()), jnp.asarray(rng.normal(size=element.nv)))
    return np.asarray(element.poses(element.prepare(numbers), q, (1.0,))[0])


def test_loops_allow_what_the_joints_of_the_tree_do():
    """With the second frame moved against the first by the joint itself, the rows are zero; what they leave free is as
    much as the joint has."""
    model, rng = _tied(), np.random.default_rng(3)
    start, v = _scattered(rng)
    q, poses = np.array(start), _rows(model, start, v)[1]
    for kind in JOINED:
        seat = np.linalg.inv(np.asarray(poses[kind])) @ np.asarray(poses[f"seat-{kind}"])
        pose = np.asarray(poses["mount"]) @ _joint_pose(kind, rng) @ np.linalg.inv(seat)
        at = model.coordinate_names.index(f"{kind}.quaternion_w")
        q[at : at + 4] = np.asarray(quaternion.from_matrix(jnp.asarray(pose[:3, :3])))
        q[at + 4 : at + 7] = pose[:3, 3]
    rows, _, matrix, _ = _rows(model, jnp.asarray(q), v)
    for kind in JOINED:
        np.testing.assert_allclose(_own(model, f"tie-{kind}", rows), 0.0, atol=1e-12, err_msg=kind)
        free = JOINTS[kind].nv if kind != "fixed" else 0
        assert np.linalg.matrix_rank(_own(model, f"tie-{kind}", matrix), tol=1e-6) == 6 - free, kind


def test_mobility_of_a_planar_four_bar_in_space():
    found = pliant.mobility(compiled(mechanism), inputs=STANDING)
    # Three hinges and five redundant rows of the loop's own hinge; the driven joints have no freedom left.
    assert (found.velocities, found.rows) == (3 + 1 + 3, 5 + 3 + 1 + 3)
    assert found.degrees_of_freedom == 1
    assert found.redundant == {"pin": 3, "again": 3}


def test_an_open_loop_is_closed():
    model = compiled(mechanism)
    opened = np.abs(np.asarray(constraint_residual(model, model.initial_state().q, 0.0, STANDING)))
    closed = np.abs(np.asarray(constraint_residual(model, pliant.assemble(model, inputs=STANDING), 0.0, STANDING)))
    assert opened.max() > 0.01 and closed.max() <= 1e-10


def _four_bar(angle):
    """Elbow and pin (x, z), and the angle of the rocker, for an angle of the crank; the loop hangs below the ground."""
    elbow = four_bar.CRANK * np.array([np.cos(angle), -np.sin(angle)])
    reach = np.array([four_bar.GROUND, 0.0]) - elbow
    distance = np.linalg.norm(reach)
    cosine = (four_bar.COUPLER**2 + distance**2 - four_bar.ROCKER**2) / (2 * four_bar.COUPLER * distance)
    # Right-handed about y: positive angles turn x towards -z.
    heading = -np.arctan2(reach[1], reach[0]) - np.arccos(cosine)
    pin = elbow + four_bar.COUPLER * np.array([np.cos(heading), -np.sin(heading)])
    rocker = -np.arctan2(pin[1], pin[0] - four_bar.GROUND)
    return elbow, pin, rocker


def _potential(angle):
    elbow, pin, _ = _four_bar(angle)
    heights = [elbow[1] / 2, (elbow[1] + pin[1]) / 2, pin[1] / 2]
    masses = [four_bar.CRANK, four_bar.COUPLER, four_bar.ROCKER]
    return four_bar.GRAVITY * np.dot(masses, heights) + 0.5 * four_bar.STIFFNESS * (angle - four_bar.REST) ** 2


def test_equilibrium_of_a_four_bar_and_its_reactions():
    rest = pliant.equilibrium(compiled(mechanism), t=0.1)
    crank = float(rest.q[compiled(mechanism).coordinate_names.index("crank.angle")])
    best = scipy.optimize.minimize_scalar(_potential, bracket=(crank - 0.1, crank + 0.1), tol=1e-12)
    assert crank == pytest.approx(best.x, abs=1e-6)
    elbow, pin, rocker = _four_bar(crank)
    names = compiled(mechanism).coordinate_names
    assert float(rest.q[names.index("rocker.angle")]) == pytest.approx(rocker, abs=1e-8)
    # The hinge's force on the rocker, by hand: moments of the rocker about its foot, of the coupler about the elbow.
    foot = np.array([four_bar.GROUND, 0.0])
    arms = np.array([[-(pin - foot)[1], (pin - foot)[0]], [-(pin - elbow)[1], (pin - elbow)[0]]])
    weight = four_bar.GRAVITY * np.array([four_bar.ROCKER, four_bar.COUPLER])
    lever = np.array([(pin - foot)[0] / 2, (pin - elbow)[0] / 2])
    force = np.linalg.solve(arms * [[1.0], [-1.0]], weight * lever)
    turn = np.array(rest.frame("rocker"))[:3, :3]
    reaction = turn @ sum(np.asarray(rest.forces.reaction[name])[3:] for name in ("pin", "again"))
    np.testing.assert_allclose(reaction, [force[0], 0.0, force[1]], rtol=1e-6, atol=1e-8)
    # Driven joints stand where they shall and are held there against their weight.
    swing = four_bar.SWING * np.sin(2 * np.pi * four_bar.FREQUENCY * 0.1)
    assert float(rest.forces.travel["motor"]) == pytest.approx(swing, abs=1e-10)
    held = four_bar.BOB * four_bar.GRAVITY * four_bar.ARM * np.sin(swing)
    assert float(rest.forces.effort["motor"]) == pytest.approx(held, rel=1e-8)
    wanted = np.array(four_bar.ROTATION) * np.sin(2 * np.pi * four_bar.FREQUENCY * 0.1)
    np.testing.assert_allclose(rest.frame("top")[:3, :3], so3.exp(jnp.asarray(wanted)), atol=1e-9)


def test_a_loop_that_cannot_be_closed_is_refused():
    far = compiled(mechanism).with_parameters({"links.rocker.parent.offset.move": [10.0, 0.0, 0.0]})
    with pytest.raises(SolveError, match=r"'linkage' cannot be assembled: .*pin is open by [\d.]+e?\+?\d* mm and \d"):
        pliant.assemble(far, inputs=STANDING)
    with pytest.raises(SolveError, match="cannot be assembled"):
        pliant.equilibrium(far)


@pytest.mark.long
def test_modes_of_a_beam_clamped_at_both_ends():
    length, radius, young, density = 0.5, 0.004, 1e9, 1000.0
    beam = (
        Robot("beam")
        .with_gravity([0, 0, 0])
        .material("rubber", young=young, poisson=0.4, density=density)
        .rod(
            "rod",
            length=length,
            section={"circle": {"radius": radius}},
            material="rubber",
            allow=["bend_x"],
            model={"gvs": {"order": 6}},
        )
        .constraint("clamp", between=["rod", {"link": "world", "offset": {"move": [0, 0, length]}}], joint="fixed")
    )
    found = pliant.modes(pliant.compile(beam), count=2)
    # beta L = 4.7300 and 7.8532: Euler-Bernoulli, clamped at both ends.
    unit = np.sqrt(young * radius**2 / 4 / density) / length**2
    np.testing.assert_allclose(np.asarray(found.frequency) / unit, [22.373, 61.673], rtol=0.01)
    assert np.abs(np.asarray(found.node_displacement)[:, -1]).max() <= 1e-9 * np.abs(found.node_displacement).max()
