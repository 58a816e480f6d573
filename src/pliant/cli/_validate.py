"""The command that reproduces published results: validate. The cases live in pliant.validation."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from pliant.cli._arguments import AsJson
from pliant.cli._errors import NOT_DONE, SOLVE_FAILED
from pliant.cli._output import complain, print_json, stdout
from pliant.cli._report import number

_COLUMNS = {"case": 18, "model": 8, "figure": 30, "value": 10, "reference": 10, "error": 9, "tolerance": 9, "pass": 7}
_SECONDS = 6
_WIDTH = sum(_COLUMNS.values()) + _SECONDS + len(_COLUMNS)  # wider than most terminals' 80, so that rows stay whole
_NUMBERS = ("value", "reference", "error", "tolerance")
_VERDICTS = {True: "yes", False: "NO", None: "skipped"}


def validate(
    list_: Annotated[bool, typer.Option("--list", help="List the cases and stop.")] = False,
    only: Annotated[str | None, typer.Option(metavar="A,B", show_default=False, help="Only these cases.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, show_default=False, help="Folder of measured data."),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Compare Pliant with published and measured results."""
    import pliant.validation as validation

    known = validation.cases()
    if list_:
        _list(known, json_)
        return
    wanted = [name.strip() for name in only.split(",") if name.strip()] if only is not None else None
    unknown = [name for name in wanted or () if name not in known]
    if unknown:
        complain(f"no case named {', '.join(unknown)}; the cases are: {', '.join(known)}")
        raise typer.Exit(NOT_DONE)
    rows: list[dict[str, Any]] = []
    for row in validation.run(wanted, data):
        rows.append(_record(row))
        if not json_:
            stdout.print(_line(rows[-1], header=len(rows) == 1), width=_WIDTH, crop=False, no_wrap=True)
    if json_:
        print_json(rows)
    else:
        verdicts = [row["pass"] for row in rows]
        counts = f"{verdicts.count(True)} passed, {verdicts.count(False)} failed, {verdicts.count(None)} skipped"
        stdout.print(f"\n{counts}")
    if any(row["pass"] is False for row in rows):
        raise typer.Exit(SOLVE_FAILED)
    skipped = [name for name in wanted or () if all(row["pass"] is None for row in rows if row["case"] == name)]
    if skipped:
        complain(f"skipped: {', '.join(skipped)}")
        raise typer.Exit(NOT_DONE)


def _list(known: dict[str, str], json_: bool) -> None:
    if json_:
        print_json([{"case": name, "description": description} for name, description in known.items()])
        return
    table = Table("case", "what it compares", box=None, pad_edge=False)
    for name, description in known.items():
        table.add_row(name, description)
    stdout.print(table)


def _record(row: Any) -> dict[str, Any]:
    fields = row._asdict()
    fields["pass"] = fields.pop("passed")
    order = ("case", "model", "figure", "value", "reference", "error", "tolerance", "pass", "seconds")
    return {name: _plain(fields[name]) for name in order}


def _plain(value: Any) -> Any:
    """NumPy scalars to Python's; a number that is not finite, which JSON lacks, to null."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _figure(value: float | list[float | None] | None) -> str:
    return " ".join(map(number, value)) if isinstance(value, list) else number(value)


def _line(row: dict[str, Any], header: bool) -> Table:
    """One row with fixed widths, so that rows printed one by one stand in columns."""
    table = Table(box=None, pad_edge=False, show_header=header)
    for name, width in _COLUMNS.items():
        right = name in _NUMBERS
        table.add_column(name, width=width, justify="right" if right else "left", overflow="fold")
    table.add_column("[s]", width=_SECONDS, justify="right")
    cells = [
        _VERDICTS[row[name]] if name == "pass" else _figure(row[name]) if name in _NUMBERS else str(row[name])
        for name in _COLUMNS
    ]
    table.add_row(*cells, f"{row['seconds']:.1f}" if row["seconds"] is not None else "-")
    return table
