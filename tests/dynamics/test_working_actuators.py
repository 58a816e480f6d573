"""Actuators that keep a constraint, and rods that stress themselves."""

import numpy as np
import pytest
from scipy.linalg import expm

import pliant

MATERIAL = {"young": 200e3, "poisson": 0.45, "density": 1000.0, "viscosity": 200.0}
GOAL, GAINS = 0.02, {"proportional": 60.0, "derivative": 9.0}


def _finger(model: object, **words: object) -> pliant.Robot:
    return (
        pliant.Robot("finger")
        .with_gravity([0, 0, 0])
        .material("rubber", **MATERIAL)
        .rod("finger", length=0.1, section={"circle": {"radius": 0.006}}, material="rubber", model=model, **words)
        .frame("tip", link="finger", at=1.0)
    )


@pytest.mark.long
def test_a_tendon_leads_the_tip_as_the_gains_of_its_controller_say() -> None:
    """e'' = -Kd e' - Kp e of the one direction that the tendon can lead (TMTDyn Eqs. 41 to 43)."""
    robot = (
        _finger({"pcs": {"pieces": 2}}, allow=["bend_x", "bend_y"])
        .tendon("flexor", link="finger", x=0.004, tension=0.0)
        .constraint(
            "lead", between=["world", {"link": "finger"}], fix="x", follow=GOAL, control=GAINS, through=["flexor"]
        )
    )
    run = pliant.simulate(pliant.compile(robot), 1.0, save_every=0.05, rtol=1e-9, atol=1e-11)
    error = np.asarray(run.position("tip"))[:, 0] - GOAL
    matrix = np.array([[0.0, 1.0], [-GAINS["proportional"], -GAINS["derivative"]]])
    expected = [(expm(t * matrix) @ [-GOAL, 0.0])[0] for t in np.asarray(run.time)]
    np.testing.assert_allclose(error, expected, atol=1e-7 * GOAL)
    assert np.abs(np.asarray(run.v)).max() > 0.1
    assert np.asarray(run.forces.effort["flexor"])[-1] > 0.0


@pytest.mark.parametrize(
    ("model", "error"),  # of the length; a rom rod does not stretch at its base
    [
        ("gvs", 1e-7),
        pytest.param({"srl": {"pieces": 16}}, 1e-3, marks=pytest.mark.long),
        pytest.param({"eba": {"pieces": 16}}, 1e-3, marks=pytest.mark.long),
        pytest.param({"rom": {"order": 4}}, 5e-3, marks=pytest.mark.long),
    ],
)
def test_a_rod_that_stresses_itself_bends_to_an_arc(model: object, error: float) -> None:
    """The moment EI k all along, and the force EA e, give the curvature k and the stretch 1 + e."""
    area, inertia = np.pi * 0.006**2, np.pi * 0.006**4 / 4
    curvature, stretch = 8.0, 0.05
    stress = {"bend_y": MATERIAL["young"] * inertia * curvature, "stretch": MATERIAL["young"] * area * stretch}
    robot = _finger(model).internal("muscle", link="finger", stress=stress)
    tip = np.asarray(pliant.equilibrium(pliant.compile(robot)).position("tip"))
    angle, radius = curvature * 0.1, (1.0 + stretch) / curvature
    expected = [radius * (1.0 - np.cos(angle)), 0.0, radius * np.sin(angle)]
    np.testing.assert_allclose(tip, expected, atol=error * 0.1)
