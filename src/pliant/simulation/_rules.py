"""Implicit rules of one step: how position and velocity at its end follow from the acceleration there."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array


class Numbers(NamedTuple):
    """Coefficients of generalised-alpha; Newmark's method is alpha_m = alpha_f = 0."""

    beta: Array
    gamma: Array
    alpha_m: Array
    alpha_f: Array


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

    def span(self, h: Array) -> Array:
        """What a change of the rate does to the position [s^2]."""
        return h * h * self.beta * self.share


def make_rule(numbers: Numbers, average: Array, rate: Array) -> Rule:
    """average, rate (nv,): a and the acceleration at the start of the step."""
    left = 1.0 - numbers.alpha_m
    carried = (numbers.alpha_f * rate - numbers.alpha_m * average) / left
    return Rule(average, carried, (1.0 - numbers.alpha_f) / left, numbers.beta, numbers.gamma)


def backward_euler(nv: int) -> Rule:
    """Of first order; it forgets how the step began."""
    nothing, one = jnp.zeros(nv), jnp.asarray(1.0)
    return Rule(nothing, nothing, one, one, one)


def generalised_alpha(radius: float) -> tuple[float, float, float, float]:
    """beta, gamma, alpha_m, alpha_f of second order whose fastest modes decay by `radius` with every step (Chung and
    Hulbert, 1993)."""
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)
    return 0.25 * (1.0 - alpha_m + alpha_f) ** 2, 0.5 - alpha_m + alpha_f, alpha_m, alpha_f
