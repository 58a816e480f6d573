"""What a waiting user is told: how fast the run goes and when it will be done."""

import io

import pytest
from rich.console import Console

import pliant
from pliant.cli import _progress
from pliant.simulation import Clock, _clock


@pytest.fixture
def wall(monkeypatch):
    """Computing time that a test sets by hand [s]."""
    now = [100.0]
    monkeypatch.setattr(_clock.time, "perf_counter", lambda: now[0])
    return now


def test_speed_and_time_left(wall) -> None:
    lines: list[str] = []
    clock = Clock(lambda clock: lines.append(str(clock)))
    # 20 s of compiling in the first chunk; then 5 s of motion in 10 s.
    for t, now in ((5.0, 120.0), (10.0, 130.0), (15.0, 140.0)):
        wall[0] = now
        clock(t, 60.0)
    assert clock.real_time_factor == pytest.approx(0.5) and clock.seconds_left == pytest.approx(90.0)
    assert lines == [
        "t = 5 of 60 s",
        "t = 10 of 60 s, 0.5 times real time, 1 min 40 s left",
        "t = 15 of 60 s, 0.5 times real time, 1 min 30 s left",
    ]


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "0 s"), (59.7, "1 min 00 s"), (7322.0, "2 h 02 min")])
def test_durations(seconds: float, text: str) -> None:
    assert _clock._duration(seconds) == text


def test_a_run_is_told_chunk_by_chunk_and_shown_as_a_bar(monkeypatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(_progress, "stderr", Console(file=screen, force_terminal=True, width=120, markup=False))
    robot = pliant.Robot("bar").rigid("bar", mass=1.0, inertia=[1e-2] * 3, joint={"revolute": "y"})
    with _progress.Progress(wanted=True).simulating() as clock:
        pliant.simulate(pliant.compile(robot), 2.0, stepper="rk4", step=1e-2, progress=clock)
    assert clock.t == clock.until == 2.0 and clock.real_time_factor > 0 and clock.seconds_left == 0
    assert "times real time, 0 s left" in screen.getvalue()
