"""What all figures share: size, grid, colours of several configurations."""

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from pliant._files import make_folder, write_bytes
from pliant.view._samples import Samples

AXIS_COLOURS = {"x": "#c8553d", "y": "#2a9d6f", "z": "#3a6ea5"}
INK = "#262e3c"
_DPI = 130
_FEW = 40  # samples of a line that are marked each by a dot
_MOST_NAMES = 10  # that a qualitative palette can tell apart


def new_figure(width: float, height: float) -> Figure:
    """A figure of its own [inch]; no global pyplot state is touched."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def drawn(figure: Figure, kind: str = "png", dpi: int = _DPI, **options: Any) -> bytes:
    """A figure as the contents of a file."""
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=dpi, **options)
    return content.getvalue()


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure as PNG into a folder that is made when missing; the file is whole or absent."""
    content = drawn(figure)
    make_folder(Path(path).parent)
    return write_bytes(path, content)


def tints(samples: Samples) -> np.ndarray:
    """A colour (N, 3) for every configuration, by its value."""
    return colormaps["viridis"](_normalised(samples)(samples.value))[:, :3]


def colour_bar(figure: Figure, axes: Any, samples: Samples) -> None:
    """The bar that explains the tints."""
    mappable = ScalarMappable(_normalised(samples), colormaps["viridis"])
    figure.colorbar(mappable, ax=axes, label=samples.label, shrink=0.75, pad=0.02 if isinstance(axes, list) else 0.1)


def _normalised(samples: Samples) -> Normalize:
    return Normalize(float(samples.value.min()), float(samples.value.max()))


def line_colours(count: int) -> Any:
    """Colours for the lines of one panel, one each."""
    return colormaps["tab10" if count <= _MOST_NAMES else "turbo"](
        np.arange(count) if count <= _MOST_NAMES else np.linspace(0.05, 0.95, count)
    )


def marks(count: int) -> dict[str, Any]:
    """The style of a line through ``count`` samples: few are stages, and each is shown."""
    return {"marker": "o", "markersize": 3.5} if count <= _FEW else {}


def light_grid(axes: Any) -> None:
    """Grid lines behind the data, and no frame around them."""
    axes.grid(True, color="#e3e7ed", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend_beside(axes: Any) -> None:
    """The legend to the right of the panel, in columns when it is long."""
    count = len(axes.get_legend_handles_labels()[1])
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small", ncols=1 + count // 13)


def calm(panels: Iterable[Any], least: float = 0.0) -> None:
    """Rounding errors of what a robot does not have must not fill a panel.

    A panel whose values span a millionth of the largest value in all these panels, or less than ``least``, shows them
    as a straight line.
    """
    panels = list(panels)
    data = [np.concatenate([line.get_ydata() for line in panel.get_lines()] or [np.zeros(1)]) for panel in panels]
    finite = [values[np.isfinite(values)] for values in data]
    largest = max((float(np.abs(values).max(initial=0.0)) for values in finite), default=0.0)
    for panel, values in zip(panels, finite, strict=True):
        if values.size == 0:
            continue
        low, high = float(values.min()), float(values.max())
        if high - low <= max(least, 1e-6 * largest):
            middle, half = (low + high) / 2, 0.05 * (largest if largest > least else 1.0)
            panel.set_ylim(middle - half, middle + half)


def plain_text(text: str) -> str:
    """A user's name in a plot: dollar signs are not formulas."""
    return text.replace("$", r"\$")
