"""Settings of steps and of runs that are refused: each message gives the value and what is legal."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from pliant.arguments import FREQUENCY, TIME, choice, is_traced, number, one_number
from pliant.blueprint import ParameterInfo

if TYPE_CHECKING:
    from pliant.simulation._step_settings import StepSettings

IMPLICIT = ("newmark", "generalised-alpha")
BY_HAND = (*IMPLICIT, "rk4")  # whose steps have a fixed length
STEPPERS = ("tsit5", "dopri8", "rk4", *IMPLICIT)
BACKENDS = ("jax", "native")
RESTART_CHOICES = ("always", "never")
ADAPT_CHOICES = ("error", "newton")
LOOSEST_NEWTON = 0.1  # what is left unbalanced beyond that moves the robot as it likes

_MOST_STEPS = 1e10  # hours of the fastest native code
_MOST_SAMPLES = 1e7  # of a run, and samples of a controller: gigabytes
_LENGTH = ParameterInfo((), "s", "the length of a step", low=0.0, low_open=True)
_PLAIN = ParameterInfo((), "", "a setting of the stepper")


def check_step_settings(settings: "StepSettings") -> None:
    """Refuses what no step can be taken with. The length of a step may be traced, and is then taken as it is."""
    choice("backend", settings.backend, BACKENDS)
    choice("stepper", settings.kind, STEPPERS)
    choice("restart", settings.restart, RESTART_CHOICES)
    choice("adapt", settings.adapt, ADAPT_CHOICES)
    if not (settings.rtol > 0.0 and settings.atol > 0.0):
        raise ValueError(f"rtol and atol must be greater than 0; got {settings.rtol} and {settings.atol}")
    if settings.rtol >= 1.0:
        raise ValueError(f"rtol must be less than 1, which is as large as the motion; got {settings.rtol}")
    beta, gamma = settings.beta, settings.gamma
    if not (gamma >= 0.5 and 2.0 * beta >= gamma):
        raise ValueError(
            f"newmark with beta = {beta} and gamma = {gamma} is not unconditionally stable: "
            f"{_what_grows(beta, gamma)}. It needs gamma >= 1/2 and beta >= gamma / 2"
        )
    if not 0.0 <= settings.spectral_radius <= 1.0:
        raise ValueError(
            f"spectral_radius must be from 0 (fast modes are gone after a step) to 1 (none is damped); got "
            f"{settings.spectral_radius}"
        )
    if not 0.0 < settings.newton_tolerance <= LOOSEST_NEWTON:
        raise ValueError(
            f"newton_tolerance must be above 0 and at most {LOOSEST_NEWTON:g} of the forces that have to balance; got "
            f"{settings.newton_tolerance}"
        )
    _check_length(settings.kind, settings.step)


def _check_length(kind: str, step: Any) -> None:
    if isinstance(step, tuple):
        if kind not in IMPLICIT:
            raise ValueError(
                f"{kind} has a fixed step: give one number as step; only {' and '.join(IMPLICIT)} adapt it"
            )
        if len(step) != 2 or not 0.0 < step[0] <= step[1]:
            raise ValueError(f"step must be a shortest step above 0 s and a longest that is no shorter; got {step} s")
    elif step is None and kind == "rk4":
        raise ValueError("rk4 has a fixed step: give step= in seconds")


def step_lengths(step: Any) -> Any:
    """The length of a step, or the shortest and the longest, as plain numbers [s]; what is traced stays so."""
    if step is None or is_traced(step):
        return step
    if isinstance(step, tuple | list):
        return tuple(number(f"step[{index}]", length, TIME) for index, length in enumerate(step))
    return number("step", step, _LENGTH)


def plain_settings(**given: Any) -> dict[str, float]:
    """Numbers of a stepper, each finite."""
    return {name: number(name, value, _PLAIN) for name, value in given.items()}


def check_fixed(settings: "StepSettings", doing: str) -> None:
    """Refuses steps whose length is not known beforehand. doing: what asks for them."""
    if settings.kind not in BY_HAND:
        raise ValueError(
            f"{doing} has steps of a fixed length, and {settings.kind!r} chooses its own; legal: {', '.join(BY_HAND)}"
        )
    if settings.step is None or isinstance(settings.step, tuple):
        raise ValueError(f"{doing} has steps of a fixed length: give one number as step [s]; got {settings.step}")


class Times(NamedTuple):
    """When a run starts and ends and how often it is sampled [s], and how often a controller is [Hz]."""

    start: float
    until: float
    save_every: float
    rate: float | None


def check_run(settings: "StepSettings", until: Any, start: Any, save_every: Any, rate: Any) -> Times:
    """When to run, in plain numbers, or why that cannot be. Samples are by default a two-hundredth of the run apart."""
    start, until = number("start", start, TIME), one_number("until", until, TIME)
    if not start < until < math.inf:
        raise ValueError(f"until must be greater than start = {start} s, and finite; got {until} s")
    duration = until - start
    every = duration / 200.0 if save_every is None else one_number("save_every", save_every, TIME)
    if not 0.0 < every <= duration * (1.0 + 1e-9):
        raise ValueError(f"save_every must be from 0 s to the {duration:g} s of the run; got {every} s")
    _refuse_many("save_every", every, "s", duration / every, "samples", _MOST_SAMPLES)
    if rate is not None:
        rate = number("rate", rate, FREQUENCY)
        _refuse_many("rate", rate, "Hz", duration * rate, "samples of the controller", _MOST_SAMPLES)
    step, longest = settings.lengths(every)
    if step is not None and longest is None:
        _refuse_many("step", step, "s", duration / step, "steps", _MOST_STEPS)
    return Times(start, until, every, rate)


def _refuse_many(name: str, value: float, unit: str, count: float, of: str, most: float) -> None:
    if count > most:
        cure = f"less than {value * most / count:.3g}" if unit == "Hz" else f"more than {value * count / most:.3g}"
        raise ValueError(
            f"{name} = {value:g} {unit} makes {count:.3g} {of} of this run, which would not end; at most {most:g} are "
            f"taken: give {cure} {unit}, or a shorter run"
        )


def _what_grows(beta: float, gamma: float) -> str:
    """What grows of an undamped vibration of angular frequency w: the determinant of a step's amplification is
    1 - (gamma - 1/2) (w h)^2 / (1 + beta (w h)^2), and its roots are real and beyond one where
    (w h)^2 > 1 / (gamma / 2 - beta) (Hughes, The Finite Element Method, section 9.1.2)."""
    if gamma < 0.5:
        return (
            "a vibration of w rad/s without damping grows in every step h, by the factor "
            f"1 + {0.5 * (0.5 - gamma):.3g} (w h)^2 while w h is small"
        )
    return f"vibrations faster than {1.0 / math.sqrt(0.5 * gamma - beta):.3g} / h rad/s grow in every step h"
