"""A plate carried by soft legs: closed loops against stiff springs in their place, and what the legs carry."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import ResultCode, Robot

HEIGHT, BASE, PLATE, MASS, GRAVITY = 0.2, 0.12, 0.08, 0.3, 9.81
PUSH = np.array([1.0, 0.5, 0.0])
STIFFNESS = np.array([1e4, 1e5, 1e6, 1e7])


def _robot(legs, rod, closed) -> Robot:
    """Legs from the ground to a free plate, in pairs that lean towards each other when there are six."""
    robot = (
        Robot("platform")
        .with_gravity([0, 0, -GRAVITY])
        .material("rubber", young=2e7, poisson=0.45, density=1e-3)
        .rigid("plate", mass=MASS, shape={"cylinder": {"radius": 0.09, "length": 0.01}}, joint="free")
        .initial("plate", position=[0, 0, HEIGHT])
        .load("push", where={"link": "plate"}, force=PUSH)
    )
    for k in range(legs):
        middle, side = (2 * np.pi / 3 * (k // 2), (-1) ** k) if legs == 6 else (2 * np.pi / 3 * k, 1)
        low, high = middle + 0.3 * side, middle + 0.75 * side
        foot = np.array([BASE * np.cos(low), BASE * np.sin(low), 0.0])
        seat = np.array([PLATE * np.cos(high), PLATE * np.sin(high), 0.0])
        along = seat + np.array([0, 0, HEIGHT]) - foot
        tilt = {"axis": np.cross([0, 0, 1], along), "angle": np.arccos(along[2] / np.linalg.norm(along))}
        robot = robot.rod(
            f"leg-{k}",
            parent={"link": "world", "offset": {"move": foot, "rotate": tilt}},
            length=np.linalg.norm(along),
            section={"circle": {"radius": 0.006}},
            material="rubber",
            **rod,
        ).frame(f"seat-{k}", link="plate", offset={"move": seat})
        if closed:
            robot = robot.constraint(f"ball-{k}", between=[f"leg-{k}", f"seat-{k}"], joint="spherical")
    return robot


@dataclasses.dataclass(frozen=True)
class Springs(pliant.Force):
    """Springs of no length between the tips of the legs and their seats."""

    legs: int = 6
    stiffness: float = 1e4

    def wrenches(self, numbers, at):
        wrenches = {}
        for k in range(self.legs):
            tip, seat = at.pose(f"leg-{k}"), at.pose(f"seat-{k}")
            pull = numbers["stiffness"] * (seat[:3, 3] - tip[:3, 3])
            for name, pose, force in ((f"leg-{k}", tip, pull), (f"seat-{k}", seat, -pull)):
                wrenches[name] = jnp.concatenate([jnp.zeros(3), pose[:3, :3].T @ force])
        return wrenches


THREE = (3, {"allow": ["bend_x", "bend_y", "stretch"], "model": {"pcs": {"pieces": 1, "quadrature": 2}}})
SIX = (6, {"allow": ["bend_x", "bend_y", "twist", "stretch"], "model": {"gvs": {"order": 1}}})


@pytest.mark.long
@pytest.mark.parametrize(("legs", "rod"), [THREE, SIX], ids=["three", "six"])
def test_loops_are_the_limit_of_stiff_springs(legs, rod):
    rest = pliant.equilibrium(pliant.compile(_robot(legs, rod, closed=True)))
    place = np.asarray(rest.position("plate"))
    turn = np.asarray(rest.frame("plate"))[:3, :3]
    # The reaction acts on the second frame of a loop, the seat, in its axes, which are the plate's.
    reactions = np.array([turn @ np.asarray(rest.forces.reaction[f"ball-{k}"])[3:] for k in range(legs)])
    np.testing.assert_allclose(reactions.sum(axis=0), np.array([0, 0, MASS * GRAVITY]) - PUSH, atol=1e-8)
    for k in range(legs):
        np.testing.assert_allclose(rest.position(f"leg-{k}"), rest.position(f"seat-{k}"), atol=1e-9)
        np.testing.assert_allclose(rest.forces.reaction[f"ball-{k}"][:3], 0.0, atol=1e-12)
    sprung, q, distance = pliant.compile(_robot(legs, rod, closed=False), extra=[Springs("ties", legs)]), rest.q, []
    for stiffness in STIFFNESS:
        found = pliant.pure.equilibrium(sprung.with_parameters({"extra.ties.stiffness": stiffness}), q)
        assert int(found.code) == ResultCode.SUCCESS
        q, poses = found.q, pliant.forward_kinematics(sprung, found.q)
        distance.append(np.linalg.norm(np.asarray(poses["plate"])[:3, 3] - place))
    slopes = np.diff(np.log10(distance)) / np.diff(np.log10(STIFFNESS))
    np.testing.assert_allclose(slopes, -1.0, atol=0.05)
    apart = np.array([np.asarray(poses[f"leg-{k}"] - poses[f"seat-{k}"])[:3, 3] for k in range(legs)])
    np.testing.assert_allclose(STIFFNESS[-1] * apart, reactions, atol=1e-4 * np.abs(reactions).max())
