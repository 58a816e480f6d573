"""The suite `native`: what native code is worth, beside JAX and beside every peer, and what it costs to build."""

from collections.abc import Mapping

from harness.implicit import IMPLICIT, OURS
from harness.models import MODELS, MODULE
from harness.parts import MEMORY, agreement, case, peer
from harness.spine import SPAGHETTI, SPINE
from harness.suite import CommandMeasurement, Derived, Figure, Measurement, Suite, Values

GROWTH = (1, 3, 6, 7, 10, 20)  # pieces of the arm, six freedoms each

_LOOP = (
    ("loop", "s", "one evaluation in a native loop"),
    ("rate", "Hz", "evaluations per second"),
    ("jax", "s", "the same in a loop compiled by JAX"),
    ("error", "1", "largest difference of the two over the largest element"),
    ("build", "s", "tracing, printing and building the native loop, nothing built yet"),
    ("operations", "1", "operations in the C of it"),
    ("source", "B", "length of that C"),
    ("build_per_operation", "s", "building, over operations"),
    ("jax_compile", "s", "compiling by JAX"),
    MEMORY,
)
_FREEDOMS = ("freedoms", "1", "degrees of freedom")
_BESIDE_JAX = (
    ("jax_time", "s", "the same by JAX"),
    ("jax_error", "%", "its error"),
    ("difference", "1", "largest distance of the two tips, over the length"),
)
_CHECKED = (
    ("time", "s", "a run of `simulate` by newmark, 18 freedoms, whose steps are checked"),
    ("without", "s", "the same run with accuracy=None"),
    MEMORY,
)
_OF_A_STEP = {"time", "error", "first_error", "steps", "realtime"}  # the rest is of the process


def _as_in(suite: Suite, *names: str) -> tuple[Measurement | CommandMeasurement, ...]:
    by_name = {measurement.name: measurement for measurement in suite.measurements}
    return tuple(by_name[name] for name in names)


def _released(name: str, problem: str, *more: str) -> Measurement:
    """A problem of cases/release.py in native code; `more`: its further steps, measured in the same process."""
    first = case(name, "release", OURS, problem, "native")
    further = tuple(
        Figure(f"{name}-{word}/{key}", unit, meaning, f"{word}-{key}")
        for word in more
        for key, unit, meaning in OURS
        if key in _OF_A_STEP
    )
    return Measurement(name, first.module, first.arguments, first.figures + further)


def _step(name: str, of: str, meaning: str, code: str | None = None) -> Derived:
    def seconds(raw: Mapping[str, Values]) -> float | None:
        found = raw.get(of)
        return found["time"] / found["steps"] if found else None

    return Derived(Figure(f"step/{name}", "s", meaning), seconds, code)


NATIVE = Suite(
    measurements=(
        *_as_in(SPINE, "forward-dynamics/pliant", "forward-dynamics/soromox"),
        case("forward-dynamics/18-constants", "native_dynamics", (*_LOOP, _FREEDOMS), "3", "constants"),
        *(
            case(f"forward-dynamics/{6 * pieces}", "native_dynamics", (*_LOOP, _FREEDOMS), str(pieces), "parameters")
            for pieces in GROWTH
        ),
        case("sections", "native_arms", (*_LOOP, _FREEDOMS), "sections"),
        case("quasi-static", "native_arms", _LOOP, "quasi-static"),
        *(case(f"stiff-flop/{model}", "stiff_flop", MODULE + _BESIDE_JAX, model, "native") for model in MODELS),
        _released("arm/native", "arm-long", "fine"),
        _released("P2/native", "soft-pieces", "coarse"),
        _released("P2/native-fine", "soft-fine"),
        *_as_in(IMPLICIT, "P2/soromox-gvs", "P2/pyelastica-50", "P2/exudyn-20"),
        _released("P3/native", "stiff-steps", "coarse"),
        *_as_in(IMPLICIT, "P3/soromox-planar", "P3/soromox-bending", "P3/pyelastica-20", "P3/exudyn-10"),
        case("spaghetti/native", "flying_spaghetti", SPAGHETTI, "3", "native"),
        *_as_in(SPINE, "spaghetti/soromox-8", "spaghetti/pyelastica-40"),
        *(case(f"checked/{backend}", "check_cost", _CHECKED, backend) for backend in ("jax", "native")),
        peer("exudyn", "spaghetti/exudyn-20", SPAGHETTI, "flying_spaghetti", "20", "0.0125"),
    ),
    derived=(
        agreement(),
        _step("native-newmark", "P2/native", "one step of newmark, P2 with 30 freedoms, all of the run shared out"),
        _step("native-rk4", "spaghetti/native", "one step of rk4, spaghetti with 27 freedoms"),
        _step("pyelastica-50", "P2/pyelastica-50", "one step of 50 elements, P2", "pyelastica"),
        _step("pyelastica-40", "spaghetti/pyelastica-40", "one step of 40 elements, spaghetti", "pyelastica"),
        _step("exudyn-20-planar", "P2/exudyn-20", "one step of 20 planar elements, P2", "exudyn"),
        _step("exudyn-20", "spaghetti/exudyn-20", "one step of 20 elements, spaghetti", "exudyn"),
    ),
)
