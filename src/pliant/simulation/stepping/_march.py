"""Fixed-step marching through a chunk: equal steps between consecutive targets, in parts where they fail or would pass
through a touch. Now and then a step is taken twice, whole and in halves, which tells how accurate the steps are.

A march can be put aside after any step and goes on with the same bits, so that no call has to last longer than is
wanted."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics import Touches
from pliant.numerics import ResultCode, for_scalars
from pliant.simulation.stepping._flow import UNFINISHED, StepState, finite

# A step may end where a force jumps (a damper that meets its stop), and nothing balances there; no cut helps, since the
# last part ends at the same place. The shortest part is therefore tried once more, ends early by this share of it, and
# time goes on.
MISS = 0.01
_FINEST = 2.0**-10  # of a step, while touching
_LANDING = 2.0**-12  # of a step, where it would pass through the beginning or the end of a touch, or fails before one
_SLIPPING = 2.0**-6  # of a step in which a touch ends out of which nothing pushes

Kept = TypeVar("Kept")
Advance = Callable[[StepState, Kept, Array, Array], tuple[StepState, Kept, Array]]
Look = Callable[[StepState, Array], Touches]
Work = Callable[[Kept, Kept], Array]


class _Stretch(NamedTuple):
    """Where a march is: `place` steps from its start, about to take a `part` of a step, which is made to miss its end
    where it has failed before. touched: whether a touch begins or ends in the step it is in, or cuts it; touches: in
    how many steps one did; finest: the shortest part, of a step, to which failures have led; seen: the touches where
    it is, in a march that looks for them."""

    place: Array
    part: Array
    moving: StepState
    touched: Array
    touches: Array
    finest: Array
    missing: Array
    seen: Any = ()

    @property
    def between_steps(self) -> Array:
        return self.place == jnp.ceil(self.place)


class _Seen(NamedTuple):
    """Touches, as far as they are known: what follows a step is what comes before the next."""

    known: Array
    touches: Touches


class _Manner(NamedTuple):
    """How a march is made. stops: it ends before a step with a touch; resolved: steps while touching, over the length
    that they may have; most: the longest part of a step."""

    stops: Array
    resolved: Array
    most: Array


class _Marched(NamedTuple):
    """A stretch with what its steps share: cache, code, steps taken, and the work that is left to this call."""

    stretch: _Stretch
    cache: Any
    code: Array
    steps: Array
    left: Array


class MarchResult(NamedTuple):
    """States at the targets of a chunk and a code for each (a ResultCode, or UNFINISHED), steps taken, where the march
    is, the caches of its steps, and the work that is left."""

    states: StepState
    codes: Array
    steps: Array
    march: Any
    cache: Any
    left: Array


class FixedMarch(NamedTuple):
    """A march between two targets, the first of them at `t`, as it is put aside after any of its steps. turn: whose
    turn it is where steps are checked, else ()."""

    t: Array
    place: Array
    part: Array
    touched: Array
    touches: Array
    finest: Array
    missing: Array
    turn: Any


def _begun(moving: StepState, seen: Any = ()) -> _Stretch:
    no = jnp.asarray(False)
    zero, one = jnp.zeros(()), jnp.ones(())
    return _Stretch(zero, one, moving, no, zero, one, no, seen)


def begin_march(moving: StepState, t: Array) -> FixedMarch:
    """A march that has not left `moving`, at t."""
    return _put_aside(_begun(moving), t, _first_turn(moving) if moving.check else ())


def _put_aside(now: _Stretch, t: Array, turn: Any) -> FixedMarch:
    own = _with_seen(turn, ()) if turn else ()
    return FixedMarch(t, now.place, now.part, now.touched, now.touches, now.finest, now.missing, own)


def march(
    advance: Advance[Kept],
    start: StepState,
    now: FixedMarch,
    caches: tuple[Kept, Kept],
    targets: Array,
    step: Array,
    left: Array,
    work: Work[Kept],
    cuts: int = 0,
    look: Look | None = None,
) -> MarchResult:
    """From target to target. caches: of steps, and of halves of those that are checked.

    `advance(moving, cache, t, h)` gives the state at t + h, its cache and its code. A step that fails is halved up to
    `cuts` times, and its parts grow together again; after a failure of the shortest see `where_it_ends`.
    look(moving, t): the touches there; a step that passes through one is halved as far as needed. Steps are checked
    where the start has a `check`.

    left: the work after which the march is put aside, wherever it is; the targets ahead then have the code UNFINISHED.
    work(before, after): what a step with these caches took.
    """
    shortest = 0.5**cuts
    # What contacts remember is long: native code branches and copies it.
    chosen = _either if look is not None and for_scalars() else _chosen
    unseen: Any = ()
    if look is not None:
        like = jax.eval_shape(look, start, step)
        unseen = _Seen(jnp.asarray(False), jax.tree.map(lambda own: jnp.zeros(own.shape, own.dtype), like))

    # Place and part are in steps: sums of powers of two, so that they are exact.
    def proceed(now: _Marched, t: Array, h: Array, manner: _Manner) -> _Marched:
        here = now.stretch
        known = jnp.asarray(True) if look is None else here.seen.known
        part, touched, begin = jnp.minimum(here.part, manner.most), here.touched, t + here.place * h
        if look is not None:
            before = here.seen.touches
            most = _power_of_two(manner.resolved * jnp.min(before.within, initial=jnp.inf) / h)
            touched = touched | (most < part)
            part = jnp.minimum(part, jnp.maximum(most, _FINEST))
        length = jnp.where(here.missing, 1.0 - MISS, 1.0) * part * h

        def step() -> tuple[StepState, Any, Array]:
            moved, cache, code = advance(here.moving, now.cache, begin, length)
            return moved, cache, code.astype(jnp.int32)

        def none() -> tuple[StepState, Any, Array]:
            return here.moving, now.cache, jnp.asarray(ResultCode.SUCCESS, jnp.int32)

        # Where a march begins, a turn only looks: so that what looks is compiled once.
        moved, cache, code = step() if look is None else jax.lax.cond(known, step, none)
        found = code == ResultCode.SUCCESS
        good, last, shorter = found, part <= shortest, 0.5 * part
        stopped, seen_next = jnp.asarray(False), here.seen
        if look is not None:
            # Before a touch a step may have no end: with a damper it does not get there, without it does. One that ends
            # well before it has.
            reach = jnp.min(before.reach, initial=jnp.inf)
            last = part <= jnp.where(reach <= length, _LANDING, shortest)
            shorter = jnp.minimum(shorter, jnp.maximum(_power_of_two(reach / h), _LANDING))
            after = look(moved, jnp.where(known, begin + length, begin))
            passed = (before.passed(after, length) | before.left(after, length)) & (part > _LANDING)
            passed = passed | (before.slipped(after) & (part > _SLIPPING))
            touched = touched | (found & (passed | before.switched(after)))
            stopped = known & found & ~passed & touched & manner.stops & here.between_steps
            good = known & found & ~passed & ~stopped
            touched = jnp.where(known, touched, here.touched)
            seen_next = _Seen(jnp.asarray(True), chosen(good | ~known, after, before))
        missing = jnp.where(known, ~found & last & (cuts > 0), here.missing)
        hopeless = ~found & last & (here.missing | (cuts == 0))
        # A step does not change the last check; not to choose between two copies of it at every step saves time.
        check, moved = here.moving.check, moved._replace(check=())
        kept = chosen(good, moved, here.moving._replace(check=()))
        there, yes = kept, jnp.asarray(True)
        if chosen is _either:
            kept = jax.lax.cond(hopeless, lambda: where_it_ends(yes, there, moved, begin, length), lambda: there)
        else:
            kept = where_it_ends(hopeless, there, moved, begin, length)
        kept = kept._replace(check=check)
        place = jnp.where(good, here.place + part, here.place)
        pairs = place / (2.0 * part)
        whole = jnp.where((part < 1.0) & (pairs == jnp.ceil(pairs)), 2.0 * part, part)
        code = jnp.where(hopeless, code, ResultCode.SUCCESS).astype(jnp.int32)
        shorter = jnp.where(found, 0.5 * part, shorter)
        part = jnp.where(good, whole, jnp.where(stopped | ~known, here.part, jnp.where(missing, part, shorter)))
        ends = good & (place == jnp.ceil(place))
        finest = jnp.where(found, here.finest, jnp.minimum(here.finest, jnp.maximum(part, shortest)))
        touches = here.touches + (ends & touched)
        ahead = _Stretch(place, part, kept, touched & ~ends, touches, finest, missing, seen_next)
        spent = jnp.where(known, work(now.cache, cache), 0)
        return _Marched(ahead, cache, code, now.steps + good, now.left - spent)

    def marched(now: _Marched, t: Array, h: Array, end: Array, manner: _Manner) -> _Marched:
        def going(now: _Marched) -> Array:
            on_its_way = (now.stretch.place < end) & ~_stopped(now.stretch, manner)
            return on_its_way & (now.code == ResultCode.SUCCESS) & (now.left > 0)

        return jax.lax.while_loop(going, lambda now: proceed(now, t, h, manner), now)

    checks = bool(start.check)

    def to_target(carry: tuple[_Marched, Any, Any, Array], target: Array):
        now, turn, half_cache, t = carry
        gap = target - t
        # Round-off in the targets must not cost an extra, tiny step.
        count = jnp.ceil(gap / step * (1.0 - 1e-9))
        h = gap / jnp.maximum(count, 1.0)
        if checks:
            now, turn, half_cache = _checked(marched, now, turn, half_cache, t, h, count)
        else:
            now = marched(now, t, h, count, _Manner(jnp.asarray(False), jnp.ones(()), jnp.ones(())))
        arrived = (now.stretch.place >= count) & (now.code == ResultCode.SUCCESS)
        if checks:
            arrived = arrived & (turn.kind != _HALVES)
            first = _first_turn(now.stretch.moving)._replace(halves=turn.halves)  # which nobody looks at
            turn = _either(arrived, first, turn)
        shown = (now.stretch.moving, code_of(now.code, arrived))
        now = now._replace(stretch=_chosen(arrived, _begun(now.stretch.moving, now.stretch.seen), now.stretch))
        return (now, turn, half_cache, jnp.where(arrived, target, t)), shown

    stretch = _Stretch(now.place, now.part, start, now.touched, now.touches, now.finest, now.missing, unseen)
    if checks:
        now = now._replace(turn=_with_seen(now.turn, unseen))
    first = _Marched(stretch, caches[0], jnp.int32(ResultCode.SUCCESS), jnp.int32(0), left)
    (last, turn, half_cache, t), (states, codes) = jax.lax.scan(to_target, (first, now.turn, caches[1], now.t), targets)
    ahead = _put_aside(last.stretch, t, turn)
    return MarchResult(states, codes, last.steps, ahead, (last.cache, half_cache), last.left)


def _power_of_two(part: Array) -> Array:
    """The largest power of two that is no larger than a part of a step, but for rounding, from 1 down to 2^-40. XLA's
    exp2 is a little off, and parts that are would never again add up to whole ones; so are quotients of logarithms.
    JAX's log2 is a primitive in some versions alone."""
    scale = 2.0**40
    power = jnp.floor(jnp.log(jnp.clip(part, 1.0 / scale, 1.0)) / math.log(2.0) + 1e-12)
    return jnp.floor(jnp.exp2(power) * scale + 0.5) / scale


def _stopped(stretch: _Stretch, manner: _Manner) -> Array:
    """Whether a march has ended before a step with a touch."""
    return manner.stops & stretch.touched & stretch.between_steps


def code_of(code: Array, arrived: Array) -> Array:
    """The code of a target: that of the march where it failed, and UNFINISHED where it was put aside before."""
    reached = jnp.where(arrived, ResultCode.SUCCESS, UNFINISHED)
    return jnp.where(code == ResultCode.SUCCESS, reached, code).astype(jnp.int32)


_UNCHECKED, _WHOLE, _HALVES = 0, 1, 2


class _Turn(NamedTuple):
    """One of three stretches that take turns: steps up to the next that is checked, that step as a whole, and from
    where it began its two halves, which have a cache of their own.

    begin: place of the march when the turn began; steps: how many it is to take; touched: whether a step before it had
    a touch; finest: the shortest part to which failures there have led; halves: where those are."""

    kind: Array
    begin: Array
    touched: Array
    finest: Array
    steps: Array
    halves: _Stretch


def _first_turn(moving: StepState) -> _Turn:
    halves = _begun(moving._replace(check=()))
    no, one = jnp.asarray(False), jnp.ones(())
    return _Turn(jnp.int32(_UNCHECKED), jnp.zeros(()), no, one, moving.check.steps_left, halves)


def _with_seen(turn: _Turn, seen: Any) -> _Turn:
    """A turn with other touches where its halves are: none while it is put aside."""
    return turn._replace(halves=turn.halves._replace(seen=seen))


def _checked(
    marched: Callable[..., _Marched], now: _Marched, turn: _Turn, half_cache: Any, t: Array, h: Array, count: Array
) -> tuple[_Marched, _Turn, Any]:
    """The march of `count` steps, those that are due taken twice. All turns share one loop of steps, so that the
    equations are compiled once."""

    def take_turn(carry: tuple[_Marched, _Turn, Any]) -> tuple[_Marched, _Turn, Any]:
        now, turn, half_cache = carry
        main, check = now.stretch, now.stretch.moving.check
        whole, halves = turn.kind == _WHOLE, turn.kind == _HALVES
        begun = turn.halves._replace(moving=turn.halves.moving._replace(check=check))
        source = now._replace(stretch=_either(halves, begun, main), cache=_either(halves, half_cache, now.cache))
        end = jnp.where(halves, 2.0, jnp.minimum(count, turn.begin + turn.steps))
        stops = (turn.kind == _UNCHECKED) & check.may_be_special
        # Halves of a step that failed are cut as far as it was: else both would be the same.
        manner = _Manner(stops, jnp.where(halves, 0.5, 1.0), jnp.where(halves, turn.finest, 1.0))
        low = jnp.where(halves, t + (main.place - 1.0) * h, t)
        done = marched(source, low, jnp.where(halves, 0.5 * h, h), end, manner)
        reached = (done.stretch.place >= end) | _stopped(done.stretch, manner)
        complete = reached | (done.code != ResultCode.SUCCESS)
        trusted = halves & (done.code == ResultCode.SUCCESS)
        compared = check.compared(main.moving, done.stretch.moving, h, t, trusted, turn.touched)
        later = check.later(done.stretch.place - turn.begin, done.stretch.touches)
        check = _either(complete, _either(halves, compared, later), check)
        kept = _either(halves, main, done.stretch)
        untouched = kept._replace(touched=jnp.asarray(False), touches=jnp.zeros(()), finest=jnp.ones(()))
        kept = _either(complete, untouched, kept)
        kept = kept._replace(moving=kept.moving._replace(check=check))
        ahead = _Marched(
            kept,
            _either(halves, now.cache, done.cache),
            jnp.where(halves, now.code, done.code),
            jnp.where(halves, now.steps, done.steps),
            done.left,
        )
        following = jnp.where(halves, _UNCHECKED, jnp.where(whole, _HALVES, _WHOLE)).astype(jnp.int32)
        # A step that is checked begins where the unchecked ones end; its halves come later.
        begins = _begun(kept.moving._replace(check=()), kept.seen)
        in_parts = done.stretch._replace(moving=done.stretch.moving._replace(check=()))
        parts = _either(halves, in_parts, _either(complete & ~whole, begins, turn.halves))
        steps = jnp.where(following == _WHOLE, 1.0, check.steps_left)
        next_turn = _Turn(following, kept.place, done.stretch.touches > 0.0, done.stretch.finest, steps, parts)
        same_turn = turn._replace(halves=parts)
        return ahead, _either(complete, next_turn, same_turn), _either(halves, done.cache, half_cache)

    def unfinished(carry: tuple[_Marched, _Turn, Any]) -> Array:
        now, turn, _ = carry
        going = (now.stretch.place < count) | (turn.kind == _HALVES)
        return going & (now.code == ResultCode.SUCCESS) & (now.left > 0)

    return jax.lax.while_loop(unfinished, take_turn, (now, turn, half_cache))


def _chosen(first: Array, one: Any, other: Any) -> Any:
    return jax.tree.map(lambda x, y: x if x is y else jnp.where(first, x, y), one, other)


def _either(first: Array, one: Any, other: Any) -> Any:
    """One of two states. Native code branches and copies, where it would write out a choice for each number; that
    counts where it is made for every sample of a run. Native code has no branch for a choice of nothing (explicit
    steps keep nothing from step to step)."""
    return jax.lax.cond(first, lambda: one, lambda: other) if jax.tree.leaves(one) else one


def where_it_ends(failed: Array, kept: StepState, trial: StepState, t: Array, h: Array) -> StepState:
    """What a run leaves that has failed in its shortest step: the end of that step as it was last tried (if that is
    finite), with the time at which it begins and its length. It is no sample; it tells what is out of balance."""
    last = jax.tree.map(lambda new, old: jnp.where(failed & finite(trial), new, old), trial, kept)
    return last._replace(step=jnp.where(failed, h, last.step), time=jnp.where(failed, t, last.time))
