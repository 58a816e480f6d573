"""A run as text: a table on the terminal, a table in the documentation, a JSON file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.bars import Bar, Verdict
from harness.beside import Beside
from harness.suite import Figure, Suite


def in_units(value: float | None, unit: str) -> str:
    """A number as a person reads it."""
    if value is None:
        return "not measured"
    if unit == "s":
        for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
            if abs(value) >= size:
                return f"{value / size:.3g} {name}"
        return f"{value / 1e-9:.3g} ns"
    if unit == "B":
        return f"{value / 1e6:.0f} MB" if value >= 1e7 else f"{value / 1e6:.2g} MB"
    if unit == "1":
        return f"{value:g}" if float(value).is_integer() else f"{value:.3g}"
    return f"{value:.2g} {unit}"


def _limit(bar: Bar) -> str:
    against = f" x {bar.against}" if bar.against else ""
    limit = f"{bar.limit:g}" if bar.against else in_units(bar.limit, bar.unit)
    return f"{bar.comparison} {limit}{against}"


def text(suite: Suite, document: Mapping[str, Any], verdicts: Sequence[Verdict]) -> str:
    """The run for the terminal."""
    lines = [*_machine_lines(document), ""]
    for figure, _ in suite.figures:
        reason = document["missing"].get(figure.name)
        value = in_units(document["values"].get(figure.name), figure.unit)
        lines.append(f"{figure.name:44} {value:>14}  {reason or figure.meaning}")
    lines += ["", "Bars:"]
    for verdict in verdicts:
        value = in_units(verdict.value, verdict.bar.unit)
        lines.append(f"  {verdict.outcome.upper():13} {verdict.bar.figure} = {value}, bar {_limit(verdict.bar)}")
    return "\n".join(lines)


def beside(times: Sequence[Beside]) -> str:
    """Times beside those of an earlier checkout, for the terminal."""
    lines = ["", "Beside the earlier checkout:"]
    for time in times:
        outcome = "SLOWER" if time.fails else "kept"
        both = f"{in_units(time.now, 's'):>9} / {in_units(time.earlier, 's'):>9}"
        lines.append(f"  {outcome:6} {time.figure:44} {both} = {time.ratio:.3f}, bar <= {time.limit:g}")
    return "\n".join(lines)


def markdown(suite: Suite, document: Mapping[str, Any], verdicts: Sequence[Verdict]) -> str:
    """The run for the documentation: one table of bars, one of figures."""
    lines = [*(f"{line}  " for line in _machine_lines(document)), ""]
    if suite.columns:
        return "\n".join([*lines, *_columns(suite, document)])
    lines += ["| bar | measured | limit | |", "| --- | --- | --- | --- |"]
    for verdict in verdicts:
        value = in_units(verdict.value, verdict.bar.unit)
        lines.append(f"| `{verdict.bar.figure}` | {value} | {_limit(verdict.bar)} | {verdict.outcome} |")
    lines += ["", "| figure | | what it is |", "| --- | --- | --- |"]
    lines += [_markdown_row(figure, document) for figure, _ in suite.figures]
    return "\n".join(lines)


def _columns(suite: Suite, document: Mapping[str, Any]) -> list[str]:
    """A row for every name, a column for what was measured of it."""
    cells: dict[str, dict[str, str]] = {}
    for figure, _ in suite.figures:
        name, key = figure.name.rsplit(" ", 1)
        value = document["values"].get(figure.name)
        cells.setdefault(name, {})[key] = "" if value is None else in_units(value, figure.unit)
    head = ["", *suite.columns]
    rows = [[f"`{name}`", *(found[key] for key in suite.columns)] for name, found in cells.items()]
    return [f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]]


def _markdown_row(figure: Figure, document: Mapping[str, Any]) -> str:
    reason = document["missing"].get(figure.name)
    meaning = f"{figure.meaning} ({reason})" if reason else figure.meaning
    return f"| `{figure.name}` | {in_units(document['values'].get(figure.name), figure.unit)} | {meaning} |"


def _machine_lines(document: Mapping[str, Any]) -> list[str]:
    machine = document["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items() if version)
    calibration = ", ".join(
        f"{name.replace('_', ' ')} {in_units(value, 's')}"
        for name, value in document["calibration"].items()
        if name != "peak_memory"
    )
    memory = machine["memory_bytes"] / 2**30
    devices = sorted({raw["device"] for raw in document.get("raw", {}).values() if "device" in raw})
    return [
        f"{machine['date']}, commit {machine['commit'] or 'unknown'}",
        f"{machine['processor']}, {machine['cores']} cores, {memory:.1f} GiB, {machine['system']}",
        f"Python {machine['python']}: {versions}",
        f"Load average {machine['load_average']:.2f} before, {document['load_average_after']:.2f} after",
        f"Calibration: {calibration or 'not measured'}",
        *(f"GPU: {device}" for device in devices),
    ]


def replace_between_markers(path: Path, name: str, content: str) -> None:
    """Put the content between `<!-- begin NAME -->` and `<!-- end NAME -->` of a page."""
    page = path.read_text(encoding="utf-8")
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"{path} needs the lines {begin} and {end}, once each and in this order")
    head, tail = page[: page.index(begin) + len(begin)], page[page.index(end) :]
    path.write_text(f"{head}\n{content}\n{tail}", encoding="utf-8")
