"""Questions asked of a robot at rest: equilibrium, load paths, modes, linearisation."""

from pliant.analysis._linearise import Linearisation, linearise
from pliant.analysis._modes import modes
from pliant.analysis._provenance import record
from pliant.analysis._statics import equilibrium, equilibrium_configuration, force_scale, load_path
from pliant.analysis._switch import without_loads

__all__ = [
    "Linearisation",
    "equilibrium",
    "equilibrium_configuration",
    "force_scale",
    "linearise",
    "load_path",
    "modes",
    "record",
    "without_loads",
]
