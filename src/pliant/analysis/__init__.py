"""Questions asked of a robot at rest: equilibrium, paths, assembly, modes, linearisation, inverse kinematics."""

from pliant.analysis._assembly import CLOSED, Mobility, assemble, mobility
from pliant.analysis._equilibrium import equilibrium, equilibrium_path, quasi_static
from pliant.analysis._inverse_kinematics import InverseKinematics, inverse_kinematics
from pliant.analysis._linearise import Linearisation, linearise
from pliant.analysis._modal_problem import Operators, Vibration, modes_from
from pliant.analysis._modes import modes
from pliant.analysis._path import ArcLength
from pliant.analysis._provenance import description_hash, record
from pliant.analysis._rounding import unknown_sizes
from pliant.analysis._statics import conditioned, equilibrium_configuration, force_scale, force_weight, scale_by
from pliant.analysis._switch import without_loads

__all__ = [
    "CLOSED",
    "ArcLength",
    "InverseKinematics",
    "Linearisation",
    "Mobility",
    "Operators",
    "Vibration",
    "assemble",
    "conditioned",
    "description_hash",
    "equilibrium",
    "equilibrium_configuration",
    "equilibrium_path",
    "force_scale",
    "force_weight",
    "inverse_kinematics",
    "linearise",
    "mobility",
    "modes",
    "modes_from",
    "quasi_static",
    "record",
    "scale_by",
    "unknown_sizes",
    "without_loads",
]
