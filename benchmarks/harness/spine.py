"""The suite `spine`: what a user waits for, and how Pliant stands beside its peers."""

from harness import commands
from harness.parts import MEMORY, agreement, case, chain_exponent, chains, peer
from harness.suite import CommandMeasurement, Figure, Suite

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
_QUADRATURE = (
    ("points", "1", "Gauss points that a `gvs` rod of this order takes by itself"),
    ("time", "s", "one forward dynamics with them, planar strains, in a compiled loop"),
    ("error", "L", "tip error of the rod rolled up"),
    ("few_time", "s", "the same with order + 6 points"),
    ("few_error", "L", "tip error with them"),
    MEMORY,
)
SPAGHETTI = (
    ("time", "s", "seven seconds of motion"),
    ("error", "L", "rms error of the loaded end"),
    ("compile", "s", "compiling"),
    ("freedoms", "1", "degrees of freedom"),
    MEMORY,
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
        case("quadrature/3", "quadrature", _QUADRATURE, "3"),
        case("quadrature/7", "quadrature", _QUADRATURE, "7"),
        case("spaghetti/pliant-order-3", "flying_spaghetti", SPAGHETTI, "3"),
        case("spaghetti/pliant-order-5", "flying_spaghetti", SPAGHETTI, "5"),
        peer("soromox", "spaghetti/soromox-8", SPAGHETTI, "flying_spaghetti", "8"),
        peer("pyelastica", "spaghetti/pyelastica-40", SPAGHETTI, "flying_spaghetti", "40"),
        peer("pyelastica", "spaghetti/pyelastica-100", SPAGHETTI, "flying_spaghetti", "100"),
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
        agreement(),
        chain_exponent(*CHAINS[-2:]),
    ),
)
