"""The suite `contact`: what contact and friction cost, and how they stand beside peers, accuracy first."""

import math
from collections.abc import Mapping

from harness.contact_problems import ROLLERS
from harness.native import NATIVE
from harness.parts import MEMORY, case, peer
from harness.suite import Derived, Figure, Suite, Values

SEGMENTS = (25, 50, 100)
PINCHES = 500

_ERROR = ("error", "1", "rms distance from the run with a quarter of the step, over the size")
_BALANCE = ("balance", "1", "largest open energy balance over the energy lost")
_SNAKE = (
    ("time", "s", "22 s of the snake"),
    _ERROR,
    ("way", "m", "way of its centre of mass"),
    ("steps", "1", "steps"),
    ("freedoms", "1", "degrees of freedom"),
    ("compile", "s", "compiling"),
    MEMORY,
)
_SAMPLES = (
    ("without", "s", "a native step of an arm of 24 freedoms, without contact"),
    ("apart", "s", "the same with 21 samples that may touch each of three surfaces, and do not"),
    ("touching", "s", "the same where it lies on them"),
    ("added_apart", "1", "what contact adds to a step, apart"),
    ("added_touching", "1", "what contact adds to a step, touching: more iterations too"),
    ("pairs", "1", "samples times surfaces"),
    ("build", "s", "tracing, printing and building the native run with contact"),
    ("build_without", "s", "and without"),
    MEMORY,
)
_PINCH = (
    ("time", "s", "5 s of a ball held between two pads, pressed with 1.1 of the least force"),
    ("drift", "m", "way of the ball in the last 4 s of them"),
    ("slip_error", "1", "fall in 1 s with 0.9 of the least force, difference from the exact one over it"),
    ("steps", "1", "steps"),
    MEMORY,
)
_PINCHES = (
    ("vmap", "s", f"{PINCHES} pinches of 1 s, each with a friction and a stiffness, by vmap of pure.simulate"),
    ("vmap_compile", "s", "compiling that"),
    ("native", "s", "the same by native runs one after the other"),
    ("native_first", "s", "the first of them, with building"),
    ("native_later", "s", "the longest of the later ones: nothing is built again"),
    ("difference", "m", "largest distance at the end of both of the balls that are held"),
    ("held", "1", "balls that are held"),
    ("failed", "1", "members of the batch that failed: its steps are not halved"),
    ("vmap_memory", "B", "what the batch adds to the memory of the process"),
    MEMORY,
)
_COIL = (
    ("step", "s", "a native step of a rod that touches itself"),
    ("without", "s", "the same without contact"),
    ("pairs", "1", "places times segments"),
    ("build", "s", "tracing, printing and building"),
    MEMORY,
)
_CABLE = (
    ("time", "s", "1 s of a cable that falls on two rollers"),
    _ERROR,
    _BALANCE,
    ("steps", "1", "steps"),
    ("freedoms", "1", "degrees of freedom"),
    ("compile", "s", "compiling"),
    MEMORY,
)
_ROLLERS = (
    *_CABLE,
    ("roller_x", "m", "where the roller on springs is at the end, from where it hung"),
    ("roller_y", "m", "and upwards"),
    ("turned", "rad", "its angle at the end"),
)
_GRASP = (("time", "s", "9 s of the three-finger grasp"), _ERROR, _BALANCE, ("steps", "1", "steps"), MEMORY)


def _agreement() -> Derived:
    """Largest distance of the snakes' centres of mass, over the way."""

    def difference(raw: Mapping[str, Values]) -> float | None:
        paths = [raw.get(f"snake/{code}", {}).get("middle") for code in ("pliant", "pyelastica-50")]
        if None in paths:
            return None
        ours, theirs = paths
        apart = max(math.dist(a, b) for a, b in zip(ours, theirs, strict=True))
        return apart / math.dist(theirs[0], theirs[-1])

    meaning = "largest distance of Pliant's and PyElastica's centres of mass, over the way"
    return Derived(Figure("snake/agreement", "1", meaning), difference, "pyelastica")


def _cables() -> Derived:
    """Largest distance of the tips of the cables on rollers, over the length."""

    def difference(raw: Mapping[str, Values]) -> float | None:
        paths = [raw.get(f"rollers/{code}", {}).get("tip") for code in ("pliant", "exudyn")]
        if None in paths:
            return None
        return max(math.dist(a, b) for a, b in zip(*paths, strict=True)) / ROLLERS.length

    meaning = "largest distance of Pliant's and Exudyn's tips, over the length of the cable"
    return Derived(Figure("rollers/agreement", "1", meaning), difference, "exudyn")


def _exponent() -> Derived:
    """p where what contact adds to a step grows as pairs^p."""

    def exponent(raw: Mapping[str, Values]) -> float | None:
        few, many = (raw.get(f"coil/{count}") for count in (SEGMENTS[0], SEGMENTS[-1]))
        if few is None or many is None:
            return None
        added = [found["step"] - found["without"] for found in (few, many)]
        if min(added) <= 0.0:
            return None
        return math.log(added[1] / added[0]) / math.log(many["pairs"] / few["pairs"])

    meaning = f"p in what contact adds to a step ~ pairs^p, from {SEGMENTS[0]} to {SEGMENTS[-1]} segments"
    return Derived(Figure("coil/exponent", "1", meaning), exponent)


def _without_contact() -> tuple:
    """The released arm of the suite `native`: nothing of contact is in it; for `--beside` a commit before contact."""
    return tuple(measurement for measurement in NATIVE.measurements if measurement.name == "arm/native")


CONTACT = Suite(
    measurements=(
        case("snake/pliant", "contact_snake", (*_SNAKE, _BALANCE)),
        peer("pyelastica", "snake/pyelastica-50", _SNAKE, "snake", "50", "1e-4", module="pyelastica_contact"),
        case("rollers/pliant", "contact_rollers", _ROLLERS),
        case("rollers/landing", "contact_rollers", _CABLE, "simulate"),
        peer("exudyn", "rollers/exudyn", _ROLLERS, "rollers", "8", "5e-4", module="exudyn_contact"),
        case("samples", "contact_samples", _SAMPLES),
        case("pinch/pliant", "contact_pinch", _PINCH),
        peer("mujoco", "pinch/mujoco", _PINCH, "pinch", "1e-3"),
        case("pinches", "contact_pinches", _PINCHES, str(PINCHES)),
        *(case(f"coil/{count}", "contact_coil", _COIL, str(count)) for count in SEGMENTS),
        case("grasp/pliant", "contact_grasp", _GRASP),
        *_without_contact(),
    ),
    derived=(_agreement(), _cables(), _exponent()),
)
