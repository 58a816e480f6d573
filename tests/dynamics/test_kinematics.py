"""Kinematics of the flattened tree against a walk from link to link."""

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from pliant import Robot
from pliant.dynamics import generic
from pliant.model import prepare


@jax.jit
def _walked(model, q):
    prepared = prepare(model.structure, model.parameters)
    return {frame.name: generic.frame_pose(model, prepared, q, frame) for frame in model.structure.frames}


def test_divisions_behind_a_rotation():
    """Here XLA's CPU compiler once overwrote a matrix that it still had to read."""
    model = pliant.compile(
        Robot("divided")
        .material("rubber", young=1e5, poisson=0.4, density=1000.0)
        .rod(
            "rod",
            parent={"link": "world", "offset": {"rotate": {"x": "-90 deg"}}},
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=["bend_x"],
            divisions=[
                {"length": 0.3, "model": {"gvs": {"order": 3}}},
                {"length": 0.05, "model": {"gvs": {"order": 1}}},
            ],
        )
    )
    q = jnp.linspace(0.2, 0.4, model.nq)
    walked = _walked(model, q)
    for name, pose in pliant.forward_kinematics(model, q).items():
        np.testing.assert_allclose(pose, walked[name], atol=1e-13, err_msg=name)
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-13, err_msg=name)
