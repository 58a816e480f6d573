"""The doors for user code: forces and strain bases written in Python."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.numerics import Legendre, UserBasis
from robots import arm, arm_robot


@dataclasses.dataclass(frozen=True)
class Pull(pliant.Force):
    """The arm's own load, once more, as user code: a dead force on the ball."""

    strength: float = 0.05

    def wrenches(self, numbers, at):
        rotation = at.pose("ball")[:3, :3]
        force = rotation.T @ jnp.array([0.0, numbers["strength"], 0.0])
        return {"ball": jnp.concatenate([jnp.zeros(3), force])}


def test_user_force_equals_load():
    model = pliant.compile(arm_robot(), extra=[Pull("hand")])
    off = {"pull.force": jnp.zeros(3), "pull.moment": jnp.zeros(3)}
    q, v = 0.3 * jnp.arange(1.0, 5.0), jnp.arange(4.0)
    expected = pliant.residual(arm(), q, v, v)
    np.testing.assert_allclose(pliant.residual(model, q, v, v, 0.0, off), expected, rtol=1e-12, atol=1e-14)
    stronger = model.with_parameters({"extra.hand.strength": 0.1})
    assert not np.allclose(pliant.residual(stronger, q, v, v, 0.0, off), expected)
    with pytest.raises(ValueError, match="cannot be saved"):
        model.save("never")


def test_same_names_are_refused():
    with pytest.raises(ValueError, match="different names"):
        pliant.compile(arm_robot(), extra=[Pull("a"), Pull("a")])


def _line(s):
    return np.stack([np.ones_like(s), 2 * s - 1], axis=-1)


def test_user_basis_equals_legendre():
    user = UserBasis(_line, 2)
    model = pliant.compile(arm_robot(), bases={("rod", "bend_x"): user, ("rod", "bend_y"): Legendre(1)})
    q = 0.3 * jnp.arange(1.0, 5.0)
    np.testing.assert_allclose(
        pliant.forward_kinematics(model, q)["ball"], pliant.forward_kinematics(arm(), q)["ball"], rtol=1e-13, atol=1e-15
    )
    with pytest.raises(KeyError, match="no strain 'twist' on a rod 'rod'"):
        pliant.compile(arm_robot(), bases={("rod", "twist"): user})


def test_a_force_that_would_do_nothing_is_refused():
    @dataclasses.dataclass(frozen=True)
    class Old(pliant.Force):
        def wrench(self, numbers, at):
            return {}

    with pytest.raises(TypeError, match=r"Old \('old'\) gives neither `energy\(self, numbers, at\)` nor"):
        pliant.compile(arm_robot(), extra=[Old("old")])
