"""validate: rows, JSON and exit codes, with cases made up for the purpose."""

import math

import pytest
from cli_helpers import invoke, invoke_json

import pliant.validation as validation

KEYS = ["case", "model", "figure", "value", "reference", "error", "tolerance", "pass", "seconds"]
ROWS = {
    "good": [validation.Row("good", "gvs", "tip", 1.0, 1.0, 0.0, 1e-3, True, 0.1)],
    "bad": [validation.Row("bad", "pcs", "tip", [1.0, math.nan], [1.0, 2.0], math.inf, 1e-3, False, 0.2)],
    "absent": [validation.Row("absent", "", "skipped: needs data", None, None, None, None, None, 0.0)],
}


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    asked = []

    def run(only, data, out=None):
        asked.append((only, data, out))
        for name in only if only is not None else ROWS:
            yield from ROWS[name]

    monkeypatch.setattr(validation, "cases", lambda: {name: f"the {name} case" for name in ROWS})
    monkeypatch.setattr(validation, "run", run)
    return asked


def test_list():
    assert invoke_json("validate", "--list")[0] == {"case": "good", "description": "the good case"}
    assert "the absent case" in invoke("validate", "--list").stdout


def test_rows_as_json(tmp_path, made_up):
    rows = invoke_json("validate", "--only", "good,bad", "--data", tmp_path, code=1)
    assert made_up == [(["good", "bad"], tmp_path, None)]
    assert [list(row) for row in rows] == [KEYS, KEYS]
    assert rows[0]["pass"] is True and rows[1]["pass"] is False
    assert rows[1]["value"] == [1.0, None] and rows[1]["error"] is None


def test_rows_in_words():
    shown = invoke("validate", code=1).stdout
    assert "1 passed, 1 failed, 1 skipped" in shown and "NO" in shown


def test_figures_without_a_bar_are_neither_passed_nor_skipped(monkeypatch, tmp_path, made_up):
    beside = validation.Row("good", "gvs", "time", 3.0, None, None, None, None, 0.1)
    monkeypatch.setitem(ROWS, "good", [*ROWS["good"], beside])
    shown = invoke("validate", "--only", "good", "--out", tmp_path).stdout
    assert "1 passed, 0 failed, 0 skipped" in shown and "1 figures have no bar" in shown
    assert made_up == [(["good"], None, tmp_path)]


@pytest.mark.parametrize(
    ("only", "code"), [("good", 0), ("bad", 1), ("absent", 3), ("good, absent", 3), ("bad,absent", 1), ("other", 3)]
)
def test_exit_codes(only, code):
    invoke("validate", "--only", only, code=code)


def test_a_skipped_case_nobody_asked_for_is_no_failure(monkeypatch):
    monkeypatch.setitem(ROWS, "bad", ROWS["good"])
    assert None in [row["pass"] for row in invoke_json("validate")]


def test_unknown_cases_are_named():
    assert "no case named other; the cases are: good" in invoke("validate", "--only", "other", code=3).stderr


def test_what_differs_from_an_earlier_run_is_listed():
    from pliant.cli._validate import differences

    def row(figure, value, passed=True):
        return {"case": "c", "model": "gvs", "figure": figure, "value": value, "pass": passed}

    before = [row("tip [m]", [1.0, 2.0]), row("order [1]", 2.0), row("computing time [s]", 1.0), row("gap [m]", None)]
    same = [
        row("tip [m]", [1.0, 2.0 + 1e-6]),
        row("order [1]", 2.0),
        row("computing time [s]", 9.0),
        row("gap [m]", None),
    ]
    assert differences(before, same) == []
    now = [row("tip [m]", [1.0, 2.1]), row("order [1]", 2.0, False), row("new [1]", 1.0)]
    assert [line.split(", ")[2].split(":")[0] for line in differences(before, now)] == [
        "tip [m]",
        "order [1]",
        "new [1]",
    ]
