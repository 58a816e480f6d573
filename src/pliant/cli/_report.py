"""What is said about a solved analysis: the same numbers as a JSON record and as a table for a reader."""

import json
import math
from typing import TYPE_CHECKING, Any

from rich.table import Table

from pliant.cli._output import stdout
from pliant.cli._study import Outcome

if TYPE_CHECKING:
    from pliant.results import Result, Trajectory


def record(outcome: Outcome) -> dict[str, Any]:
    """The numbers of an outcome, ready for JSON."""
    document = {"analysis": outcome.name, **outcome.result.summary(), "seconds": round(outcome.seconds, 4)}
    if outcome.kind == "simulate":
        document["stepper"] = outcome.settings.stepper
        document["real_time_factor"] = outcome.real_time_factor
        document.update(_balance(outcome.result))  # type: ignore[arg-type]
        document["inaccurate"] = inaccuracy(outcome.result)  # type: ignore[arg-type]
    return document


def inaccuracy(motion: "Trajectory") -> str | None:
    """What is to be said of a motion that is not as accurate as was asked for."""
    return json.loads(motion.provenance)["settings"].get("inaccurate")  # type: ignore[no-any-return]


def _balance(motion: "Trajectory") -> dict[str, float | None]:
    """How far the ledger total (energies, plus losses, minus work) drifts, relative to the largest energy that was put
    in or changed its kind before it drifted: a motion that makes energy is not measured by what it has made."""
    import numpy as np

    series = {name: np.asarray(values) for name, values in motion.energy.items()}
    peak = float(np.max(series["kinetic"]))
    drift = None
    if "dissipated" in series and peak > 0.0:
        whole = max(float(np.ptp(series[name])) for name in ("gravity", "work"))
        whole = max(whole, *(float(np.abs(series[name][0])) for name in ("kinetic", "elastic")))
        made = float(np.max(np.abs(series["total"] - series["total"][0])))
        drift = made / whole if whole > 0.0 else made / peak
    return {"peak_kinetic_J": peak if math.isfinite(peak) else None, "energy_balance_error": drift}


def show(outcome: Outcome) -> None:
    """The outcome as small tables."""
    numbers = record(outcome)
    stdout.print(f"{outcome.name} of {numbers['robot']}", style="bold")
    if outcome.kind == "modes":
        show_modes(numbers)
    else:
        show_configuration(outcome, numbers)
    grid = Table.grid(padding=(0, 2))
    for name, value in facts(outcome.kind, numbers):
        grid.add_row(name, value)
    stdout.print(grid)
    stdout.print()


def show_modes(numbers: dict[str, Any]) -> None:
    """Frequencies, damping, mass and stiffness of the modes, and the damped modes of a robot that has damping."""
    stdout.print(_mode_table(numbers))
    stdout.print("mass, stiffness: for 1 m where the mode moves most\n")
    if numbers["stable"] is False:
        stdout.print(f"{growing(numbers)}\n")
    damped = _damped_table(numbers)
    if damped.row_count:
        stdout.print(damped)
        stdout.print()


def show_configuration(outcome: Outcome, numbers: dict[str, Any]) -> None:
    """Where the robot is, in the last of several configurations, and what its actuators and loops carry at rest."""
    if "stages" in numbers:
        stdout.print(_stages(numbers["stages"]))
        stdout.print(f"\nat t = {number(numbers['last_time_s'])} s")
    if "marks" in numbers:
        stdout.print(_marks(numbers["marks"]) if numbers["marks"] else "no limit point, bifurcation or flutter")
        stdout.print(f"\nat the load factor {number(numbers['last_factor'])}, the last of the path")
    places = positions(numbers)
    stdout.print(places if places.row_count else 'no frames; name places under "frames:" to see where they are')
    if outcome.kind == "statics":
        for table in (_actuation(outcome.result, numbers), _reactions(numbers)):
            if table.row_count:
                stdout.print()
                stdout.print(table)
        stdout.print()


def facts(kind: str, numbers: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and values of what is known beside places and frequencies."""
    rows = []
    if kind == "statics":
        residual = numbers["largest_residual" if "points" in numbers else "residual"]
        rows += [
            ("residual (relative)", number(residual)),
            ("iterations", f"{numbers['iterations']} in {walked(numbers)}"),
            ("smallest eigenvalue", number(numbers["smallest_eigenvalue"]) + stability(numbers)),
        ]
    elif kind == "simulate":
        energies = ", ".join(
            f"{name} {value:.3g}" for name, value in numbers["final_energy_J"].items() if value is not None
        )
        rows += [
            ("simulated", simulated(numbers)),
            ("energies at the end [J]", energies),
            ("energy balance error", balance(numbers)),
        ]
        if numbers["real_time_factor"] is not None:
            rows.append(("speed once compiled", f"{number(numbers['real_time_factor'])} times real time"))
    return [*rows, ("wall time", f"{numbers['seconds']:.2f} s")]


def walked(numbers: dict[str, Any]) -> str:
    """What the solution of a static problem was divided into."""
    if "load_steps" in numbers:
        return f"{numbers['load_steps']} load steps"
    return f"{numbers['points']} {'stages' if 'stages' in numbers else 'points of the path'}"


def simulated(numbers: dict[str, Any]) -> str:
    """How long the motion is; one that goes on from a quasi-static sequence does not start at 0."""
    start, end = numbers["start_s"] or 0.0, numbers["end_s"]
    span = f"{end:g} s" if start == 0.0 else f"from {start:g} s to {end:g} s"
    return f"{span} in {numbers['steps']} steps of {numbers['stepper']}"


def balance(numbers: dict[str, Any]) -> str:
    """The drift of the ledger in words."""
    if numbers["energy_balance_error"] is None:
        return "not recorded (ask for it with energy: true, or --energy)"
    return f"{numbers['energy_balance_error']:.1e} of the energy put in or exchanged"


def stability(numbers: dict[str, Any]) -> str:
    """What becomes of small motions, of the last of several configurations."""
    words = {"stable": "stable", "diverges": "unstable", "flutters": "unstable: it flutters"}
    told = words.get(numbers["stability"], "whether it is stable is not known")
    return f" ({told}{', at the last point' if 'points' in numbers else ''})"


def number(value: float | None) -> str:
    """Four digits, or a dash."""
    return "-" if value is None else f"{value:.4g}"


def positions(numbers: dict[str, Any]) -> Table:
    """Where the frames are, in mm; every link has one of its own name, at the tip of a rod. Divisions are left out."""
    from pliant.results import rod_of

    table = Table("frame", box=None, pad_edge=False)
    for axis in "xyz":
        table.add_column(f"{axis} [mm]", justify="right")
    for name, place in numbers["frames"].items():
        if rod_of(name) != name:
            continue
        table.add_row(name, *("-" if value is None else f"{1000 * value:.2f}" for value in place))
    return table


def _stages(stages: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("time [s]", "residual", "iterations", "smallest eigenvalue"):
        table.add_column(title, justify="right")
    for stage in stages:
        eigenvalue = number(stage["smallest_eigenvalue"]) + stability(stage)
        table.add_row(number(stage["time_s"]), number(stage["residual"]), str(stage["iterations"]), eigenvalue)
    return table


def _marks(marks: list[dict[str, Any]]) -> Table:
    """The special points of a load path."""
    table = Table("point", "what it is", box=None, pad_edge=False)
    table.add_column("load factor", justify="right")
    for mark in marks:
        table.add_row(str(mark["point"]), mark["kind"], f"{mark['factor']:.6g}")
    return table


def _actuation(result: "Result", numbers: dict[str, Any]) -> Table:
    """Effort and travel of every actuator, each in the unit that people use for it."""
    from pliant.results import readable

    quantities = [name for name in ("effort", "far_end", "travel") if name in numbers]
    table = Table("actuator", box=None, pad_edge=False)
    for quantity in quantities:
        table.add_column(quantity.replace("_", " "), justify="right")
    for actuator in numbers.get("effort", ()):
        cells = []
        for quantity in quantities:
            unit, factor = readable(result.names.unit(quantity, actuator) or "SI")
            value = numbers[quantity].get(actuator)
            cells.append("-" if value is None else f"{number(factor * value)} {unit}")
        table.add_row(actuator, *cells)
    return table


def _reactions(numbers: dict[str, Any]) -> Table:
    """The wrench of every loop on its second frame, in the axes of that frame."""
    table = Table("loop", box=None, pad_edge=False)
    for title in [f"F{axis} [N]" for axis in "xyz"] + [f"M{axis} [N m]" for axis in "xyz"]:
        table.add_column(title, justify="right")
    for name, wrench in numbers.get("reaction", {}).items():
        table.add_row(name, *(number(value) for value in (*wrench[3:], *wrench[:3])))
    return table


def growing(numbers: dict[str, Any]) -> str:
    """What grows, in words: the eigenvalue with the largest real part."""
    pairs = [pair for pair in numbers["eigenvalues_per_s"] if None not in pair]
    real, imaginary = max(pairs, default=(0.0, 0.0))
    if real <= 0.0:
        return f"unstable: the robot {numbers['stability']} in a mode that is not listed; ask for more with --count"
    swing = f", swinging at {number(abs(imaginary) / (2 * math.pi))} Hz" if imaginary else ""
    return f"unstable: the robot {numbers['stability']}; a small motion grows by {number(real)} per second{swing}"


def _mode_table(numbers: dict[str, Any]) -> Table:
    """One row for each undamped mode."""
    columns = {
        "frequency [Hz]": "frequency_Hz",
        "damping ratio": "damping_ratio",
        "mass [kg]": "modal_mass_kg",
        "stiffness [N/m]": "modal_stiffness_N_per_m",
    }
    table = Table("mode", box=None, pad_edge=False)
    for title in columns:
        table.add_column(title, justify="right")
    for index in range(len(numbers["frequency_Hz"])):
        table.add_row(str(index + 1), *(number(numbers[name][index]) for name in columns.values()))
    return table


def _damped_table(numbers: dict[str, Any]) -> Table:
    """One row for each pair of eigenvalues, or for each real one; none where nothing damps."""
    table = Table("damped", box=None, pad_edge=False)
    for title in ("frequency [Hz]", "damping ratio", "time constant [s]"):
        table.add_column(title, justify="right")
    pairs = [pair for pair in numbers["eigenvalues_per_s"] if None not in pair and pair[1] >= 0.0]
    if not any(real for real, _ in pairs):
        return table
    for index, (real, imaginary) in enumerate(pairs):
        if imaginary > 0.0:
            swing = (number(imaginary / (2 * math.pi)), number(-real / math.hypot(real, imaginary)))
        else:
            swing = ("-", "-")
        table.add_row(str(index + 1), *swing, number(-1.0 / real if real else None))
    return table
