"""How long a step may be while things touch."""

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.dynamics import touches
from pliant.model import prepare

MASS, STIFFNESS = 1.0, 1e4
SLOPE, SHALLOW = 5e-4, 1e-9  # rad, m


def _box(on: str) -> pliant.Model:
    """A box that slides upright, a little askew, with four corners in a floor, or in a plate that slides under it."""
    plate = {"link": "plate"} if on == "plate" else "world"
    return pliant.compile(
        pliant.Robot("box")
        .rigid(
            "box",
            mass=MASS,
            shape={"box": [0.2, 0.2, 0.1]},
            joint={"prismatic": "z"},
            parent={"link": "world", "offset": {"rotate": {"y": SLOPE}}},
        )
        .rigid("plate", mass=MASS, inertia=[1.0, 1.0, 1.0], joint={"prismatic": "x"})
        .surface("floor", where=plate, plane="z")
        .contact("lies", between=["box", "floor"], stiffness=STIFFNESS)
    )


@pytest.mark.parametrize(("on", "shortest"), [("world", 0.5 * np.sqrt(MASS / 4.0 / STIFFNESS)), ("plate", 0.0)])
def test_a_shallow_place_that_others_lift_does_not_shorten_the_step(on: str, shortest: float) -> None:
    """Two corners are deep and push; the other two hardly touch, and go up with them. On something that itself gives
    way nothing is known of how fast they swing."""
    model = _box(on)
    lift = (0.05 * np.cos(SLOPE) - 0.1 * np.sin(SLOPE) - SHALLOW) / np.cos(SLOPE)
    q, up = jnp.array([lift, 0.0]), jnp.array([10.0, 0.0])
    state = pliant.State(q, jnp.zeros(2))
    found = touches(model, prepare(model.structure, model.parameters), state, up, jnp.zeros(()), {})
    closed = np.asarray(found.gap) < 0.0
    assert np.count_nonzero(closed) == 4
    swings = np.sqrt(-np.asarray(found.gap)[closed] / 10.0)
    assert swings.min() < 2e-5 < 2e-3 < swings.max()
    np.testing.assert_allclose(np.asarray(found.within)[closed], 0.1 * np.maximum(swings, shortest), rtol=1e-3)
