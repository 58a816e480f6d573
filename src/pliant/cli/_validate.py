"""The command that reproduces published results: validate. The cases live in pliant.validation."""

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from pliant.cli._arguments import AsJson
from pliant.cli._errors import NOT_DONE, SOLVE_FAILED
from pliant.cli._output import complain, print_json, print_line, stdout
from pliant.cli._report import number

# Fixed widths, so that rows printed one by one stand in columns; what is longer pushes the rest to the right.
_COLUMNS = {"case": 18, "model": 14, "figure": 32, "value": 22, "reference": 22, "error": 9, "tolerance": 9, "pass": 7}
_NUMBERS = ("value", "reference", "error", "tolerance")
_CHANGED = 1e-6  # of the size of a value
_MEASURED_TIMES = ("[s]", "[ms]", "[1/s]")
_VERDICTS = {True: "yes", False: "NO", None: "skipped"}


def validate(
    list_: Annotated[bool, typer.Option("--list", help="List the cases and stop.")] = False,
    only: Annotated[str | None, typer.Option(metavar="A,B", show_default=False, help="Only these cases.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, show_default=False, help="Folder of measured data."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", file_okay=False, show_default=False, help="Folder for the plots of the cases."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", exists=True, dir_okay=False, show_default=False,
            help="Also list what differs from an earlier run, a file of --json.",
        ),
    ] = None,
    json_: AsJson = False,
) -> None:  # fmt: skip
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
    before = None if against is None else _earlier(against)
    rows: list[dict[str, Any]] = []
    if not json_:
        print_line(_line({name: name for name in (*_COLUMNS, "seconds")}))
    for row in validation.run(wanted, data, out):
        rows.append(_record(row))
        if not json_:
            print_line(_line(_cells(rows[-1])))
    if json_:
        print_json(rows)
    else:
        verdicts = [_verdict(row) for row in rows]
        counts = {name: verdicts.count(name) for name in ("yes", "NO", "skipped", "")}
        stdout.print("\n{yes} passed, {NO} failed, {skipped} skipped".format(**counts))
        if counts[""]:
            stdout.print(f"{counts['']} figures have no bar")
    if before is not None:
        for line in differences(before, rows):
            complain(line)
    if any(row["pass"] is False for row in rows):
        raise typer.Exit(SOLVE_FAILED)
    skipped = [name for name in wanted or () if all(row["pass"] is None for row in rows if row["case"] == name)]
    if skipped:
        complain(f"skipped: {', '.join(skipped)}")
        raise typer.Exit(NOT_DONE)


def _earlier(path: Path) -> list[dict[str, Any]]:
    """The rows of an earlier run, read before this one takes its time."""
    try:
        rows = json.loads(path.read_bytes())
        whole = all({"case", "model", "figure", "pass", "value"} <= set(row) for row in rows)
    except (ValueError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise typer.BadParameter(f"{path}: expected a file that `pliant validate --json` wrote", param_hint="--against")
    return rows


def differences(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[str]:
    """Rows whose verdict is another than before, or whose value differs by more than 1e-6 of its size; times that were
    measured are left out, since they are never the same."""
    known = {(row["case"], row["model"], row["figure"]): row for row in before}
    lines = []
    for row in now:
        old = known.get((row["case"], row["model"], row["figure"]))
        name = f"{row['case']}, {row['model']}, {row['figure']}"
        if old is None:
            lines.append(f"{name}: not in the earlier run")
        elif old["pass"] != row["pass"]:
            lines.append(f"{name}: {_verdict(old) or 'no bar'} before, {_verdict(row) or 'no bar'} now")
        elif not row["figure"].endswith(_MEASURED_TIMES) and not _same(old["value"], row["value"]):
            lines.append(f"{name}: {_figure(old['value'])} before, {_figure(row['value'])} now")
    return lines


def _same(before: Any, now: Any) -> bool:
    first, second = (value if isinstance(value, list) else [value] for value in (before, now))
    if len(first) != len(second) or any((a is None) != (b is None) for a, b in zip(first, second, strict=True)):
        return False
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None]
    size = max((abs(a) for a, _ in pairs), default=0.0)
    return all(abs(a - b) <= _CHANGED * size for a, b in pairs)


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


def _line(cells: dict[str, str]) -> str:
    columns = {**_COLUMNS, "seconds": 7}
    return "  ".join(f"{cells[name]:{'>' if name in _NUMBERS else '<'}{width}}" for name, width in columns.items())


def _cells(row: dict[str, Any]) -> dict[str, str]:
    return {
        **{name: str(value) for name, value in row.items()},
        **{name: _figure(row[name]) for name in _NUMBERS},
        "pass": _verdict(row),
        "seconds": number(row["seconds"]),
    }


def _verdict(row: dict[str, Any]) -> str:
    """Nothing for a figure without a bar of its own, which stands beside others."""
    return "" if row["pass"] is None and row["value"] is not None else _VERDICTS[row["pass"]]


def _figure(value: float | list[float | None] | None) -> str:
    return (
        " ".join("-" if item is None else f"{item:.3g}" for item in value) if isinstance(value, list) else number(value)
    )
