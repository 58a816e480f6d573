"""The animated GIF: frames, pace, size."""

import jax
import numpy as np
import pytest
from PIL import Image

from pliant.view import animate_gif

SMALL = (160, 120)


def test_frames_and_pace(trajectory, tmp_path):
    path = animate_gif(trajectory, tmp_path / "swing.gif", fps=25, size=SMALL)
    assert path.stat().st_size < 2_000_000
    with Image.open(path) as film:
        assert film.size == SMALL
        assert film.n_frames == 50  # two seconds
        assert film.info["duration"] == 40  # ms
        first = np.asarray(film.convert("RGB")).astype(int)
        film.seek(20)
        later = np.asarray(film.convert("RGB")).astype(int)
    assert np.abs(first - later).max() > 50  # it moves
    assert [entry.name for entry in tmp_path.iterdir()] == ["swing.gif"]


def test_speed(trajectory, tmp_path):
    path = animate_gif(trajectory, tmp_path / "fast.gif", fps=10, size=SMALL, speed=4.0)
    with Image.open(path) as film:
        assert film.n_frames == 5


def test_one_sample(trajectory, tmp_path):
    still = jax.tree.map(lambda leaf: leaf[:1] if np.ndim(leaf) and leaf.shape[0] == 101 else leaf, trajectory)
    with Image.open(animate_gif(still, tmp_path / "still.gif", size=SMALL)) as film:
        assert film.n_frames == 1


def test_stages_of_a_quasi_static_sequence(quasi_static, tmp_path):
    with Image.open(animate_gif(quasi_static, tmp_path / "stages.gif", fps=10, size=SMALL)) as film:
        shown = set()
        for frame in range(film.n_frames):
            film.seek(frame)
            shown.add(film.convert("RGB").tobytes())
        # Pillow joins equal pictures; what is left are the stages, each as long as it is the nearest.
        assert len(shown) == film.n_frames == 6


def test_refusal(trajectory, tmp_path):
    with pytest.raises(ValueError, match="fps=0"):
        animate_gif(trajectory, tmp_path / "none.gif", fps=0)
