"""Motion in time: explicit and implicit steppers in jitted chunks driven from the host."""

from pliant.simulation._checks import STEPPERS
from pliant.simulation._clock import Clock
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._rollout import Rollout, rollout
from pliant.simulation._simulate import simulate

__all__ = ["STEPPERS", "Clock", "InputSet", "Rollout", "make_inputs", "rollout", "simulate"]
