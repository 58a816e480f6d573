"""Run the validation cases and write their table into docs/validation.md: python examples/make_validation_table.py"""

import platform
from pathlib import Path

import jax

from pliant.validation import run

PAGE = Path(__file__).parent.parent / "docs" / "validation.md"
BEGIN, END = "<!-- validation -->", "<!-- /validation -->"


def shown(value) -> str:
    if isinstance(value, list):
        return ", ".join(f"{number:.7g}" for number in value)
    return "" if value is None else f"{value:.4g}"


def main() -> None:
    lines = [f"JAX {jax.__version__}, Python {platform.python_version()}, {platform.machine()}.", ""]
    lines += [
        "| case | model | figure | value | reference | error | tolerance | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in run():
        without = "skipped" if row.value is None else "no bar"
        verdict = {True: "pass", False: "**fail**", None: without}[row.passed]
        cells = [row.case, row.model, row.figure, shown(row.value), shown(row.reference), shown(row.error)]
        lines.append(f"| {' | '.join([*cells, shown(row.tolerance), verdict])} |")
        print(lines[-1], flush=True)
    text = PAGE.read_text()
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text("\n".join([head, *lines, tail]))


if __name__ == "__main__":
    main()
