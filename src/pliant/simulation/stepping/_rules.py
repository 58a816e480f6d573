"""Implicit rules of one step: how position and velocity at its end follow from the acceleration there."""

import math
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array


class Coefficients(NamedTuple):
    """Coefficients of generalised-alpha (Newmark's method is alpha_m = alpha_f = 0), and the residual that is small
    enough, relative to the forces that have to balance."""

    beta: Array
    gamma: Array
    alpha_m: Array
    alpha_f: Array
    tolerance: Array


class Rule(NamedTuple):
    """One step of length h from q, v:

    a+ = share rate + carried, q+ = q exp(h v + h^2 ((1/2 - beta) a + beta a+)), v+ = v + h ((1 - gamma) a + gamma a+),
    where `rate` (nv,) is the acceleration at the end of the step and a, a+ are averages of accelerations near its start
    and end (Arnold and Bruels, 2007). With Newmark's method a+ is the rate itself.
    """

    a: Array
    carried: Array
    share: Array
    beta: Array
    gamma: Array

    def ahead(self, rate: Array) -> Array:
        return self.share * rate + self.carried

    def displacement(self, rate: Array, v: Array, h: Array) -> Array:
        return h * v + h * h * ((0.5 - self.beta) * self.a + self.beta * self.ahead(rate))

    def velocity(self, rate: Array, v: Array, h: Array) -> Array:
        return v + h * ((1.0 - self.gamma) * self.a + self.gamma * self.ahead(rate))

    def standing(self) -> Array:
        """The rate with which the robot goes on at its velocity."""
        return (self.a * (1.0 - 0.5 / self.beta) - self.carried) / self.share

    def stopping(self, v: Array, h: Array) -> Array:
        """The rate with which the velocity v is zero at the end of the step."""
        return (-(v / h + (1.0 - self.gamma) * self.a) / self.gamma - self.carried) / self.share

    def span(self, h: Array) -> Array:
        """What a change of the rate does to the position [s^2]."""
        return h * h * self.beta * self.share


def make_rule(numbers: Coefficients, average: Array, rate: Array) -> Rule:
    """average, rate (nv,): a and the acceleration at the start of the step."""
    left = 1.0 - numbers.alpha_m
    carried = (numbers.alpha_f * rate - numbers.alpha_m * average) / left
    return Rule(average, carried, (1.0 - numbers.alpha_f) / left, numbers.beta, numbers.gamma)


# Share of a step after which a restart looks at the acceleration: 1 - 1/sqrt(2), of an L-stable method of second
# order whose two stages have the same matrix (Alexander, 1977).
RESTART = 1.0 - math.sqrt(0.5)
NEWTON_TOLERANCE = 1e-9
# Steps. The acceleration at the end of the first is still that of the jump (Rannacher, 1984); after two, that of a
# stiff spring is still large enough to be felt by generalised-alpha, which carries it on.
RESTARTS = 3


def restart_stages(nv: int, first: Array) -> tuple[Rule, Rule]:
    """A step that forgets the acceleration at its start, in two stages: backward Euler's over RESTART of the step gives
    an acceleration `first` (nv,), with which the second goes from the start to the end of the step."""
    nothing, one = jnp.zeros(nv), jnp.asarray(1.0)
    share = jnp.asarray(RESTART)
    return Rule(nothing, nothing, one, one, one), Rule(first, nothing, one, share**2, share)


def choose_rule(first: Array, one: Rule, other: Rule) -> Rule:
    """`one` where `first` is true."""
    return Rule(*(jnp.where(first, x, y) for x, y in zip(one, other, strict=True)))


def generalised_alpha(radius: float) -> tuple[float, float, float, float]:
    """beta, gamma, alpha_m, alpha_f of second order whose fastest modes decay by `radius` with every step (Chung and
    Hulbert, 1993)."""
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    return 0.25 * (1.0 - alpha_m + alpha_f) ** 2, 0.5 - alpha_m + alpha_f, alpha_m, alpha_f


def coefficients_of(
    kind: str, spectral_radius: float, tolerance: float = NEWTON_TOLERANCE, beta: float = 0.25, gamma: float = 0.5
) -> Coefficients:
    """Coefficients of "newmark" (by default of average acceleration) or "generalised-alpha"."""
    own = (beta, gamma, 0.0, 0.0) if kind != "generalised-alpha" else generalised_alpha(spectral_radius)
    return Coefficients(*(np.asarray(x) for x in (*own, tolerance)))  # type: ignore[arg-type]
