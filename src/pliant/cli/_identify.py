"""The command that fits parameters to a recording: identify."""

import csv
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pliant.cli._arguments import Accuracy, AsJson, RobotFile, SetValues
from pliant.cli._output import print_json, print_line
from pliant.cli._progress import Progress
from pliant.cli._report import inaccuracy
from pliant.cli._robots import find_robot
from pliant.cli._solve import refuse_inaccurate

if TYPE_CHECKING:
    import numpy as np

    from pliant.model import Model
    from pliant.optimisation import Identification
    from pliant.results import Trajectory

_DIFFERENCES = 1e-3  # relative step of the parameters: far above the tolerance of the solves, far below their effect
_TOLERANCE = 1e-6  # of the search
_RANGE = 100.0  # of a parameter without bounds of its own, to either side


def identify(
    file: RobotFile,
    data: Annotated[
        Path,
        typer.Option(metavar="FILE.csv", exists=True, dir_okay=False, help="Recording; its first row names columns."),
    ],
    parameter: Annotated[
        list[str],
        typer.Option(
            metavar="PATH[=LOW,HIGH]",
            help="Parameter to fit, addressed as in the file; may be repeated. Without bounds: within a factor of 100.",
        ),
    ],
    frame: Annotated[
        str, typer.Option(metavar="NAME", help="Frame whose place NAME_x_m, NAME_y_m, NAME_z_m was recorded.")
    ] = "tip",
    input_: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="PORT=COLUMN",
            show_default=False,
            help="Input of the robot that a column holds, in SI units; may be repeated.",
        ),
    ] = None,
    from_: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", show_default=False, help="Start; default: the file's.")
    ] = None,
    until: Annotated[
        float | None, typer.Option(metavar="SECONDS", show_default=False, help="End; default: the file's.")
    ] = None,
    every: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=1e-6, show_default=False, help="Time between samples that are compared."),
    ] = None,
    at_rest: Annotated[
        bool, typer.Option("--at-rest", help="The robot is at rest at every sample: no inertia, no damping.")
    ] = False,
    step: Annotated[float, typer.Option(metavar="SECONDS", min=1e-6, help="Time step of newmark.")] = 0.01,
    accuracy: Accuracy = None,
    set_: SetValues = None,
    json_: AsJson = False,
) -> None:
    """Fit parameters of a robot to a recorded motion by least squares.

    The motion starts at rest in the robot's initial state. The file has a column time_s.
    """
    from pliant.model import compile
    from pliant.optimisation import identify as fit

    columns = _read(data)
    model = compile(find_robot(file, set_))
    bounds = dict(_bounds(model, text) for text in parameter)
    inputs = _inputs(model, columns, input_ or [])
    times = _times(columns["time_s"], from_, until, every)
    measured = _places(columns, frame, times)
    if frame not in _frames(model):
        raise typer.BadParameter(f"no frame {frame!r}; there are: {', '.join(_frames(model))}", param_hint="--frame")
    predict = _rests(times, inputs, frame) if at_rest else _motion(times, inputs, frame, step)
    inaccurate = None
    with Progress(wanted=not json_).waiting("identify"):
        try:
            found = fit(
                model, predict, measured, over=bounds, differences=_DIFFERENCES, tolerance=_TOLERANCE, throw=False
            )
        except ValueError as error:  # bounds that do not hold the start, times and steps that do not fit
            raise typer.BadParameter(str(error)) from None
        if not at_rest:
            inaccurate = _inaccurate(found.model, times, inputs, step, accuracy)
    document = {**_document(found), "inaccurate": inaccurate}
    if json_:
        print_json(document)
    else:
        print_line(str(found))
    refuse_inaccurate([document])


def _motion(times: "np.ndarray", inputs: Mapping[str, Any], frame: str, step: float) -> Any:
    """Places (n, 3) of the frame at the times of a simulation. How accurate its steps are is asked in the end, of the
    motion that was found."""
    import numpy as np

    def predict(model: "Model") -> "np.ndarray":
        run = _run(model, times, inputs, step, None)
        place, moments = np.asarray(run.position(frame)), np.asarray(run.time)
        return np.stack([np.interp(times, moments, column) for column in place.T], axis=1)

    return predict


def _run(
    model: "Model", times: "np.ndarray", inputs: Mapping[str, Any], step: float, accuracy: float | None
) -> "Trajectory":
    from pliant.simulation import simulate

    return simulate(
        model,
        float(times[-1]),
        start=float(times[0]),
        stepper="newmark",
        step=step,
        save_every=_spacing(times),
        inputs=inputs,
        accuracy=accuracy,
    )


def _inaccurate(
    model: "Model", times: "np.ndarray", inputs: Mapping[str, Any], step: float, accuracy: float | None
) -> str | None:
    """What is to be said of the steps of the motion that was found."""
    from pliant.simulation import ACCURACY, InaccurateWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InaccurateWarning)  # which the command itself tells in the end
        run = _run(model, times, inputs, step, ACCURACY if accuracy is None else accuracy)
    return inaccuracy(run)


def _rests(times: "np.ndarray", inputs: Mapping[str, Any], frame: str) -> Any:
    """Places (n, 3) of the frame in the equilibria at the times."""
    import numpy as np

    from pliant.analysis import equilibrium

    def predict(model: "Model") -> "np.ndarray":
        places = []
        for time in times:
            now = {port: np.interp(time, moments, values) for port, (moments, values) in inputs.items()}
            places.append(np.asarray(equilibrium(model, t=float(time), inputs=now).position(frame)))
        return np.array(places)

    return predict


def _read(path: Path) -> "dict[str, np.ndarray]":
    import numpy as np

    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
    except (csv.Error, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path}: not readable as a table of text (CSV): {error}") from None
    if len(rows) < 3:
        raise typer.BadParameter(f"{path}: expected a row of names and at least two rows of numbers")
    try:
        numbers = np.array(rows[1:], dtype=float)
    except ValueError as error:
        raise typer.BadParameter(f"{path}: expected as many numbers in every row as there are names; {error}") from None
    if numbers.shape[1] != len(rows[0]) or not np.all(np.isfinite(numbers)):
        raise typer.BadParameter(f"{path}: expected as many finite numbers in every row as there are names")
    columns = {name.strip(): numbers[:, index] for index, name in enumerate(rows[0])}
    _column(columns, "time_s")
    if not np.all(np.diff(columns["time_s"]) > 0.0):
        raise typer.BadParameter(f"{path}: time_s must increase from row to row")
    return columns


def _column(columns: "Mapping[str, np.ndarray]", name: str) -> "np.ndarray":
    if name not in columns:
        raise typer.BadParameter(f"no column {name!r}; there are: {', '.join(columns)}", param_hint="--data")
    return columns[name]


def _places(columns: "Mapping[str, np.ndarray]", frame: str, times: "np.ndarray") -> "np.ndarray":
    import numpy as np

    series = [_column(columns, f"{frame}_{axis}_m") for axis in "xyz"]
    return np.stack([np.interp(times, columns["time_s"], values) for values in series], axis=1)


def _times(recorded: "np.ndarray", from_: float | None, until: float | None, every: float | None) -> "np.ndarray":
    import numpy as np

    begin = float(recorded[0]) if from_ is None else from_
    end = float(recorded[-1]) if until is None else until
    if not recorded[0] <= begin < end <= recorded[-1]:
        span = f"{recorded[0]:g} s to {recorded[-1]:g} s"
        raise typer.BadParameter(f"got {begin:g} s to {end:g} s; expected a span inside that of the file, {span}")
    if every is None:
        return recorded[(recorded >= begin) & (recorded <= end)]
    return np.append(np.arange(begin, end - 1e-9 * (end - begin), every), end)


def _spacing(times: "np.ndarray") -> float:
    """Interval of the samples, which a simulation saves as often: the shortest."""
    return float((times[1:] - times[:-1]).min())


def _inputs(model: "Model", columns: "Mapping[str, np.ndarray]", texts: list[str]) -> dict[str, Any]:
    inputs = {}
    for text in texts:
        port, equals, column = (part.strip() for part in text.partition("="))
        if not equals or port not in model.input_names:
            expected = f"PORT=COLUMN with one of the ports {', '.join(model.input_names)}"
            raise typer.BadParameter(f"{text!r}: expected {expected}", param_hint="--input")
        inputs[port] = (columns["time_s"], _column(columns, column))
    return inputs


def _bounds(model: "Model", text: str) -> tuple[str, tuple[float, float]]:
    import numpy as np

    path, equals, limits = (part.strip() for part in text.partition("="))
    if path not in model.parameters:
        raise typer.BadParameter(f"no parameter {path!r}; there are: {', '.join(model.parameters)}")
    value = np.asarray(model.parameters[path])
    if equals:
        low, _, high = limits.partition(",")
        try:
            return path, (float(low), float(high))
        except ValueError:
            raise typer.BadParameter(f"{text!r}: expected PATH=LOW,HIGH, two numbers in SI units") from None
    if not np.all(value > 0.0):
        raise typer.BadParameter(f"{path} is not positive: give its bounds, {path}=LOW,HIGH")
    info = model.parameter_info[path]
    bounds: Any = (np.maximum(value / _RANGE, info.low), np.minimum(value * _RANGE, info.high))
    return path, bounds


def _frames(model: "Model") -> tuple[str, ...]:
    return tuple(frame.name for frame in model.structure.frames)


def _document(found: "Identification") -> dict[str, Any]:
    return {
        "parameters": {path: _plain(value) for path, value in found.parameters.items()},
        "standard_errors": {path: _plain(value) for path, value in found.standard_errors.items()},
        "rms": found.rms,
        "measurements": found.measurements,
        "iterations": found.iterations,
        "evaluations": found.evaluations,
        "success": found.success,
        "message": found.message,
        "notes": list(found.notes),
    }


def _plain(value: Any) -> Any:
    """Numbers as JSON has them; one that is not finite, which it lacks, as null."""
    import numpy as np

    if np.ndim(value):
        return [_plain(item) for item in value]
    return float(value) if np.isfinite(value) else None
