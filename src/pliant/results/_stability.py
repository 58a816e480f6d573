"""What becomes of a small disturbance of a robot at rest, and what is special about a point of a load path."""

from enum import IntEnum

import numpy as np
from jax import Array


class Stability(IntEnum):
    """What small motions about a state of rest do. Integers, so that they live in arrays and files."""

    UNKNOWN = -1
    STABLE = 0
    DIVERGES = 1
    FLUTTERS = 2

    @property
    def word(self) -> str:
        return self.name.lower()

    @property
    def message(self) -> str:
        """One sentence for the user."""
        return _STABILITY[self]


_STABILITY = {
    Stability.UNKNOWN: "Whether the state is stable is not known.",
    Stability.STABLE: "No small motion about the state grows.",
    Stability.DIVERGES: "The state is unstable: a small displacement grows without swinging.",
    Stability.FLUTTERS: "The state is unstable: a small motion swings and grows (flutter).",
}


class PointKind(IntEnum):
    """What is special about a point of a load path."""

    ORDINARY = 0
    LIMIT = 1
    BIFURCATION = 2
    FLUTTER = 3

    @property
    def word(self) -> str:
        return {"LIMIT": "limit point", "FLUTTER": "onset of flutter"}.get(self.name, self.name.lower())


STABILITY_MEANING = "stability: " + ", ".join(f"{int(kind)} {kind.word}" for kind in Stability)
KIND_MEANING = "kind of point: " + ", ".join(f"{int(kind)} {kind.word}" for kind in PointKind)


def stability_summary(stability: Array | np.ndarray | int) -> dict[str, bool | str | None]:
    """Whether one state is stable (None: not known), and the word for it."""
    kind = Stability(int(np.asarray(stability)))
    return {"stable": None if kind is Stability.UNKNOWN else kind is Stability.STABLE, "stability": kind.word}
