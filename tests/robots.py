"""Small robots shared by the tests, compiled once per process."""

import functools

import pliant
from pliant import Model, Robot

MATERIAL = {"young": 2e5, "poisson": 0.4, "density": 1000.0, "viscosity": 200.0}


def arm_robot() -> Robot:
    """A short soft arm that bends in space, with a ball at its tip, pulled sideways by a dead force."""
    return (
        Robot("arm")
        .material("rubber", **MATERIAL)
        .rod(
            "rod",
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
            length=0.2,
            section={"circle": {"radius": [0.012, 0.01]}},
            material="rubber",
            allow=["bend_x", "bend_y"],
            model={"gvs": {"order": 1, "quadrature": 4}},
        )
        .rigid("ball", mass=0.01, shape={"sphere": {"radius": 0.01}}, parent={"link": "rod"})
        .load("pull", where={"link": "ball"}, force=[0.0, 0.05, 0.0])
    )


@functools.cache
def arm() -> Model:
    return pliant.compile(arm_robot())


def block_robot() -> Robot:
    """A free block of 2 kg in weightlessness with a force that is off unless driven."""
    return (
        Robot("block")
        .with_gravity([0, 0, 0])
        .rigid("block", mass=2.0, shape={"box": [0.1, 0.2, 0.3]}, joint="free")
        .load("push", where={"link": "block"}, force=[0, 0, 0])
    )


@functools.cache
def block() -> Model:
    return pliant.compile(block_robot())


def linkage_robot() -> Robot:
    """Two levers and a rod between them, closed by a pin: the first lever is driven, a tendon pulls at the rod."""
    body = {"mass": 0.02, "inertia": [1e-5, 1e-5, 1e-5], "centre": [0, 0, 0.05]}
    return (
        Robot("linkage")
        .material("rubber", **MATERIAL)
        .rigid("crank", joint={"revolute": "y"}, **body)
        .rigid("rocker", parent={"link": "world", "offset": {"move": [0.2, 0, 0]}}, joint={"revolute": "y"}, **body)
        .rod(
            "coupler",
            parent={"link": "crank", "offset": {"move": [0, 0, 0.1], "rotate": {"y": "90 deg"}}},
            joint={"revolute": "y"},
            length=0.2,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=["bend_y"],
            model={"gvs": {"order": 1, "quadrature": 4}},
        )
        .constraint(
            "pin", between=["coupler", {"link": "rocker", "offset": {"move": [0, 0, 0.1]}}], joint={"revolute": "y"}
        )
        .drive("motor", joint="crank", motion={"ease": {"to": 0.3, "over": 0.5}})
        .tendon("cable", link="coupler", x=0.006, tension=0.5)
    )


@functools.cache
def linkage() -> Model:
    return pliant.compile(linkage_robot())
