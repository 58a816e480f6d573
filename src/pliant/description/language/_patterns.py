"""Round things set about the axis of a rod: centres on a circle, alone or in pairs."""

import math
from typing import Annotated

from pliant.description.language.grammar import Angle, Length, ListOf, Part, Quantity, vector

Point = tuple[float, float]
Angles = Annotated[tuple[Angle, ...], ListOf("a list of angles, e.g. [90 deg, -30 deg, 210 deg]", text=True)]
Centres = Annotated[
    tuple[Annotated[Point, vector("length", 2)], ...],
    ListOf("a list of centres [x, y], e.g. [[0, 5 mm], [0, -5 mm]]"),
]


class Around(Part):
    """Centres on a circle about the axis, at angles from the local x axis towards y."""

    called = "a pattern about the axis"
    radius: Length
    angles: Angles
    split: Annotated[float, Quantity("angle", above=0)] | None = None

    def centres(self) -> list[list[Point]]:
        """One centre for each angle, or two, as far to either side of it as `split` says."""
        sides = [0.0] if self.split is None else [self.split, -self.split]
        return [
            [(self.radius * math.cos(angle + side), self.radius * math.sin(angle + side)) for side in sides]
            for angle in self.angles
        ]
