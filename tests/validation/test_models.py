"""Cases and comparisons of several rod models: small parts of what `make test-long` runs whole."""

import numpy as np
import pytest

from pliant import Robot
from pliant.description import RobotFileError
from pliant.validation import compare_models
from pliant.validation._case import Clock, falls
from pliant.validation._comparison import MODELS, Comparison, ModelRow, reach, with_model
from pliant.validation.arms import _models_agree
from pliant.validation.statics import _buckling


@pytest.mark.parametrize("ends", ["clamped-free", "pinned-pinned"])
def test_column_buckles_at_eulers_load(ends):
    expected = _buckling.CRITICAL[ends]
    found = _buckling.critical_load(_buckling._column("pcs", 8, ends), expected)
    assert expected < found < 1.02 * expected  # constant strains are stiffer than the column


@pytest.mark.parametrize("arm", _models_agree.ARMS, ids=lambda arm: arm.name)
def test_arms_hold_every_model(arm):
    for word, numbers in arm.numbers.items():
        description = arm.robot(_models_agree.refined(word, numbers[0])).description
        rod = next(link for link in description.links if link.kind == "rod")
        assert rod.model.word == word and rod.length == pytest.approx(arm.length)


def test_error_that_falls_with_the_order():
    row = falls("c", "rom", "f", (2, 5), (8e-3, 1e-3), 1.9, 5e-3, Clock())
    assert row.value == pytest.approx(2.0) and row.passed and row.error == 1e-3
    assert not falls("c", "rom", "f", (2, 5), (8e-3, 1e-3), 2.1, 5e-3, Clock()).passed
    assert not falls("c", "rom", "f", (2, 5), (8e-2, 1e-2), 1.9, 5e-3, Clock()).passed


def _robot() -> Robot:
    return (
        Robot("hook")
        .material("rubber", young=1e6, poisson=0.5, density=1000.0)
        .rod(
            "rod",
            section={"circle": {"radius": 0.005}},
            material="rubber",
            allow=["bend_y"],
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
            divisions=[{"length": 0.04, "model": "pcs"}, {"length": 0.06}],
        )
        .rigid("tool", mass=0.001, inertia=[1e-8] * 3, parent="rod")
        .frame("tip", link="tool")
        .load("push", where={"link": "tool"}, force=[0, 0, -0.01])
    )


def test_all_rods_and_divisions_change():
    robot = with_model(_robot(), "ebr", 5)
    assert [piece.model.ebr.pieces for piece in robot.description.links[0].pieces] == [5, 5]
    assert reach(robot.description, "tip") == pytest.approx(0.1)


def test_comparison_of_a_small_robot():
    said: list[str] = []
    found = compare_models(_robot(), ["pcs", "rom"], numbers={"pcs": (1, 2)}, say=said.append)
    assert said == ["gvs order 6", "pcs 1 pieces", "pcs 2 pieces", "rom order 2"]
    coarse, fine, refused = found.rows
    assert (found.frame, found.motion, found.length) == ("tip", None, pytest.approx(0.1))
    assert [row.dof for row in (found.reference, coarse, fine)] == [14, 2, 4]
    assert 0.0 < fine.error < coarse.error < 0.05 * found.length and found.reference.error == 0.0
    assert found.observed("pcs") == pytest.approx(2.0, abs=0.3) and fine.end is None
    assert refused.not_for_this_rod and "cannot make single strains rigid" in refused.problem
    assert found.observed("rom") is None


def test_what_cannot_be_compared_is_said():
    with pytest.raises(ValueError, match="unknown rod model fem; the rod models are: gvs"):
        compare_models(_robot(), ["fem"])
    with pytest.raises(RobotFileError, match='no frame named "top"; expected one of: tip, rod, tool'):
        compare_models(_robot(), frame="top")
    with pytest.raises(RobotFileError, match="no rod whose models"):
        compare_models(Robot("ball").rigid("ball", mass=1.0, inertia=[1, 1, 1]))


def test_observed_convergence():
    def row(model, number, error):
        return ModelRow(model, number, error=error, end_error=error)

    rows = [row("eba", n, 4.0 / n**2) for n in (4, 8, 16)] + [row("rom", n, 3.0**-n) for n in (2, 3, 4)]
    found = Comparison("r", "tip", 1.0, None, row("gvs", 6, 0.0), (*rows, row("gvs", 2, 1e-12)))
    assert found.observed("eba") == pytest.approx(2.0) and found.measure("eba") == "order"
    assert found.observed("rom", moving=True) == pytest.approx(3.0) and found.measure("rom") == "factor per order"
    assert found.observed("gvs") is None  # noise
    assert np.all([found.of(model) == () for model in MODELS if model not in ("eba", "rom", "gvs")])
