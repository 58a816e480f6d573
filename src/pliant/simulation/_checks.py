"""Settings of a run that are refused: each message gives the value and what is legal."""

import math

STEPPERS = ("tsit5", "dopri8", "rk4", "newmark", "generalised-alpha")
BACKENDS = ("jax", "native")
RESTART_CHOICES = ("always", "never")
IMPLICIT = ("newmark", "generalised-alpha")
_FIXED_STEP = ("rk4", *IMPLICIT)

Step = float | tuple[float, float] | None


def check_settings(
    until: float, start: float, stepper: str, rtol: float, atol: float, beta: float, gamma: float,
    spectral_radius: float, newton_tolerance: float, rate: float | None, backend: str,
) -> None:  # fmt: skip
    if backend not in BACKENDS:
        raise ValueError(f"backend {backend!r} is unknown; legal: {', '.join(BACKENDS)}")
    if stepper not in STEPPERS:
        raise ValueError(f"stepper {stepper!r} is unknown; legal: {', '.join(STEPPERS)}")
    if not start < until < math.inf:
        raise ValueError(f"until must be greater than start = {start} s, and finite; got {until} s")
    if not (rtol > 0.0 and atol > 0.0):
        raise ValueError(f"rtol and atol must be greater than 0; got {rtol} and {atol}")
    if not (gamma >= 0.5 and 2.0 * beta >= gamma):
        raise ValueError(
            f"newmark with beta = {beta} and gamma = {gamma} is not unconditionally stable: "
            f"{_what_grows(beta, gamma)}. It needs gamma >= 1/2 and beta >= gamma / 2"
        )
    if not 0.0 <= spectral_radius <= 1.0:
        raise ValueError(
            f"spectral_radius must be from 0 (fast modes are gone after a step) to 1 (none is damped); got "
            f"{spectral_radius}"
        )
    if not 0.0 < newton_tolerance < 1.0:
        raise ValueError(f"newton_tolerance must be between 0 and 1; got {newton_tolerance}")
    if rate is not None and not rate > 0.0:
        raise ValueError(f"rate must be greater than 0 Hz; got {rate} Hz")


def check_restart(restart: str) -> None:
    if restart not in RESTART_CHOICES:
        raise ValueError(f"restart {restart!r} is unknown; legal: {', '.join(RESTART_CHOICES)}")


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


def check_steps(
    duration: float, stepper: str, step: Step, adapt: str, save_every: float | None
) -> tuple[float | None, float | None, float]:
    """Step (the shortest where it adapts), longest step (None where it does not adapt) and interval of samples."""
    save_every = duration / 200.0 if save_every is None else save_every
    if not 0.0 < save_every <= duration * (1.0 + 1e-9):
        raise ValueError(f"save_every must be from 0 s to the {duration:g} s of the run; got {save_every} s")
    if isinstance(step, tuple):
        if stepper not in IMPLICIT:
            raise ValueError(
                f"{stepper} has a fixed step: give one number as step; only {' and '.join(IMPLICIT)} adapt it"
            )
        if not 0.0 < step[0] <= step[1]:
            raise ValueError(f"step must be a shortest step above 0 s and a longest that is no shorter; got {step} s")
        if adapt not in ("error", "newton"):
            raise ValueError(f"adapt must be 'error' or 'newton'; got {adapt!r}")
        return step[0], step[1], save_every
    if step is not None and not step > 0.0:
        raise ValueError(f"step must be greater than 0 s; got {step} s")
    if stepper not in _FIXED_STEP:
        return None, None, save_every
    if step is None and stepper == "rk4":
        raise ValueError("rk4 has a fixed step: give step= in seconds")
    return save_every if step is None else step, None, save_every
