"""Following equilibria along a number: a load factor, or time."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis._easing import carried_along, eased
from pliant.analysis._large import large_configuration
from pliant.analysis._stability import Verdict, verdict_at
from pliant.analysis._statics import (
    Easing,
    StaticSolution,
    eased_configuration,
    equilibrium_configuration,
    largest_turn,
)
from pliant.dynamics import (
    StaticReport,
    first_memory,
    impossible_shape,
    is_large,
    motion_names,
    multiplier_count,
    remembered_at_rest,
    static_report,
    turn_of,
)
from pliant.model import Model, own_coordinates, own_numbers, prepare
from pliant.numerics import ResultCode

LARGEST_TURN = 0.5  # rad: of a driven joint in one increment
_LARGEST_ROD_TURN = 1.0  # rad: of a rod between two of its nodes in one increment; more and it may coil up
CAREFUL_ROD_TURN = 0.1  # rad: the same, where an equilibrium was found that is not stable
_COILING = 2.0**-24  # of the smallest increment: what is tried before a rod that turns so much is given up
_LOOKS = 16  # at the programmes between two stops
_EASY_ITERATIONS = 6  # an increment that needs no more lets the next one double

Inputs = Mapping[str, Array]
Loading = Callable[[float], tuple[float, Inputs | None, float]]


@jax.jit
def _turn(model: Model, change: Array) -> Array:
    return largest_turn(model, prepare(model.structure, model.parameters), change)


class LoadStepping:
    """Follows equilibria along a number (load factor, time), shortening the increment when Newton fails, or when a rod
    turns so much in it that it may have jumped to another equilibrium.

    loading(number) gives time, inputs and load factor of the equations there. memory: what interactions remember at the
    start; they are asked again after every increment that is accepted, so what they do may depend on the increments.
    """

    def __init__(
        self, model: Model, q: Array, loading: Loading, at: float, memory: Any = None,
        largest_rod_turn: float = _LARGEST_ROD_TURN,
    ) -> None:  # fmt: skip
        self.model, self.q, self.loading, self.at = model, q, loading, at
        self.largest_rod_turn = largest_rod_turn
        self.memory = memory or first_memory(model.structure)
        self.multipliers = jnp.zeros(multiplier_count(model))
        self.iterations = self.steps = 0
        self.coiled: StaticSolution | None = None
        self.impossible: str | None = None  # what is wrong with the configuration of the last increment, in words
        self.last: StaticSolution | None = None

    @property
    def solution(self) -> StaticSolution:
        """The last converged solution, or the failed one when none converged."""
        if self.last is None:
            raise RuntimeError("the path has not been started")
        return self.last

    @property
    def _memory_argument(self) -> tuple[Any, ...]:
        # Left out where nothing is remembered: the program is then the one that other callers have compiled.
        return (self.memory,) if self.memory else ()

    def _longest(self, target: float) -> float:
        """Longest increment on the way to the target."""
        if not motion_names(self.model.structure):
            return np.inf
        numbers = np.linspace(self.at, target, _LOOKS + 1)
        inputs = [self.loading(float(number))[1] or {} for number in numbers]
        steepest = max(turn_of(self.model, before, after) for before, after in pairwise(inputs))
        return np.inf if steepest == 0.0 else LARGEST_TURN / (steepest * _LOOKS) * max(abs(target - self.at), 1e-300)

    def report(self) -> StaticReport:
        """Where the robot is and what it carries at the last converged number."""
        t, inputs, factor = self.loading(self.at)
        return static_report(self.model, self.q, self.multipliers, t, inputs, factor, *self._memory_argument)

    def verdict(self) -> Verdict:
        """What becomes of small motions about the last converged solution."""
        t, inputs, _ = self.loading(self.at)
        return verdict_at(self.model, self.solution, t, inputs, self.memory or None)

    def _solved(self, t: float, inputs: Inputs | None, factor: float, carries: bool) -> StaticSolution:
        if is_large(self.model.structure):
            q, multipliers, norm, iterations, code, tangent = large_configuration(
                self.model, self.q, t, inputs, factor, self.multipliers, *self._memory_argument
            )
            memory = remembered_at_rest(self.model, q, t, inputs, factor, self.memory) if self.memory else ()
            return StaticSolution(
                q, multipliers, jnp.asarray(norm), jnp.asarray(iterations), jnp.asarray(int(code)), tangent, 0.0, memory
            )
        if not self.model.structure.softens:
            return self._found(self.q, self.multipliers, None, t, inputs, factor)

        def find(q: Array, multipliers: Array, easing: Easing | None) -> StaticSolution:
            return self._found(q, multipliers, easing, t, inputs, factor)

        found = eased(self.model, self.q, self.multipliers, find)
        if carries and int(found.code) != ResultCode.SUCCESS:
            there = carried_along(self.model, self.q, t, inputs)
            found = found if there is None else eased(self.model, there, self.multipliers, find)
        # By how much a rod turned on all of the way.
        return found._replace(turn=_turn(self.model, found.q - self.q))

    def _found(
        self, q: Array, multipliers: Array, easing: Easing | None, t: float, inputs: Inputs | None, factor: float
    ) -> StaticSolution:
        if easing is None:
            return equilibrium_configuration(self.model, q, t, inputs, factor, multipliers, *self._memory_argument)
        number, share = (jnp.asarray(value, dtype=jnp.float64) for value in (t, factor))
        return eased_configuration(self.model, q, number, inputs, share, multipliers, self.memory or None, easing)

    def coiled_rod(self) -> str | None:
        """A sentence about the rod that the last increment, which failed, would have coiled up; None: it was another
        reason."""
        if self.coiled is None:
            return None
        model, change = self.model, self.coiled.q - self.q
        prepared = prepare(model.structure, model.parameters)
        turns: dict[str, float] = {}
        for member in model.structure.members:
            numbers = own_numbers(model.structure, prepared.elements, member)
            turns[member.link] = float(member.element.largest_turn(numbers, own_coordinates(member, change)))
        link = max(turns, key=lambda name: turns[name])
        return (
            f"The last increment would turn rod {link!r} by {turns[link]:.3g} rad between two of its points: it is too "
            "soft for its load. Check its radius and Young's modulus, or give it more pieces"
        )

    def advance(self, target: float, increment: float, smallest: float) -> ResultCode:
        """Move to the target; on failure stay at the last number that converged. No increment turns a driven joint by
        more than Newton can be trusted to follow: a mechanism has more than one way to close."""
        direction = np.sign(target - self.at) or 1.0
        longest = self._longest(target)
        carries = False  # along with its driven joints: where even the smallest increment fails without
        while self.last is None or self.at != target:
            remaining = abs(target - self.at)
            increment = min(increment, longest)
            at = target if increment >= remaining * (1.0 - 1e-12) else float(self.at + direction * increment)
            t, inputs, factor = self.loading(at)
            found = self._solved(t, inputs, factor, carries)
            self.iterations += int(found.iterations)
            code = ResultCode(int(found.code))
            self.coiled = found if float(found.turn) > self.largest_rod_turn else None
            self.impossible = impossible_shape(self.model, found.q) if code is ResultCode.SUCCESS else None
            if (self.coiled is not None or self.impossible) and code is ResultCode.SUCCESS:
                code = ResultCode.NOT_CONVERGED
            if code is ResultCode.SUCCESS:
                self.q, self.multipliers, self.at, self.last = found.q, found.multipliers, at, found
                self.memory = found.memory
                self.steps += 1
                if carries or int(found.iterations) <= _EASY_ITERATIONS:
                    increment *= 2.0
            elif increment <= smallest and not carries and self.model.structure.softens and self.coiled is None:
                carries = True
            elif increment <= smallest * (1.0 if self.coiled is None else _COILING):
                self.last = self.last or found
                return code
            else:
                increment = 0.5 * min(increment, remaining)
        return ResultCode.SUCCESS
