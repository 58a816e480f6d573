"""Motion in time: explicit and implicit steppers in jitted chunks driven from the host."""

from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._rollout import Rollout, rollout
from pliant.simulation._simulate import STEPPERS, simulate

__all__ = ["STEPPERS", "InputSet", "Rollout", "make_inputs", "rollout", "simulate"]
