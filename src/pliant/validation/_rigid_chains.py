"""Random trees of rigid bodies against Pinocchio: mass matrix, bias and forward dynamics."""

import importlib
from typing import Any

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.dynamics import bias, forward_dynamics, mass_matrix
from pliant.model import compile
from pliant.validation._case import CaseSkipped, Clock, Data, Figures, below

TOLERANCE = 1e-9
JOINTS = ("revolute", "spherical", "free")
TREES = {"chain of 6": (1, 6, False), "tree of 9": (2, 9, True)}  # seed, bodies, branched


def _pinocchio() -> Any:
    try:
        return importlib.import_module("pinocchio")
    except ImportError as missing:
        raise CaseSkipped("needs Pinocchio: pip install 'pliant[validate]'") from missing


def figures(case: str, data: Data) -> Figures:
    pinocchio = _pinocchio()
    clock = Clock()
    for name, (seed, count, branched) in TREES.items():
        rng = np.random.default_rng(seed)
        robot, peer, joints = _tree(pinocchio, rng, count, branched)
        model = compile(robot)
        tangent = rng.normal(size=model.nv)
        q = model.integrate(model.neutral(), jnp.asarray(tangent))
        v = jnp.asarray(rng.normal(size=model.nv))
        order = _velocity_order(joints)
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


def _tree(pinocchio: Any, rng: np.random.Generator, count: int, branched: bool) -> tuple[Robot, Any, list[str]]:
    """The same random robot twice, and the kinds of its joints in order."""
    robot, peer, kinds = Robot("tree"), pinocchio.Model(), []
    ancestors: list[int] = []  # of the next body: Pinocchio wants bodies depth first
    peer.gravity.linear = np.array([0.0, 0.0, -9.81])
    for index in range(count):
        if branched and ancestors:
            ancestors = ancestors[: int(rng.integers(1, len(ancestors) + 1))]
        parent = ancestors[-1] if ancestors else -1
        ancestors.append(index)
        kind = "free" if index == 0 else JOINTS[int(rng.integers(2))]
        axis, move, turn = rng.normal(size=3), rng.normal(size=3), rng.normal(size=4)
        axis, turn = axis / np.linalg.norm(axis), turn / np.linalg.norm(turn)
        mass, centre, spread = rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.3, rng.normal(size=(3, 3))
        inertia = spread @ spread.T + 0.5 * np.eye(3)
        inertia = np.trace(inertia) * np.eye(3) - inertia  # of some mass distribution: the triangle inequality holds
        robot = robot.rigid(
            f"body{index}",
            mass=mass,
            centre=centre,
            inertia=[*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]],
            parent={
                "link": "world" if parent < 0 else f"body{parent}",
                "offset": {"move": move, "rotate": {"quaternion": turn}},
            },
            joint={"revolute": {"axis": axis}} if kind == "revolute" else kind,
        )
        joint = {
            "revolute": lambda axis=axis: pinocchio.JointModelRevoluteUnaligned(axis),
            "spherical": pinocchio.JointModelSpherical,
            "free": pinocchio.JointModelFreeFlyer,
        }[kind]()
        rotation = pinocchio.Quaternion(turn[0], turn[1], turn[2], turn[3]).toRotationMatrix()
        # Pinocchio numbers joints from 1 and its universe is 0.
        added = peer.addJoint(parent + 1, joint, pinocchio.SE3(rotation, move), f"joint{index}")
        peer.appendBodyToJoint(added, pinocchio.Inertia(mass, centre, inertia), pinocchio.SE3.Identity())
        kinds.append(kind)
    return robot, peer, kinds


def _velocity_order(kinds: list[str]) -> np.ndarray:
    """Pliant's velocity indices in Pinocchio's order: its free joint puts the linear part first."""
    order: list[int] = []
    for kind in kinds:
        start = len(order)
        own = {"revolute": [0], "spherical": [0, 1, 2], "free": [3, 4, 5, 0, 1, 2]}[kind]
        order += [start + index for index in own]
    return np.array(order)
