"""What ties a robot down: closed loops, held directions, prescribed motions, coupled coordinates. One contract."""

from pliant.constraints._contract import Constraint, Rates
from pliant.constraints._couplings import CoordinateCouplings
from pliant.constraints._loop_kinds import LoopKind
from pliant.constraints._loops import Loops, loops
from pliant.constraints._prescribed_motions import PrescribedMotions, prescribed_motions

__all__ = [
    "Constraint",
    "CoordinateCouplings",
    "LoopKind",
    "Loops",
    "PrescribedMotions",
    "Rates",
    "loops",
    "prescribed_motions",
]
