"""The steps of a run that were taken twice, as its samples hold them."""

from typing import NamedTuple

import numpy as np

from pliant.simulation.stepping._step_check import StepCheck, TwiceTaken

_TINY = np.finfo(float).tiny


class Pairs(NamedTuple):
    """Checked steps (P,): the states after whole steps, and after halves of them; how many steps each stands for, and
    over what span [s] these lie, 0 of those that a jump or a touch asked for; `touched`: whether it had a touch;
    `seen`: the sample that holds it."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    half_q: np.ndarray
    half_v: np.ndarray
    stands_for: np.ndarray
    span: np.ndarray
    touched: np.ndarray
    seen: np.ndarray

    @property
    def regular(self) -> np.ndarray:
        return self.span > 0.0


def checked_pairs(check: StepCheck, size: int, step: float) -> Pairs:
    """The checks that the samples (N,) of a run hold; where they are more than `size`, those that differ most. Rows
    that are left over stand for nothing, at no time."""
    kinds = [_found(check.regular, step), _found(check.special, 0.0)]
    every = Pairs(*(np.concatenate(parts) for parts in zip(*kinds, strict=True)))
    apart = np.concatenate([every.v - every.half_v, every.q - every.half_q], axis=1)
    spread = np.abs(apart) / np.maximum(np.abs(apart).max(axis=0, initial=0.0), _TINY)
    weight = spread.max(axis=1, initial=0.0) * every.stands_for
    kept = np.sort(np.argsort(-weight, kind="stable")[:size])
    kept = kept[np.argsort(every.time[kept], kind="stable")]
    short = size - len(kept)

    def filled(part: np.ndarray, value: float) -> np.ndarray:
        return np.concatenate([part[kept], np.full((short, *part.shape[1:]), value, dtype=part.dtype)])

    return Pairs(filled(every.time, np.nan), *(filled(part, 0) for part in every[1:]))


def _found(taken: TwiceTaken, step: float) -> Pairs:
    """Checks of one kind. step: [s] of the steps that each stands for, 0 where these do not lie side by side."""
    seen = np.flatnonzero(np.diff(np.asarray(taken.checks), prepend=0) > 0)
    time, stood, apart = (np.asarray(part)[seen] for part in (taken.time, taken.stood, taken.apart))
    weighed = np.diff(stood, prepend=0.0)
    # The one that a sample holds stands for the others of its kind by what they differ.
    stands = np.divide(weighed, apart, out=np.ones_like(weighed), where=(apart > 0.0) & (weighed > 0.0))
    q, v, half_q, half_v, touched = (
        np.asarray(part)[seen] for part in (taken.q, taken.v, taken.half_q, taken.half_v, taken.touched)
    )
    return Pairs(time, q, v, half_q, half_v, stands, stands * step, touched, seen)
