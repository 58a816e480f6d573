"""Motion in time: explicit and implicit steppers in chunks driven from the host, by JAX or as native code."""

from pliant.simulation._checks import BACKENDS, STEPPERS
from pliant.simulation._clock import Clock
from pliant.simulation._export_c import ExportedC, export_c
from pliant.simulation._formulas import casadi_function, equations
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._native_model import NativeModel, compile_native, native_functions
from pliant.simulation._native_timing import TIMED, NativeTiming, time_native
from pliant.simulation._rollout import Rollout, rollout
from pliant.simulation._simulate import simulate

__all__ = [
    "BACKENDS",
    "STEPPERS",
    "TIMED",
    "Clock",
    "ExportedC",
    "InputSet",
    "NativeModel",
    "NativeTiming",
    "Rollout",
    "casadi_function",
    "compile_native",
    "equations",
    "export_c",
    "make_inputs",
    "native_functions",
    "rollout",
    "simulate",
    "time_native",
]
