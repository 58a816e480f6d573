"""The suite `spine`: what a user waits for, and how Pliant stands beside its peers."""

import math
from collections.abc import Mapping

from harness import commands
from harness.suite import CommandMeasurement, Derived, Figure, Measurement, Suite, Values

CHAINS = (1, 10, 40)


def _case(name: str, module: str, figures: tuple[tuple[str, str, str], ...], *arguments: str) -> Measurement:
    """A case of Pliant; figures are (key, unit, meaning) and named `<case>/<key>`."""
    return Measurement(name, f"cases.{module}", arguments, _figures(name, figures))


def _peer(
    peer: str, name: str, figures: tuple[tuple[str, str, str], ...], problem: str, *arguments: str
) -> Measurement:
    return Measurement(name, f"peers.{peer}", (problem, *arguments), _figures(name, figures), peer)


def _figures(name: str, figures: tuple[tuple[str, str, str], ...]) -> tuple[Figure, ...]:
    return tuple(Figure(f"{name}/{key}", unit, meaning, key) for key, unit, meaning in figures)


_MEMORY = ("peak_memory", "B", "peak memory of the process")

_FORWARD = (
    ("loop", "s", "one forward dynamics inside a compiled loop"),
    ("batch", "s", "one forward dynamics in a batch of 256"),
    ("compile", "s", "compiling the loop"),
    _MEMORY,
)
_STATICS = (
    ("time", "s", "one solve"),
    ("error", "L", "tip error"),
    ("compile", "s", "compiling"),
    ("freedoms", "1", "degrees of freedom"),
    ("iterations", "1", "Newton iterations"),
    _MEMORY,
)
_SPATIAL = tuple((f"spatial-{key}", unit, f"{meaning}, all six strains") for key, unit, meaning in _STATICS[:4])
_SPAGHETTI = (
    ("time", "s", "seven seconds of motion"),
    ("error", "L", "rms error of the loaded end"),
    ("compile", "s", "compiling"),
    ("freedoms", "1", "degrees of freedom"),
    _MEMORY,
)
_CHAIN = (
    ("total", "s", "lowering and compiling the residual"),
    ("lower", "s", "lowering (tracing) it"),
    ("compile", "s", "compiling it"),
    ("evaluate", "s", "one evaluation, prepared, in a compiled loop"),
    ("call", "s", "one call from Python"),
    ("build", "s", "building the model"),
    _MEMORY,
)


def _agreement(raw: Mapping[str, Values]) -> float | None:
    """Largest difference of the two codes' accelerations, relative to the largest of the same strain: they solve the
    same problem."""
    ours = raw.get("forward-dynamics/pliant", {}).get("acceleration")
    theirs = raw.get("forward-dynamics/soromox", {}).get("acceleration")
    if ours is None or theirs is None:
        return None
    columns = zip(zip(*ours, strict=True), zip(*theirs, strict=True), strict=True)
    return max(
        max(abs(a - b) for a, b in zip(mine, other, strict=True)) / max(abs(b) for b in other)
        for mine, other in columns
    )


def _cost_exponent(raw: Mapping[str, Values]) -> float | None:
    """p where the time of one evaluation grows as links^p, between the last two chains."""
    few, many = CHAINS[-2:]
    times = [raw.get(f"chain/{links}", {}).get("evaluate") for links in (few, many)]
    if None in times:
        return None
    return math.log(times[1] / times[0]) / math.log(many / few)


SPINE = Suite(
    measurements=(
        CommandMeasurement(
            "first-statics",
            commands.first_statics,
            (
                Figure("first-statics/cold", "s", "`pliant statics silicone-arm`, nothing compiled yet", "cold"),
                Figure("first-statics/warm", "s", "the same in a second process", "warm"),
                Figure("first-statics/peak_memory", "B", "peak memory of the process", "peak_memory"),
            ),
        ),
        _case("forward-dynamics/pliant", "forward_dynamics", _FORWARD),
        _peer("soromox", "forward-dynamics/soromox", _FORWARD, "forward_dynamics"),
        _case("cantilever/pliant", "cantilever_statics", _STATICS + _SPATIAL),
        _peer("soromox", "cantilever/soromox-order-4", _STATICS, "cantilever_statics", "4", "9"),
        _peer("soromox", "cantilever/soromox-order-6", _STATICS, "cantilever_statics", "6", "12"),
        _case("spaghetti/pliant-order-3", "flying_spaghetti", _SPAGHETTI, "3"),
        _case("spaghetti/pliant-order-5", "flying_spaghetti", _SPAGHETTI, "5"),
        _peer("soromox", "spaghetti/soromox-8", _SPAGHETTI, "flying_spaghetti", "8"),
        _peer("pyelastica", "spaghetti/pyelastica-40", _SPAGHETTI, "flying_spaghetti", "40"),
        _peer("pyelastica", "spaghetti/pyelastica-100", _SPAGHETTI, "flying_spaghetti", "100"),
        *(_case(f"chain/{links}", "chain_compile", _CHAIN, str(links)) for links in CHAINS),
        CommandMeasurement(
            "demo",
            commands.demo,
            (
                Figure("demo/cold", "s", "`pliant run silicone-arm`, nothing compiled yet", "cold"),
                Figure("demo/warm", "s", "the same in a second process", "warm"),
                Figure("demo/peak_memory", "B", "peak memory of the process that compiles", "peak_memory"),
                Figure("demo/warm_memory", "B", "peak memory of the second process", "warm_memory"),
            ),
        ),
    ),
    derived=(
        Derived(
            Figure("forward-dynamics/agreement", "1", "difference of Pliant's and SoRoMoX's accelerations"),
            _agreement,
            "soromox",
        ),
        Derived(Figure("chain/exponent", "1", "p in evaluation time ~ links^p, from 10 to 40"), _cost_exponent),
    ),
)

SUITES = {"spine": SPINE}
