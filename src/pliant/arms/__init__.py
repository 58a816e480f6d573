"""Soft arms by models of their own: the quasi-static arm, its loads, the map of its moduli, the fit of CoG sections."""

from pliant.arms._cog_fit import TERMS as COG_TERMS
from pliant.arms._cog_fit import CogFit, cog_fit, cog_samples
from pliant.arms._modulus_map import ModulusMap, modulus_map
from pliant.arms._quasi_static_arm import ArmShape, QuasiStaticArm, arm_about, arm_shape, solve_arm
from pliant.arms._quasi_static_loads import ArmLoad
from pliant.arms._quasi_static_segment import ArmSegment, RigidPiece, chamber_pairs

__all__ = [
    "COG_TERMS",
    "ArmLoad",
    "ArmSegment",
    "ArmShape",
    "CogFit",
    "ModulusMap",
    "QuasiStaticArm",
    "RigidPiece",
    "arm_about",
    "arm_shape",
    "chamber_pairs",
    "cog_fit",
    "cog_samples",
    "modulus_map",
    "solve_arm",
]
