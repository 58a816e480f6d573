"""The suite `models`: every rod model on one measured motion, and a cloth."""

import math
from collections.abc import Mapping

from harness.parts import MEMORY, case
from harness.suite import Derived, Figure, Suite, Values

MODELS = ("srl", "ebr", "eba", "rom", "gvs")
SIDES = (10, 30, 50)  # nodes of the cloth along each side
WHOLE = 30  # of the cloth that moves for a second

MODULE = (
    ("time", "s", "47 s of the recording, compiled"),
    ("compile", "s", "its first run less a later one, nothing compiled yet"),
    ("error", "%", "mean distance from the measured tip, over the length"),
    ("steps", "1", "steps of newmark"),
    ("freedoms", "1", "degrees of freedom"),
    MEMORY,
)
_CLOTH = (
    ("step", "s", "one step of rk4"),
    ("compile", "s", "the first run less a later one"),
    ("build", "s", "building the model"),
    ("freedoms", "1", "degrees of freedom"),
    MEMORY,
)
_MOTION = (("motion", "s", "one second of motion"), ("fall", "m", "how far its free corner has fallen by then"))


def _exponent(raw: Mapping[str, Values]) -> float | None:
    few, many = SIDES[0], SIDES[-1]
    times = [raw.get(f"cloth/{side}", {}).get("step") for side in (few, many)]
    return None if None in times else math.log(times[1] / times[0]) / math.log((many / few) ** 2)


MODELS_SUITE = Suite(
    measurements=(
        *(case(f"stiff-flop/{model}", "stiff_flop", MODULE, model) for model in MODELS),
        *(
            case(
                f"cloth/{side}",
                "fabric",
                _CLOTH + (_MOTION if side == WHOLE else ()),
                str(side),
                str(int(side == WHOLE)),
            )
            for side in SIDES
        ),
    ),
    derived=(
        Derived(
            Figure("cloth/exponent", "1", f"p in time of a step ~ nodes^p, from {SIDES[0] ** 2} to {SIDES[-1] ** 2}"),
            _exponent,
        ),
    ),
)
