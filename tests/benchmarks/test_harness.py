"""The door: its exit status, and what becomes of a process that fails."""

import argparse
import json
import subprocess
import sys

import pytest

import run
from harness import beside, report
from harness.bars import load_bars
from harness.child import BENCHMARKS, Checkout
from harness.child import run as run_child
from harness.spine import SPINE
from harness.suite import Figure, Measurement, MeasurementFailed, Suite, measure, read_outcome
from harness.suites import SUITES


def good_values(suite="spine"):
    """Every figure of a suite, such that every bar is kept."""
    values = {figure.name: 1.0 for figure, _ in SUITES[suite].figures}
    for bar in load_bars(BENCHMARKS / "bars.toml"):
        if bar.suite == suite and bar.kind == "absolute":
            values[bar.figure] = bar.limit
    for bar in load_bars(BENCHMARKS / "bars.toml"):
        if bar.suite == suite and bar.kind == "ratio":
            values[bar.against] = max(values[bar.against], values[bar.figure] / bar.limit)
    return values


@pytest.fixture
def check(tmp_path, capsys):
    """Exit status and text of `run.py --from FILE --check` for a stored run with some values changed."""

    def checked(changes=None, peer=None, suite="spine"):
        values = good_values(suite) | (changes or {})
        assert set(values) == set(good_values(suite))
        machine = {"date": "d", "commit": None, "processor": "p", "cores": 1, "memory_bytes": 1, "system": "s"}
        machine |= {"python": "3", "versions": {}, "load_average": 0.0}
        document = {"peer": peer, "machine": machine, "calibration": {}, "load_average_after": 0.0}
        document |= {"values": values, "missing": {}}
        file = tmp_path / "run.json"
        file.write_text(json.dumps(document))
        return run.main(["--suite", suite, "--from", str(file), "--check"]), capsys.readouterr().out

    return checked


@pytest.mark.parametrize("suite", SUITES)
def test_check_passes_when_all_bars_are_kept(check, suite):
    status, _ = check(suite=suite)
    assert status == 0


def test_check_fails_on_a_miss(check):
    status, text = check({"first-statics/cold": 1e3})
    assert status == 1
    assert "MISSED" in text


def test_check_fails_on_a_figure_not_measured(check):
    status, text = check({"forward-dynamics/soromox/loop": None})
    assert status == 1
    assert "NOT MEASURED" in text


def test_peer_none_waives_the_peer_and_nothing_else(check):
    assert check({"forward-dynamics/soromox/loop": None}, "none")[0] == 0
    assert check({"forward-dynamics/pliant/loop": None}, "none")[0] == 1


@pytest.mark.parametrize("bar", load_bars(BENCHMARKS / "bars.toml"), ids=lambda bar: "/".join(bar.figures))
def test_every_bar_can_fail(check, bar):
    worse = 0.1 if bar.comparison == ">=" else 10.0
    limit = bar.limit * (good_values(bar.suite)[bar.against] if bar.against else 1.0)
    assert check({bar.figure: worse * limit if limit else 1.0}, suite=bar.suite)[0] == 1


def test_a_child_reports_time_and_its_line():
    code = "import time; time.sleep(0.1); print('noise'); print('{\"a\": 1.5}')"
    outcome = run_child([sys.executable, "-c", code])
    assert read_outcome(outcome)["a"] == 1.5
    assert outcome.seconds >= 0.1


def test_a_child_reports_its_memory():
    # From a small process, as the suites do: the kernel counts what the parent held when it forked.
    code = "import sys; from harness.child import run; "
    code += "print(run([sys.executable, '-c', 'x = bytearray(60_000_000)']).peak_memory)"
    done = subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    assert 60e6 < float(done.stdout) < 1e9


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("raise ValueError('broken arm')", "broken arm"),
        ("print('hello')", "no line of JSON"),
        ("pass", "no line of JSON"),
        ("print('{\"a\": NaN}')", "not finite: a"),
    ],
)
def test_a_child_that_fails_says_why(code, complaint):
    with pytest.raises(MeasurementFailed, match=complaint):
        read_outcome(run_child([sys.executable, "-c", code]))


def test_a_child_that_hangs_is_ended():
    outcome = run_child([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)
    assert outcome.code != 0
    assert outcome.seconds < 10.0


def test_a_missing_module_leaves_its_figures_unmeasured():
    figures = SPINE.measurements[1].figures
    suite = Suite((Measurement("x", "cases.no_such_case", (), figures),))
    results = measure(suite, [], None, lambda message: None)
    assert all(results.values[figure.name] is None for figure in figures)
    assert "no_such_case" in results.missing[figures[0].name]


def test_every_module_of_a_suite_exists():
    for suite in SUITES.values():
        for measurement in suite.measurements:
            if isinstance(measurement, Measurement):
                assert (BENCHMARKS / f"{measurement.module.replace('.', '/')}.py").exists()


def test_an_earlier_checkout_takes_turns(tmp_path):
    """Both checkouts run the same module of their own; the best of the rounds counts, and a slower one fails."""
    code = "import json, time, sys; print(json.dumps({'time': %s, 'compile': 1.0, 'error': 0.1}))"
    checkouts = []
    for name, seconds in (("here", "2.0"), ("there", "1.0")):
        folder = tmp_path / name / "benchmarks"
        folder.mkdir(parents=True)
        (folder / "timed.py").write_text(code % seconds)
        checkouts.append(Checkout(folder, sys.executable))
    figures = tuple(
        Figure(f"case/{key}", unit, "", key) for key, unit in (("time", "s"), ("compile", "s"), ("error", "1"))
    )
    suite = Suite((Measurement("case", "timed", (), figures),))
    found = measure(suite, [], None, lambda _: None, checkouts[1], 2, here=checkouts[0])
    times = {time.figure: time for time in beside.judge(suite, found.values, found.earlier)}
    assert set(times) == {"case/time", "case/compile"}
    assert times["case/time"].ratio == 2.0
    assert times["case/time"].fails
    assert not times["case/compile"].fails
    assert "SLOWER case/time" in report.beside(list(times.values()))


def test_a_checkout_without_an_environment_is_refused(tmp_path):
    with pytest.raises(argparse.ArgumentTypeError, match="git worktree add"):
        Checkout.at(str(tmp_path))


def test_markdown_goes_between_its_markers(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- begin spine -->\nold\n<!-- end spine -->\nb\n")
    report.replace_between_markers(page, "spine", "new")
    assert page.read_text() == "a\n<!-- begin spine -->\nnew\n<!-- end spine -->\nb\n"
    with pytest.raises(ValueError, match="begin other"):
        report.replace_between_markers(page, "other", "new")


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1.234, "s", "1.23 s"),
        (2e-3, "s", "2 ms"),
        (7.1e-5, "s", "71 us"),
        (1.5e9, "B", "1500 MB"),
        (4.21e5, "B", "0.42 MB"),
        (None, "s", "not measured"),
    ],
)
def test_numbers_as_people_read_them(value, unit, expected):
    assert report.in_units(value, unit) == expected
