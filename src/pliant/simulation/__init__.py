"""Motion in time: explicit and implicit steppers in chunks driven from the host, by JAX or as native code."""

from pliant.simulation._accuracy import ACCURACY, InaccurateWarning
from pliant.simulation._checks import BACKENDS, STEPPERS
from pliant.simulation._clock import Clock
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._rollout import Rollout, rollout
from pliant.simulation._simulate import simulate
from pliant.simulation._stepper import Stepper
from pliant.simulation.native_code._export_c import ExportedC, export_c
from pliant.simulation.native_code._formulas import casadi_function, equations
from pliant.simulation.native_code._native_model import NativeModel, compile_native, native_functions
from pliant.simulation.native_code._native_timing import TIMED, NativeTiming, time_native
from pliant.simulation.stepping._flow import StepState

__all__ = [
    "ACCURACY",
    "BACKENDS",
    "STEPPERS",
    "TIMED",
    "Clock",
    "ExportedC",
    "InaccurateWarning",
    "InputSet",
    "NativeModel",
    "NativeTiming",
    "Rollout",
    "StepState",
    "Stepper",
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
