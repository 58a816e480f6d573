"""The `pliant` command as a user meets it: whole processes, timed from outside."""

import tempfile

from harness import child
from harness.suite import MeasurementFailed, Values

_ROBOT = "silicone-arm"
_COLD, _WARM = 2, 5  # processes; the best of each. A cold one is long enough for two to do.


def _pliant(checkout: child.Checkout, cache: str, *words: str) -> child.Outcome:
    command = [str(checkout.python), "-c", "from pliant.cli import main; main()", *words]
    outcome = child.run(command, child.empty_caches(cache), folder=checkout.benchmarks)
    if outcome.code != 0:
        raise MeasurementFailed(outcome.complaint)
    return outcome


def first_statics(checkout: child.Checkout) -> Values:
    """Statics in a first process (nothing compiled on disk), and in later ones that find what it left."""
    command = ("statics", _ROBOT, "--json")
    # Python writes bytecode and the system reads files on the very first import: that is installing, not compiling.
    child.run([str(checkout.python), "-c", "import pliant.cli, pliant.analysis"])
    cold, warm = [], []
    for _ in range(_COLD):
        with tempfile.TemporaryDirectory(prefix="pliant-benchmark-") as cache:
            cold.append(_pliant(checkout, cache, *command))
            if not warm:
                warm = [_pliant(checkout, cache, *command) for _ in range(_WARM)]
    return {
        "cold": min(outcome.seconds for outcome in cold),
        "warm": min(outcome.seconds for outcome in warm),
        "peak_memory": max(outcome.peak_memory for outcome in cold),
    }


def demo(checkout: child.Checkout) -> Values:
    """`pliant run` of the demonstration: statics, modes, simulation, files and pictures."""
    with tempfile.TemporaryDirectory(prefix="pliant-benchmark-") as cache, tempfile.TemporaryDirectory() as out:
        cold = _pliant(checkout, cache, "run", _ROBOT, "--out", f"{out}/demo")
        warm = _pliant(checkout, cache, "run", _ROBOT, "--out", f"{out}/again")
    return {
        "cold": cold.seconds,
        "warm": warm.seconds,
        "peak_memory": max(cold.peak_memory, warm.peak_memory),
        "warm_memory": warm.peak_memory,
    }
