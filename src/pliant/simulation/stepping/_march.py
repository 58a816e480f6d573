"""Fixed-step marching through a chunk: equal steps between consecutive targets, in parts where they fail or would pass
through a touch. Now and then a step is taken twice, whole and in halves, which tells how accurate the steps are."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics import Touches
from pliant.numerics import ResultCode
from pliant.simulation.stepping._flow import StepState, finite

# A step may end where a force jumps (a damper that meets its stop), and nothing balances there; no cut helps, since the
# last part ends at the same place. The shortest part is therefore tried once more, ends early by this share of it, and
# time goes on.
_MISS = 0.01
_FINEST = 2.0**-10  # of a step, while touching
_LANDING = 2.0**-12  # of a step, where it would pass through the beginning or the end of a touch
_SLIPPING = 2.0**-6  # of a step in which a touch ends out of which nothing pushes

Kept = TypeVar("Kept")
Advance = Callable[[StepState, Kept, Array, Array], tuple[StepState, Kept, Array]]
Look = Callable[[StepState, Array], Touches]


class _Stretch(NamedTuple):
    """Where a march is: `place` steps from its start, about to take a `part` of a step, which is made to miss its end
    where it has failed before. touched: whether a touch begins or ends in the step it is in, or cuts it; touches: in
    how many steps one did; finest: the shortest part, of a step, to which failures have led."""

    place: Array
    part: Array
    moving: StepState
    cache: Any
    code: Array
    steps: Array
    touched: Array
    touches: Array
    finest: Array
    missing: Array


class _Manner(NamedTuple):
    """How a march is made. stops: it ends before a step with a touch; resolved: steps while touching, over
    the length that they may have; most: the longest part of a step."""

    stops: Array
    resolved: Array
    most: Array


def _begun(moving: StepState, cache: Any, code: Array, steps: Array) -> _Stretch:
    no = jnp.asarray(False)
    one, zero = jnp.ones(()), jnp.zeros(())
    return _Stretch(zero, one, moving, cache, code, steps, no, zero, one, no)


def march(
    advance: Advance[Kept],
    start: StepState,
    caches: tuple[Kept, Kept],
    low: Array,
    targets: Array,
    step: Array,
    cuts: int = 0,
    look: Look | None = None,
) -> tuple[StepState, Array, Array, tuple[Kept, Kept]]:
    """States at the targets and a ResultCode for each, steps taken, caches: of steps, and of halves of those that are
    checked.

    `advance(moving, cache, t, h)` gives the state at t + h, its cache and its code. A step that fails is halved up to
    `cuts` times, and its parts grow together again; after a failure of the shortest see `where_it_ends`.
    look(moving, t): the touches there; a step that passes through one is halved as far as needed. Steps are checked
    where the start has a `check`.
    """
    shortest = 0.5**cuts

    # Place and part are in steps: sums of powers of two, so that they are exact.
    def proceed(now: _Stretch, t: Array, h: Array, manner: _Manner) -> _Stretch:
        part, touched, begin = jnp.minimum(now.part, manner.most), now.touched, t + now.place * h
        if look is not None:
            before = look(now.moving, begin)
            most = jnp.exp2(jnp.floor(jnp.log2(manner.resolved * jnp.min(before.within, initial=jnp.inf) / h)))
            touched = touched | (most < part)
            part = jnp.minimum(part, jnp.maximum(most, _FINEST))
        length = jnp.where(now.missing, 1.0 - _MISS, 1.0) * part * h
        moved, cache, code = advance(now.moving, now.cache, begin, length)
        found = code == ResultCode.SUCCESS
        good, last = found, part <= shortest
        stopped = jnp.asarray(False)
        if look is not None:
            after = look(moved, begin + length)
            passed = (before.passed(after, length) | before.left(after, length)) & (part > _LANDING)
            passed = passed | (before.slipped(after) & (part > _SLIPPING))
            touched = touched | (found & (passed | before.switched(after)))
            stopped = found & ~passed & touched & manner.stops & (now.place == jnp.ceil(now.place))
            good = found & ~passed & ~stopped
        missing = ~found & last & (cuts > 0)
        hopeless = ~found & last & (now.missing | (cuts == 0))
        # A step does not change the last check; not to choose between two copies of it at every step saves time.
        check, moved = now.moving.check, moved._replace(check=())
        kept = _chosen(good, moved, now.moving._replace(check=()))
        kept = where_it_ends(hopeless, kept, moved, begin, length)._replace(check=check)
        place = jnp.where(good, now.place + part, now.place)
        pairs = place / (2.0 * part)
        whole = jnp.where((part < 1.0) & (pairs == jnp.ceil(pairs)), 2.0 * part, part)
        code = jnp.where(hopeless, code, ResultCode.SUCCESS).astype(jnp.int32)
        part = jnp.where(good, whole, jnp.where(stopped, now.part, jnp.where(missing, part, 0.5 * part)))
        ends = good & (place == jnp.ceil(place))
        touches = now.touches + (ends & touched)
        finest = jnp.where(found, now.finest, jnp.minimum(now.finest, jnp.maximum(part, shortest)))
        return _Stretch(place, part, kept, cache, code, now.steps + good, touched & ~ends, touches, finest, missing)

    def marched(now: _Stretch, t: Array, h: Array, end: Array, manner: _Manner) -> _Stretch:
        def going(now: _Stretch) -> Array:
            stopped = manner.stops & now.touched & (now.place == jnp.ceil(now.place))
            return (now.place < end) & (now.code == ResultCode.SUCCESS) & ~stopped

        return jax.lax.while_loop(going, lambda now: proceed(now, t, h, manner), now)

    checks = bool(start.check)

    def to_target(carry: tuple[StepState, tuple[Kept, Kept], Array, Array, Array], target: Array):
        moving, (cache, half_cache), t, code, steps = carry
        gap = target - t
        # Round-off in the targets must not cost an extra, tiny step.
        count = jnp.ceil(gap / step * (1.0 - 1e-9))
        h = gap / jnp.maximum(count, 1.0)
        begin = _begun(moving, cache, code, jnp.int32(0))
        if checks:
            done, half_cache = _checked(marched, begin, half_cache, t, h, count)
        else:
            done = marched(begin, t, h, count, _Manner(jnp.asarray(False), jnp.ones(()), jnp.ones(())))
        after = (done.moving, (done.cache, half_cache), target, done.code, steps + done.steps)
        return after, (done.moving, done.code)

    first = (start, caches, low, jnp.int32(ResultCode.SUCCESS), jnp.int32(0))
    (_, caches, _, _, steps), (states, codes) = jax.lax.scan(to_target, first, targets)
    return states, codes, steps, caches


_UNCHECKED, _WHOLE, _HALVES = 0, 1, 2


class _Turn(NamedTuple):
    """One of three stretches that take turns: steps up to the next that is checked, that step as a whole, and from
    where it began, `begun`, its two halves, which have a cache of their own. touched: whether that step had
    a touch; finest: the shortest part to which failures in it have led."""

    kind: Array
    main: _Stretch
    begun: StepState
    half_cache: Any
    touched: Array
    finest: Array


def _checked(
    marched: Callable[..., _Stretch], begin: _Stretch, half_cache: Any, t: Array, h: Array, count: Array
) -> tuple[_Stretch, Any]:
    """The march of `count` steps, those that are due taken twice. All turns share one loop of steps, so that the
    equations are compiled once."""

    def turn(now: _Turn) -> _Turn:
        main = now.main._replace(touched=jnp.asarray(False), touches=jnp.zeros(()), finest=jnp.ones(()))
        whole, halves = now.kind == _WHOLE, now.kind == _HALVES
        end = jnp.minimum(count, main.place + jnp.where(whole, 1.0, main.moving.check.steps_left))
        source = _chosen(halves, _begun(now.begun, now.half_cache, main.code, main.steps), main)
        stops = (now.kind == _UNCHECKED) & main.moving.check.may_be_special
        done = marched(
            source,
            jnp.where(halves, t + (main.place - 1.0) * h, t),
            jnp.where(halves, 0.5 * h, h),
            jnp.where(halves, 2.0, end),
            # Halves of a step that failed are cut as far as it was: else both would be the same.
            _Manner(stops, jnp.where(halves, 0.5, 1.0), jnp.where(halves, now.finest, 1.0)),
        )
        trusted = halves & (done.code == ResultCode.SUCCESS)
        compared = main.moving.check.compared(main.moving, done.moving, trusted, now.touched)
        later = main.moving.check.later(done.place - main.place, done.touches)
        check = _chosen(halves, compared, later)
        kept = _chosen(halves, main, done)
        kept = kept._replace(moving=kept.moving._replace(check=check))
        following = jnp.where(halves, _UNCHECKED, jnp.where(whole, _HALVES, _WHOLE)).astype(jnp.int32)
        return _Turn(
            following,
            kept,
            _chosen(whole, main.moving, now.begun),
            _chosen(halves, done.cache, now.half_cache),
            done.touches > 0.0,
            done.finest,
        )

    def unfinished(now: _Turn) -> Array:
        going = (now.main.place < count) | (now.kind == _HALVES)
        return going & (now.main.code == ResultCode.SUCCESS)

    begun = _Turn(jnp.int32(_UNCHECKED), begin, begin.moving, half_cache, jnp.asarray(False), jnp.ones(()))
    last = jax.lax.while_loop(unfinished, turn, begun)
    return last.main, last.half_cache


def _chosen(first: Array, one: Any, other: Any) -> Any:
    return jax.tree.map(lambda x, y: jnp.where(first, x, y), one, other)


def where_it_ends(failed: Array, kept: StepState, trial: StepState, t: Array, h: Array) -> StepState:
    """What a run leaves that has failed in its shortest step: the end of that step as it was last tried (if that is
    finite), with the time at which it begins and its length. It is no sample; it tells what is out of balance."""
    last = jax.tree.map(lambda new, old: jnp.where(failed & finite(trial), new, old), trial, kept)
    return last._replace(step=jnp.where(failed, h, last.step), time=jnp.where(failed, t, last.time))
