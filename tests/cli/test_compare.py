"""compare: rows, JSON, files and exit codes, with a comparison made up for the purpose."""

import pytest
from cli_helpers import invoke, invoke_json

import pliant.validation as validation
from pliant.validation import Comparison, ModelRow


def _row(model, number, error, **fields):
    place = (0.1 + error, 0.0, 0.02)
    times = {"seconds": 0.012, "motion_seconds": 0.5, "compile_seconds": 3.0}
    return ModelRow(model, number, dof=6 * number, place=place, end=place, error=error, end_error=error, **times)


REFUSED = ModelRow("rom", 2, problem="moves whole poses", not_for_this_rod=True)
FAILED = ModelRow("eba", 4, problem="did not converge", dof=24)


@pytest.fixture
def made_up(monkeypatch):
    asked = {}
    rows = [_row("pcs", 4, 4e-4), _row("pcs", 8, 1e-4), REFUSED]

    def compare_models(robot, models, **options):
        asked.update(options, robot=robot.name, models=models)
        motion = None if options["dynamic"] is False else 0.2
        return Comparison(robot.name, "tip", 0.1, motion, _row("gvs", 6, 0.0), tuple(rows))

    monkeypatch.setattr(validation, "compare_models", compare_models, raising=False)
    return asked, rows


def test_table(tiny, made_up):
    shown = invoke("compare", tiny, "--models", "pcs, rom").stdout
    asked, _ = made_up
    assert (asked["robot"], asked["models"], asked["dynamic"], asked["frame"]) == ("tiny", ["pcs", "rom"], False, None)
    lines = shown.splitlines()
    finest = next(line for line in lines if line.startswith("pcs    8 pieces"))
    assert finest.split() == ["pcs", "8", "pieces", "48", "100.100", "0.000", "20.000", "0.1", "0.1", "12", "2", "3.0"]
    assert "rom: not for this rod: moves whole poses" in lines


def test_json(tiny, made_up):
    found = invoke_json("compare", tiny, "--dynamic", "--frame", "tip")
    assert (found["motion_s"], found["length_m"], found["reference"]["refinement"]) == (0.2, 0.1, "order 6")
    assert found["rows"][1]["error_of_length"] == pytest.approx(1e-3) and found["rows"][1]["problem"] is None
    assert found["rows"][2]["problem"].startswith("not for this rod")
    assert found["observed"]["pcs"]["measure"] == "order" and found["observed"]["pcs"]["end"] == pytest.approx(2.0)


def test_a_model_that_was_not_solved_ends_with_1(tiny, made_up):
    made_up[1].append(FAILED)
    assert "eba 4 pieces: not solved: did not converge" in invoke("compare", tiny, code=1).stdout


def test_unknown_model(tiny):
    assert "expected some of: gvs, pcs" in invoke("compare", tiny, "--models", "fem", code=2).stderr
