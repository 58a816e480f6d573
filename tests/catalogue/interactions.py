"""One tree with every rod model and every kind of interaction, and what the catalogue asks of each kind.

Compilation is what these tests cost, so that one program gives everything that the flattened path has to say of a
state, and one what automatic differentiation of the elements' own poses and strains says. A new kind joins the
catalogue by being put on the tree and named in KINDS.
"""

import dataclasses
from typing import Any

import jax.numpy as jnp

from pliant import Robot
from pliant.interactions import (
    DistributedLoads,
    Force,
    JointForces,
    Paths,
    PointLoads,
    Port,
    Springs,
    Stresses,
)

_MATERIAL = {"young": 1e6, "poisson": 0.4, "density": 1000.0, "viscosity": 500.0}
_MUSCLES = {"muscles": {"radius": 0.02, "stiffness": 300.0, "damping": 10.0, "mass": 0.8}}
_ARC = {"section": _MUSCLES, "allow": ["bend_x", "bend_y", "stretch"]}
_PLANE = {"allow": ["bend_y", "shear_x", "stretch"]}
LENGTH, OFFSET = 0.2, 0.008  # m: of every rod, and of what runs beside its axis

# Rod model -> the link that it hangs on, and what is particular to it.
RODS: dict[str, tuple[str, dict[str, Any]]] = {
    "gvs": ("base", {"allow": ["bend_x", "stretch"], "model": {"gvs": {"order": 1, "quadrature": 2}}}),
    "pcs": ("base", {"allow": ["bend_y", "twist"], "model": {"pcs": {"pieces": 2, "quadrature": 1}}}),
    "srl": ("base", {"allow": ["bend_x", "bend_y"], "model": {"srl": {"pieces": 1}}}),
    "rom": ("base", {**_PLANE, "model": {"rom": {"order": 1, "quadrature": 2}}}),
    "eba": ("gvs", {**_PLANE, "model": {"eba": {"pieces": 1}}}),
    "ebr": ("pcs", {"allow": ["bend_x", "twist", "stretch"], "model": {"ebr": {"pieces": 1}}}),
    "cog": ("srl", {**_ARC, "model": "cog"}),
    "integral": ("rom", {**_ARC, "model": {"integral": {"quadrature": 2}}}),
}


@dataclasses.dataclass(frozen=True)
class Magnet(Force):
    """The tips of two rods attract each other, more so the nearer they are: an energy alone."""

    strength: float = 2e-3  # J m

    def energy(self, numbers, at):
        apart = at.pose("eba")[:3, 3] - at.pose("integral")[:3, 3]
        return -numbers["strength"] / jnp.sqrt(jnp.sum(apart**2))


@dataclasses.dataclass(frozen=True)
class Brush(Force):
    """Resists how fast the hand moves and how fast the robot's coordinates change: a dissipation alone."""

    coefficient: float = 0.3  # N s/m, and its like for the coordinates

    def dissipation(self, numbers, at):
        motion = jnp.sum(at.twist("hand") ** 2) + jnp.sum(at.v**2)
        return 0.5 * numbers["coefficient"] * motion


@dataclasses.dataclass(frozen=True)
class Fan(Force):
    """Blows along two tips as hard as its port says, more where they come towards it: wrenches alone."""

    drag: float = 0.05  # N s/m

    @property
    def ports(self):
        return (Port("fan.speed", (), "m/s", "how fast the air is"),)

    def wrenches(self, numbers, at):
        def wrench(frame):
            slip = at.input("fan.speed") - at.twist(frame)[3:]
            return numbers["drag"] * jnp.concatenate([0.01 * slip, slip])

        return {frame: wrench(frame) for frame in ("ebr", "hand")}


# Kind of interaction -> its class, in the order in which the structure of the tree has them.
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
    "tendons and chambers": Paths,
    "stresses": Stresses,
    "forces on joints of one coordinate": JointForces,
    "forces on ball joints": JointForces,
    "a user's energy": Magnet,
    "a user's dissipation": Brush,
    "a user's wrenches": Fan,
}


def tree() -> Robot:
    """A free body from which all rods hang, two deep, with a hand on a ball joint; loads, stresses, tendons and
    chambers on every rod, and springs between them and to the world."""
    robot = (
        Robot("tree")
        .material("rubber", **_MATERIAL)
        .rigid("base", mass=0.7, centre=[0.02, -0.05, 0.1], inertia=[0.02, 0.03, 0.04], joint="free")
    )
    for index, (name, (parent, own)) in enumerate(RODS.items()):
        turned = {"move": [0.04 * index, 0.01, 0.02], "rotate": {"x": 0.3 + 0.1 * index}}
        fields: dict[str, Any] = {"length": LENGTH, "section": {"circle": {"radius": 0.02}}, **own}
        if fields["section"] is not _MUSCLES:
            fields["material"] = "rubber"
        if name == "gvs":
            fields["joint"] = {"revolute": "y"}
        robot = robot.rod(name, parent={"link": parent, "offset": turned}, **fields)
    robot = robot.rigid("hand", mass=0.1, inertia=[1e-3, 2e-3, 3e-3], parent="cog", joint="spherical")
    return _with_actuators(_with_springs(_with_loads(robot)))


def _with_loads(robot: Robot) -> Robot:
    """Every rod has a dead load and a follower load at its tip, and one of each spread along it, by several kinds of
    programme."""
    programmes = (
        [0.3, -0.2, 0.1],
        {"ramp": {"from": [0.1, 0, 0], "to": [0.2, -0.1, 0.3], "over": 1.0}},
        {"sine": {"amplitude": [0.1, 0.2, 0.3], "frequency": 0.7, "phase": 0.4}},
        {"table": {"times": [0.0, 1.0], "values": [[0.1, 0, 0.2], [0.3, 0.2, 0.1]]}},
    )
    for index, name in enumerate(RODS):
        force, moment = programmes[index % 4], programmes[(index + 1) % 4]
        for frame in ("world", "body"):
            place = {"link": name, "offset": {"move": [0.01, 0.02, 0.03]}} if index % 2 else {"link": name}
            robot = robot.load(f"{name}-{frame}", where=place, force=force, moment=moment, frame=frame)
            robot = robot.load(f"{name}-{frame}-along", along={"link": name}, force=moment, moment=force, frame=frame)
    return robot


def _with_springs(robot: Robot) -> Robot:
    law = {"stiffness": 40.0, "damping": 2.0}
    beam = {"stiffness": [0.4, 0.3, 0.2, 30.0, 20.0, 10.0], "damping": [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]}
    anchor = {"link": "world", "offset": {"move": [0.3, 0.4, -0.5], "rotate": {"z": 0.5}}}
    side = {"link": "hand", "offset": {"move": [0.02, 0.0, 0.03], "rotate": {"x": 0.4}}}
    return (
        robot.spring("strut", between=["gvs", "pcs"], axial={**law, "rest_ratio": 0.7, "damping_power": 1.5})
        .spring("stay", between=[anchor, "integral"], axial={**law, "rest_ratio": 0.9})
        .spring("ram", between=["base", side], axial=law, force={"sine": {"amplitude": 0.8, "frequency": 0.5}})
        .spring("jack", between=[anchor, "ebr"], axial=law, force=0.6)
        .spring("taut", between=["ebr", "rom"], axial={**law, "rest": 0.01, "acts": "tension"})
        .spring("slack", between=[anchor, "eba"], axial={**law, "rest": 9.0, "acts": "tension"})
        .spring("sleeve", between=["cog", "eba"], beam={**beam, "rest": [0.1, 0.0, -0.1, 0.0, 0.02, 0.0]})
        .spring("mount", between=[anchor, side], beam={**beam, "rest": [0.0] * 6, "damping_power": 2.0})
        .spring(
            "bumper",
            between=["srl", side],
            beam={**beam, "acts": {"z": "compression", "x": "tension"}, "rest_ratio": 0.8, "frame": "middle"},
            force=[0.01, 0.02, -0.03, 0.4, 0.5, -0.6],
        )
    )


def _with_actuators(robot: Robot) -> Robot:
    """A tendon pulled by a tension runs along every rod and from rod to rod, one comes from the world and one is wound
    to a length."""
    for index, name in enumerate(RODS):
        robot = robot.tendon(f"{name}-tendon", link=name, x=OFFSET, y=[-0.003, 0.004], tension=1.0 + 0.2 * index)
        robot = robot.chamber(f"{name}-chamber", link=name, centre={"y": OFFSET}, radius=0.004, pressure=4e4)
        stress = [0.01, 0.02, 0.03, 0.4, 0.5, 0.6]
        robot = robot.internal(f"{name}-stress", link=name, stress=stress)
    through = [
        {"link": "rom", "y": OFFSET},
        {"link": "integral", "x": OFFSET},
        {"link": "hand", "move": [0.0, 0.01, 0.02]},
    ]
    return (
        robot.tendon("loop", route=[{"link": "base", "move": [0.02, 0.0, 0.1]}, *through], tension=2.0)
        .tendon("leash", route=["world", *through], tension={"ramp": {"from": 1.0, "to": 3.0, "over": 1.0}})
        .tendon("winch", route=[{"link": "pcs", "y": OFFSET}, {"link": "ebr", "y": OFFSET}], length=0.3, stiffness=50.0)
        .drive("motor", joint="gvs", force=0.3)
        .drive("wrist", joint="hand", force=[0.01, 0.02, 0.03])
    )
