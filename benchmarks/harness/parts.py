"""Measurements that suites are put together from."""

import math
from collections.abc import Mapping

from harness.suite import Derived, Figure, Measurement, Values


def case(
    name: str, module: str, figures: tuple[tuple[str, str, str], ...], *arguments: str, processes: int = 1
) -> Measurement:
    """A case of Pliant; figures are (key, unit, meaning) and named `<case>/<key>`."""
    return Measurement(name, f"cases.{module}", arguments, _figures(name, figures), processes=processes)


def peer(
    code: str,
    name: str,
    figures: tuple[tuple[str, str, str], ...],
    problem: str,
    *arguments: str,
    module: str | None = None,
) -> Measurement:
    """A problem of a peer; its module has the name of the peer unless that is given."""
    return Measurement(name, f"peers.{module or code}", (problem, *arguments), _figures(name, figures), code)


def _figures(name: str, figures: tuple[tuple[str, str, str], ...]) -> tuple[Figure, ...]:
    return tuple(Figure(f"{name}/{key}", unit, meaning, key) for key, unit, meaning in figures)


MEMORY = ("peak_memory", "B", "peak memory of the process")
_CHAIN = (
    ("total", "s", "lowering and compiling the residual"),
    ("lower", "s", "lowering (tracing) it"),
    ("compile", "s", "compiling it"),
    ("evaluate", "s", "one evaluation, prepared, in a compiled loop"),
    ("call", "s", "one call from Python"),
    ("build", "s", "building the model"),
    MEMORY,
)


def chains(*links: int) -> tuple[Measurement, ...]:
    """The residual of chains of rods."""
    return tuple(case(f"chain/{count}", "chain_compile", _CHAIN, str(count)) for count in links)


def chain_exponent(few: int, many: int) -> Derived:
    """p where the time of one evaluation grows as links^p."""

    def exponent(raw: Mapping[str, Values]) -> float | None:
        times = [raw.get(f"chain/{links}", {}).get("evaluate") for links in (few, many)]
        return None if None in times else math.log(times[1] / times[0]) / math.log(many / few)

    return Derived(Figure("chain/exponent", "1", f"p in evaluation time ~ links^p, from {few} to {many}"), exponent)


def agreement() -> Derived:
    """Largest difference of the accelerations of `forward-dynamics/pliant` and `forward-dynamics/soromox`, relative to
    the largest of the same strain: they solve the same problem."""

    def difference(raw: Mapping[str, Values]) -> float | None:
        ours = raw.get("forward-dynamics/pliant", {}).get("acceleration")
        theirs = raw.get("forward-dynamics/soromox", {}).get("acceleration")
        if ours is None or theirs is None:
            return None
        columns = zip(zip(*ours, strict=True), zip(*theirs, strict=True), strict=True)
        return max(
            max(abs(a - b) for a, b in zip(mine, other, strict=True)) / max(abs(b) for b in other)
            for mine, other in columns
        )

    meaning = "difference of Pliant's and SoRoMoX's accelerations"
    return Derived(Figure("forward-dynamics/agreement", "1", meaning), difference, "soromox")
