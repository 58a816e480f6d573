"""What a waiting user sees, on stderr and only in a terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from pliant.cli._output import stderr


class Clock:
    """Called by simulate between chunks; the first chunk contains the compilation and does not count for speed."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, float]] = []

    def __call__(self, t: float, until: float) -> None:
        self._marks.append((t, time.perf_counter()))

    @property
    def real_time_factor(self) -> float | None:
        """Simulated over wall time after the first chunk; None for a run so short that it has only one."""
        if len(self._marks) < 2:
            return None
        (first, began), (last, ended) = self._marks[0], self._marks[-1]
        return (last - first) / (ended - began)


class _ShownClock(Clock):
    def __init__(self, bars: Bars) -> None:
        super().__init__()
        self._bars = bars
        # No total yet: the bar pulses while the first chunk compiles.
        self._task = bars.add_task("simulate: compiling", total=None, t="")

    def __call__(self, t: float, until: float) -> None:
        super().__call__(t, until)
        self._bars.update(
            self._task, description="simulate", total=until, completed=t, t=f"t = {t:.3g} of {until:.3g} s"
        )


class Progress:
    """Spinners and bars, or nothing."""

    def __init__(self, wanted: bool) -> None:
        self._shown = wanted and stderr.is_terminal

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """A spinner while something runs whose length is not known."""
        if not self._shown:
            yield
            return
        with stderr.status(f"{what}: compiling and solving"):
            yield

    @contextmanager
    def steps(self) -> Iterator[Callable[[str], None]]:
        """A spinner that says which of several solves is running."""
        if not self._shown:
            yield lambda text: None
            return
        with stderr.status("compiling and solving") as status:
            yield lambda text: status.update(f"{text}: compiling and solving")

    @contextmanager
    def simulating(self) -> Iterator[Clock]:
        """A bar in simulated time."""
        if not self._shown:
            yield Clock()
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[t]}"))
        with Bars(*columns, TimeElapsedColumn(), console=stderr, transient=True) as bars:
            yield _ShownClock(bars)
