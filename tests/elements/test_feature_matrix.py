"""Every feature with every rod model: it works, or is refused by a sentence that names both (docs/features.md)."""

import importlib.util
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[2] / "examples" / "make_feature_matrix.py"
_spec = importlib.util.spec_from_file_location("make_feature_matrix", _FILE)
matrix = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(matrix)


@pytest.mark.long
@pytest.mark.parametrize("word", matrix.MODELS)
@pytest.mark.parametrize("name", matrix.COLUMNS)
def test_cell(word, name):
    shown = matrix.PAGE.read_text()
    row = next(line for line in shown.splitlines() if line.startswith(f"| `{word}` |"))
    said = dict(zip(matrix.COLUMNS, (cell.strip() for cell in row.split("|")[2:-1]), strict=True))[name]
    assert (matrix.cell(word, name) == "works") == (said == "works")
