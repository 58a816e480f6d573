"""The suite `spine`: what a user waits for, and how Pliant stands beside its peers."""

from collections.abc import Mapping

from harness import commands
from harness.parts import MEMORY, case, chain_exponent, chains, peer
from harness.suite import CommandMeasurement, Derived, Figure, Suite, Values

CHAINS = (1, 10, 40)


_FORWARD = (
    ("loop", "s", "one forward dynamics inside a compiled loop"),
    ("batch", "s", "one forward dynamics in a batch of 256"),
    ("compile", "s", "compiling the loop"),
    MEMORY,
)
_STATICS = (
    ("time", "s", "one solve"),
    ("error", "L", "tip error"),
    ("compile", "s", "compiling"),
    ("freedoms", "1", "degrees of freedom"),
    ("iterations", "1", "Newton iterations"),
    MEMORY,
)
_SPATIAL = tuple((f"spatial-{key}", unit, f"{meaning}, all six strains") for key, unit, meaning in _STATICS[:4])
_SPAGHETTI = (
    ("time", "s", "seven seconds of motion"),
    ("error", "L", "rms error of the loaded end"),
    ("compile", "s", "compiling"),
    ("freedoms", "1", "degrees of freedom"),
    MEMORY,
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
        case("forward-dynamics/pliant", "forward_dynamics", _FORWARD),
        peer("soromox", "forward-dynamics/soromox", _FORWARD, "forward_dynamics"),
        case("cantilever/pliant", "cantilever_statics", _STATICS + _SPATIAL),
        peer("soromox", "cantilever/soromox-order-4", _STATICS, "cantilever_statics", "4", "9"),
        peer("soromox", "cantilever/soromox-order-6", _STATICS, "cantilever_statics", "6", "12"),
        case("spaghetti/pliant-order-3", "flying_spaghetti", _SPAGHETTI, "3"),
        case("spaghetti/pliant-order-5", "flying_spaghetti", _SPAGHETTI, "5"),
        peer("soromox", "spaghetti/soromox-8", _SPAGHETTI, "flying_spaghetti", "8"),
        peer("pyelastica", "spaghetti/pyelastica-40", _SPAGHETTI, "flying_spaghetti", "40"),
        peer("pyelastica", "spaghetti/pyelastica-100", _SPAGHETTI, "flying_spaghetti", "100"),
        *chains(*CHAINS),
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
        chain_exponent(*CHAINS[-2:]),
    ),
)
