"""run and plot: what is written, and what is said about it."""

import re

import pytest
from cli_helpers import BALL, TINY, invoke

from pliant import load_result
from pliant.numerics import ResultCode, SolveError

FILES = {
    "modes.nc",
    "modes/modes.png",
    "statics.nc",
    "statics/shape.png",
    "statics/strain.png",
    "statics/internal-wrench.png",
    "statics-2.nc",
    "statics-2/shape.png",
    "statics-2/strain.png",
    "statics-2/internal-wrench.png",
    "simulate.nc",
    "simulate/shape.png",
    "simulate/strain.png",
    "simulate/energy.png",
    "simulate/path_1_tip.png",
    "simulate/path_2_rod.png",
    "simulate.gif",
    "index.html",
}


def test_run_writes_results_plots_film_and_page(finished):
    out, document = finished
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == FILES
    assert {path.removeprefix(f"{out}/") for path in document["files"]} == FILES


def test_analyses_come_in_the_order_of_the_file_with_the_equilibria_they_need(finished):
    out, document = finished
    # The modes stand before the file's statics, so an equilibrium is found for them first.
    names = [analysis["analysis"] for analysis in document["analyses"]]
    assert names == ["statics", "modes", "statics-2", "simulate"]
    motion = load_result(out / "simulate.nc")
    assert motion.position("tip")[0].tolist() == pytest.approx(document["analyses"][2]["frames"]["tip"])
    assert document["analyses"][3]["energy_balance_error"] < 1e-3


@pytest.fixture
def without_plots(monkeypatch):
    """Plots take longer than the solves here; one run draws them all."""
    monkeypatch.setattr("pliant.cli._files.save_pictures", lambda result, folder: [])


def test_run_again_in_words_overwrites(finished, without_plots, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(TINY, encoding="utf-8")
    (tmp_path / "runs" / "tiny").mkdir(parents=True)
    (tmp_path / "runs" / "tiny" / "index.html").write_text("old")
    shown = invoke("run", "tiny.yaml").stdout
    assert (tmp_path / "runs" / "tiny" / "index.html").read_text() != "old"
    assert re.search(r"tip +[\d.]+ +-?[\d.]+ +-[\d.]+", shown)
    for words in ("frequencies", "Hz", "energy balance error", "wall time [s]", "runs/tiny/simulate.gif"):
        assert words in shown
    assert shown.rstrip().endswith("Open runs/tiny/index.html in a browser.")
    assert not list(tmp_path.rglob("*.partial"))


def test_run_needs_analyses(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text(BALL, encoding="utf-8")
    assert "nothing to run" in invoke("run", path, "--out", tmp_path / "out", code=2).stderr
    assert not (tmp_path / "out").exists()


def test_run_with_a_folder_that_is_a_file(tiny):
    invoke("run", tiny, "--out", tiny, code=2)


def test_run_keeps_what_was_solved_before_a_failure(finished, without_plots, tiny, tmp_path, monkeypatch):
    partial = load_result(finished[0] / "simulate.nc")

    def failing(*_, **__):
        raise SolveError(ResultCode.STEP_TOO_SMALL, "at t = 0.1 s", partial=partial)

    monkeypatch.setattr("pliant.simulation.simulate", failing)
    result = invoke("run", tiny, "--out", tmp_path / "out", code=1)
    assert "at t = 0.1 s" in result.stderr and "simulate-partial.nc" in result.stderr
    kept = {path.name for path in (tmp_path / "out").iterdir()}
    assert kept == {"statics.nc", "modes.nc", "statics-2.nc", "simulate-partial.nc"}


def test_plot_draws_a_saved_result(finished, tmp_path):
    out, _ = finished
    shown = invoke("plot", out / "modes.nc", "--out", tmp_path / "pictures").stdout
    assert shown.split() == [str(tmp_path / "pictures" / "modes.png")]
    assert (tmp_path / "pictures" / "modes.png").read_bytes().startswith(b"\x89PNG")


def test_plot_of_something_else(tmp_path):
    path = tmp_path / "other.nc"
    path.write_text("not a result")
    assert "expected a NetCDF file" in invoke("plot", path, code=2).stderr
    assert "no such file" in invoke("plot", tmp_path / "none.nc", code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["other.nc"]
