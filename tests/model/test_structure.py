"""What of a robot is static: what may share compiled programs, and what drives it."""

import jax.numpy as jnp
import numpy as np

import pliant


def _rod(radius) -> pliant.Robot:
    return (
        pliant.Robot("rod")
        .material("rubber", young=1e5, poisson=0.5, density=1000, viscosity=10)
        .rod(
            "rod", length=0.1, section={"circle": {"radius": radius}}, material="rubber", allow=["bend_y"], model="pcs"
        )
    )


def test_structures_with_numbers_of_other_shapes_are_not_equal():
    """A tapering rod has the same words as a straight one, and other programs."""
    straight, same, tapering = (pliant.compile(_rod(radius)).structure for radius in (0.01, 0.02, [0.01, 0.02]))
    assert straight.text == tapering.text
    assert straight == same and hash(straight) == hash(same)
    assert straight != tapering


def test_everything_that_has_a_port_and_acts_is_an_actuator():
    """Stresses and springs that are driven too; the columns of the actuation matrix are their efforts."""
    robot = (
        _rod(0.01)
        .tendon("cable", link="rod", x=0.004, tension=0)
        .internal("muscle", link="rod", stress={"bend_y": 0.0})
        .spring("piston", between=[{"link": "rod", "at": 1}, "world"], axial={"stiffness": 0}, force=0)
    )
    model = pliant.compile(robot)
    assert model.actuator_names == ("cable", "muscle", "piston")
    q = jnp.full(model.nq, 3.0)
    matrix = pliant.actuation_matrix(model, q)
    assert matrix.shape == (model.nv, 1 + 6 + 1)
    idle = pliant.residual(model, q, 0 * q, 0 * q)
    units = [("cable", 1.0), *(("muscle", row) for row in np.eye(6)), ("piston", 1.0)]
    for column, (port, value) in zip(matrix.T, units, strict=True):
        pushed = idle - pliant.residual(model, q, 0 * q, 0 * q, 0.0, {port: value})
        np.testing.assert_allclose(pushed, column, atol=1e-12)
