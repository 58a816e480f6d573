"""What is said about a solved analysis: the same numbers as a JSON record and as a table for a reader."""

import math
from typing import TYPE_CHECKING, Any

from rich.table import Table

from pliant.cli._output import stdout
from pliant.cli._study import Outcome

if TYPE_CHECKING:
    from pliant.results import Trajectory


def record(outcome: Outcome) -> dict[str, Any]:
    """The numbers of an outcome, ready for JSON."""
    document = {"analysis": outcome.name, **outcome.result.summary(), "seconds": round(outcome.seconds, 4)}
    if outcome.kind == "simulate":
        document["stepper"] = outcome.settings["stepper"]
        document["real_time_factor"] = outcome.real_time_factor
        document.update(_balance(outcome.result))  # type: ignore[arg-type]
    return document


def _balance(motion: "Trajectory") -> dict[str, float | None]:
    """How far the ledger total (energies, plus losses, minus work) drifts, relative to the peak kinetic energy."""
    import numpy as np

    peak = float(np.max(np.asarray(motion.energy["kinetic"])))
    drift = None
    if "dissipated" in motion.energy and peak > 0.0:
        total = np.asarray(motion.energy["total"])
        drift = float(np.max(np.abs(total - total[0]))) / peak
    return {"peak_kinetic_J": peak if math.isfinite(peak) else None, "energy_balance_error": drift}


def show(outcome: Outcome) -> None:
    """The outcome as small tables."""
    numbers = record(outcome)
    stdout.print(f"{outcome.name} of {numbers['robot']}", style="bold")
    if outcome.kind == "modes":
        stdout.print(_frequencies(numbers))
    else:
        stdout.print(positions(numbers))
    grid = Table.grid(padding=(0, 2))
    for name, value in facts(outcome.kind, numbers):
        grid.add_row(name, value)
    stdout.print(grid)
    stdout.print()


def facts(kind: str, numbers: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and values of what is known beside places and frequencies."""
    rows = []
    if kind == "statics":
        rows += [
            ("residual (relative)", number(numbers["residual"])),
            ("iterations", f"{numbers['iterations']} in {numbers['load_steps']} load steps"),
            ("smallest eigenvalue", number(numbers["smallest_eigenvalue"]) + _stability(numbers)),
        ]
    elif kind == "simulate":
        energies = ", ".join(
            f"{name} {value:.3g}" for name, value in numbers["final_energy_J"].items() if value is not None
        )
        rows += [
            ("simulated", f"{numbers['end_s']:g} s in {numbers['steps']} steps of {numbers['stepper']}"),
            ("energies at the end [J]", energies),
            ("energy balance error", balance(numbers)),
        ]
        if numbers["real_time_factor"] is not None:
            rows.append(("speed once compiled", f"{number(numbers['real_time_factor'])} times real time"))
    return [*rows, ("wall time", f"{numbers['seconds']:.2f} s")]


def balance(numbers: dict[str, Any]) -> str:
    """The drift of the ledger in words."""
    if numbers["energy_balance_error"] is None:
        return "not recorded (ask for it with energy: true, or --energy)"
    return f"{numbers['energy_balance_error']:.1e} of the peak kinetic energy ({number(numbers['peak_kinetic_J'])} J)"


def _stability(numbers: dict[str, Any]) -> str:
    value = numbers["smallest_eigenvalue"]
    return " (unstable)" if value is not None and value < 0.0 else " (stable)"


def number(value: float | None) -> str:
    """Four digits, or a dash."""
    return "-" if value is None else f"{value:.4g}"


def positions(numbers: dict[str, Any]) -> Table:
    """Where the frames are, in mm; every link has one of its own name, at the tip of a rod."""
    table = Table("frame", box=None, pad_edge=False)
    for axis in "xyz":
        table.add_column(f"{axis} [mm]", justify="right")
    for name, place in numbers["frames"].items():
        table.add_row(name, *("-" if value is None else f"{1000 * value:.2f}" for value in place))
    return table


def _frequencies(numbers: dict[str, Any]) -> Table:
    table = Table("mode", box=None, pad_edge=False)
    table.add_column("frequency [Hz]", justify="right")
    for index, frequency in enumerate(numbers["frequency_Hz"]):
        table.add_row(str(index + 1), number(frequency))
    return table
