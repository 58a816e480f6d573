"""What to compute: settings, which are plain numbers and no part of the robot."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class LoadPath:
    """A path followed through limit points: to: load factor at which it ends; step, points, branch: of `ArcLength`."""

    to: float
    step: float
    points: int
    branch: int


@dataclass(frozen=True)
class Statics:
    """steps: of the load, None: as many as needed; drop: loads left out; times [s]: of a quasi-static sequence; path:
    of equilibria instead of one."""

    kind: ClassVar[str] = "statics"
    begins: ClassVar[str] = "initial"
    steps: int | None
    drop: tuple[str, ...]
    times: tuple[float, ...] | None
    path: LoadPath | None = None


@dataclass(frozen=True)
class Modes:
    """count: of the lowest; about: "statics" or "initial"."""

    kind: ClassVar[str] = "modes"
    count: int
    about: str

    @property
    def begins(self) -> str:
        """The state that it needs first."""
        return self.about


@dataclass(frozen=True)
class Simulate:
    """Times in s; from_: "statics" or "initial"; energy: whether a ledger of energies is kept; accuracy: the share of
    the motion, and of the energy exchanged, that its error may be."""

    kind: ClassVar[str] = "simulate"
    until: float
    from_: str
    drop: tuple[str, ...]
    stepper: str
    step: float | None
    longest_step: float | None
    adapt: str
    save_every: float
    rtol: float
    atol: float
    spectral_radius: float
    energy: bool
    accuracy: float

    @property
    def begins(self) -> str:
        """The state that it needs first."""
        return self.from_


Analysis = Statics | Modes | Simulate
