"""The problems as Pliant robots."""

from typing import Any

import pliant
from harness import problems

# Turns local z to world x, x to y and y to z: the rod leaves along x and gravity bends it about its local y.
ALONG_X = {"rotate": {"axis": [1, 1, 1], "angle": "120 deg"}}
PLANAR = ["bend_y", "shear_x", "stretch"]


def cantilever(
    model: Any,
    *,
    rod: problems.Release = problems.RELEASED,
    allow: list[str] | None = None,
    viscosity: float = 0.0,
) -> pliant.Robot:
    return (
        pliant.Robot("cantilever")
        .with_gravity([0.0, -problems.GRAVITY, 0.0])
        .material(
            "silicone",
            young=rod.young,
            poisson=problems.POISSON,
            density=rod.density,
            viscosity=viscosity,
        )
        .rod(
            "arm",
            parent={"link": "world", "offset": ALONG_X},
            length=problems.LENGTH,
            section={"circle": {"radius": rod.radius}},
            material="silicone",
            allow=allow,
            model=model,
        )
        .frame("tip", link="arm", at=1)
    )


def arm(pieces: int = problems.PIECES) -> pliant.Robot:
    """The cantilever in constant-strain pieces, all six strains."""
    model = {"pcs": {"pieces": pieces, "quadrature": problems.POINTS_PER_PIECE}}
    return cantilever(model, viscosity=problems.VISCOSITY)


def spaghetti(model: Any) -> pliant.Robot:
    """Loaded at its base A; local z runs from A to B."""

    def triangle(peak: tuple[float, ...]) -> dict[str, Any]:
        return {"triangle": {"rise": problems.SPAGHETTI_RISE, "fall": problems.SPAGHETTI_RISE, "peak": list(peak)}}

    toward_b = {"axis": [-0.8, -0.6, 0.0], "angle": "90 deg"}  # takes z to (B - A) / 10 = (-0.6, 0.8, 0)
    return (
        pliant.Robot("flying-spaghetti")
        .with_gravity([0.0, 0.0, 0.0])
        .rod(
            "rod",
            parent={"link": "world", "offset": {"move": list(problems.SPAGHETTI_A), "rotate": toward_b}},
            joint="free",
            length=problems.SPAGHETTI_LENGTH,
            section={
                "given": {
                    "stiffness": [problems.SPAGHETTI_BENDING] * 3 + [problems.SPAGHETTI_AXIAL] * 3,
                    "mass": problems.SPAGHETTI_MASS,
                    "rotary": [problems.SPAGHETTI_ROTARY] * 3,
                }
            },
            model=model,
        )
        .frame("end", link="rod", at=0)
        .load(
            "throw",
            where={"link": "rod", "at": 0},
            force=triangle(problems.SPAGHETTI_FORCE),
            moment=triangle(problems.SPAGHETTI_MOMENT),
            frame="world",
        )
    )


def chain(links: int) -> pliant.Robot:
    """Rods in a row, each fixed at the tip of the one before; two metres in all."""
    robot = pliant.Robot("chain").material("silicone", young=1e6, poisson=0.5, density=1000, viscosity=300)
    for index in range(links):
        robot = robot.rod(
            f"rod{index}",
            parent="world" if index == 0 else f"rod{index - 1}",
            length=2.0 / links,
            section={"circle": {"radius": 0.01}},
            material="silicone",
            model={"gvs": {"order": 1}},
        )
    return robot
