"""A soft gripper closes on a ball, lifts and carries it: it stays, or slips where friction is too small; also in C."""

import ctypes
import functools
import subprocess
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import State
from pliant.model import Model
from pliant.simulation.native_code import _export_c, _native_functions

pytestmark = pytest.mark.long

G, MASS, RADIUS = 9.81, 0.05, 0.02
SIDES = ("left", "right")
STEPS = {"stepper": "generalised-alpha", "step": 2e-3}


@functools.cache
def _gripper() -> Model:
    return pliant.compile(pliant.library.load("soft-gripper"))


def _rough(friction: float) -> Model:
    return _gripper().with_parameters({f"contacts.{side}-grip.friction": friction for side in SIDES})


@functools.cache
def _carried() -> pliant.results.Trajectory:
    return pliant.simulate(_gripper(), 4.0, save_every=0.05, ledger=True, **STEPS)


@functools.cache
def _held() -> State:
    """At 1 s: the fingers are closed, and the lift has not begun."""
    return State(*jax.tree.map(lambda own: own[20], (_carried().q, _carried().v, _carried().memory)))


def test_the_ball_is_lifted_and_carried() -> None:
    run = _carried()
    ball, base = run.position("ball"), run.position("carriage")
    way = np.asarray((ball - base)[-1] - (ball - base)[20])
    np.testing.assert_allclose(np.asarray(base[-1] - base[0]), [0.1, 0.0, 0.1], atol=1e-12)
    # It is where it was in the hand, and swings a little to and fro.
    assert abs(way[2]) < 1e-5 * RADIUS and abs(way[0]) < 5e-3 * RADIUS
    for side in SIDES:
        assert np.asarray(run.forces.report[f"{side}-grip.sticking"])[20:].all()
        assert [end <= 1.0 for _, end in run.slips(f"{side}-grip")] == [True]  # while they close
    exchanged = float(run.energy["work"][-1])
    np.testing.assert_allclose(run.energy["total"], run.energy["total"][0], atol=1e-5 * exchanged)


def test_statics_goes_on_where_the_motion_has_settled() -> None:
    """With its memory it moves by less than 1e-4 of the size; along a load path of its own friction has another past,
    and the ball ends 0.6 % of its radius higher."""
    rest = pliant.equilibrium(_gripper(), t=1.0, q0=_held().q, memory=_held().memory)
    for frame in ("left", "right", "ball"):
        moved = np.abs(rest.position(frame) - _carried().position(frame)[20]).max()
        assert moved < 1e-4 * RADIUS
    own = pliant.quasi_static(_gripper(), np.linspace(0.0, 1.0, 11))
    apart = float(own.position("ball")[-1, 2] - _carried().position("ball")[20, 2])
    assert 1e-3 * RADIUS < apart < 1e-2 * RADIUS


def _holds(friction: float) -> Any:
    """The ball lifted off the floor in statics, or None."""
    found = pliant.quasi_static(_rough(friction), [1.0, 1.5, 2.0], q0=_held().q, memory=_held().memory, throw=False)
    lifted = not found.code[-1] and float(found.position("ball")[-1, 2]) > RADIUS + 0.05
    return found if lifted else None


def test_smallest_friction_that_holds() -> None:
    """By bisection over statics it is that of the balance of forces, 2 N (sin(a) + mu cos(a)) = m g, a below the
    equator; in motion a tenth more holds, a tenth less does not."""
    low, high = 0.2, 0.5
    while high - low > 2e-4:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _holds(middle) else (middle, high)
    rest = _holds(high)
    normal = float(rest.forces.report["left-grip.normal_force"][-1])
    across = np.asarray(rest.position("left") - rest.position("ball"))[-1]
    below = np.arctan2(-across[2], -across[0])
    balance = (MASS * G / (2.0 * normal) - np.sin(below)) / np.cos(below)
    assert high == pytest.approx(balance, abs=2e-4)
    ends = []
    for share in (1.1, 0.9):
        run = pliant.simulate(_rough(share * high), 2.6, start=1.0, state=_held(), save_every=0.02, **STEPS)
        ends.append((float(run.position("ball")[-1, 2]), run.slips("left-grip")))
    (lifted, none), (fallen, slips) = ends
    assert lifted > RADIUS + 0.1 and none == []
    assert fallen < RADIUS and slips[0][0] == pytest.approx(1.0, abs=0.02)


def test_native_code_grasps_as_jax_does() -> None:
    runs = []
    for backend in ("jax", "native"):
        stepper = pliant.Stepper(_gripper(), "generalised-alpha", 2e-3, newton_tolerance=1e-12, backend=backend)
        runs.append(pliant.simulate(stepper, 1.4, save_every=0.1))
    by_jax, native = runs
    for frame in ("left", "ball"):
        np.testing.assert_allclose(native.position(frame), by_jax.position(frame), rtol=0, atol=1e-6 * RADIUS)
    for name, memory in native.memory["contacts/1"].items():
        known = np.asarray(by_jax.memory["contacts/1"][name])
        np.testing.assert_allclose(memory, known, rtol=0, atol=1e-6 * max(np.abs(known).max(), 1e-12))


def test_exported_c_grasps_with_its_memory(tmp_path) -> None:
    """Steps of the exported C close the fingers as JAX does; what they leave to the next step holds what contacts
    remember: without it the ball falls by more in the next steps."""
    model = _gripper()
    _export_c.export_c(model, ("newmark_step",), tmp_path, inputs=())
    word, library = "soft_gripper", tmp_path / "gripper.so"
    command = ["gcc", "-std=c99", "-O0", "-shared", "-fPIC", f"{word}.c", "-lm", "-o", str(library)]
    subprocess.run(command, cwd=tmp_path, check=True)
    step = _native_functions.exported(model, ())["newmark_step"]
    in_c = ctypes.CDLL(str(library))
    header = (tmp_path / f"{word}.h").read_text()
    parameters = (ctypes.c_double * 4096)()
    numbers = (ctypes.c_double * int(header.split("{ double values[")[1].split("]")[0]))()
    getattr(in_c, f"{word}_default_parameters")(parameters)
    getattr(in_c, f"{word}_prepare")(parameters, numbers)
    kept = (ctypes.c_double * step.arguments["step_state"][0])()
    getattr(in_c, f"{word}_newmark_start")(numbers, kept)

    def stepped(q: np.ndarray, v: np.ndarray, kept: np.ndarray, t: float) -> list[np.ndarray]:
        given = [np.array(own, dtype=float) for own in (q, v, kept)]
        taken = [np.zeros(shape or (1,)) for shape in step.results.values()]
        number, array = ctypes.c_double, np.ctypeslib.as_ctypes
        getattr(in_c, f"{word}_newmark_step")(
            numbers, *map(array, given), number(t), number(1e-3), number(0.0), *map(array, taken)
        )
        assert taken[-1][0] == 1.0
        return taken

    start = model.initial_state()
    q, v, state = np.asarray(start.q), np.asarray(start.v), np.array(kept)
    for k in range(900):
        q, v, _, state, _ = stepped(q, v, state, 1e-3 * k)
    same = pliant.pure.simulate(pliant.Stepper(model, "newmark", 1e-3), 900)
    ball = model.coordinate_names.index("ball.displacement_1")
    assert q[ball] > RADIUS + 5e-4  # off the floor
    assert q[ball] == pytest.approx(float(same.q[-1, ball]), abs=1e-6 * RADIUS)
    fallen = []
    for first in (state, np.array(kept)):
        own_q, own_v, own = q, v, first
        for k in range(30):
            own_q, own_v, _, own, _ = stepped(own_q, own_v, own, 0.9 + 1e-3 * k)
        fallen.append(q[ball] - own_q[ball])
    assert abs(fallen[0]) < 1e-6 * RADIUS < 1e-4 * RADIUS < abs(fallen[1])
    assert jnp.asarray(state).size == step.results["step_state_next"][0]


BOX = {"links.object.shape": {"box": ["40 mm"] * 3}, "initial.object.position": [0, 0, "19.994 mm"]}


def _object(thing: str) -> Model:
    """The three-finger gripper with something to carry."""
    robot = pliant.library.load("three-finger-gripper" + ("-egg" if thing == "egg" else ""))
    for path, value in BOX.items() if thing == "box" else ():
        robot = robot.with_value(path, value)
    return pliant.compile(robot)


@pytest.mark.parametrize("thing", ["ball", "egg", "box"])
def test_three_fingers_carry(thing: str) -> None:
    """As large as SoRoSim's grasp: 21 degrees of freedom beside the two that are prescribed, 9 s. Two fingers press on
    the box at 30 degrees to its faces, 9 less than friction holds; it moves by a millimetre while they close."""
    gripper = _object(thing)
    assert gripper.nv - gripper.structure.constraint_count == 21
    run = pliant.simulate(gripper, 9.0, save_every=0.1, **STEPS)
    thing_at, base = run.position("object"), run.position("carriage")
    np.testing.assert_allclose(np.asarray(base[-1] - base[0]), [0.1, 0.0, 0.1], atol=1e-12)
    assert np.abs(np.asarray((thing_at - base)[-1] - (thing_at - base)[30])).max() < 1e-3 * RADIUS
    for finger in (1, 2, 3):
        assert np.asarray(run.forces.report[f"grip-{finger}.sticking"])[30:].all()
        assert np.asarray(run.forces.report[f"grip-{finger}.normal_force"])[30:].min() > 0.3
    # It has not turned in the hand.
    turned = (
        pliant.forward_kinematics(gripper, run.q[30])["object"].T
        @ pliant.forward_kinematics(gripper, run.q[-1])["object"]
    )
    np.testing.assert_allclose(turned[:3, :3], np.eye(3), atol=1e-3)


def test_two_fingers_carry_a_box() -> None:
    """Its flat sides carry no weight by themselves, as a ball above its equator does: friction carries all of it."""
    robot = pliant.library.load("soft-gripper").with_value("links.ball.shape", {"box": ["40 mm"] * 3})
    gripper = pliant.compile(robot.with_value("initial.ball.displacement", ["19.994 mm", 0]))
    run = pliant.simulate(gripper, 4.0, save_every=0.05, **STEPS)
    box, base = run.position("ball"), run.position("carriage")
    way = np.asarray((box - base)[-1] - (box - base)[20])
    assert abs(way[2]) < 1e-4 * RADIUS and abs(way[0]) < 1e-2 * RADIUS
    for side in SIDES:
        report = run.forces.report
        assert np.asarray(report[f"{side}-grip.sticking"])[20:].all()
        carried = np.asarray(report[f"{side}-grip.tangential_force"])[-1]
        assert carried == pytest.approx(0.5 * MASS * G, rel=5e-3)


def test_a_ball_that_slips_rests_on_the_floor() -> None:
    """Statics finds where it stays when the fingers slide up along it, in a bounded number of iterations."""
    found = pliant.quasi_static(_rough(0.33), [0.0, 0.4, 0.8, 1.0, 1.5])
    place = np.asarray(found.position("ball"))[-1]
    weight = MASS * G / 20e3  # N over N/m: what the floor gives way by
    np.testing.assert_allclose(place, [0.0, 0.0, RADIUS - weight], atol=2e-5)
    assert int(np.sum(found.iterations)) < 3000
