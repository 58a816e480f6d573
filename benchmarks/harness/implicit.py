"""The suite `implicit`: released cantilevers, time beside accuracy, beside every peer; and what a matrix costs."""

from collections.abc import Mapping

from harness.parts import MEMORY, case, peer
from harness.suite import Derived, Figure, Suite, Values

RUN = (
    ("time", "s", "the whole motion, compiled"),
    ("error", "L", "rms error of the tip"),
    ("first_error", "L", "the same over the first half of the time"),
    ("compile", "s", "its first run less a later one, nothing compiled yet"),
    ("freedoms", "1", "degrees of freedom"),
    ("steps", "1", "steps"),
    MEMORY,
)
OURS = (*RUN, ("realtime", "1", "simulated over computing time"))
_MATRIX = (
    ("closed", "s", "the matrix of a step of ten PCS pieces in closed form"),
    ("ad", "s", "the same by automatic differentiation"),
    ("closed_compile", "s", "compiling the first"),
    ("ad_compile", "s", "compiling the second"),
    ("difference", "1", "largest difference of the two over the largest entry"),
    ("distinct", "1", "1 if these are two functions, 0 if one was measured twice"),
    ("freedoms", "1", "degrees of freedom"),
    MEMORY,
)
# The two fastest of its implicit solvers that stay within 1 %, and the fastest explicit one; see peers/soromox.py.
ARM_SOLVERS = {
    "kvaerno3": ("Kvaerno3", "step", "0.0125"),
    "kvaerno5": ("Kvaerno5", "tolerance", "1e-2"),
    "heun": ("Heun", "step", "3.3e-4"),
}
_PATHS = ("arm/pliant", "arm/soromox-kvaerno3")


def _agreement(raw: Mapping[str, Values]) -> float | None:
    """Largest distance of the two codes' exact paths of the arm, in its lengths: they solve the same problem."""
    ours, theirs = (raw.get(name, {}).get("tip") for name in _PATHS)
    if ours is None or theirs is None:
        return None
    square = max(
        sum((a - b) ** 2 for a, b in zip(mine, other, strict=True)) for mine, other in zip(ours, theirs, strict=True)
    )
    return square**0.5 / raw[_PATHS[0]]["length"]


IMPLICIT = Suite(
    measurements=(
        case("arm/pliant", "release", OURS, "arm", processes=5),
        *(peer("soromox", f"arm/soromox-{name}", RUN, "released_arm", *words) for name, words in ARM_SOLVERS.items()),
        case("P2/pliant", "release", OURS, "soft"),
        case("P2/pliant-coarse", "release", OURS, "soft-coarse"),
        peer("soromox", "P2/soromox-gvs", RUN, "released_cantilever", "gvs-2-4", "Tsit5", "tolerance", "1e-3"),
        peer("pyelastica", "P2/pyelastica-50", RUN, "released_cantilever", "50"),
        peer("exudyn", "P2/exudyn-20", RUN, "released_cantilever", "20", "1e-3"),
        peer("exudyn", "P2/exudyn-40", RUN, "released_cantilever", "40", "1e-4"),
        case("P3/pliant", "release", OURS, "stiff"),
        case("P3/pliant-coarse", "release", OURS, "stiff-coarse"),
        peer("soromox", "P3/soromox-planar", RUN, "stiff_cantilever", "planar-3", "Kvaerno5", "tolerance", "1e-4"),
        peer("soromox", "P3/soromox-bending", RUN, "stiff_cantilever", "bending-1-4", "Kvaerno3", "step", "1e-3"),
        peer("pyelastica", "P3/pyelastica-20", RUN, "stiff_cantilever", "20"),
        peer("exudyn", "P3/exudyn-10", RUN, "stiff_cantilever", "10", "1e-3"),
        peer("exudyn", "P3/exudyn-10-short", RUN, "stiff_cantilever", "10", "1e-4"),
        case("matrix", "gradients", _MATRIX),
    ),
    derived=(
        Derived(Figure("arm/agreement", "L", "distance of Pliant's and SoRoMoX's exact arms"), _agreement, "soromox"),
    ),
)
