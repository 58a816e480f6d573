"""Steps that are taken twice, whole and in two halves: what their difference tells of the accuracy of a run."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

# Steps between two checks that a jump or a touch asks for: a controller's output jumps with every sample.
_APART = 20.0


class StepCheck(NamedTuple):
    """The last step of a run that was taken twice.

    - ``q``, ``v``: after the whole step; ``half_q``, ``half_v``: after two halves of it, at the same ``time`` [s].
    - ``stands_for``: steps; of a regular check all since the last one, of one that a jump or a touch asked for itself.
    - ``checks``: so far; ``since``: steps since the last regular one; ``rested``: since the last of any kind.
    - ``every``: steps between regular ones; ``asked``: whether the next step is to be checked.
    """

    q: Array
    v: Array
    half_q: Array
    half_v: Array
    time: Array
    stands_for: Array
    checks: Array
    since: Array
    rested: Array
    every: Array
    asked: Array

    @property
    def steps_left(self) -> Array:
        """Steps that may be taken before the next check."""
        return jnp.where(self.asked, 0.0, jnp.maximum(self.every - 1.0 - self.since, 0.0))

    def ask(self, wanted: Array) -> "StepCheck":
        """With the next step to be checked, if that is wanted and the last check is not too close."""
        return self._replace(asked=self.asked | (wanted & (self.rested >= jnp.minimum(_APART, self.every))))

    def later(self, steps: Array) -> "StepCheck":
        return self._replace(since=self.since + steps, rested=self.rested + steps)

    def compared(self, whole: Any, halves: Any, trusted: Array) -> "StepCheck":
        """After a step that was taken twice; trusted: whether both ways were found."""
        regular = self.since >= self.every
        stands = jnp.where(regular, self.since, 1.0)
        pairs = ((whole.q, self.q), (whole.v, self.v), (halves.q, self.half_q), (halves.v, self.half_v))
        q, v, half_q, half_v = (jnp.where(trusted, new, old) for new, old in pairs)
        return self._replace(
            q=q, v=v, half_q=half_q, half_v=half_v,
            time=jnp.where(trusted, whole.time, self.time),
            stands_for=jnp.where(trusted, stands, self.stands_for),
            checks=self.checks + trusted,
            since=jnp.where(regular, 0.0, self.since),
            rested=jnp.zeros(()),
            asked=jnp.asarray(False),
        )  # fmt: skip


def no_checks_yet(q: Any, v: Any, every: float) -> StepCheck:
    """Before the first step, which is checked."""
    q, v, zero = np.asarray(q), np.asarray(v), np.zeros(())
    begun: Any = (q, v, q, v, zero, zero, np.int32(0), zero, np.asarray(np.inf), np.asarray(every), np.asarray(True))
    return StepCheck(*begun)
