"""47 s of the measured STIFF-FLOP module with one rod model at the authors' order: time beside accuracy."""

import sys

import jax

import pliant
from harness.timing import once, report
from pliant.validation._case import find_data
from pliant.validation._stiff_flop import NOLOAD, NOLOAD_SPAN, SAMPLE, Path, conditioned, drive, mean_error
from pliant.validation._stiff_flop_module import MASTER, robot

STEP = 0.025  # s; half a sample of the recording
_REPEATS = 3


def main(kind: str) -> None:
    recording = conditioned(find_data(None), "NoLoad_conditioned_master.csv")
    model, inputs = pliant.compile(robot(MASTER, kind, NOLOAD[kind].size)), drive(recording)
    begin, until = NOLOAD_SPAN

    def simulate() -> pliant.Trajectory:
        return jax.block_until_ready(
            pliant.simulate(model, until, start=begin, stepper="newmark", step=STEP, save_every=SAMPLE, inputs=inputs)
        )

    first, run = once(simulate)
    seconds = min(once(simulate)[0] for _ in range(_REPEATS))
    error = mean_error(MASTER, Path(run.time, run.position("tip")), Path(recording.time, recording.tip))
    report(time=seconds, compile=first - seconds, error=error, steps=int(run.steps), freedoms=model.nv)


if __name__ == "__main__":
    main(sys.argv[1])
