"""Random trees of rigid bodies with all nine joints against Pinocchio: mass matrix, bias and forward dynamics."""

import importlib
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.dynamics import bias, forward_dynamics, mass_matrix
from pliant.model import compile
from pliant.validation._case import CaseSkipped, Clock, Data, Figures, below

TOLERANCE = 1e-9
# How many velocities each joint has.
JOINTS = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "spherical": 3,
    "free": 6,
}
TREES = {"chain of 9": (1, 1, False), "tree of 18": (2, 2, True)}  # seed, how often each joint occurs, branched


def _pinocchio() -> Any:
    try:
        return importlib.import_module("pinocchio")
    except ImportError as missing:
        raise CaseSkipped("needs Pinocchio: pip install 'pliant[validate]'") from missing


def figures(case: str, data: Data) -> Figures:
    pinocchio = _pinocchio()
    clock = Clock()
    for name, (seed, times, branched) in TREES.items():
        rng = np.random.default_rng(seed)
        kinds = [str(kind) for _ in range(times) for kind in rng.permutation(list(JOINTS))]
        robot, peer = _tree(pinocchio, rng, kinds, branched)
        model = compile(robot)
        tangent = rng.normal(size=model.nv)
        q = model.integrate(model.neutral(), jnp.asarray(tangent))
        v = jnp.asarray(rng.normal(size=model.nv))
        order = _velocity_order(kinds)
        peer_q = pinocchio.integrate(peer, pinocchio.neutral(peer), tangent[order])
        peer_v = np.asarray(v)[order]
        memory = peer.createData()
        mass = pinocchio.crba(peer, memory, peer_q)
        expected = {
            "mass matrix": np.triu(mass) + np.triu(mass, 1).T,
            "bias": pinocchio.nonLinearEffects(peer, memory, peer_q, peer_v).copy(),
            "forward dynamics": pinocchio.aba(peer, memory, peer_q, peer_v, np.zeros(peer.nv)).copy(),
        }
        found = {
            "mass matrix": np.asarray(mass_matrix(model, q))[np.ix_(order, order)],
            "bias": np.asarray(bias(model, q, v))[order],
            "forward dynamics": np.asarray(forward_dynamics(model, q, v))[order],
        }
        for figure, reference in expected.items():
            error = np.abs(found[figure] - reference).max() / np.abs(reference).max()
            yield below(
                case, f"rigid {name}", f"{figure}, relative difference from Pinocchio [1]", error, TOLERANCE, clock
            )


class _Place(NamedTuple):
    """A body's frame in Pinocchio: the joint that carries it and where it is in the joint's frame."""

    joint: int
    placement: Any


def _tree(pinocchio: Any, rng: np.random.Generator, kinds: list[str], branched: bool) -> tuple[Robot, Any]:
    """One random robot, in both codes."""
    robot, peer = Robot("tree"), pinocchio.Model()
    peer.gravity.linear = np.array([0.0, 0.0, -9.81])
    places: list[_Place] = []
    ancestors: list[int] = []  # of the next body: Pinocchio wants bodies depth first
    for index, kind in enumerate(kinds):
        if branched and ancestors:
            ancestors = ancestors[: int(rng.integers(1, len(ancestors) + 1))]
        parent = ancestors[-1] if ancestors else None
        ancestors.append(index)
        move, turn = rng.normal(size=3), _unit(rng.normal(size=4))
        joint, peer_joint = _joint(pinocchio, rng, kind)
        mass, centre, spread = rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.3, rng.normal(size=(3, 3))
        inertia = spread @ spread.T + 0.5 * np.eye(3)
        inertia = np.trace(inertia) * np.eye(3) - inertia  # of some mass distribution: the triangle inequality holds
        robot = robot.rigid(
            f"body{index}",
            mass=mass,
            centre=centre,
            inertia=[*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]],
            parent={
                "link": "world" if parent is None else f"body{parent}",
                "offset": {"move": move, "rotate": {"quaternion": turn}},
            },
            joint=joint,
        )
        place = _Place(0, pinocchio.SE3.Identity()) if parent is None else places[parent]
        rotation = pinocchio.Quaternion(turn[0], turn[1], turn[2], turn[3]).toRotationMatrix()
        place = _Place(place.joint, place.placement * pinocchio.SE3(rotation, move))
        if peer_joint is not None:
            added = peer.addJoint(place.joint, peer_joint, place.placement, f"joint{index}")
            place = _Place(added, pinocchio.SE3.Identity())
        peer.appendBodyToJoint(place.joint, pinocchio.Inertia(mass, centre, inertia), place.placement)
        places.append(place)
    return robot, peer


def _joint(pinocchio: Any, rng: np.random.Generator, kind: str) -> tuple[Any, Any]:
    """A joint with random axes in the words of a robot file and in Pinocchio; a fixed one is no joint there."""
    axis, second = _unit(rng.normal(size=3)), _unit(rng.normal(size=3))
    normal, pitch = int(rng.integers(3)), float(rng.normal())
    turn, slide = pinocchio.JointModelRevoluteUnaligned, pinocchio.JointModelPrismaticUnaligned
    if kind == "fixed":
        return kind, None
    if kind == "revolute":
        return {kind: axis}, turn(axis)
    if kind == "prismatic":
        return {kind: axis}, slide(axis)
    if kind == "helical":  # Pinocchio's pitch is per radian
        return {kind: {"axis": axis, "pitch": pitch}}, pinocchio.JointModelHelicalUnaligned(axis, pitch / (2 * np.pi))
    if kind == "cylindrical":
        return {kind: axis}, _composite(pinocchio, turn(axis), slide(axis))
    if kind == "universal":
        return {kind: [axis, second]}, _composite(pinocchio, turn(axis), turn(second))
    if kind == "planar":  # Pinocchio's own planar joint has body velocities and only the normal z
        first, second, normal_axis = np.roll(np.eye(3), -(normal + 1), axis=0)
        return {kind: "xyz"[normal]}, _composite(pinocchio, slide(first), slide(second), turn(normal_axis))
    return kind, {"spherical": pinocchio.JointModelSpherical, "free": pinocchio.JointModelFreeFlyer}[kind]()


def _composite(pinocchio: Any, *joints: Any) -> Any:
    composite = pinocchio.JointModelComposite()
    for joint in joints:
        composite.addJoint(joint)
    return composite


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _velocity_order(kinds: list[str]) -> np.ndarray:
    """Pliant's velocity indices in Pinocchio's order: its free joint puts the linear part first."""
    order: list[int] = []
    for kind in kinds:
        own = [3, 4, 5, 0, 1, 2] if kind == "free" else range(JOINTS[kind])
        order += [len(order) + index for index in own]
    return np.array(order)
