"""Times of this checkout over those of an earlier one, measured in the same run."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.suite import Suite

_STEADY, _ONCE = 1.05, 1.10  # what a time may grow by; what happens once in a process is not repeated in it
_ONCE_WORDS = ("compile", "build", "lower", "total", "cold", "warm", "first")


@dataclass(frozen=True)
class Beside:
    figure: str
    now: float  # s
    earlier: float  # s
    limit: float

    @property
    def ratio(self) -> float:
        return self.now / self.earlier

    @property
    def fails(self) -> bool:
        return not self.ratio <= self.limit


def judge(suite: Suite, values: Mapping[str, float | None], earlier: Mapping[str, float]) -> list[Beside]:
    """Every time that both checkouts measured."""
    found = []
    for figure, _ in suite.figures:
        now, before = values.get(figure.name), earlier.get(figure.name)
        if figure.unit == "s" and now is not None and before is not None:
            limit = _ONCE if any(word in figure.name.rsplit("/", 1)[-1] for word in _ONCE_WORDS) else _STEADY
            found.append(Beside(figure.name, now, before, limit))
    return found
