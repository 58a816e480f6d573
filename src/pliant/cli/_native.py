"""The commands about native code: export-c and native."""

from pathlib import Path
from typing import Annotated

import typer

from pliant.cli._arguments import AsJson, RobotFile, SetValues
from pliant.cli._errors import BAD_INPUT
from pliant.cli._output import complain, print_json, stdout
from pliant.cli._robots import find_robot

Functions = Annotated[
    str | None, typer.Option("--function", metavar="A,B", help="Which functions.", show_default=False)
]

_ROW = "{:<25} {:>10} {:>7} {:>6} {:>9} {:>5} {:>6}"


def export_c(
    file: RobotFile,
    out: Annotated[Path, typer.Option(metavar="DIR", file_okay=False, help="The folder to write into.")],
    function: Functions = None,
    inputs: Annotated[
        str, typer.Option(metavar="A,B", help="Inputs that the argument u holds: their names, all, or none.")
    ] = "all",
    set_: SetValues = None,
    json_: AsJson = False,
) -> None:
    """Write the robot's equations as C99: a source, a header, an example, a MEX wrapper."""
    from pliant.model import compile
    from pliant.simulation import export_c as export
    from pliant.simulation import native_functions

    model = compile(find_robot(file, set_))
    names = _names(function) or ["forward_dynamics", "forward_kinematics"]
    ports = [] if inputs == "none" else _names(inputs)
    try:
        written = export(model, names, out, inputs=ports)
    except KeyError as error:
        complain(error.args[0])
        raise typer.Exit(BAD_INPUT) from None
    if json_:
        print_json({"files": [str(path) for path in written.files], "operations": written.operations})
        return
    for path in written.files:
        stdout.print(f"{path}  {path.stat().st_size / 1e3:.4g} kB")
    for name, operations in written.operations.items():
        stdout.print(f"  {name}: {operations} operations")
    left = [name for name in native_functions(model) if name not in names]
    stdout.print(f"Other functions: {', '.join(left)}")


def native(
    file: RobotFile,
    function: Functions = None,
    set_: SetValues = None,
    json_: AsJson = False,
) -> None:
    """Compile the robot's functions to native code and time them beside JAX."""
    from pliant.model import compile
    from pliant.simulation import TIMED, time_native

    model = compile(find_robot(file, set_))
    try:
        found = time_native(model, _names(function) or TIMED)
    except KeyError as error:
        complain(error.args[0])
        raise typer.Exit(BAD_INPUT) from None
    if json_:
        print_json({"robot": model.name, "nv": model.nv, "functions": [row._asdict() for row in found]})
        return
    stdout.print(f"{model.name}, {model.nv} velocities: one evaluation inside a compiled loop")
    stdout.print(_ROW.format("function", "operations", "build s", "JAX us", "native us", "ratio", "differ"))
    for row in found:
        times = (f"{value:.3g}" for value in (row.build, 1e6 * row.jax, 1e6 * row.native, row.jax / row.native))
        stdout.print(_ROW.format(row.name, row.operations, *times, f"{row.difference:.1g}"))


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
