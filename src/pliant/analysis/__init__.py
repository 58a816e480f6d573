"""Questions asked of a robot at rest: equilibrium, paths, assembly, modes, linearisation, inverse kinematics."""

from pliant.analysis._assembly import CLOSED, Mobility, assemble, mobility
from pliant.analysis._cog_fit import TERMS as COG_TERMS
from pliant.analysis._cog_fit import CogFit, cog_fit, cog_samples
from pliant.analysis._equilibrium import equilibrium, load_path, quasi_static
from pliant.analysis._inverse_kinematics import InverseKinematics, inverse_kinematics
from pliant.analysis._linearise import Linearisation, linearise
from pliant.analysis._modal_problem import Operators, Vibration, modes_from
from pliant.analysis._modes import modes
from pliant.analysis._modulus_map import ModulusMap, modulus_map
from pliant.analysis._provenance import description_hash, record
from pliant.analysis._quasi_static_arm import ArmShape, QuasiStaticArm, arm_about, arm_shape, solve_arm
from pliant.analysis._quasi_static_loads import PointLoad
from pliant.analysis._quasi_static_segment import ArmSegment, RigidPiece, chamber_pairs
from pliant.analysis._statics import conditioned, equilibrium_configuration, force_scale, force_weight, scale_by
from pliant.analysis._switch import without_loads

__all__ = [
    "CLOSED",
    "COG_TERMS",
    "ArmSegment",
    "ArmShape",
    "CogFit",
    "InverseKinematics",
    "Linearisation",
    "Mobility",
    "ModulusMap",
    "Operators",
    "PointLoad",
    "QuasiStaticArm",
    "RigidPiece",
    "Vibration",
    "arm_about",
    "arm_shape",
    "assemble",
    "chamber_pairs",
    "cog_fit",
    "cog_samples",
    "conditioned",
    "description_hash",
    "equilibrium",
    "equilibrium_configuration",
    "force_scale",
    "force_weight",
    "inverse_kinematics",
    "linearise",
    "load_path",
    "mobility",
    "modes",
    "modes_from",
    "modulus_map",
    "quasi_static",
    "record",
    "scale_by",
    "solve_arm",
    "without_loads",
]
