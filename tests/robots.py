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
