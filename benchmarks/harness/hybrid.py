"""The suite `hybrid`: a whole robot with every kind of part, and how cost grows with links."""

from harness.parts import MEMORY, case, chain_exponent, chains
from harness.suite import Suite

STAGES = 6

_ARM = (
    ("time", "s", "equilibrium from the straight pose, compiled"),
    ("compile", "s", "its first call less a later one, nothing compiled yet"),
    ("stages", "s", "the six stages of actuation one after the other"),
    ("iterations", "1", "Newton iterations of the equilibrium"),
    ("residual", "1", "largest relative residual of the stages"),
    ("open_loop", "m", "largest gap of a closed loop in the stages (or rad)"),
    ("links", "1", "links"),
    ("freedoms", "1", "degrees of freedom"),
    ("inputs", "1", "numbers that drive it"),
    *((f"gap-{stage}", "m", f"distance of the fingertips at stage {stage}") for stage in range(1, STAGES + 1)),
    ("grip", "1", "that distance at the last stage over the one before"),
    MEMORY,
)

HYBRID = Suite(
    measurements=(case("hybrid-arm", "hybrid_arm", _ARM), *chains(5, 40)),
    derived=(chain_exponent(5, 40),),
)
