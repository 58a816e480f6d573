"""What looking whether the steps are short enough costs a run of the 18-freedom arm: `python -m cases.check_cost jax`,
or `native`. The two kinds of runs take turns, so that whatever else the machine does falls on both."""

import sys

import jax

import pliant
from cases.robots import arm
from harness import problems
from harness.timing import once, report

_UNTIL = {"jax": 4.0, "native": 10.0}  # s
_STEP = 2.5e-3  # s
_TURNS = 10
_SAVE = problems.RELEASED_LONG.save


def main(backend: str) -> None:
    until = _UNTIL[backend]
    stepper = pliant.Stepper(pliant.compile(arm()), "newmark", _STEP, backend=backend)

    def run(**settings: None) -> float:
        return once(lambda: jax.block_until_ready(pliant.simulate(stepper, until, save_every=_SAVE, **settings)))[0]

    run(accuracy=None), run()  # which compile
    turns = [(run(accuracy=None), run()) for _ in range(_TURNS)]
    without, time = (min(seconds) for seconds in zip(*turns, strict=True))
    report(time=time, without=without)


if __name__ == "__main__":
    main(*sys.argv[1:])
