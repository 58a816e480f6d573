"""Results of the robot of conftest with meshes and springs."""

import dataclasses

import jax.numpy as jnp
import numpy as np

from pliant.results import Equilibrium, LoadPath, Modes, QuasiStatic, Result, Shape

CORNERS = np.array([[0.05, 0.0, 0.2], [0.15, 0.0, 0.2], [0.15, 0.1, 0.2], [0.05, 0.1, 0.2]])  # m, of the net


def with_lines(result: Result, alone: bool = False) -> Result:
    """The result with a square net of four edges, and a spring from the ground to a corner that moves up and down.

    ``alone``: without rods, bodies and frames.
    """
    shape, scene, names = result.shape, result.scene, result.names
    lead = shape.node_pose.shape[:-3]
    rise = 0.03 * np.sin(np.linspace(0.0, 6.0, lead[0]) if lead else 1.0)
    nodes = np.broadcast_to(CORNERS, (*lead, 4, 3)).copy()
    nodes[..., 2, 2] += rise
    net = nodes[..., [[0, 1], [1, 2], [2, 3], [3, 0]], :]
    foot = np.broadcast_to([0.15, 0.1, 0.0], (*lead, 3))
    spring = np.stack([foot, nodes[..., 2, :]], axis=-2)[..., None, :, :]
    lines = {"line_names": ("net", "strut"), "line_kind": ("mesh", "spring"), "line_link": (0, 0, 0, 0, 1)}
    scene = dataclasses.replace(scene, **lines)
    ends = jnp.asarray(np.concatenate([net, spring], axis=-3))
    moves = np.zeros((4, 5, 2, 3))
    moves[:, [1, 2, 4], [1, 0, 1], 2] = 2.0  # the ends at that corner, upward
    changed = {"line_displacement": jnp.asarray(moves)} if isinstance(result, Modes) else {}
    if alone:
        nothing = {"node_link": (), "node_fraction": (), "node_round": (), "body_link": (), "body_shape": ()}
        scene = dataclasses.replace(scene, **nothing, half_width=jnp.zeros((0, 2)), body_size=jnp.zeros((0, 3)))
        names = dataclasses.replace(names, frames=())
        shape = Shape(*(jnp.zeros((*lead, 0, *size)) for size in ((4, 4), (6,), (4, 4), (4, 4))))
        if isinstance(result, Modes):
            still = jnp.zeros((4, 0, 3))
            changed |= dict.fromkeys(
                ("node_displacement", "node_rotation", "body_displacement", "body_rotation"), still
            )
        if isinstance(result, Equilibrium | LoadPath | QuasiStatic):
            changed["internal"] = jnp.zeros((*lead, 0, 6))
    shape = dataclasses.replace(shape, line_ends=ends)
    return dataclasses.replace(result, shape=shape, scene=scene, names=names, **changed)
