"""The validation command's machinery, and one case end to end. All cases run in `make test-long`."""

import importlib
from pathlib import Path

import pytest

from pliant.validation import cases, run
from pliant.validation._case import Clock, below, compare, order


def test_roll_up_passes():
    rows = list(run(["roll-up"]))
    assert [row.model for row in rows] == ["gvs order 0", "gvs order 3", "pcs 4 pieces"]
    assert all(row.passed and row.error <= row.tolerance for row in rows)


def test_rows_can_fail():
    clock = Clock()
    assert not compare("c", "m", "f", [1.0, 2.0], [1.0, 2.1], 1e-3, clock).passed
    assert not below("c", "m", "f", 2.0, 1.0, clock).passed
    assert order("c", "m", "f", (4, 8, 16), (1e-2, 2.5e-3, 6e-4), 1.9, clock).passed
    assert not order("c", "m", "f", (4, 8, 16), (1e-2, 5e-3, 2.5e-4), 2.9, clock).passed
    assert not order("c", "m", "f", (4, 8, 16), (1e-1, 2.5e-2, 6e-3), 1.9, clock).passed


def test_unknown_case_is_named():
    with pytest.raises(KeyError, match="unknown case elastika; the cases are: elastica"):
        list(run(["elastika"]))


def test_a_case_that_raises_is_a_failed_row_and_the_next_one_runs(monkeypatch):
    def figures(name, data):
        yield below(name, "m", "f", 1.0, 2.0, Clock())
        raise ArithmeticError("no root in\n  [0, 1]")

    monkeypatch.setattr(importlib.import_module("pliant.validation.statics._elastica"), "figures", figures)
    first, failed, *others = run(["elastica", "cross-tool-planar"], data=Path("nowhere"))
    assert first.passed
    assert failed.passed is False and failed.figure == "raised ArithmeticError: no root in [0, 1]"
    assert [row.case for row in others] == ["cross-tool-planar"]


def test_missing_data_skips_and_says_so(tmp_path):
    (row,) = run(["cross-tool-planar"], data=tmp_path)
    assert row.passed is None and "needs cross_tool/planar_pcs_sorosim.csv" in row.figure
    assert len(cases()) == 45
