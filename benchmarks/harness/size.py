"""The suite `size`: how large the equations of the library's robots are. Its bars allow two per cent more than before
what acts on a robot had a contract."""

from harness.suite import Figure, Measurement, Suite

ROBOTS = (
    "cross-tool-planar", "cross-tool-spatial", "fin-ray", "flying-spaghetti", "four-bar", "hybrid-arm", "l-frame",
    "pendulum-rod", "silicone-arm", "six-cable-manipulator", "slider-crank", "sorosim-energy-beam",
    "sorosim-follower-beam", "stiff-flop", "three-section-arm", "ur-tentacle",
)  # fmt: skip
_FIGURES = (
    ("equations", "1", "equations of the residual's jaxpr"),
    ("inverse_dynamics", "1", "operations of native inverse dynamics"),
    ("forward_dynamics", "1", "operations of native forward dynamics"),
    ("compile", "s", "compiling the residual"),
)

SIZE = Suite(
    measurements=tuple(
        Measurement(
            robot,
            "cases.robot_size",
            (robot,),
            tuple(
                Figure(f"{robot}/{key}", unit, f"{meaning} of {robot}", f"{robot}/{key}")
                for key, unit, meaning in _FIGURES
            ),
        )
        for robot in ROBOTS
    )
)
