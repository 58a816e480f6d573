"""What actuators and closed loops carry, and what interactions report."""

import equinox as eqx
from jax import Array


class Forces(eqx.Module):
    """Efforts and travels of the actuators and reactions of the loops, by name; the leading dimensions are free.

    - ``effort``: tension [N] of a tendon, pressure [Pa] of a chamber, force [N] or moment [N m] of a driven joint,
      which for a prescribed motion is the reaction to it.
    - ``travel``: what the effort works on: length [m], volume [m^3], coordinate [rad or m].
    - ``far_end``: tension [N] that friction leaves at the far end of a tendon; only of tendons with friction.
    - ``report``: figures that interactions tell of themselves.
    - ``reaction``: (..., 6) wrench [moment; force] of a loop on its second frame, at that frame and in its axes.
    """

    effort: dict[str, Array]
    travel: dict[str, Array]
    far_end: dict[str, Array]
    reaction: dict[str, Array]
    report: dict[str, Array] = eqx.field(default_factory=dict)
