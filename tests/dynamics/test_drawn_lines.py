"""Ends of the lines that are drawn: edges of meshes in the world, and springs."""

import jax.numpy as jnp
import numpy as np

from pliant.analysis import modes
from pliant.description import Robot, parse
from pliant.dynamics import scene, shape
from pliant.model import compile

NETS = """
robot: nets
links:
  - {name: ball, kind: rigid, mass: 50 g, shape: {sphere: {radius: 20 mm}}, joint: free}
meshes:
  - name: low
    where: {link: world, offset: {move: [0.1 m, 0, 0], rotate: {x: 90 deg}}}
    grid: {size: [0.2 m, 0.1 m], nodes: [3, 2]}
    axial: {stiffness: 100 N/m}
    mass: 1 g
    fixed: [2, 6]
  - name: high
    grid: {size: [0.2 m, 0.1 m], nodes: [3, 2]}
    axial: {stiffness: 100 N/m}
    mass: 1 g
    fixed: [2, 6]
frames:
  - {name: low-3, link: low, node: 3}
  - {name: high-1, link: high, node: 1}
springs:
  - {name: tie, between: [ball, {link: low, node: 3}], axial: {stiffness: 20 N/m}}
  - {name: bush, between: [world, ball], beam: {stiffness: {z: 1 N/m}}}
"""


def test_lines_end_at_nodes_and_places():
    model = compile(parse(NETS))
    looks = scene(model)
    assert looks.line_names == ("low", "high", "tie", "bush")
    assert looks.line_kind == ("mesh", "mesh", "spring", "spring")
    assert looks.line_link == (0,) * 7 + (1,) * 7 + (2, 3)
    q = model.integrate(model.initial_state().q, 0.01 * jnp.cos(jnp.arange(float(model.nv))))
    place = shape(model, q)
    frames = dict(zip(model.frame_names, np.asarray(place.frame_pose)[:, :3, 3], strict=True))
    edges = {tuple(sorted(edge)): k for k, edge in enumerate(model.structure.groups[-1].element.edges)}
    ends = {
        name: np.asarray(place.line_ends)[np.array(looks.line_link) == k] for k, name in enumerate(looks.line_names)
    }
    low, high = ends["low"], ends["high"]
    np.testing.assert_allclose(low[edges[1, 2], 1], frames["low-3"], atol=1e-15)
    np.testing.assert_allclose(high[edges[0, 1], 0], frames["high-1"], atol=1e-15)
    np.testing.assert_allclose(low[edges[0, 1], 1], [0.2, 0.0, 0.0], atol=1e-15)  # fixed nodes
    np.testing.assert_allclose(low[edges[4, 5], 1], [0.3, 0.0, 0.1], atol=1e-15)
    np.testing.assert_allclose(high[edges[4, 5], 1], [0.2, 0.1, 0.0], atol=1e-15)
    np.testing.assert_allclose(ends["tie"][0], [frames["ball"], frames["low-3"]], atol=1e-15)
    np.testing.assert_allclose(ends["bush"][0], [np.zeros(3), frames["ball"]], atol=1e-15)


def test_modes_of_a_mesh_alone():
    """A node held by three square springs moves alike in all directions; its modal mass is its mass."""
    corner = {"nodes": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "edges": [[1, 2], [1, 3], [1, 4]]}
    robot = Robot("corner").mesh("net", **corner, axial={"stiffness": 8.0}, mass=2.0, fixed=[2, 3, 4])
    found = modes(compile(robot), count=3)
    np.testing.assert_allclose(found.frequency, 2.0, rtol=1e-12)
    np.testing.assert_allclose(found.modal_mass, 2.0, rtol=1e-12)
    moves = np.asarray(found.line_displacement)
    assert moves.shape == (3, 3, 2, 3) and not moves[:, :, 1].any()
    np.testing.assert_allclose(np.linalg.norm(moves[:, :, 0], axis=-1), 0.5**0.5, rtol=1e-12)
