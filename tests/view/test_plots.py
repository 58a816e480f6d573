"""Plots: they draw what they should, with units, and touch no global state."""

import dataclasses
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

from pliant.results import Forces
from pliant.view import (
    plot_actuation,
    plot_energy,
    plot_internal_wrench,
    plot_load_path,
    plot_modes,
    plot_path,
    plot_reactions,
    plot_shape,
    plot_strain,
    save_plots,
)


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


def test_a_quasi_static_sequence_is_coloured_by_time_and_goes_along_a_path(quasi_static):
    assert "time [s]" in labels(plot_shape(quasi_static))
    assert "time [s]" in labels(plot_strain(quasi_static))
    left = plot_path(quasi_static, "tip").axes[0]
    assert left.lines[0].get_xdata().tolist() == quasi_static.time.tolist()


def test_one_stage_is_drawn_in_the_box_of_all(quasi_static):
    first, last = (plot_shape(quasi_static, at=at).axes[0] for at in (0, -1))
    assert first.get_zlim() == last.get_zlim()
    assert (first.get_title(), last.get_title()) == ("time 0 s", "time 2 s")
    with pytest.raises(ValueError, match="at=6; expected an index into 6 configurations"):
        plot_shape(quasi_static, at=6)


def test_internal_wrench(equilibrium, quasi_static, trajectory):
    figure = plot_internal_wrench(equilibrium)
    assert {"moment y [N m]", "force z [N]", "place on the rod, base 0 to tip 1"} <= labels(figure)
    (moment,) = figure.axes[1].lines
    np.testing.assert_array_equal(moment.get_ydata(), equilibrium.internal[:, 1])
    # A force that is a rounding error beside the others does not fill its panel.
    noise = equilibrium.internal.at[:, 5].set(1e-12 * jnp.arange(12.0))
    low, high = plot_internal_wrench(dataclasses.replace(equilibrium, internal=noise)).axes[5].get_ylim()
    assert high - low > 0.01
    assert "time [s]" in labels(plot_internal_wrench(quasi_static))
    with pytest.raises(ValueError, match="a Trajectory does not hold the wrench"):
        plot_internal_wrench(trajectory)


@pytest.mark.parametrize("plot", [plot_strain, plot_internal_wrench])
def test_divisions_of_a_rod_follow_each_other(plot, quasi_static):
    lines = plot(quasi_static).axes[1].lines[: 2 * 6]  # six stages of two divisions each; then the boundary
    for division, (start, end) in enumerate([(0.0, 0.5), (0.5, 1.0)]):
        place = lines[division].get_xdata()
        assert (place[0], place[-1]) == pytest.approx((start, end), abs=1e-3)


def legend(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("kind", ["trajectory", "quasi_static", "load_path"])
def test_actuation_has_a_row_for_every_unit(kind, request):
    result = request.getfixturevalue(kind)
    figure = plot_actuation(result)
    expected = {"effort [N]", "travel [mm]", "effort [kPa]", "travel [ml]", "effort [N m]", "travel [deg]"}
    assert expected <= labels(figure)
    assert ("load factor [1]" if kind == "load_path" else "time [s]") in labels(figure)
    assert [legend(axes) for axes in figure.axes[1::2]] == [["flexor", "far end"], ["pad"], ["wrist"]]
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), 1e3 * result.forces.travel["flexor"])


def test_actuation_without_known_units(load_path):
    names = dataclasses.replace(load_path.names, actuators=())
    figure = plot_actuation(dataclasses.replace(load_path, names=names))
    assert "effort [SI]" in labels(figure) and len(figure.axes) == 2


def test_reactions(quasi_static):
    figure = plot_reactions(quasi_static)
    assert {"force [N]", "moment [N m]", "time [s]"} <= labels(figure)
    assert legend(figure.axes[1]) == ["pin", "clamp"]
    assert figure.axes[0].lines[0].get_ydata()[-1] == pytest.approx(np.hypot(0.3, 0.5))
    forces = dataclasses.replace(quasi_static.forces, reaction={"pin": quasi_static.forces.reaction["pin"]})
    single = plot_reactions(dataclasses.replace(quasi_static, forces=forces))
    assert legend(single.axes[1]) == ["x", "y", "z", "magnitude"]
    assert single.axes[0].lines[2].get_ydata()[-1] == -0.5


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
    paths = {"path_1_tip.png", "path_2__b_middle_b_.png"}
    assert names == {"shape.png", "strain.png", "energy.png", "actuation.png", "reactions.png"} | paths
    (path,) = save_plots(modes, tmp_path)
    with Image.open(path) as picture:
        assert min(picture.size) > 300
    assert "matplotlib.pyplot" not in sys.modules


def test_save_plots_of_statics(equilibrium, quasi_static, tmp_path, monkeypatch):
    names = {path.name for path in save_plots(equilibrium, tmp_path / "one")}
    assert names == {"shape.png", "strain.png", "internal-wrench.png"}
    monkeypatch.setattr("pliant.view._plots._MOST_STAGES", 2)
    names = {path.name for path in save_plots(quasi_static, tmp_path / "many")}
    stages = {"shape.png", "shape-1.png", "shape-6.png"}
    carried = {"strain.png", "internal-wrench.png", "actuation.png", "reactions.png"}
    assert names == stages | carried | {"path_1_tip.png", "path_2__b_middle_b_.png"}


def test_configurations_of_a_failed_solve_are_left_out(load_path):
    node_pose = load_path.shape.node_pose.at[-1].set(jnp.nan)
    failed = dataclasses.replace(load_path, shape=dataclasses.replace(load_path.shape, node_pose=node_pose))
    plot_shape(failed)
    nothing = dataclasses.replace(load_path.shape, node_pose=jnp.full_like(node_pose, jnp.nan))
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_shape(dataclasses.replace(load_path, shape=nothing))


def test_refusals(trajectory, equilibrium):
    empty = dataclasses.replace(trajectory, forces=Forces({}, {}, {}, {}))
    for plot, missing in ((plot_actuation, "no actuators"), (plot_reactions, "no closed loops")):
        with pytest.raises(ValueError, match=missing):
            plot(empty)
        with pytest.raises(ValueError, match=r"single configuration \(Equilibrium\)"):
            plot(equilibrium)
    with pytest.raises(ValueError, match="no energies"):
        plot_energy(dataclasses.replace(trajectory, energy={}))
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), trajectory)
    with pytest.raises(ValueError, match="a batch of results cannot be drawn"):
        plot_shape(batch)
    with pytest.raises(ValueError, match="a batch of results cannot be drawn"):
        plot_actuation(batch)


def test_a_load_path_has_its_marks_and_dashes_where_it_is_unstable(load_path):
    figure = plot_load_path(load_path, "tip")
    assert labels(figure) == {"displacement [m]", "load factor [1]", ""}
    (axes,) = figure.axes
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert told[1:] == ["limit point", "bifurcation", "onset of flutter", "unstable"]
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [line.get_ydata().tolist() for line in dashed] == [np.asarray(load_path.factors[3:]).tolist()]
    marked = [line.get_ydata().tolist() for line in axes.lines if line.get_marker() in ("o", "D", "*")]
    assert marked == [[float(load_path.factors[i])] for i in (2, 4, 5)]
