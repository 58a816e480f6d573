"""Bars: limits that figures must keep, as data (bars.toml), and their check."""

import operator
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}
_FIELDS = {"suite", "figure", "comparison", "limit", "unit", "kind", "why", "against"}

PASSED, MISSED, NOT_MEASURED, WAIVED = "passed", "missed", "not measured", "waived"


@dataclass(frozen=True)
class Bar:
    """`figure comparison limit`; a ratio bar divides the figure by the one it stands against, of the same run."""

    suite: str
    figure: str
    comparison: str
    limit: float
    unit: str
    kind: str
    why: str
    against: str | None = None

    def __post_init__(self) -> None:
        if self.comparison not in _COMPARISONS:
            raise ValueError(f"bar on {self.figure}: comparison {self.comparison!r}; legal: {', '.join(_COMPARISONS)}")
        if self.kind not in ("absolute", "ratio"):
            raise ValueError(f"bar on {self.figure}: kind {self.kind!r}; legal: absolute, ratio")
        if (self.kind == "ratio") != (self.against is not None):
            raise ValueError(f"bar on {self.figure}: a ratio, and only a ratio, names the figure it stands against")

    @property
    def figures(self) -> tuple[str, ...]:
        return (self.figure,) if self.against is None else (self.figure, self.against)


@dataclass(frozen=True)
class Verdict:
    bar: Bar
    value: float | None
    outcome: str

    @property
    def fails(self) -> bool:
        return self.outcome in (MISSED, NOT_MEASURED)


def load_bars(path: Path) -> list[Bar]:
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("bar", [])
    return [_bar(entry) for entry in entries]


def _bar(entry: Mapping[str, Any]) -> Bar:
    unknown = set(entry) - _FIELDS
    missing = _FIELDS - {"against"} - set(entry)
    if unknown or missing:
        raise ValueError(f"bar {dict(entry)}: unknown fields {sorted(unknown)}, missing fields {sorted(missing)}")
    return Bar(**entry)


def judge(bars: Iterable[Bar], values: Mapping[str, float | None], waived: Iterable[str] = ()) -> list[Verdict]:
    """A verdict per bar. `values`: figure -> number, None or absent where it was not measured. `waived`: figures that
    the user chose not to measure; a bar that lacks only those does not fail."""
    waived = set(waived)
    return [_verdict(bar, values, waived) for bar in bars]


def _verdict(bar: Bar, values: Mapping[str, float | None], waived: set[str]) -> Verdict:
    absent = {figure for figure in bar.figures if values.get(figure) is None}
    if absent:
        return Verdict(bar, None, WAIVED if absent <= waived else NOT_MEASURED)
    value = values[bar.figure]
    if bar.against is not None:
        value = value / values[bar.against] if values[bar.against] else float("nan")
    # A comparison with nan is false, so a figure that is no number misses its bar.
    return Verdict(bar, value, PASSED if _COMPARISONS[bar.comparison](value, bar.limit) else MISSED)
