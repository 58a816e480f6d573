"""Plots: they draw what they should, with units, and touch no global state."""

import dataclasses
import sys

import jax
import jax.numpy as jnp
import pytest
from PIL import Image

from pliant.view import plot_energy, plot_modes, plot_path, plot_shape, plot_strain, save_plots


def labels(figure) -> set[str]:
    found = set()
    for axes in figure.axes:
        found |= {axes.get_xlabel(), axes.get_ylabel(), getattr(axes, "get_zlabel", str)()}
    return found


def test_labels_have_units(trajectory, load_path):
    assert {"x [m]", "y [m]", "z [m]", "time [s]"} <= labels(plot_shape(trajectory))
    assert "load factor [1]" in labels(plot_shape(load_path))
    assert {"bend x [rad/m]", "stretch [1]"} <= labels(plot_strain(trajectory))
    assert {"time [s]", "position [m]"} <= labels(plot_path(trajectory, "tip"))
    assert {"time [s]", "energy [J]"} <= labels(plot_energy(trajectory))


def test_shape_has_equal_scales(equilibrium):
    axes = plot_shape(equilibrium).axes[0]
    widths = [high - low for low, high in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    ratios = [width / side for width, side in zip(widths, axes._box_aspect, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * 3)


def test_shape_draws_into_given_axes(equilibrium):
    figure = plot_shape(equilibrium)
    assert plot_shape(equilibrium, axes=figure.axes[0]) is figure


def test_modes_are_labelled_with_hertz(modes):
    titles = [axes.get_title() for axes in plot_modes(modes).axes]
    assert titles[0] == "mode 1: 1.098 Hz"
    assert len(titles) == 4


def test_save_plots(trajectory, modes, tmp_path):
    names = {path.name for path in save_plots(trajectory, tmp_path / "new" / "folder")}
    assert names == {"shape.png", "strain.png", "energy.png", "path_1_tip.png", "path_2__b_middle_b_.png"}
    (path,) = save_plots(modes, tmp_path)
    with Image.open(path) as picture:
        assert min(picture.size) > 300
    assert "matplotlib.pyplot" not in sys.modules


def test_configurations_of_a_failed_solve_are_left_out(load_path):
    node_pose = load_path.shape.node_pose.at[-1].set(jnp.nan)
    failed = dataclasses.replace(load_path, shape=dataclasses.replace(load_path.shape, node_pose=node_pose))
    plot_shape(failed)
    nothing = dataclasses.replace(load_path.shape, node_pose=jnp.full_like(node_pose, jnp.nan))
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_shape(dataclasses.replace(load_path, shape=nothing))


def test_refusals(trajectory):
    with pytest.raises(ValueError, match="no energies"):
        plot_energy(dataclasses.replace(trajectory, energy={}))
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), trajectory)
    with pytest.raises(ValueError, match="a batch of results cannot be drawn"):
        plot_shape(batch)
