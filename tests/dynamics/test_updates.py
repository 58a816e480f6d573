"""Numbers that follow the state: TMTDyn's mid-step function."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq

import pliant

_AREA = np.pi * 0.01**2
_YOUNG = 100e3


def _strip(model: object, **words: object) -> pliant.Robot:
    return (
        pliant.Robot("strip")
        .with_gravity([0, 0, 0])
        .material("rubber", young=_YOUNG, poisson=0.5, density=1000, viscosity=0)
        .rod(
            "strip",
            length=0.1,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=["stretch"],
            model=model,
            **words,
        )
        .load("pull", where="strip", force=[0, 0, 8.0])
    )


# Not rom, whose polynomials do not stretch at the base.
@pytest.mark.parametrize("model", ["pcs", {"srl": {"pieces": 3}}, {"eba": {"pieces": 3}}])
def test_stiffness_follows_the_mean_stretch(model: object) -> None:
    """E A (stretch - 1) with E, A and the unit of length over the stretch."""
    expected = brentq(lambda stretch: _YOUNG * _AREA * (stretch - 1.0) / stretch**3 - 2.0, 1.0, 1.4)
    compiled = pliant.compile(_strip(model, update="mean-stretch")).with_parameters({"loads.pull.force": [0, 0, 2.0]})
    tip = pliant.equilibrium(compiled).frame("strip")[2, 3]
    assert float(tip) == pytest.approx(0.1 * expected, rel=1e-8)


def test_an_update_written_in_python() -> None:
    def softer(parameters, stretch, t):
        return {"materials.rubber.young": parameters["materials.rubber.young"] / stretch["strip"]}

    model = pliant.compile(_strip("pcs"), update=softer)
    stretch = float(pliant.equilibrium(model).frame("strip")[2, 3]) / 0.1
    assert _YOUNG * _AREA * (stretch - 1.0) / stretch == pytest.approx(8.0, rel=1e-8)


def test_an_update_of_an_unknown_number_is_refused() -> None:
    model = pliant.compile(_strip("pcs"), update=lambda parameters, stretch, t: {"materials.rubber.yuong": 1.0})
    with pytest.raises(KeyError, match=r"robot 'strip'.*materials\.rubber\.yuong"):
        pliant.forward_dynamics(model, jnp.zeros(model.nq), jnp.zeros(model.nv))
