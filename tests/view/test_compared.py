"""Runs over time beside each other and beside a measurement."""

import numpy as np

from pliant.view import plot_compared, plot_series

TIME = np.linspace(0.0, 1.0, 5)
VALUES = np.stack([TIME, TIME**2], axis=1)


def test_one_panel_for_each_quantity():
    figure = plot_series({"slow": (TIME, VALUES), "fast": (TIME, 2.0 * VALUES)}, ["angle [rad]", "rate [rad/s]"], "two")
    assert [panel.get_ylabel() for panel in figure.axes] == ["angle [rad]", "rate [rad/s]"]
    slow, fast = figure.axes[1].lines
    np.testing.assert_array_equal(slow.get_ydata(), VALUES[:, 1])
    np.testing.assert_array_equal(fast.get_ydata(), 2.0 * VALUES[:, 1])


def test_places_are_in_millimetres_and_the_measured_ones_dashed():
    places = np.stack([TIME, TIME, TIME], axis=1)
    figure = plot_compared((TIME, places), {"rom": (TIME, 2.0 * places)})
    simulated, measured = figure.axes[2].lines
    assert (measured.get_label(), measured.get_linestyle()) == ("measured", "--")
    assert (simulated.get_ydata()[-1], measured.get_ydata()[-1]) == (2000.0, 1000.0)
