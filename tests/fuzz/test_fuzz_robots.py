"""The fuzzer of robots holds a pendulum to all its checks, and finds what is planted in each of them."""

import dataclasses
import json
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import pliant

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fuzz import random_robots, robot_checks, robots


def _pendulum(mass: float) -> dict:
    spring = {"revolute": {"axis": "y", "stiffness": 0.02, "damping": 1e-3}}
    nothing = {"ramp": {"to": [0.0, 0.0, 0.0], "over": 1e3, "start": 0.5}}
    shape = {"box": [0.02, 0.03, 0.1]}
    arm = {"name": "arm", "kind": "rigid", "mass": mass, "shape": shape, "centre": [0.0, 0.0, -0.05], "joint": spring}
    clock = {"name": "clock", "where": {"link": "arm"}, "force": nothing}
    return {"robot": "pendulum", "links": [arm], "loads": [clock]}


@pytest.fixture(scope="module")
def checks():
    made = robot_checks.Checks([_pendulum(0.1), _pendulum(0.15)], (1, 0))
    made.begin()
    return made


@pytest.fixture
def kinds(checks):
    """What a check finds, by kind."""

    def found(check) -> set[str]:
        checks.report = robot_checks.Report(checks.nv)
        check()
        return {finding.check for finding in checks.report.findings}

    return found


def test_a_pendulum_holds_and_wrong_forces_and_slopes_are_found(checks, kinds, monkeypatch):
    assert kinds(checks.physics) == set()
    assert checks.report.counts["physics"] == 4
    assert kinds(checks.gradients) == set()
    assert checks.report.counts == {"gradient": 2, "gradient at rest": 2}
    two_paths, slopes = robot_checks._two_paths, robot_checks._slopes

    def wrong_force(*arguments):
        flat, generically = two_paths(*arguments)
        return flat * (1.0 + 1e-8), generically

    monkeypatch.setattr(robot_checks, "_two_paths", wrong_force)
    assert kinds(checks.physics) == {"physics"}

    def wrong_slope(*arguments):
        value, slope, spread = slopes(*arguments)
        return value, slope * (1.0 + 1e-4), spread

    monkeypatch.setattr(robot_checks, "_slopes", wrong_slope)
    assert kinds(checks.gradients) == {"gradient"}
    monkeypatch.setattr(robot_checks, "_slopes", lambda *arguments: [jnp.nan * part for part in slopes(*arguments)])
    assert kinds(checks.gradients) == {"gradient", "gradient at rest"}


@pytest.mark.filterwarnings("ignore::pliant.simulation.InaccurateWarning")
def test_a_pendulum_moves_and_rests_as_it_shall_and_what_is_planted_is_found(checks, kinds, monkeypatch):
    def one_motion():
        checks.motion(0)

    assert kinds(one_motion) == set()
    assert checks.report.counts["energy"] == 1 and checks.report.counts["order"] == 2
    simulate, equilibrium = pliant.simulate, pliant.equilibrium

    def planted(change):
        def run(model, until, **words):
            own = {"step": model.settings.step} if isinstance(model, pliant.Stepper) else {}
            return change(simulate(model, until, **words), words | own)

        monkeypatch.setattr(pliant, "simulate", run)
        return kinds(one_motion)

    def drifts(run, words):
        grown = run.energy["total"] + 1e-4 * run.energy["kinetic"] * run.time / run.time[-1]
        return dataclasses.replace(run, energy={**run.energy, "total": grown})

    assert planted(drifts) == {"energy"}

    def first_order(run, words):
        pose = run.shape.body_pose.at[..., 0, 3].add(words.get("step", 0.0) * run.time[:, None])
        return dataclasses.replace(run, shape=dataclasses.replace(run.shape, body_pose=pose))

    assert planted(first_order) == {"order"}

    def not_a_number(run, words):
        return dataclasses.replace(run, v=run.v * jnp.nan)

    assert planted(not_a_number) == {"not finite"}
    monkeypatch.setattr(pliant, "simulate", simulate)
    assert kinds(checks.rest) == set()
    assert checks.report.counts["rest"] == 2

    def elsewhere(model, **words):
        rest = equilibrium(model, **words)
        pose = rest.shape.body_pose.at[..., 0, 3].add(1e-4)
        return dataclasses.replace(rest, shape=dataclasses.replace(rest.shape, body_pose=pose))

    monkeypatch.setattr(pliant, "equilibrium", elsewhere)
    assert kinds(checks.rest) == {"rest"}


def test_robots_follow_from_seed_and_number():
    robots_of = robot_checks.robots_of
    first, second = robots_of(1, 5, 2)
    assert [first, second] == robots_of(1, 5, 2) and first != second
    assert random_robots.words_of(first) == random_robots.words_of(second)
    assert robots_of(2, 5, 1)[0] != first
    models = [pliant.compile(random_robots.parsed(data)) for data in (first, second)]
    assert models[0].structure == models[1].structure and 0 < models[0].nv <= random_robots.LARGEST


def test_every_joint_and_rod_model_appears():
    words = set().union(*(random_robots.words_of(robot_checks.robots_of(1, index, 1)) for index in range(16)))
    assert words >= {*random_robots.JOINTS[1:], *random_robots.MODELS, "tendon", "chamber", "constraints", "springs"}
    assert sum(robots.is_native(index, 40) for index in range(40)) == robots.NATIVE


def test_the_summary_tells_findings_and_a_process_that_dies(tmp_path, monkeypatch, capsys):
    dies = tmp_path / "dies"
    dies.write_text("#!/bin/sh\necho oh no >&2\nexit 3\n")
    dies.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(dies))
    dead = robots._in_process(1, 5, 1, False, tmp_path)
    assert dead["findings"] == [[-1, "process", "exit code 3\noh no\n"]]
    found = {"index": 3, "freedom": 1, "counts": {"energy": 2}, "worst": {"energy": 2e-5}, "seconds": {"all": 1.0}}
    reports = [found | {"findings": [[1, "energy", "2e-05"]]}, found | {"index": 4, "findings": []}]
    monkeypatch.setattr(robots, "_reports", lambda *words: iter(json.loads(json.dumps(reports))))
    assert robots.main(["--structures", "2", "--sets", "2"]) == 1
    told = capsys.readouterr().out
    assert "structure 3, numbers 1, energy: 2e-05" in told and "4 robots (2 structures) of seed 1" in told
    assert "energy: 4, at worst 2e-05" in told and "1 findings; see one by --seed 1 --only STRUCTURE" in told
    reports = reports[1:]
    assert robots.main(["--structures", "1", "--sets", "2"]) == 0
    assert np.isfinite(found["worst"]["energy"])


@pytest.mark.long
def test_a_whole_structure_holds():
    checked = robot_checks.check(robot_checks.Checks(robot_checks.robots_of(1, 3, 5), (1, 3)), native=True)
    assert checked.findings == []
    assert checked.counts["native"] == 20 and checked.counts["native run"] == 5
