"""What a waiting user sees, on stderr and only in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from pliant.cli._output import stderr

if TYPE_CHECKING:
    from pliant.simulation import Clock


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
    def counting(self, what: str) -> Iterator[Callable[[int, int], None]]:
        """A bar that is told how much is done, of how much."""
        if not self._shown:
            yield lambda done, total: None
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Bars(*columns, console=stderr, transient=True) as bars:
            task = bars.add_task(what, total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)

    @contextmanager
    def simulating(self) -> "Iterator[Clock]":
        """A bar in simulated time, with the speed and the time left."""
        from pliant.simulation import Clock

        if not self._shown:
            yield Clock()
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[line]}"))
        with Bars(*columns, TimeElapsedColumn(), console=stderr, transient=True) as bars:
            # No total yet: the bar pulses while the first chunk compiles.
            task = bars.add_task("simulate: compiling", total=None, line="")
            yield Clock(
                lambda clock: bars.update(
                    task, description="simulate", total=clock.until, completed=clock.t, line=str(clock)
                )
            )
