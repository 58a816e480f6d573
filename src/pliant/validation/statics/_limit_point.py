"""Paths through limit points: a truss of two springs that snaps through, and a deep arch.

The truss has its whole path in closed form. The arch, hinged at one end and clamped at the other, is that of DaDeppo
and Schmidt (Instability of clamped-hinged circular arches subjected to a point load, J. Appl. Mech. 42, 1975); their
load is given to three digits.
"""

import numpy as np

from pliant.analysis import ArcLength, equilibrium_path
from pliant.description import Robot
from pliant.model import compile
from pliant.results import LoadPath, PointKind
from pliant.validation._case import Clock, Data, Figures, compare

# The truss: springs of stiffness k [N/m] and rest length L0 [m], which rise by an angle when unloaded.
STIFFNESS, REST, ANGLE = 1000.0, 0.5, np.radians(20.0)
LOAD = 0.02 * 2.0 * STIFFNESS * REST  # N, at load factor 1: well beyond the limit
EXACT = 1e-6  # of the limit load, for the whole path
# The arch: radius [m], bending stiffness [N m^2], half of its 215 degrees.
RADIUS, BENDING, HALF = 1.0, 1.0, np.radians(107.5)
ARCH_LIMIT = 8.97  # P R^2 / EI
ARCH_TOLERANCE = 5e-3
ARCH_ORDER = 6  # of each half
ARCH_POINTS = 60  # enough to pass the first limit


def truss_load(height: np.ndarray) -> np.ndarray:
    """P of the point at a height [m], downwards [N]."""
    length = np.hypot(REST * np.cos(ANGLE), height)
    return 2.0 * STIFFNESS * (REST - length) * height / length


def truss_limit() -> float:
    """The first limit load [N]."""
    return float(2.0 * STIFFNESS * REST * (1.0 - np.cos(ANGLE) ** (2.0 / 3.0)) ** 1.5)


def truss() -> Robot:
    """A point that slides up and down between two springs to supports at either side."""
    base, rise = REST * np.cos(ANGLE), REST * np.sin(ANGLE)
    robot = (
        Robot("truss")
        .with_gravity([0, 0, 0])
        .rigid(
            "point",
            mass=1.0,
            shape={"sphere": {"radius": 0.01}},
            parent={"link": "world", "offset": {"move": [0, 0, rise]}},
            joint={"prismatic": "z"},
        )
        .load("push", where={"link": "point"}, force=[0, 0, -LOAD])
    )
    for side, name in ((1.0, "right"), (-1.0, "left")):
        support = {"link": "world", "offset": {"move": [side * base, 0, 0]}}
        robot = robot.spring(name, between=[support, "point"], axial={"stiffness": STIFFNESS, "rest": REST})
    return robot


def arch() -> Robot:
    """The deep arch from its clamped end over the crown, where a unit load pushes down, to its hinge."""
    section = {"stiffness": [BENDING, BENDING, 1.0, 1.0, 1.0, 1.0], "mass": 1.0, "rotary": [0.0, 0.0, 1e-6]}
    half = {
        "length": RADIUS * HALF,
        "section": {"given": section},
        "reference": {"bend_y": 1.0 / RADIUS},
        "allow": ["bend_y"],
        "model": {"gvs": {"order": ARCH_ORDER}},
    }
    tilt = float(np.pi / 2 - HALF)
    hinge = [2.0 * RADIUS * np.sin(HALF), 0.0, 0.0]
    return (
        Robot("arch")
        .with_gravity([0, 0, 0])
        .rod("first", parent={"link": "world", "offset": {"rotate": {"y": tilt}}}, **half)
        .rod("second", parent={"link": "first"}, **half)
        .constraint(
            "hinge",
            between=[{"link": "second"}, {"link": "world", "offset": {"move": hinge}}],
            fix=["x", "z"],
            frame="world",
        )
        .load("crown", where={"link": "first"}, force=[0, 0, -1.0], frame="world")
    )


def _limits(path: LoadPath) -> list[float]:
    return [factor for _, kind, factor in path.marks() if kind is PointKind.LIMIT]


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    path = equilibrium_path(compile(truss()), [1.0], arc_length=True)
    height = np.asarray(path.position("point"))[:, 2]
    load, limit = LOAD * np.asarray(path.factors), truss_limit()
    worst = int(np.argmax(np.abs(load - truss_load(height))))
    figure = f"load of the truss where it is farthest off, of {len(load)} points [N]"
    yield compare(case, "springs", figure, load[worst], truss_load(height)[worst], EXACT, clock, scale=limit)
    limits = [LOAD * factor for factor in _limits(path)]
    yield compare(case, "springs", "limit loads of the truss [N]", limits, [limit, -limit], EXACT, clock)
    deep = equilibrium_path(compile(arch()), [2.0 * ARCH_LIMIT], arc_length=ArcLength(points=ARCH_POINTS), throw=False)
    first = _limits(deep)[0] * RADIUS**2 / BENDING
    yield compare(
        case, f"gvs order {ARCH_ORDER}", "first limit of the arch P R^2/EI", first, ARCH_LIMIT, ARCH_TOLERANCE, clock
    )
