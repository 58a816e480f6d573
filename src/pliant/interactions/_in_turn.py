"""Samples all at once, or in a scalar program one after the other.

For arrays a few large operations are fast. A scalar program would write out every sample, and read all of that code at
every step; there a loop takes them in turn, and asks for the rest only where something touches.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contact_numbers import ContactNumbers
from pliant.interactions._places import taken_at
from pliant.interactions._touch import Meeting, Rows, joined
from pliant.interactions._touching import ContactLaws, Memory, Touching
from pliant.numerics import for_scalars

What = Callable[[Touching], Any]
When = Callable[[Touching], Array]


def touches_now(samples: Touching) -> Array:
    return samples.touch.gap < 0.0


def touches_or_did(samples: Touching) -> Array:
    return (samples.touch.gap < 0.0) | (samples.kept["touching"] > 0.0)


def of_samples(
    laws: ContactLaws, meeting: Meeting, numbers: ContactNumbers, kept: Memory, rows: Rows, what: What,
    when: When | None = None,
) -> list[tuple[Meeting, Any]]:  # fmt: skip
    """Meetings that make up this one, and for each what(samples): trees of arrays (n, ...). when: (n,) where it is more
    than zeros; only a loop makes use of it."""
    if not for_scalars():
        seen = meeting.seen(numbers.meeting, rows)
        return [(meeting, what(Touching(laws, meeting, numbers, kept, meeting.touch(numbers.meeting, seen))))]
    return [
        (part, _one_by_one(laws, part, own, mine, part.seen(own.meeting, rows), what, when))
        for part, own, mine in _parts(meeting, numbers, kept)
    ]


def whole(found: list[tuple[Meeting, Any]]) -> Any:
    """Of all samples, one after the other."""
    return joined([own for _, own in found])


def _parts(meeting: Meeting, numbers: ContactNumbers, kept: Memory) -> Iterator[tuple[Meeting, ContactNumbers, Memory]]:
    own = (numbers.meeting,) if len(meeting.parts) == 1 and meeting.parts[0] is meeting else numbers.meeting
    begin = 0
    for part, its in zip(meeting.parts, own, strict=True):
        span = slice(begin, begin + part.count)
        begin += part.count
        bare, mine = jax.tree.map(lambda value, span=span: value[span], (numbers._replace(meeting=None), kept))
        yield part, bare._replace(meeting=its), mine


def _one_by_one(
    laws: ContactLaws, part: Meeting, numbers: ContactNumbers, kept: Memory, seen: Any, what: What, when: When | None
) -> Any:
    bare = numbers._replace(meeting=None)

    def samples(index: Array) -> Touching:
        meeting, its = part.one(numbers.meeting, index)
        own, mine = jax.tree.map(lambda value: taken_at(value, index), (bare, kept))
        own = own._replace(meeting=its)
        return Touching(laws, meeting, own, mine, meeting.touch(its, seen))

    def one(index: Array) -> Any:
        return _where_it_acts(lambda: samples(index), what, when)

    if part.count == 1:
        return _where_it_acts(
            lambda: Touching(laws, part, numbers, kept, part.touch(numbers.meeting, seen)), what, when
        )
    found = jax.lax.map(one, np.arange(part.count, dtype=np.uint32)[:, None])
    return jax.tree.map(lambda own: own.reshape(own.shape[0], *own.shape[2:]), found)


def _where_it_acts(sample: Callable[[], Touching], what: What, when: When | None) -> Any:
    """What becomes of one sample. It is evaluated anew where it acts, so that nothing but the question whether it does
    is asked of the others."""
    if when is None:
        return what(sample())
    nothing = jax.tree.map(lambda own: jnp.zeros(own.shape, own.dtype), jax.eval_shape(lambda: what(sample())))
    return jax.lax.cond(jax.lax.stop_gradient(when(sample()))[0], lambda: what(sample()), lambda: nothing)
