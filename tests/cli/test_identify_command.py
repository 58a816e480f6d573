"""identify: a recording made by the robot itself gives its numbers back."""

import numpy as np
import pytest
from cli_helpers import TINY, invoke, invoke_json

import pliant

YOUNG, VISCOSITY = "materials.rubber.young", "materials.rubber.viscosity"
TRUE = {YOUNG: 1.5e6, VISCOSITY: 300.0}
TENDON = "{name: pull, tendon: {link: rod, route: {x: 3 mm}}, tension: 0}"
PULLED = TINY.replace("loads:", f"actuators:\n  - {TENDON}\nloads:")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The robot file, a recording of a motion, and one of rests."""
    folder = tmp_path_factory.mktemp("identify")
    (folder / "tiny.yaml").write_text(PULLED, encoding="utf-8")
    model = pliant.compile(pliant.parse(PULLED)).with_parameters(TRUE)
    time, tension = np.linspace(0.0, 0.5, 26), np.linspace(0.0, 1.0, 26)
    run = pliant.simulate(
        model, 0.5, stepper="newmark", step=0.01, save_every=0.02, accuracy=None, inputs={"pull": (time, tension)}
    )
    rests = [pliant.equilibrium(model, inputs={"pull": force}).position("tip") for force in tension]
    for name, places in (("motion", run.position("tip")), ("rests", rests)):
        table = np.column_stack([time, tension, np.asarray(places)])
        header = "time_s,tension_N,tip_x_m,tip_y_m,tip_z_m"
        np.savetxt(folder / f"{name}.csv", table, delimiter=",", header=header, comments="")
    return folder


@pytest.mark.long
def test_a_motion_gives_stiffness_and_damping(files):
    found = invoke_json(
        "identify", files / "tiny.yaml", "--data", files / "motion.csv", "--input", "pull=tension_N",
        "--parameter", YOUNG, "--parameter", f"{VISCOSITY}=10,1000", "--accuracy", "0.1",
    )  # fmt: skip
    assert found["success"] and found["rms"] < 1e-6
    assert found["parameters"] == pytest.approx(TRUE, rel=1e-3)


@pytest.mark.long
def test_steps_that_are_too_long_are_told_once(files):
    words = ["identify", files / "tiny.yaml", "--data", files / "motion.csv", "--input", "pull=tension_N"]
    done = invoke(*words, "--parameter", YOUNG, code=1)
    assert "above accuracy = 1 %" in done.stderr and done.stderr.count("Take step=") == 1


def test_rests_give_stiffness(files):
    shown = invoke(
        "identify", files / "tiny.yaml", "--data", files / "rests.csv", "--input", "pull=tension_N", "--at-rest",
        "--parameter", YOUNG, "--from", "0.1", "--until", "0.5", "--every", "0.1",
    ).stdout  # fmt: skip
    assert "Converged." in shown and "1.5e+06" in shown


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--parameter", "materials.rubber.yuong"], "no parameter 'materials.rubber.yuong'; there are:"),
        (["--parameter", f"{YOUNG}=1"], "expected PATH=LOW,HIGH"),
        (["--parameter", YOUNG, "--input", "push=tension_N"], "PORT=COLUMN with one of the ports"),
        (["--parameter", YOUNG, "--input", "pull=force"], "no column 'force'; there are: time_s, tension_N"),
        (["--parameter", YOUNG, "--frame", "elbow"], "no column 'elbow_x_m'"),
        (["--parameter", YOUNG, "--until", "2"], "expected a span inside that of the file, 0 s to 0.5 s"),
    ],
)
def test_bad_requests_are_explained(files, words, text):
    done = invoke("identify", files / "tiny.yaml", "--data", files / "motion.csv", *words, code=2)
    assert text in " ".join(done.stderr.replace("│", " ").split())
