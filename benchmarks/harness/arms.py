"""The suite `arms`: sections of variable-length arms, the quasi-static arm, and the force at its tip."""

import math
from collections.abc import Mapping

from harness.parts import MEMORY, case
from harness.suite import Derived, Figure, Suite, Values

SECTIONS = (1, 3, 10, 30)
_FEW, _MANY = SECTIONS[1], SECTIONS[-1]

_ARM = (
    ("cog", "s", "one acceleration, CoG model, pressures given, in a compiled loop on one core"),
    ("integral", "s", "the same, discs along the arc"),
    ("ratio", "1", "the second over the first"),
    ("rate", "Hz", "accelerations per second, CoG model"),
    ("points", "1", "Gauss points of a section that give its energy to 1e-6"),
    ("cog_compile", "s", "compiling the first"),
    ("integral_compile", "s", "compiling the second"),
    ("freedoms", "1", "degrees of freedom"),
    MEMORY,
)
_QUASI_STATIC = (
    ("rate", "Hz", "arms of 100 intervals per second, Hooke, load in the frame of the tip, compiled loop, one core"),
    ("world_rate", "Hz", "the same with the load in the frame of the base"),
    ("gent_rate", "Hz", "the same with Gent's law and its root"),
    ("batch_rate", "Hz", "arms per second in a batch of 4096, Hooke"),
    ("compile", "s", "compiling the first"),
    MEMORY,
)
_ESTIMATE = (
    ("arm", "s", "force at the tip of the quasi-static arm from a warm start"),
    ("rod", "s", "the same with a gvs rod"),
    ("arm_error", "N", "distance from the force that was there"),
    ("rod_error", "N", "the same with a gvs rod"),
    MEMORY,
)


def _exponent(model: str) -> Derived:
    def compute(raw: Mapping[str, Values]) -> float | None:
        times = [raw.get(f"sections/{count}", {}).get(model) for count in (_FEW, _MANY)]
        return None if None in times else math.log(times[1] / times[0]) / math.log(_MANY / _FEW)

    meaning = f"p in time of an acceleration ~ sections^p, from {_FEW} to {_MANY}"
    return Derived(Figure(f"sections/{model}-exponent", "1", meaning), compute)


ARMS = Suite(
    measurements=(
        *(case(f"sections/{count}", "arm_sections", _ARM, str(count)) for count in SECTIONS),
        case("quasi-static", "quasi_static", _QUASI_STATIC),
        case("force", "force_estimate", _ESTIMATE),
    ),
    derived=(_exponent("cog"), _exponent("integral")),
)
