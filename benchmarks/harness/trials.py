"""Which steppers are tried on which material; shared by the suite `steppers` and the case that runs them."""

from typing import Any, NamedTuple


class Trial(NamedTuple):
    name: str
    settings: dict[str, Any]


def _fixed(stepper: str, *steps: float, **more: Any) -> tuple[Trial, ...]:
    return tuple(Trial(f"{stepper} {1e3 * step:g} ms", {"stepper": stepper, "step": step, **more}) for step in steps)


def _tsit5(rtol: float) -> Trial:
    return Trial(f"tsit5 rtol {rtol:g}", {"stepper": "tsit5", "rtol": rtol, "atol": 1e-3 * rtol})


def _adaptive(least: float, most: float, rtol: float) -> Trial:
    settings = {"stepper": "newmark", "step": (least, most), "rtol": rtol, "atol": rtol}
    return Trial(f"newmark {1e3 * least:g} to {1e3 * most:g} ms, rtol {rtol:g}", settings)


TRIALS: dict[str, tuple[Trial, ...]] = {
    "silicone": (
        _tsit5(1e-4),
        *_fixed("rk4", 4e-4, 4e-3),
        *_fixed("newmark", 1e-3, 4e-3, 1e-2),
        *_fixed("generalised-alpha", 4e-3),
        _adaptive(1e-3, 2e-2, 1e-3),
    ),
    "nitinol": (
        _tsit5(1e-4),
        *_fixed("newmark", 1e-3, 5e-3, 1e-2),
        *_fixed("generalised-alpha", 5e-3),
        _adaptive(1e-3, 2e-2, 1e-3),
    ),
    "carbon": (
        *_fixed("rk4", 4e-6),
        *_fixed("newmark", 1e-4, 1e-3),
        *_fixed("generalised-alpha", 1e-3),
        _adaptive(1e-5, 1e-2, 1e-2),
    ),
    "cloth": (
        _tsit5(1e-4),
        *_fixed("rk4", 1e-3, 2e-3),
        *_fixed("newmark", 1e-3, 5e-3),
        *_fixed("generalised-alpha", 5e-3),
    ),
}
