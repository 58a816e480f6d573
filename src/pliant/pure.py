"""Pure twins of functions that work on the host: values in, values out, for jit, vmap and derivatives.

They raise nothing and choose nothing: a `code` says how a solve went, and has to be looked at.
"""

from pliant.analysis import equilibrium_configuration
from pliant.dynamics import checked
from pliant.dynamics import forces_at_rest as forces
from pliant.simulation import rollout as simulate

equilibrium = checked(equilibrium_configuration)

__all__ = ["equilibrium", "forces", "simulate"]
