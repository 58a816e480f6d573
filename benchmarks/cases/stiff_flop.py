"""47 s of the measured STIFF-FLOP module with one rod model at the authors' order: time beside accuracy. In native
code, and beside it by JAX: `python -m cases.stiff_flop srl native`."""

import sys
from typing import Any

import jax
import numpy as np

import pliant
from harness.timing import once, report
from pliant.validation._case import find_data
from pliant.validation.measured._stiff_flop import NOLOAD, NOLOAD_SPAN, SAMPLE, Path, conditioned, drive, mean_error
from pliant.validation.measured._stiff_flop_module import MASTER, robot

STEP = 0.025  # s; half a sample of the recording
_REPEATS = 3


def main(kind: str, backend: str = "jax") -> None:
    recording = conditioned(find_data(None), "NoLoad_conditioned_master.csv")
    model, inputs = pliant.compile(robot(MASTER, kind, NOLOAD[kind].size)), drive(recording)
    begin, until = NOLOAD_SPAN
    settings = {"start": begin, "stepper": "newmark", "step": STEP, "save_every": SAMPLE, "inputs": inputs}

    def timed(backend: str) -> tuple[dict[str, Any], np.ndarray]:
        def simulate() -> pliant.results.Trajectory:
            return jax.block_until_ready(pliant.simulate(model, until, backend=backend, **settings))

        first, run = once(simulate)
        seconds = min(once(simulate)[0] for _ in range(_REPEATS))
        path = Path(run.time, run.position("tip"))
        error = mean_error(MASTER, path, Path(recording.time, recording.tip))
        figures = {"time": seconds, "compile": first - seconds, "error": error, "steps": int(run.steps)}
        return figures, np.asarray(path.place)

    figures, path = timed(backend)
    if backend != "jax":
        by_jax, known = timed("jax")
        apart = float(np.max(np.linalg.norm(path - known, axis=1)) / MASTER.full_length)
        figures |= {"jax_time": by_jax["time"], "jax_error": by_jax["error"], "difference": apart}
    report(**figures, freedoms=model.nv)


if __name__ == "__main__":
    main(*sys.argv[1:])
