"""What an estimator needs of a robot: poses of markers at rest under a force, and how the unknowns move them."""

from typing import Any, NamedTuple, Protocol

from jax import Array

Carry = Any  # where the robot rests: whatever the next solve starts from


class Linearised(NamedTuple):
    """Markers at rest under a trial force.

    poses (m, 4, 4) in the world; rates (n, m, 4, 4): their derivatives by the unknowns; carry, carry_rates: where the
    robot rests and how that follows the unknowns; code: a ResultCode.
    """

    poses: Array
    rates: Array
    carry: Carry
    carry_rates: Any
    code: Array


class Forward(Protocol):
    """A differentiable map from unknowns (force [N] in world axes, and the fraction where it acts) to poses of markers.

    A pytree: one instance may be passed through jit.
    """

    @property
    def marker_count(self) -> int: ...
    @property
    def free_location(self) -> bool:
        """Whether the force may act at any fraction, unlike at a named frame."""
        ...

    @property
    def name(self) -> str: ...
    def checked(self, inputs: Any) -> Any:
        """The inputs as arrays, or an error that says what is wrong with them."""
        ...

    def at_rest(self, inputs: Any) -> Carry:
        """Where the robot rests without the force; on the host, with as much care as that takes."""
        ...

    def linearise(self, force: Array, location: Array, inputs: Any, carry: Carry, solve: bool) -> Linearised:
        """Derivatives are by the force and the location, n = 4. solve=False: one Newton step towards rest from where
        the robot was, instead of as many as it takes."""
        ...

    def moved(self, carry: Carry, carry_rates: Any, change: Array) -> Carry:
        """Where the robot rests after a small change (4,) of force and location."""
        ...
