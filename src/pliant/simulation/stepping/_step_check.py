"""Steps that are taken twice, whole and in two halves: what their difference tells of the accuracy of a run."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

# Steps for each check that a jump or a touch asks for (a controller's output jumps with every sample), and checks that
# are free: a short run may begin with some.
_APART, _FREE = 50.0, 10.0
_FIRST = 6  # steps of a run, all of which are checked: what is let go may come to rest in them
GOLDEN = 0.6180339887498949  # whose multiples spread most evenly between 0 and 1


class TwiceTaken(NamedTuple):
    """A step that was taken twice: of those since the last sample the one that differs most. ``q``, ``v`` after the
    whole step; ``half_q``, ``half_v`` after two halves of it, at the same ``time`` [s]; ``apart``: by how much they
    differ; ``touched``: whether it had a touch. ``checks``: of its kind so far; ``stood``: steps that these stand for,
    each times what it is apart."""

    q: Array
    v: Array
    half_q: Array
    half_v: Array
    time: Array
    apart: Array
    touched: Array
    checks: Array
    stood: Array

    def after(self, new: "TwiceTaken", sample: Array, stands_for: Array, taken: Array) -> "TwiceTaken":
        """With one more check, if that is `taken`. sample: time of the last sample."""
        kept = taken & ((self.time <= sample) | (new.apart >= self.apart))
        chosen = TwiceTaken(*(jnp.where(kept, now, then) for now, then in zip(new, self, strict=True)))
        stood = self.stood + jnp.where(taken, stands_for * new.apart, 0.0)
        return chosen._replace(checks=self.checks + taken, stood=stood)


class StepCheck(NamedTuple):
    """The last steps of a run that were taken twice.

    - ``regular``: one in so many; it stands for all since the last, but for those with a touch.
    - ``special``: one with a touch, which stands for all such since the last, or one that a jump asked for.
    - ``since``: steps since the last regular one, those with touches apart; ``touching``: steps with touches since the
      last check of one; ``taken``: all steps so far.
    - ``every``: steps between regular ones, on average; ``asked``: whether the next step is to be checked.
    """

    regular: TwiceTaken
    special: TwiceTaken
    since: Array
    touching: Array
    taken: Array
    every: Array
    asked: Array

    @property
    def interval(self) -> Array:
        """Steps from the last regular check to the next: about `every`, but so that checks keep no time with the
        motion."""
        turns = GOLDEN * self.regular.checks
        return jnp.ceil(self.every * (1.25 - 0.5 * (jnp.ceil(turns) - turns)))

    @property
    def steps_left(self) -> Array:
        """Steps that may be taken before the next check."""
        return jnp.where(self.asked, 0.0, jnp.maximum(self.interval - 1.0 - self.since, 0.0))

    @property
    def may_be_special(self) -> Array:
        """Whether there were few enough checks for one that is not regular."""
        return self.special.checks < _FREE + self.taken / _APART

    def ask(self, wanted: Array) -> "StepCheck":
        """With the next step to be checked, if that is wanted and there were not too many."""
        return self._replace(asked=self.asked | (wanted & self.may_be_special))

    def later(self, steps: Array, touches: Array) -> "StepCheck":
        """After so many steps, some of them with a touch."""
        return self._replace(
            since=self.since + steps - touches, touching=self.touching + touches, taken=self.taken + steps
        )

    def compared(self, whole: Any, halves: Any, h: Array, sample: Array, trusted: Array, touched: Array) -> "StepCheck":
        """After a step of length h that was taken twice. sample: time of the last sample; trusted: whether both ways
        were found; touched: whether it had a touch."""
        regular = ~touched & (self.since >= self.interval)
        stands = jnp.where(touched, self.touching, 1.0)
        apart = jnp.sum(jnp.abs(whole.v - halves.v)) + jnp.sum(jnp.abs(whole.q - halves.q)) / h
        both = (whole.q, whole.v, halves.q, halves.v)
        new = TwiceTaken(*both, whole.time, apart, touched, self.special.checks, self.special.stood)
        # The step begins at the sample or later, and ends half a step after it at the least.
        sample = sample + 0.5 * h
        return self._replace(
            regular=self.regular.after(new, sample, self.since, trusted & regular),
            special=self.special.after(new, sample, stands, trusted & ~regular),
            since=jnp.where(regular, 0.0, self.since),
            touching=jnp.where(touched, 0.0, self.touching),
            asked=self.taken < _FIRST,
        )


def no_checks_yet(q: Any, v: Any, every: float) -> StepCheck:
    """Before the first step, which is checked, as a few more are."""
    q, v, zero = np.asarray(q), np.asarray(v), np.zeros(())
    nothing: Any = (q, v, q, v, zero, zero, np.asarray(False), np.int32(0), zero)
    begun: Any = (zero, zero, zero, np.asarray(every), np.asarray(True))
    return StepCheck(TwiceTaken(*nothing), TwiceTaken(*nothing), *begun)
