"""The `pliant` command as a user meets it: whole processes, timed from outside."""

import importlib.util
import sys
import tempfile

from harness import child
from harness.suite import MeasurementFailed, Values

_ROBOT = "silicone-arm"
_COLD, _WARM = 2, 5  # processes; the best of each. A cold one is long enough for two to do.


def _pliant(*words: str) -> list[str]:
    return [sys.executable, "-c", "from pliant.cli import main; main()", *words]


def _checked(command: list[str], cache: str) -> child.Outcome:
    if importlib.util.find_spec("pliant.cli") is None:
        raise MeasurementFailed("Pliant has no command line here")
    outcome = child.run(command, child.empty_caches(cache))
    if outcome.code != 0:
        raise MeasurementFailed(outcome.complaint)
    return outcome


def first_statics() -> Values:
    """Statics in a first process (nothing compiled on disk), and in later ones that find what it left."""
    command = _pliant("statics", _ROBOT, "--json")
    # Python writes bytecode and the system reads files on the very first import: that is installing, not compiling.
    child.run([sys.executable, "-c", "import pliant.cli, pliant.analysis"])
    cold, warm = [], []
    for _ in range(_COLD):
        with tempfile.TemporaryDirectory(prefix="pliant-benchmark-") as cache:
            cold.append(_checked(command, cache))
            if not warm:
                warm = [_checked(command, cache) for _ in range(_WARM)]
    return {
        "cold": min(outcome.seconds for outcome in cold),
        "warm": min(outcome.seconds for outcome in warm),
        "peak_memory": max(outcome.peak_memory for outcome in cold),
    }


def demo() -> Values:
    """`pliant run` of the demonstration: statics, modes, simulation, files and pictures."""
    with tempfile.TemporaryDirectory(prefix="pliant-benchmark-") as cache, tempfile.TemporaryDirectory() as out:
        command = _pliant("run", _ROBOT, "--out", f"{out}/demo")
        cold = _checked(command, cache)
        warm = _checked(_pliant("run", _ROBOT, "--out", f"{out}/again"), cache)
    return {
        "cold": cold.seconds,
        "warm": warm.seconds,
        "peak_memory": max(cold.peak_memory, warm.peak_memory),
        "warm_memory": warm.peak_memory,
    }
