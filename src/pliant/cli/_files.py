"""What commands write: results, plots, the film and the page; each file appears complete or not at all."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pliant._files import make_folder
from pliant.cli._study import Outcome

if TYPE_CHECKING:
    from pliant.results import Result

_KINDS = {
    "Equilibrium": "statics",
    "QuasiStatic": "statics",
    "LoadPath": "statics",
    "Modes": "modes",
    "Trajectory": "simulate",
}


def save_outcome(outcome: Outcome, folder: Path) -> list[Path]:
    """NAME.nc and the plots in NAME/."""
    make_folder(folder)
    return [outcome.result.save(folder / f"{outcome.name}.nc"), *save_pictures(outcome.result, folder / outcome.name)]


def save_pictures(result: "Result", folder: Path) -> list[Path]:
    """Every plot of a result."""
    from pliant.view import save_plots

    return save_plots(result, folder)


def save_mode_films(outcome: Outcome, folder: Path) -> list[Path]:
    """A film of every mode, beside the plots."""
    from pliant.results import Modes
    from pliant.view import animate_mode

    if not isinstance(outcome.result, Modes):
        return []
    place = make_folder(folder / outcome.name)
    count = len(outcome.result.frequency)
    return [animate_mode(outcome.result, mode, place / f"mode-{mode + 1}.gif") for mode in range(count)]


def save_partial(result: "Result | None", folder: Path | None) -> str:
    """Keep what a failed solve computed; the sentence that says so."""
    if result is None:
        return "Nothing was computed that could be kept."
    if folder is None:
        return "What was computed until then is not kept; give --out DIR to keep it."
    make_folder(folder)
    path = result.save(folder / f"{_KINDS[type(result).__name__]}-partial.nc")
    return f"What was computed until then is in {path}"


def save_views(robot: str, outcomes: Sequence[Outcome], folder: Path) -> list[Path]:
    """A film of everything that has a time, and one page with all results."""
    from pliant.results import QuasiStatic, Trajectory
    from pliant.view import animate_gif, write_page

    files = [
        animate_gif(outcome.result, folder / f"{outcome.name}.gif")
        for outcome in outcomes
        if isinstance(outcome.result, Trajectory | QuasiStatic)
    ]
    return [*files, write_page([outcome.result for outcome in outcomes], folder / "index.html", robot)]
