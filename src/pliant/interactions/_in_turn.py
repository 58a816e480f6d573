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
from pliant.interactions._touch import Meeting, MeetingPart, Rows, joined
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
    """What was found of the parts of a meeting, put together: all samples, one after the other."""
    return joined([own for _, own in found])


def _parts(
    meeting: Meeting, numbers: ContactNumbers, kept: Memory
) -> Iterator[tuple[MeetingPart, ContactNumbers, Memory]]:
    own = (numbers.meeting,) if len(meeting.parts) == 1 and meeting.parts[0] is meeting else numbers.meeting
    begin = 0
    for part, its in zip(meeting.parts, own, strict=True):
        span = slice(begin, begin + part.count)
        begin += part.count
        bare, mine = jax.tree.map(lambda value, span=span: value[span], (numbers._replace(meeting=None), kept))
        yield part, bare._replace(meeting=its), mine


def _one_by_one(
    laws: ContactLaws,
    part: MeetingPart,
    numbers: ContactNumbers,
    kept: Memory,
    seen: Any,
    what: What,
    when: When | None,
) -> Any:
    bare = numbers._replace(meeting=None)

    def samples(index: Array) -> Touching:
        meeting, its = part.one(numbers.meeting, index)
        own, mine = jax.tree.map(lambda value: taken_at(value, index), (bare, kept))
        own = own._replace(meeting=its)
        return Touching(laws, meeting, own, mine, meeting.touch(its, seen))

    every = np.arange(part.count, dtype=np.uint32)[:, None]
    if part.count == 1:  # which is no loop

        def all_at_once(index: Any) -> Touching:
            return Touching(laws, part, numbers, kept, part.touch(numbers.meeting, seen))

        return _where_it_acts(all_at_once, every[0], what, when and when(all_at_once(every[0]))[0])
    if when is None:
        return _rows_of(jax.lax.map(lambda index: what(samples(index)), every))
    # A loop of its own: where it is short it is written out, and asks without moving a number.
    acts = jax.lax.stop_gradient(jax.lax.map(lambda index: when(samples(index))[0], every))

    @jax.checkpoint  # else a Jacobian would keep what is on the way to every sample's force, touching or not
    def in_turn() -> Any:
        return _rows_of(jax.lax.map(lambda own: _where_it_acts(samples, own[0], what, own[1]), (every, acts)))

    return jax.lax.cond(jnp.any(acts), in_turn, lambda: _nothing(in_turn))


def _where_it_acts(samples: Callable[[Any], Touching], index: Any, what: What, acts: Array | None) -> Any:
    """What becomes of one sample. It is evaluated anew where it acts, so that nothing but the question whether it does
    is asked of the others."""
    if acts is None:
        return what(samples(index))
    return jax.lax.cond(acts, lambda: what(samples(index)), lambda: _nothing(lambda: what(samples(index))))


def _nothing(like: Callable[[], Any]) -> Any:
    return jax.tree.map(lambda own: jnp.zeros(own.shape, own.dtype), jax.eval_shape(like))


def _rows_of(found: Any) -> Any:
    """(n, ...) of (n, 1, ...)."""
    return jax.tree.map(lambda own: own.reshape(own.shape[0], *own.shape[2:]), found)
