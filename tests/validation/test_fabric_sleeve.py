"""The fabric sleeve: what is read from the recordings, the robot made of it, and the beginning of its motion."""

import numpy as np
import pytest

from pliant.dynamics import forward_dynamics
from pliant.model import compile
from pliant.validation import run
from pliant.validation._case import CaseSkipped, Data, find_data
from pliant.validation.measured import _fabric_sleeve as case

CENTRE_COLUMN = {"fab78": (3, 14), "fab1112": (2, 15)}  # tracker and node in the middle of the sleeve
SIDE_COLUMN = {"fab78": (2, 9), "fab1112": (3, 4)}


@pytest.fixture(scope="module")
def data() -> Data:
    found = find_data(None)
    try:
        for name in ("exp2.iges", "fab78.csv", "fab1112.csv"):
            found.file(f"fabric_sleeve/{name}")
    except CaseSkipped as skipped:
        pytest.skip(str(skipped))
    return found


def _from_the_link(recording: case.Recording) -> np.ndarray:
    """(n, 4, 3) places of the trackers in axes that turn with the link."""
    x, y, z = np.moveaxis(recording.places, -1, 0)
    angle = np.arctan2(-x[:, 1], -z[:, 1])[:, None]
    return np.stack([np.cos(angle) * x - np.sin(angle) * z, y, np.sin(angle) * x + np.cos(angle) * z], axis=-1)


@pytest.mark.parametrize("name", ["fab78", "fab1112"])
def test_the_trackers_of_the_link_go_round_the_hinge(data: Data, name: str) -> None:
    recording = case.read_recording(data, name)
    assert recording.radius == pytest.approx(0.131, abs=5e-4)
    radii = np.hypot(recording.places[:, :2, 0], recording.places[:, :2, 2])
    np.testing.assert_allclose(radii.mean(axis=0), [0.131, 0.3563], atol=5e-4)
    assert radii.std(axis=0).max() < 6e-4
    assert recording.places[:, :2, 1].std(axis=0).max() < 1.5e-3  # across the plane of the swing
    swing = np.degrees(np.arctan2(recording.places[:, 0, 0], -recording.places[:, 0, 2]))
    assert swing[0] > 55 and swing.min() < -49


@pytest.mark.parametrize("name", ["fab78", "fab1112"])
def test_the_sensors_lie_to_each_other_as_the_nodes_do(data: Data, name: str) -> None:
    net = case.read_net(data)
    seen = _from_the_link(case.read_recording(data, name)).mean(axis=0)
    (centre, centre_node), (side, side_node) = CENTRE_COLUMN[name], SIDE_COLUMN[name]
    apart = net.nodes[side_node - 1] - net.nodes[centre_node - 1]
    np.testing.assert_allclose(seen[side] - seen[centre], apart, atol=8e-3)
    assert (centre, centre_node) in [(sensor.tracker, sensor.node) for sensor in case.SENSORS.values()]


def test_the_second_recording_is_one_row_of_nodes_lower(data: Data) -> None:
    net = case.read_net(data)
    depths = [
        -_from_the_link(case.read_recording(data, name)).mean(axis=0)[tracker, 2]
        for name, (tracker, _) in CENTRE_COLUMN.items()
    ]
    rows = [-net.nodes[node - 1, 2] for _, node in CENTRE_COLUMN.values()]
    assert np.diff(depths) == pytest.approx(np.diff(rows), abs=3e-3)
    for depth, sensor in zip(rows, case.SENSORS.values(), strict=True):
        assert depth == pytest.approx(sensor.depth, abs=1e-6)


def test_the_robot_has_the_printed_numbers(data: Data) -> None:
    net = case.read_net(data)
    model = compile(case.robot(data, net, case.read_recording(data, "fab78")))
    assert model.nv == 1 + 6 * 15
    numbers = model.parameters
    # Eq. 45 with l_m2 = 350, 0.8, 99 mm and 36 g.
    expected = 0.036 / 180 * np.array([0.8e-3**2 + 0.0198**2, (0.35 / 3) ** 2 + 0.0198**2, (0.35 / 3) ** 2 + 0.8e-3**2])
    np.testing.assert_allclose(numbers["meshes.sleeve.inertia"], expected, rtol=1e-12)
    first = np.asarray(numbers["meshes.sleeve.beam.stiffness"])[0]  # of an edge of 77 mm
    area, width = 0.8e-3 * 0.2245, 0.2245
    np.testing.assert_allclose(first[5], 5e3 * area / 0.077, rtol=1e-9)
    np.testing.assert_allclose(first[0], 5e3 * 0.8e-3**3 * width / 0.077, rtol=1e-9)
    np.testing.assert_allclose(first[1], 5e3 * 0.8e-3 * width**3 / 0.077, rtol=1e-9)


def test_the_peak_of_a_spectrum_is_found_between_its_bins() -> None:
    time = np.arange(201) / case.RATE
    decaying = 0.3 + np.exp(-0.15 * time) * np.sin(2 * np.pi * 0.9 * time)
    assert case.peak_frequency(decaying) == pytest.approx(0.9, abs=0.01)


def test_the_pendulum_sets_off_as_it_is_led_and_the_sleeve_with_it(data: Data) -> None:
    recording = case.read_recording(data, "fab78")
    model = compile(case.robot(data, case.read_net(data), recording))
    state, moment = model.initial_state(), 1e-9  # s: at 0 the slope of the table jumps
    acceleration = np.asarray(forward_dynamics(model, state.q, state.v, moment))
    # At rest where the recording starts: the acceleration asked for, and the derivative gain on the recorded rate.
    rate = case.RATE * np.diff(recording.places[:2, 0, 0])[0]
    asked = model.parameters["constraints.lead.control.acceleration.table.values"][0]
    angle = model.parameters["initial.pendulum.angle"]
    turning = -(asked + case.DERIVATIVE * rate) / (recording.radius * np.cos(angle))
    np.testing.assert_allclose(acceleration[0], turning, rtol=1e-5)
    # A clamped node turns with the link and goes round the hinge in its axes (y x place).
    for node in case.CLAMPS.values():
        x, _, z = case.read_net(data).nodes[node - 1] - [0, 0, case.CLAMP_DEPTH]
        own = acceleration[1 + 6 * (node - 1) : 1 + 6 * node]
        np.testing.assert_allclose(own, turning * np.array([0, 1, 0, z, 0, -x]), atol=1e-5 * abs(turning))


@pytest.mark.long
def test_the_sleeve_hangs_on_the_pendulum_as_it_is_led(data: Data) -> None:
    recording = case.read_recording(data, "fab78")
    motion, gap = case.motion(case.robot(data, case.read_net(data), recording), until=0.1)
    assert gap < 1e-12
    led = np.asarray(motion.position("led"))[:, 0]
    np.testing.assert_allclose(led, recording.places[: len(led), 0, 0], atol=1e-3)
    moved = np.linalg.norm(np.asarray(motion.position("s2"))[-1] - np.asarray(motion.position("s2"))[0])
    assert 0.005 < moved < 0.1


@pytest.mark.long
def test_the_whole_case_passes(data: Data, tmp_path) -> None:
    rows = list(run(["fabric-sleeve"], data=data.folder, out=tmp_path))
    assert all(row.passed is not False for row in rows)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "fabric-sleeve-net.png",
        "fabric-sleeve-s1.png",
        "fabric-sleeve-s2.png",
    ]
