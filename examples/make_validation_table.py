"""Run the validation cases and write their table into docs/validation.md: python examples/make_validation_table.py

With names of cases it runs those and leaves the rows of the others as they are.
"""

import platform
import sys
from pathlib import Path

import jax

import pliant
from pliant.validation import cases, run

pliant.configure()

PAGE = Path(__file__).parent.parent / "docs" / "validation.md"
BEGIN, END = "<!-- validation -->", "<!-- /validation -->"


def shown(value) -> str:
    if isinstance(value, list):
        return ", ".join(f"{number:.7g}" for number in value)
    return "" if value is None else f"{value:.4g}"


def main(only: list[str]) -> None:
    text = PAGE.read_text()
    head, kept, tail = (
        text[: text.index(BEGIN) + len(BEGIN)],
        text[text.index(BEGIN) : text.index(END)],
        text[text.index(END) :],
    )
    rows: dict[str, list[str]] = {name: [] for name in cases()}
    for line in kept.splitlines():
        name = line.strip("| ").split(" | ")[0]
        if name in rows and name not in (only or rows):
            rows[name].append(line)
    for row in run(only or None):
        without = "skipped" if row.value is None else "no bar"
        verdict = {True: "pass", False: "**fail**", None: without}[row.passed]
        cells = [row.case, row.model, row.figure, shown(row.value), shown(row.reference), shown(row.error)]
        rows[row.case].append(f"| {' | '.join([*cells, shown(row.tolerance), verdict])} |")
        print(rows[row.case][-1], flush=True)
    lines = [
        f"JAX {jax.__version__}, Python {platform.python_version()}, {platform.machine()}.",
        "",
        "| case | model | figure | value | reference | error | tolerance | |",
        "|---|---|---|---|---|---|---|---|",
        *(line for own in rows.values() for line in own),
    ]
    PAGE.write_text("\n".join([head, *lines, tail]))


if __name__ == "__main__":
    main(sys.argv[1:])
