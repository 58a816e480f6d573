"""Bars are data, and their check can fail: on a miss, on a figure nobody measured, on a figure that is no number."""

from pathlib import Path

import pytest

from harness.bars import MISSED, NOT_MEASURED, PASSED, WAIVED, Bar, judge, load_bars
from harness.child import BENCHMARKS
from harness.suites import SUITES


def a_bar(**changes) -> Bar:
    fields = {
        "suite": "s",
        "figure": "a",
        "comparison": "<=",
        "limit": 2.0,
        "unit": "s",
        "kind": "absolute",
        "why": "w",
    }
    return Bar(**(fields | changes))


def outcome(bar: Bar, values: dict, waived=()) -> str:
    (verdict,) = judge([bar], values, waived)
    assert verdict.fails == (verdict.outcome in (MISSED, NOT_MEASURED))
    return verdict.outcome


def test_the_bars_file_names_only_figures_that_exist():
    bars = load_bars(BENCHMARKS / "bars.toml")
    assert bars
    for bar in bars:
        units = {figure.name: figure.unit for figure, _ in SUITES[bar.suite].figures}
        for figure in bar.figures:
            assert figure in units, f"bar on {bar.figure}: no figure {figure}"
        assert bar.unit == ("1" if bar.kind == "ratio" else units[bar.figure])
        assert bar.why


def test_figures_have_different_names():
    for suite in SUITES.values():
        names = [figure.name for figure, _ in suite.figures]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("comparison", "value", "expected"),
    [("<=", 1.9, PASSED), ("<=", 2.0, PASSED), ("<=", 2.1, MISSED), (">=", 2.1, PASSED), (">=", 1.9, MISSED)],
)
def test_an_absolute_bar(comparison, value, expected):
    assert outcome(a_bar(comparison=comparison), {"a": value}) == expected


@pytest.mark.parametrize("comparison", ["<=", ">="])
def test_a_figure_that_is_no_number_misses(comparison):
    assert outcome(a_bar(comparison=comparison), {"a": float("nan")}) == MISSED


def test_a_ratio_bar_divides():
    bar = a_bar(kind="ratio", against="b", limit=1.0)
    assert outcome(bar, {"a": 1.0, "b": 2.0}) == PASSED
    assert outcome(bar, {"a": 2.0, "b": 1.0}) == MISSED
    assert outcome(bar, {"a": 2.0, "b": 0.0}) == MISSED


@pytest.mark.parametrize("values", [{}, {"a": None}, {"a": 1.0}, {"a": 1.0, "b": None}, {"b": 1.0}])
def test_a_figure_not_measured_fails(values):
    assert outcome(a_bar(kind="ratio", against="b"), values) == NOT_MEASURED


def test_only_the_peer_is_waived():
    bar = a_bar(kind="ratio", against="peer")
    assert outcome(bar, {"a": 1.0}, waived=["peer"]) == WAIVED
    assert outcome(bar, {}, waived=["peer"]) == NOT_MEASURED
    assert outcome(a_bar(), {"a": 9.0}, waived=["a"]) == MISSED


@pytest.mark.parametrize(
    "changes",
    [{"comparison": "<"}, {"kind": "relative"}, {"kind": "ratio"}, {"kind": "absolute", "against": "b"}],
)
def test_a_bar_that_makes_no_sense_is_refused(changes):
    with pytest.raises(ValueError, match="bar on a"):
        a_bar(**changes)


@pytest.mark.parametrize("line", ['surprise = "x"', ""])
def test_a_file_with_unknown_or_missing_fields_is_refused(tmp_path: Path, line):
    fields = ['suite = "s"', 'figure = "a"', 'comparison = "<="', "limit = 1.0", 'unit = "s"', 'kind = "absolute"']
    why = ['why = "w"'] if line else []
    file = tmp_path / "bars.toml"
    file.write_text("\n".join(["[[bar]]", *fields, *why, line]))
    with pytest.raises(ValueError, match="fields"):
        load_bars(file)
