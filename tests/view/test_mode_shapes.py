"""Mode shapes: how far they are drawn, that bodies turn and rods twist, and their films."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

from pliant.view import animate_mode
from pliant.view._mode_shapes import mode_scale, mode_shape, rotations

SMALL = (160, 120)


@pytest.fixture
def twisting(modes):
    """Modes that turn the rod about its axis and displace nothing."""
    tangent = np.asarray(modes.shape.node_pose)[:, :3, 2]
    turn = np.linspace(0.0, 5.0, len(tangent))[:, None] * tangent
    still = {"node_displacement": 0 * modes.node_displacement, "body_displacement": 0 * modes.body_displacement}
    return dataclasses.replace(
        modes, node_rotation=jnp.asarray(np.stack([turn] * 4)), body_rotation=0 * modes.body_rotation, **still
    )


def test_rotations():
    vectors = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, np.pi / 2], [0.3, -1.2, 2.0]])
    found = rotations(vectors)
    np.testing.assert_allclose(found @ found.swapaxes(1, 2), np.broadcast_to(np.eye(3), (3, 3, 3)), atol=1e-14)
    np.testing.assert_allclose(found[1] @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(found[2] @ vectors[2], vectors[2])
    assert np.trace(found[2]) == pytest.approx(1 + 2 * np.cos(np.linalg.norm(vectors[2])))


def test_the_largest_displacement_is_the_one_asked_for(modes):
    node, body, _ = mode_shape(modes, 0, mode_scale(modes, 0, 0.01))
    moved = [
        np.linalg.norm(there[:, :3, 3] - np.asarray(here)[:, :3, 3], axis=1).max()
        for there, here in ((node, modes.shape.node_pose), (body, modes.shape.body_pose))
    ]
    assert max(moved) == pytest.approx(0.01)


def test_bodies_turn_but_not_over(modes):
    _, body, _ = mode_shape(modes, 0, 0.01)
    expected = rotations(np.array([[0.1, 0.0, 0.0]]))[0] @ np.asarray(modes.shape.body_pose)[1, :3, :3]
    np.testing.assert_allclose(body[1, :3, :3], expected, atol=1e-14)
    assert 10.0 * mode_scale(modes, 0, 5.0) == pytest.approx(0.7)  # 5 m would spin the body


def test_sections_stay_square_to_the_line_and_twist_about_it(modes, twisting):
    node, _, _ = mode_shape(modes, 0, mode_scale(modes, 0, 0.02))
    slope = np.gradient(node[:, :3, 3], np.asarray(modes.scene.node_fraction), axis=0, edge_order=2)
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    np.testing.assert_allclose(node[:, :3, 2], slope, atol=0.02)
    twisted, _, _ = mode_shape(twisting, 0, mode_scale(twisting, 0, 0.02))
    rest = np.asarray(modes.shape.node_pose)
    np.testing.assert_allclose(twisted[:, :3, 3], rest[:, :3, 3])
    # At the ends the tangent comes from points, a little off the axis.
    np.testing.assert_allclose(twisted[:, :3, 2], rest[:, :3, 2], atol=0.02)
    assert np.sum(twisted[-1, :3, 0] * rest[-1, :3, 0]) == pytest.approx(np.cos(0.7), abs=0.01)


def test_film_of_a_mode_returns_to_its_start(modes, tmp_path):
    path = animate_mode(modes, 1, tmp_path / "mode.gif", fps=10, size=SMALL)
    with Image.open(path) as film:
        assert film.size == SMALL and film.n_frames == 16  # 1.6 s
        pictures = []
        for frame in range(16):
            film.seek(frame)
            pictures.append(np.asarray(film.convert("RGB")).astype(int))
    # There and back: through the equilibrium, to one end, through it again, to the other end.
    np.testing.assert_array_equal(pictures[0], pictures[8])
    np.testing.assert_array_equal(pictures[1], pictures[7])
    np.testing.assert_array_equal(pictures[9], pictures[15])
    assert np.abs(pictures[4] - pictures[12]).max() > 50


def test_refusals(modes, tmp_path):
    with pytest.raises(ValueError, match="mode=4; expected an index into 4 modes"):
        animate_mode(modes, 4, tmp_path / "none.gif")
    with pytest.raises(ValueError, match="animate_mode: fps=0"):
        animate_mode(modes, 0, tmp_path / "none.gif", fps=0)
    assert list(tmp_path.iterdir()) == []
