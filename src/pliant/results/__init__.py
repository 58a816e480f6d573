"""Results: frozen pytrees that pass through jit, vmap and grad, and labelled files on the host side.

Every result has ``frame(name)``, ``position(name)``, ``summary()``, ``to_xarray()`` and ``save(path)``;
``load_result(path)`` gives the same result back.
"""

from pliant.results._equilibrium import Equilibrium, LoadPath, QuasiStatic
from pliant.results._file import ResultFileError, load_result
from pliant.results._forces import Forces
from pliant.results._modes import Modes
from pliant.results._provenance import provenance
from pliant.results._result import Result
from pliant.results._scene import Names, Scene, Shape, rod_of
from pliant.results._stability import PointKind, Stability
from pliant.results._trajectory import Trajectory
from pliant.results._units import readable

__all__ = [
    "Equilibrium",
    "Forces",
    "LoadPath",
    "Modes",
    "Names",
    "PointKind",
    "QuasiStatic",
    "Result",
    "ResultFileError",
    "Scene",
    "Shape",
    "Stability",
    "Trajectory",
    "load_result",
    "provenance",
    "readable",
    "rod_of",
]
