"""Two strands of a twisted rod wind round each other and part: how they lie, press on each other, and what they carry.

A head that may turn about the axis of the ply, and carries nothing else, stands for the loop at its end. Each strand
winds round the other and leaves to its own side. Its end may not turn, so that rotations decide how much is wound up,
and is pulled, which decides at what angle.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy.interpolate import CubicSpline

from pliant.analysis import equilibrium
from pliant.description import Robot
from pliant.dynamics import scene, shape
from pliant.lie import quaternion, so3
from pliant.model import Model, compile
from pliant.results import Equilibrium, rod_of
from pliant.validation._case import Clock, Data, Figures, below, compare

RADIUS, BENDING = 10e-3, 1e-2  # m, N m^2
ANGLE = np.deg2rad(30.0)  # between strand and axis
SINE, COSINE = np.sin(ANGLE), np.cos(ANGLE)
# What they carry (Clauvelin, Audoly and Neukirch 2008): tension and moment over EI/r^2 and EI/r, pressure over EI/r^3.
TENSION = SINE**4 * (0.5 + 1.0 / np.cos(2.0 * ANGLE))
MOMENT = 2.0 * COSINE * SINE**3 / np.cos(2.0 * ANGLE)
PRESSURE = SINE**4 / np.cos(2.0 * ANGLE)
DEPTH, DEEPEST = 1.5e-3, 5e-3  # radii that a strand presses into the other: in the ply, and anywhere
STIFFNESS = PRESSURE / DEPTH * BENDING / RADIUS**4
TURNS = 6.0
# Radii of strand in the ply, where it leaves, and in its tail. The frames of a strand turn as the ply does until it has
# left, so that strains are even there; of a round rod that is a choice of its axes.
LENGTHS = (TURNS * 2.0 * np.pi / SINE, 14.0, 16.0)
TURNING = (SINE * COSINE, SINE * COSINE, 0.0)
BEGIN = np.cumsum([0.0, *LENGTHS])
LOOKED_AT = 0.75  # of the ply, from the head on: beyond it feels that the strands part
# A first idea of how a strand leaves: radii after the ply, and there the angles [deg] of its tangent with the direction
# away from the axis, and about that direction with the axis.
LEAVING = np.array(
    [
        [-1.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 14.0],
        [90.0, 90.0, 90.0, 89.0, 85.0, 75.0, 65.0, 45.0, 31.0, 21.0, 10.0, 4.0, 1.0],
        [30.0, 31.0, 34.0, 38.0, 43.0, 47.0, 51.0, 55.0, 60.0, 64.0, 77.0, 95.0, 146.0],
    ]
)
STEP = 0.02  # radii, of that idea
MODELS: dict[str, list[dict]] = {
    "gvs": [
        {"gvs": {"order": {"bend_x": order, "bend_y": order, "twist": 0}, "pieces": pieces, "quadrature": points}}
        for order, pieces, points in ((2, 6, 16), (4, 2, 10), (3, 1, 10))
    ],
    "pcs": [{"pcs": {"pieces": pieces, "quadrature": points}} for pieces, points in ((24, 4), (16, 1), (6, 1))],
}
HOLD = "constraints.{}-hold.between.0.offset.rotate.quaternion"
SIDES = {"right": 0.0, "left": np.pi}
CONTACTS = ("ply", "end")
TOLERANCE = 3e-2


class Strand(NamedTuple):
    """Places (n, 3) [radii] and strains (n, 3) [1/radii], of bending and twist, at arc lengths (n,) [radii] from the
    head."""

    arc: np.ndarray
    place: np.ndarray
    strain: np.ndarray

    def at(self, where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own, first = np.unique(self.arc, return_index=True)
        strain = np.stack([np.interp(where, self.arc, column) for column in self.strain.T], axis=1)
        return CubicSpline(own, self.place[first])(where), strain


def strands(models: list[dict]) -> Robot:
    robot = (
        Robot("plectoneme")
        .with_gravity([0, 0, 0])
        .material("wire", young=BENDING / (0.25 * np.pi * RADIUS**4), poisson=0.0, density=8e4)
        .rigid("head", mass=1.0, inertia=[1.0, 1.0, 1.0], joint={"revolute": "z"})
    )
    bound = LOOKED_AT * LENGTHS[0] / BEGIN[-1]
    stretches = dict(zip(CONTACTS, ((0.0, bound), (bound, 1.0)), strict=True))
    for name, side in SIDES.items():
        away = (1.0 - 0.5 * DEPTH) * RADIUS
        robot = robot.rod(
            name,
            section={"circle": {"radius": RADIUS}},
            material="wire",
            allow=["bend_x", "bend_y", "twist"],
            parent={
                "link": "head",
                "offset": {
                    "move": [np.cos(side) * away, np.sin(side) * away, 0.0],
                    "rotate": [{"z": side}, {"x": -ANGLE}],
                },
            },
            divisions=[
                {"length": length * RADIUS, "model": model, "reference": {"twist": (turning + MOMENT) / RADIUS}}
                for length, model, turning in zip(LENGTHS, models, TURNING, strict=True)
            ],
        )
        robot = robot.load(f"{name}-pull", where={"link": name}, force=[0, 0, 0]).constraint(
            f"{name}-hold",
            between=[{"link": "world", "offset": {"rotate": {"quaternion": [1, 0, 0, 0]}}}, {"link": name}],
            fix=["rx", "ry", "rz"],
        )
        for part, (low, high) in stretches.items():
            robot = robot.surface(f"{name}-{part}", along={"link": name, "from": low, "to": high}, spacing=0.5 * RADIUS)
    for part in stretches:
        robot = robot.contact(part, between=[f"right-{part}", f"left-{part}"], stiffness=STIFFNESS)
    return robot


def idea() -> Strand:
    """The right strand: a helix, and a way out of it."""
    arc = np.arange(0.0, BEGIN[-1] + 0.5 * STEP, STEP)
    outward, across = (np.deg2rad(np.interp(arc - LENGTHS[0], LEAVING[0], angles)) for angles in LEAVING[1:])
    away = 1.0 - 0.5 * DEPTH + _along(np.cos(outward))
    azimuth, height = _along(np.sin(outward) * np.sin(across) / away), _along(np.sin(outward) * np.cos(across))
    place = np.stack([away * np.cos(azimuth), away * np.sin(azimuth), height], axis=1)
    return Strand(arc, place, _strains(arc, place))


def _along(rate: np.ndarray) -> np.ndarray:
    return STEP * np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))])


def _strains(arc: np.ndarray, place: np.ndarray) -> np.ndarray:
    """In axes that turn along the strand, and begin away from the axis of the ply."""
    tangent = np.gradient(place, STEP, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    turns = np.array(TURNING)[np.searchsorted(BEGIN[1:-1], arc, side="right")]
    side, found = np.array([1.0, 0.0, 0.0]), []
    for here, beyond, turn in zip(tangent[:-1], tangent[1:], turns, strict=False):
        other, bent = np.cross(here, side), (beyond - here) / STEP
        found.append([-other @ bent, side @ bent, turn])
        side = np.cos(turn * STEP) * side + np.sin(turn * STEP) * other
        side = side - (side @ beyond) * beyond
        side /= np.linalg.norm(side)
    return np.array([*found, found[-1]])


def nodes_of(model: Model, name: str) -> np.ndarray:
    drawn = scene(model)
    return np.flatnonzero([rod_of(drawn.links[link]) == name for link in drawn.node_link])


def arc_lengths(model: Model, nodes: np.ndarray) -> np.ndarray:
    """[radii] from the head."""
    drawn = scene(model)
    division = [int(drawn.links[drawn.node_link[node]].split("/")[1]) - 1 for node in nodes]
    return np.array(
        [BEGIN[own] + drawn.node_fraction[node] * LENGTHS[own] for own, node in zip(division, nodes, strict=True)]
    )


def start(model: Model, right: Strand) -> jax.Array:
    """The coordinates whose nodes and strains are nearest to those of a strand and its image on the other side."""
    nodes = [nodes_of(model, name) for name in SIDES]
    place, strain = right.at(arc_lengths(model, nodes[0]))
    aim = np.concatenate([place.ravel(), (place * [-1.0, -1.0, 1.0]).ravel(), strain.ravel(), strain.ravel()])
    both = np.concatenate(nodes)

    @jax.jit
    def far(q: jax.Array) -> tuple[jax.Array, jax.Array]:
        def told(q: jax.Array) -> jax.Array:
            found = shape(model, q)
            return jnp.concatenate(
                [found.node_pose[both, :3, 3].ravel() / RADIUS, RADIUS * found.strain[both, :3].ravel()]
            )

        return told(q) - aim, jax.jacfwd(told)(q)

    q = jnp.asarray(model.neutral())
    strained = slice(place.size * 2, None)
    # By their strains alone strands would lose their way; places alone are too far away to begin with.
    for rows in (strained, *[slice(None)] * 6):
        missing, slope = (np.asarray(value)[rows] for value in far(q))
        q = q - jnp.asarray(np.linalg.lstsq(slope, missing, rcond=1e-10)[0])
    return q


def held(model: Model, q: jax.Array) -> tuple[Model, dict[str, jax.Array]]:
    """The model whose strands end as they do at q, but level, and pulls along these ends."""
    pose = np.asarray(shape(model, q).node_pose)
    turns, pulls = {}, {}
    for name in SIDES:
        turn = pose[nodes_of(model, name)[-1], :3, :3]
        out = turn[:, 2] * [1.0, 1.0, 0.0] / np.linalg.norm(turn[:2, 2])
        level = np.asarray(so3.exp(jnp.asarray(np.cross(turn[:, 2], out))))
        turns[HOLD.format(name)] = np.asarray(quaternion.from_matrix(jnp.asarray(level @ turn)))
        pulls[f"{name}-pull.force"] = jnp.asarray(TENSION * BENDING / RADIUS**2 * out)
    return model.with_parameters(turns), pulls


def wound(model: Model, right: Strand) -> Equilibrium:
    q = start(model, right)
    model, pulls = held(model, q)
    return equilibrium(model, q0=q, inputs=pulls, steps=1)


def strand_of(model: Model, rest: Equilibrium) -> Strand:
    """The right strand, seen from the head."""
    nodes = nodes_of(model, "right")
    turn, place = so3.exp(jnp.asarray([0.0, 0.0, -1.0]) * rest.q[0]), rest.shape.node_pose[nodes, :3, 3] / RADIUS
    return Strand(
        arc_lengths(model, nodes), np.asarray(place @ turn.T), RADIUS * np.asarray(rest.shape.strain)[nodes, :3]
    )


def _mean(arc: np.ndarray, values: np.ndarray) -> float:
    return float(np.trapezoid(values, arc) / np.ptp(arc))


def figures(case: str, data: Data) -> Figures:
    clock, right = Clock(), idea()
    for name, words in MODELS.items():
        model = compile(strands(words))
        rest = wound(model, right)
        # The next model begins where this one has come to rest.
        right = strand_of(model, rest)
        nodes = nodes_of(model, "right")
        arc, carried = arc_lengths(model, nodes), np.asarray(rest.internal)[nodes]
        along = np.asarray(rest.shape.node_pose)[nodes, 2, 2]
        ply = arc <= LOOKED_AT * LENGTHS[0]
        tail = arc > BEGIN[2] + 0.5 * LENGTHS[2]
        angle = _mean(arc[ply], np.degrees(np.arccos(along[ply])))
        yield compare(case, name, "angle of the strands [deg]", angle, np.degrees(ANGLE), TOLERANCE, clock)
        tension = _mean(arc[tail], carried[tail, 5]) * RADIUS**2 / BENDING
        yield compare(case, name, "T r^2/EI in the tails [1]", tension, TENSION, TOLERANCE, clock)
        moment = abs(_mean(arc[tail], carried[tail, 2])) * RADIUS / BENDING
        yield compare(case, name, "M r/EI in the tails [1]", moment, MOMENT, TOLERANCE, clock)
        length = LOOKED_AT * LENGTHS[0] * RADIUS
        pressure = float(rest.forces.report["ply.normal_force"]) / length * RADIUS**3 / BENDING
        yield compare(case, name, "p r^3/EI between the strands [1]", pressure, PRESSURE, TOLERANCE, clock)
        gaps = [float(rest.forces.report[f"{part}.gap"]) for part in CONTACTS]
        yield below(case, name, "penetration over r [1]", -min(gaps) / RADIUS, DEEPEST, clock)
