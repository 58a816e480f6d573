"""How a step is taken, as one value."""

import dataclasses
from typing import Any

from jax import Array

from pliant.simulation._checks import IMPLICIT, check_step_settings
from pliant.simulation.stepping._rules import NEWTON_TOLERANCE, Coefficients, coefficients_of

Step = float | Array | tuple[float, float] | None


@dataclasses.dataclass(frozen=True)
class StepSettings:
    """Everything that says how a step is taken; `Stepper` tells what each means. Impossible ones are refused."""

    kind: str
    step: Step = None
    restart: str = "always"
    backend: str = "jax"
    rtol: float = 1e-6
    atol: float = 1e-9
    adapt: str = "error"
    beta: float = 0.25
    gamma: float = 0.5
    spectral_radius: float = 0.8
    newton_tolerance: float = NEWTON_TOLERANCE

    def __post_init__(self) -> None:
        check_step_settings(self)

    @property
    def implicit(self) -> bool:
        return self.kind in IMPLICIT

    @property
    def adapt_by(self) -> str | None:
        """What decides the length of an implicit step; None where the step is fixed or the stepper explicit."""
        return self.adapt if isinstance(self.step, tuple) else None

    @property
    def coefficients(self) -> Coefficients:
        return coefficients_of(self.kind, self.spectral_radius, self.newton_tolerance, self.beta, self.gamma)

    def lengths(self, save_every: float) -> tuple[float | None, float | None]:
        """The step [s] (the shortest where it adapts; None where the stepper chooses its own) and the longest (None
        where it does not adapt). A fixed step that is not given is the interval of samples."""
        if isinstance(self.step, tuple):
            return self.step
        if self.kind not in ("rk4", *IMPLICIT):
            return None, None
        return (save_every if self.step is None else float(self.step)), None

    def record(self, save_every: float) -> dict[str, Any]:
        """What a result keeps of them: those that decide its numbers."""
        step, longest = self.lengths(save_every)
        own: dict[str, Any] = {"stepper": self.kind, "step": step, "rtol": self.rtol, "atol": self.atol}
        if self.implicit:
            own |= {"newton_tolerance": self.newton_tolerance, "restart": self.restart}
            own |= {"beta": self.beta, "gamma": self.gamma} if self.kind == "newmark" else {}
            own |= {"spectral_radius": self.spectral_radius} if self.kind == "generalised-alpha" else {}
        own |= {} if longest is None else {"longest_step": longest, "adapt": self.adapt}
        return own | ({} if self.backend == "jax" else {"backend": self.backend})
