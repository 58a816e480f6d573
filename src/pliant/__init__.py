"""Pliant: model, simulate and control hybrid rigid-soft robots.

    import pliant

    model = pliant.compile("arm.yaml")
    rest = pliant.equilibrium(model)
    motion = pliant.simulate(model, until=2.0)

Names are loaded when first used, so that `import pliant` is quick and needs only what is asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

_HOME = {
    "_jax": ("configure",),
    "description": ("Robot", "RobotFileError", "load", "parse"),
    "interactions": ("Force",),
    "model": ("Model", "State", "compile", "load_model"),
    "numerics": ("ResultCode", "SolveError", "UserBasis"),
    "results": ("load_result",),
    "dynamics": (
        "actuation_matrix",
        "bias",
        "damping_matrix",
        "energy",
        "forward_dynamics",
        "forward_kinematics",
        "inverse_dynamics",
        "jacobian",
        "jacobian_rate",
        "mass_matrix",
        "residual",
        "stiffness_matrix",
        "twist",
    ),
    "analysis": (
        "ArcLength",
        "assemble",
        "equilibrium",
        "equilibrium_path",
        "inverse_kinematics",
        "linearise",
        "mobility",
        "modes",
        "quasi_static",
    ),
    "simulation": ("NativeModel", "Stepper", "compile_native", "simulate"),
    "optimisation": ("identify",),
}
_FOLDER_OF = {name: folder for folder, names in _HOME.items() for name in names}
_FOLDERS = ("library", "pure", "results", "tmt", "view")

__all__ = sorted([*_FOLDER_OF, *_FOLDERS])

if TYPE_CHECKING:
    from pliant._jax import configure
    from pliant.analysis import (
        ArcLength,
        assemble,
        equilibrium,
        equilibrium_path,
        inverse_kinematics,
        linearise,
        mobility,
        modes,
        quasi_static,
    )
    from pliant.description import Robot, RobotFileError, load, parse
    from pliant.dynamics import (
        actuation_matrix,
        bias,
        damping_matrix,
        energy,
        forward_dynamics,
        forward_kinematics,
        inverse_dynamics,
        jacobian,
        jacobian_rate,
        mass_matrix,
        residual,
        stiffness_matrix,
        twist,
    )
    from pliant.interactions import Force
    from pliant.model import Model, State, compile, load_model
    from pliant.numerics import ResultCode, SolveError, UserBasis
    from pliant.optimisation import identify
    from pliant.results import load_result
    from pliant.simulation import NativeModel, Stepper, compile_native, simulate


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return importlib.import_module(f"pliant.{name}")
    if name in _FOLDER_OF:
        return getattr(importlib.import_module(f"pliant.{_FOLDER_OF[name]}"), name)
    raise AttributeError(f"module 'pliant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
