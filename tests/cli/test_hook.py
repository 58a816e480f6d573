"""A robot with a tendon and a closed loop: check, statics at several times, and what starts from them.

One file, so that one worker compiles the robot once.
"""

import math

import pytest
from cli_helpers import HOOK, invoke, invoke_json

from pliant import load_result
from pliant.results import QuasiStatic

FILES = {
    "statics.nc",
    *(f"statics/{name}.png" for name in ("shape", "shape-1", "shape-2", "shape-3", "strain", "internal-wrench")),
    *(f"statics/{name}.png" for name in ("actuation", "reactions", "path_1_finger", "path_2_lever")),
    "statics.gif",
    "index.html",
}
SIMULATE = "\n  - simulate: {from: statics, until: 2 s, stepper: newmark, step: 5 ms}\n"


def test_check_counts_what_the_loop_leaves_free(hook):
    document = invoke_json("check", hook)
    assert [link["degrees_of_freedom"] for link in document["links"]] == [2, 1]
    assert document["actuators"] == [{"name": "flexor", "kind": "tendon", "drive": "tension"}]
    (pin,) = document["constraints"]
    assert pin == {"name": "pin", "kind": "fix x z", "between": ["finger", "lever"], "rows": 2, "redundant": 0}
    assert document["mobility"] == {
        "velocities": 3,
        "rows": 2,
        "independent": 2,
        "degrees_of_freedom": 1,
        "redundant": {},
    }
    assert document["degrees_of_freedom"] == 1 and document["frames"] == ["finger", "lever"]
    shown = invoke("check", hook).stdout
    assert "3 velocities, 2 constraint rows of which 2 are independent" in shown
    assert "1 degrees of freedom" in shown and "tension" in shown and "fix x z" in shown


@pytest.mark.long
def test_run_draws_every_stage_and_a_film(hooked):
    out, document = hooked
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == FILES
    assert {path.removeprefix(f"{out}/") for path in document["files"]} == FILES
    result = load_result(out / "statics.nc")
    assert isinstance(result, QuasiStatic)
    assert result.names.actuators == (("flexor", "N", "m"),)


def test_every_stage_is_in_the_document(hooked):
    stages = hooked[1]["analyses"][0]["stages"]
    assert [stage["time_s"] for stage in stages] == [0.0, 0.5, 1.0]
    assert [stage["effort"]["flexor"] for stage in stages] == pytest.approx([0.0, 0.5, 1.0])
    lengths = [stage["travel"]["flexor"] for stage in stages]
    assert lengths[0] > lengths[1] > lengths[2]
    for stage in stages:
        assert stage["far_end"]["flexor"] <= stage["effort"]["flexor"]
        x, y, z = stage["frames"]["finger"]  # the lever holds it 50 mm away
        assert math.hypot(x - 0.05, z - 0.1) == pytest.approx(0.05) and y == 0.0
        assert stage["reaction"]["pin"][:3] == [0.0, 0.0, 0.0]


def test_statics_in_words(hook, hooked):
    shown = invoke("statics", hook).stdout
    assert "smallest eigenvalue" in shown and "at t = 1 s" in shown and "in 3 stages" in shown
    assert "finger/1" not in shown and "finger/2" not in shown
    last = hooked[1]["analyses"][0]
    rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    travel = 1000 * last["travel"]["flexor"]
    assert rows["flexor"] == ["1", "N", f"{last['far_end']['flexor']:.4g}", "N", f"{travel:.4g}", "mm"]
    assert rows["pin"] == [f"{value:.4g}" for value in (*last["reaction"]["pin"][3:], 0, 0, 0)]


def test_times_and_steps_replace_each_other(hook, hooked):
    stages = invoke_json("statics", hook, "--times", "0.5 s, 1")["stages"]
    assert stages[1]["frames"]["finger"] == pytest.approx(hooked[1]["analyses"][0]["frames"]["finger"], abs=1e-9)
    document = invoke_json("statics", hook, "--steps", "2")
    assert document["kind"] == "Equilibrium" and "stages" not in document
    assert "each later" in invoke("statics", hook, "--times", "1,0", code=2).stderr
    assert "not both" in invoke("statics", hook, "--times", "0,1", "--steps", "2", code=2).stderr


def test_a_robot_that_cannot_be_assembled(hook, tmp_path):
    far = ("--set", "links.lever.parent.offset.move=[1 m, 0, 100 mm]")
    for command in (("check",), ("statics", "--out", tmp_path / "out")):
        result = invoke(command[0], hook, *far, *command[1:], code=1)
        assert "cannot be assembled" in result.stderr and "pin is open by" in result.stderr and result.stdout == ""
    assert "Nothing was computed" in result.stderr and not (tmp_path / "out").exists()


@pytest.fixture
def asked(monkeypatch):
    """What modes and simulate are called with; they stop there."""
    calls = []

    class Stop(Exception):
        pass

    def stop(*arguments, **settings):
        calls.append((arguments, settings))
        raise Stop

    monkeypatch.setattr("pliant.analysis.modes", stop)
    monkeypatch.setattr("pliant.simulation.simulate", stop)

    def ask(*arguments):
        with pytest.raises(Stop):
            invoke(*arguments)
        return calls.pop()

    return ask


def test_what_follows_starts_from_the_last_stage_and_at_its_time(hook, hooked, asked):
    last = load_result(hooked[0] / "statics.nc").q[-1].tolist()
    hook.write_text(HOOK + "  - modes" + SIMULATE, encoding="utf-8")
    (_, about), settings = asked("modes", hook)
    assert about.tolist() == pytest.approx(last) and settings["t"] == 1.0
    (_, until), settings = asked("simulate", hook)
    assert settings["state"].q.tolist() == pytest.approx(last)
    assert (settings["start"], until) == (1.0, 2.0)


def test_a_motion_ends_after_the_last_stage(hook, tmp_path):
    hook.write_text(HOOK + SIMULATE, encoding="utf-8")
    result = invoke("simulate", hook, "--until", "1 s", "--out", tmp_path / "out", code=2)
    assert "expected a time after 1 s" in result.stderr and not (tmp_path / "out").exists()


def test_a_tendon_held_to_a_length_needs_a_stiffness_to_be_simulated(hook):
    hook.write_text(HOOK.replace("tension: {ramp: {to: 1 N, over: 1 s}}", "length: 90 mm") + SIMULATE, encoding="utf-8")
    assert "actuators.flexor" in invoke("simulate", hook, code=2).stderr
