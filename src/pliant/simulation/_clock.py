"""How fast a run goes and when it will be done."""

import time
from collections.abc import Callable


class Clock:
    """What `simulate` may be given as its `progress`: it measures the run, and reports after every chunk.

    The first chunk contains the compilation and does not count for speed. As text a clock is one line, so print, or
    the `info` of a logger, will do as `report`.

        >>> pliant.simulate(model, 60.0, progress=Clock(print))
        t = 12.8 of 60 s, 2.31 times real time, 20 s left
    """

    def __init__(self, report: Callable[["Clock"], object] | None = None) -> None:
        self._report = report
        self._marks: list[tuple[float, float]] = []
        self.until = 0.0

    def __call__(self, t: float, until: float) -> None:
        self._marks = [*self._marks[:1], (t, time.perf_counter())]
        self.until = until
        if self._report is not None:
            self._report(self)

    @property
    def t(self) -> float:
        """Simulated time reached [s]."""
        return self._marks[-1][0] if self._marks else 0.0

    @property
    def real_time_factor(self) -> float | None:
        """Simulated over computing time after the first chunk; None until there is a second."""
        if len(self._marks) < 2:
            return None
        (first, began), (last, ended) = self._marks
        return (last - first) / (ended - began)

    @property
    def seconds_left(self) -> float | None:
        """Time left for computing, at the speed so far."""
        factor = self.real_time_factor
        return None if not factor else (self.until - self.t) / factor

    def __str__(self) -> str:
        reached = f"t = {self.t:.3g} of {self.until:.3g} s"
        if self.real_time_factor is None or self.seconds_left is None:
            return reached
        return f"{reached}, {self.real_time_factor:.3g} times real time, {_duration(self.seconds_left)} left"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
