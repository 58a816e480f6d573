"""Pictures of results: plots, an animated GIF, and one offline HTML page with a rotatable 3-D animation."""

from pliant.view._along import plot_internal_wrench, plot_strain
from pliant.view._carried import plot_actuation, plot_reactions
from pliant.view._compared import plot_compared, plot_series
from pliant.view._figures import save_figure
from pliant.view._gif import animate_gif, animate_mode
from pliant.view._load_path import plot_load_path
from pliant.view._models import plot_convergence, plot_shapes
from pliant.view._net_plot import plot_wire_net
from pliant.view._page import write_page
from pliant.view._plots import plot_energy, plot_modes, plot_path, plot_shape, save_plots

__all__ = [
    "animate_gif",
    "animate_mode",
    "plot_actuation",
    "plot_compared",
    "plot_convergence",
    "plot_energy",
    "plot_internal_wrench",
    "plot_load_path",
    "plot_modes",
    "plot_path",
    "plot_reactions",
    "plot_series",
    "plot_shape",
    "plot_shapes",
    "plot_strain",
    "plot_wire_net",
    "save_figure",
    "save_plots",
    "write_page",
]
