"""Rods of few nodes are drawn through the places where they are between them: an arm section is an arc."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Robot
from pliant.dynamics import names, scene, shape
from pliant.lie import so3
from pliant.view import plot_shape, plot_shapes
from pliant.view._geometry import Detail, extent, rod_surface
from pliant.view._refine import refine
from pliant.view._samples import samples_of

LENGTH, RADIUS = 0.15, 0.0125  # m
MUSCLES = {"radius": RADIUS, "stiffness": 990.0, "damping": 50.0, "mass": 0.1 / LENGTH}
HALFWAY = 0.5
DETAIL = Detail()


@functools.cache
def compiled(model: str = "cog", with_middle: bool = False) -> pliant.Model:
    """One section along z; ``with_middle``: with a frame, and therefore a node, halfway."""
    allow = ["bend_x", "bend_y", "stretch"]
    robot = Robot("section").rod("arm", length=LENGTH, section={"muscles": MUSCLES}, allow=allow, model=model)
    return pliant.compile(robot.frame("middle", link="arm", at=HALFWAY) if with_middle else robot)


def lengths(bend: float, stretch: float = 0.0) -> np.ndarray:
    """Muscles at 0, 120 and 240 deg of a section bent by an angle about y, towards x [rad]."""
    return stretch - RADIUS * bend * np.array([1.0, -0.5, -0.5])


def placed(result, model, q):
    """The result of conftest with the robot of a model in its place."""
    found = shape(model, jnp.asarray(q))
    changed = {"scene": scene(model), "shape": found, "names": names(model)}
    if not isinstance(result, pliant.results.Modes):
        changed["internal"] = jnp.zeros(found.strain.shape)
    return dataclasses.replace(result, **changed)


def drawn_centres(result) -> dict[str, np.ndarray]:
    """Centres (r, 3) of the rings of the drawn tubes."""
    result = refine(result)
    node, width = samples_of(result).node[0], np.asarray(result.scene.half_width)
    tubes = {}
    for name, span in result.scene.rods().items():
        quads = rod_surface(node[span], width[span], result.scene.node_round[span], DETAIL)[: -2 * DETAIL.sides]
        corners = quads.reshape(-1, DETAIL.sides, 4, 3)
        tubes[name] = np.concatenate([corners[:, :, 0], corners[-1:, :, 3]]).mean(axis=1)
    return tubes


def arc_middle(bend: float) -> np.ndarray:
    """Of an arc that leaves the origin along z towards x."""
    return LENGTH / bend * np.array([1.0 - np.cos(bend / 2), 0.0, np.sin(bend / 2)])


@pytest.mark.parametrize("model", ["cog", "integral"])
@pytest.mark.parametrize("degrees", [40, 90, 179, 180, -180, 181, 270, 350, -300])
def test_a_section_is_drawn_on_its_arc(equilibrium, model, degrees):
    bend, stretch = np.deg2rad(degrees), 0.02
    result = placed(equilibrium, compiled(model), lengths(bend, stretch))
    assert len(result.scene.node_link) == {"cog": 2, "integral": 7}[model]  # or less is shown than it seems
    centres = drawn_centres(result)["arm"]
    radius = (LENGTH + stretch) / bend
    x, y, z = (centres - [radius, 0.0, 0.0]).T / radius
    np.testing.assert_allclose(np.hypot(x, z), 1.0, atol=1e-7)
    np.testing.assert_allclose(y, 0.0, atol=1e-12)
    angle = np.unwrap(np.arctan2(z, -x))
    np.testing.assert_allclose(angle[[0, -1]], [0.0, bend], atol=1e-12)
    assert (np.diff(angle) * np.sign(bend) > 0).all()


def test_an_arm_bent_by_right_angles_goes_through_the_middle_of_every_arc(equilibrium):
    model = pliant.compile(pliant.library.load("three-section-arm"))
    bend = np.pi / 2
    result = placed(equilibrium, model, np.tile(lengths(bend), 3))
    bases, radius = np.asarray(result.shape.node_pose)[::2], LENGTH / bend
    for base, centres in zip(bases, drawn_centres(result).values(), strict=True):
        local = (centres - base[:3, 3]) @ base[:3, :3]
        assert np.linalg.norm(local - arc_middle(bend), axis=1).min() < 1e-7
        np.testing.assert_allclose(np.linalg.norm(local - [radius, 0.0, 0.0], axis=1), radius, atol=1e-7)


def test_pictures_have_room_for_the_arc(equilibrium):
    result = placed(equilibrium, compiled(), lengths(np.pi))
    side = LENGTH / np.pi
    assert plot_shape(result).axes[0].get_zlim()[1] > side
    lines = plot_shapes({"one": {"cog": result}}, result).axes[0].get_lines()
    for line in lines[:2]:  # the reference and the result; the nodes follow
        np.testing.assert_allclose(np.linalg.norm(np.stack(line.get_data_3d()).T - [side, 0, 0], axis=1), side)
    assert len(lines[2].get_data_3d()[0]) == 2


def test_a_rod_that_is_straight_or_nearly_so_stays_short(equilibrium):
    for noise in (0.0, 1e-17, -1e-12, 1e-6):
        result = placed(equilibrium, compiled(), lengths(noise))
        against = dataclasses.replace(result.shape, strain=result.shape.strain.at[:, :3].multiply(-1.0))
        for each in (result, dataclasses.replace(result, shape=against)):
            assert extent(drawn_centres(each)["arm"]) == pytest.approx(LENGTH)


def test_old_nodes_stay_and_many_are_left_alone(trajectory, quasi_static):
    assert refine(trajectory) is trajectory
    failed = jax.tree.map(lambda leaf: leaf.at[1:].set(jnp.nan), quasi_static.shape)
    for few in (quasi_static, dataclasses.replace(quasi_static, shape=failed)):
        found = refine(few)
        fraction = np.array(found.scene.node_fraction)
        assert (np.diff(fraction)[np.diff(found.scene.node_link) == 0] > 0).all()
        old = np.isin(np.round(fraction, 9), np.round(few.scene.node_fraction, 9))
        np.testing.assert_array_equal(found.shape.node_pose[:, old], few.shape.node_pose)
        np.testing.assert_array_equal(found.internal[:, old], few.internal)
        assert found.internal.shape == found.shape.strain.shape


@pytest.mark.parametrize("degrees", [0, 60, 200])
def test_modes_move_the_places_between_as_the_section_does(modes, degrees):
    q, v = jnp.asarray(lengths(np.deg2rad(degrees))), jnp.array([0.3, -0.8, 0.5])

    def moving(model):
        """With the section moving along v in place of every mode."""
        place, rate = jax.jvp(lambda q: shape(model, q).node_pose, (q,), (v,))
        turn = so3.vee(rate[:, :3, :3] @ place[:, :3, :3].swapaxes(1, 2))
        parts = {"node_displacement": rate[:, :3, 3], "node_rotation": turn}
        return dataclasses.replace(
            placed(modes, model, q), **{name: jnp.stack([part] * 4) for name, part in parts.items()}
        )

    expected, found = moving(compiled(with_middle=True)), refine(moving(compiled()))
    there, here = (each.scene.node_fraction.index(HALFWAY) for each in (expected, found))
    for name in ("node_displacement", "node_rotation"):
        values = getattr(expected, name)[:, there]
        np.testing.assert_allclose(getattr(found, name)[:, here], values, atol=1e-9 * float(jnp.abs(values).max()))
