"""Plots of the case quasi-static-arm, as the document's Figures 5, 7, 12 and 13."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pliant.arms import ModulusMap
from pliant.validation._case import Data

Maps = Mapping[str, tuple[np.ndarray, Mapping[str, ModulusMap]]]
_PRESSURE_BINS = 8


def draw(case: str, data: Data, maps: Maps, loaded: Mapping[str, Mapping[str, np.ndarray]], moduli: np.ndarray) -> None:
    """maps: what was compared with -> pressures (n, 3) and the maps by law. loaded: where the load is -> law -> error
    (m, n, points) of points along the body, over the length."""
    from pliant.view import save_figure

    assert data.out is not None
    for name, figure in (
        ("r2", _determination(case, maps)),
        ("error", _errors(case, maps)),
        ("body", _body(case, loaded, moduli)),
    ):
        save_figure(figure, data.out / f"{case}-{name}.png")


def _grid(rows: int, columns: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.0 * columns, 2.9 * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, sharex=True)


def _determination(case: str, maps: Maps) -> Any:
    """R2 of the tip's coordinates against E (Figure 5)."""
    figure, axes = _grid(len(maps), len(next(iter(maps.values()))[1]))
    for row, (what, (_, laws)) in zip(axes, maps.items(), strict=True):
        for ax, (law, found) in zip(row, laws.items(), strict=True):
            for column, name in enumerate("xyz"):
                ax.plot(found.moduli / 1e3, found.r2[:, column], "o-", markersize=3, label=name)
            ax.set(title=f"{what}: {law}", ylim=(-0.5, 1.05))
            if np.all(np.isnan(found.r2)):
                note = "no modulus carries\nevery sample"
                ax.text(0.5, 0.5, note, ha="center", va="center", transform=ax.transAxes)
    axes[0, 0].legend()
    _label(axes, "R2 of the tip [1]")
    figure.suptitle(f"{case}: coefficient of determination")
    return figure


def _errors(case: str, maps: Maps) -> Any:
    """Distance of the tip over the length against E and the norm of the pressures (Figure 7)."""
    figure, axes = _grid(len(maps), len(next(iter(maps.values()))[1]))
    for row, (what, (pressures, laws)) in zip(axes, maps.items(), strict=True):
        norm = np.linalg.norm(pressures, axis=1) / 1e3
        edges = np.linspace(0.0, norm.max() * (1.0 + 1e-9), _PRESSURE_BINS + 1)
        member = np.digitize(norm, edges) - 1
        picture = None
        for ax, (law, found) in zip(row, laws.items(), strict=True):
            table = np.full((_PRESSURE_BINS, found.moduli.size), np.nan)
            for index in range(_PRESSURE_BINS):
                if np.any(member == index):
                    table[index] = 100.0 * found.error[:, member == index].mean(axis=1)
            half = 0.5 * (found.moduli[1] - found.moduli[0])
            across = np.append(found.moduli - half, found.moduli[-1] + half) / 1e3
            picture = ax.pcolormesh(across, edges, np.minimum(table, 30.0), vmin=0.0, vmax=30.0, cmap="viridis")
            ax.set_title(f"{what}: {law}")
            ax.set_facecolor("lightgrey")
        figure.colorbar(picture, ax=row[-1], label="error [%]")
    _label(axes, "norm of the pressures [kPa]")
    figure.suptitle(f"{case}: error of the tip over the length (grey: no sample, or beyond what the law carries)")
    return figure


def _body(case: str, loaded: Mapping[str, Mapping[str, np.ndarray]], moduli: np.ndarray) -> Any:
    """Error along the body against E under a load on it (Figure 12), and its mean and spread over the body (13)."""
    laws = list(next(iter(loaded.values())))
    figure, axes = _grid(3, len(laws))
    half = 0.5 * (moduli[1] - moduli[0])
    across = np.append(moduli - half, moduli[-1] + half) / 1e3
    on_body = list(loaded.values())[-1]
    picture = None
    for column, law in enumerate(laws):
        along = 100.0 * on_body[law].mean(axis=1).T
        edges = np.linspace(0.0, 1.0, along.shape[0] + 1)
        picture = axes[0, column].pcolormesh(across, edges, along, vmin=0.0, vmax=15.0, cmap="viridis")
        axes[0, column].set_title(law)
        axes[0, column].set_facecolor("lightgrey")
        for where, errors in loaded.items():
            axes[1, column].plot(moduli / 1e3, 100.0 * errors[law].mean(axis=(1, 2)), label=f"{where}: body")
            axes[1, column].plot(moduli / 1e3, 100.0 * errors[law][:, :, -1].mean(axis=1), "--", label=f"{where}: tip")
            axes[2, column].plot(moduli / 1e3, 100.0 * errors[law].std(axis=(1, 2)), label=where)
    figure.colorbar(picture, ax=axes[0, -1], label="error [%]")
    axes[1, 0].legend(fontsize=7)
    axes[2, 0].legend(fontsize=7)
    for ax, text in zip(axes[:, 0], ("s [1], load on the body", "mean error [%]", "deviation [%]"), strict=True):
        ax.set_ylabel(text)
    for ax in axes[-1]:
        ax.set_xlabel("E [kPa]")
    figure.suptitle(f"{case}: known arm under loads, error of points along the body over the length")
    return figure


def _label(axes: Any, text: str) -> None:
    for ax in axes[-1]:
        ax.set_xlabel("E [kPa]")
    for ax in axes[:, 0]:
        ax.set_ylabel(text)
