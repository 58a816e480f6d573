"""What of a robot is static: what may share compiled programs, and what drives it."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.interactions import Effort, Port


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


@dataclasses.dataclass(frozen=True)
class Winch(pliant.Force):
    """A rope from the tip to a point of the world: what its tension does follows from its length."""

    @property
    def ports(self):
        return (Port("rope", (), "N", "tension of the rope"),)

    @property
    def efforts(self):
        return (Effort("rope", "N", "m", sense=-1),)

    def travel(self, numbers, at):
        return jnp.linalg.norm(at.pose("rod")[:3, 3] - jnp.array([0.05, 0.0, 0.0]))[None]


def test_what_a_user_drives_is_an_actuator():
    """Its effort is in the actuation matrix and in reports, and its push is the gradient of its travel."""
    model = pliant.compile(_rod(0.01).tendon("cable", link="rod", x=0.004, tension=0), extra=[Winch("winch")])
    assert model.actuator_names == ("cable", "rope")
    q = jnp.full(model.nq, 3.0)
    rest = pliant.equilibrium(model, inputs={"rope": 0.02})
    assert float(rest.forces.effort["rope"]) == 0.02
    length = rest.position("rod") - np.array([0.05, 0.0, 0.0])
    np.testing.assert_allclose(rest.forces.travel["rope"], np.linalg.norm(length), rtol=1e-12)
    pushed = pliant.residual(model, q, 0 * q, 0 * q) - pliant.residual(model, q, 0 * q, 0 * q, 0.0, {"rope": 1.0})
    np.testing.assert_allclose(pliant.actuation_matrix(model, q)[:, 1], pushed, atol=1e-12)
    assert abs(float(pushed[0])) > 1e-3


class Unnamed(Winch):
    @property
    def efforts(self):
        return (Effort("tension", "N", "m", sense=-1),)


class Senseless(Winch):
    @property
    def efforts(self):
        return (Effort("rope", "N", "m", sense=0),)


@pytest.mark.parametrize(("kind", "sentence"), [(Unnamed, "no port of that name"), (Senseless, "say in `drive`")])
def test_an_effort_that_nothing_can_drive_is_refused(kind, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        pliant.compile(_rod(0.01), extra=[kind("winch")])
