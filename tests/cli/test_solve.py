"""statics, modes and simulate: the numbers, the words, and how they fail."""

import math

import pytest
from cli_helpers import BALL, invoke, invoke_json

from pliant import load_result
from pliant.numerics import ResultCode, SolveError


def test_statics(tiny):
    document = invoke_json("statics", tiny)
    assert document["kind"] == "Equilibrium" and document["code"] == 0
    assert document["residual"] < 1e-9 and document["smallest_eigenvalue"] > 0
    assert document["files"] == []
    # One piece: an arc of length L and curvature k, whose tip drops by (1 - cos kL)/k.
    x, y, z = document["frames"]["tip"]
    angle = 2 * math.atan2(-z, x)
    assert y == pytest.approx(0.0, abs=1e-12)
    assert math.hypot(x, z) == pytest.approx(0.1 * math.sin(angle / 2) / (angle / 2))


def test_statics_in_words_and_with_a_changed_value(tiny, finished):
    shown = invoke("statics", tiny, "--set", "materials.rubber.young=2 MPa").stdout
    soft = 1000 * finished[1]["analyses"][0]["frames"]["tip"][2]
    stiff = float(next(line for line in shown.splitlines() if line.startswith("tip")).split()[-1])
    assert soft < stiff < 0
    assert "stable" in shown and "residual" in shown and "wall time" in shown


def test_modes_finds_the_equilibrium_first(tiny):
    document = invoke_json("modes", tiny)
    assert document["kind"] == "Modes" and document["start"]["kind"] == "Equilibrium"
    assert len(document["frequency_Hz"]) == 1 and 1 < document["frequency_Hz"][0] < 100
    shown = invoke("modes", tiny).stdout
    for words in ("frequency [Hz]", "damping ratio", "stiffness [N/m]", "time constant [s]"):
        assert words in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) < 80


def test_modal_figures_belong_together(tiny):
    document = invoke_json("modes", tiny)
    omega, mass = document["frequency_rad_per_s"][0], document["modal_mass_kg"][0]
    assert document["modal_stiffness_N_per_m"][0] == pytest.approx(omega**2 * mass)
    # One degree of freedom: the mode's own damping is all there is.
    (real, imaginary), conjugate = document["eigenvalues_per_s"]
    assert math.hypot(real, imaginary) == pytest.approx(omega) and conjugate == [real, -imaginary]
    assert -real / omega == pytest.approx(document["damping_ratio"][0]) and real < 0


def test_film_of_the_modes(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("pliant.cli._files.save_pictures", lambda result, folder: [])
    monkeypatch.chdir(tmp_path)
    document = invoke_json("modes", tiny, "--film")
    assert document["files"] == ["runs/tiny/statics.nc", "runs/tiny/modes.nc", "runs/tiny/modes/mode-1.gif"]
    assert (tmp_path / "runs/tiny/modes/mode-1.gif").read_bytes().startswith(b"GIF")


def test_statics_saves_what_it_says(tiny, tmp_path):
    out = tmp_path / "out"
    document = invoke_json("statics", tiny, "--out", out)
    written = sorted(str(path) for path in out.rglob("*") if path.is_file())
    assert len(written) == 4 and written == sorted(document["files"])
    assert load_result(out / "statics.nc").position("tip").tolist() == document["frames"]["tip"]


def test_simulate_starts_from_the_equilibrium(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr("pliant.cli._files.save_pictures", lambda result, folder: [])
    out = tmp_path / "out"
    document = invoke_json("simulate", tiny, "--out", out)
    assert document["end_s"] == 0.2 and document["steps"] == 100
    assert document["energy_balance_error"] < 1e-3
    assert document["real_time_factor"] > 0
    motion = load_result(out / "simulate.nc")
    assert motion.position("tip")[-1].tolist() == document["frames"]["tip"]
    assert motion.position("tip")[0].tolist() == pytest.approx(document["start"]["frames"]["tip"])


def test_simulate_in_words(tiny):
    shown = invoke("simulate", tiny).stdout
    for words in ("energy balance error", "times real time", "100 steps of newmark", "kinetic"):
        assert words in shown


def test_simulate_with_other_settings(tiny):
    options = ("--until", "20 ms", "--stepper", "rk4", "--step", "1 ms", "--from", "initial", "--no-energy")
    document = invoke_json("simulate", tiny, *options, "--set", "initial.rod.bend_y=1 rad/m")
    assert document["stepper"] == "rk4" and document["end_s"] == 0.02
    assert document["energy_balance_error"] is None and "start" not in document


def test_bad_options_write_nothing(tiny, tmp_path):
    out = tmp_path / "out"
    assert "got" in invoke("simulate", tiny, "--out", out, "--until", "soon", code=2).stderr
    assert "until" in invoke("simulate", tiny, "--out", out, "--until", "1 ms", code=2).stderr
    assert "push" in invoke("statics", tiny, "--out", out, "--drop", "pull", code=2).stderr
    assert "whole number" in invoke("modes", tiny, "--out", out, "--count", "0", code=2).stderr
    invoke("simulate", tiny, "--out", out, "--stepper", "euler", code=2)
    invoke("statics", tiny, "--out", tiny, code=2)
    gravity = "gravity={step: {at: 0.1 s, to: [0, 0, -9.81]}}"
    assert "gravity jumps" in invoke("simulate", tiny, "--out", out, "--set", gravity, code=2).stderr
    assert not out.exists()


def test_a_failed_solve_says_so_and_keeps_what_it_has(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text(BALL, encoding="utf-8")
    result = invoke("statics", path, "--out", tmp_path / "out", "--json", code=1)
    assert result.stdout == ""
    assert "robot 'ball' reached 0 of its load" in result.stderr and "statics-partial.nc" in result.stderr
    assert load_result(tmp_path / "out" / "statics-partial.nc").code != 0


def test_interrupts_end_with_130(tiny, monkeypatch):
    def interrupted(*_, **__):
        raise SolveError(ResultCode.INTERRUPTED, "stopped at t = 0.1 s")

    monkeypatch.setattr("pliant.simulation.simulate", interrupted)
    result = invoke("simulate", tiny, "--from", "initial", code=130)
    assert "stopped at t = 0.1 s" in result.stderr

    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pliant.simulation.simulate", pressed)
    assert "Interrupted" in invoke("simulate", tiny, "--from", "initial", code=130).stderr


def test_unexpected_errors_keep_their_traceback(tiny, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pliant.analysis.equilibrium", broken)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        invoke("statics", tiny)
