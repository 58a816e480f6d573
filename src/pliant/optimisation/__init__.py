"""Numbers of a robot found from what is wanted of it: identification from measurements."""

from pliant.optimisation._identification import Identification
from pliant.optimisation._identify import identify

__all__ = ["Identification", "identify"]
