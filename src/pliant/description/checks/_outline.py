"""Whether something round lies inside the outline of a cross-section."""

import math
from itertools import combinations
from typing import NamedTuple

from pliant.description.language import Section, ends

_SAMPLES = 360  # points of a circle tried against an ellipse
_ROUNDING = 1e-9


class Overrun(NamedTuple):
    """How far a circle reaches, and where the section ends, in words."""

    reach: str
    limit: str
    direction: str


def overrun(section: Section, fraction: float, centre: tuple[float, float], radius: float) -> Overrun | None:
    """By how much a circle leaves the outline at a fraction of the rod; None where it does not, or none is known."""

    def size(value: float | tuple[float, float]) -> float:
        base, tip = ends(value)
        return base + (tip - base) * fraction

    x, y = centre
    radially = "from the axis"
    if section.circle is not None:
        cases = [(math.hypot(x, y) + radius, size(section.circle.radius), radially)]
    elif section.annulus is not None:
        cases = [(math.hypot(x, y) + radius, size(section.annulus.outer), radially)]
    elif section.rectangle is not None:
        cases = [
            (abs(x) + radius, size(section.rectangle.width) / 2, "from the axis along x"),
            (abs(y) + radius, size(section.rectangle.height) / 2, "from the axis along y"),
        ]
    elif section.ellipse is not None:
        reach, limit = _beyond_ellipse(size(section.ellipse.semi_x), size(section.ellipse.semi_y), centre, radius)
        cases = [(reach, limit, radially)]
    else:
        return None
    reach, limit, direction = max(cases, key=lambda case: case[0] - case[1])
    if reach <= limit * (1 + _ROUNDING):
        return None
    return Overrun(millimetres(reach), millimetres(limit), direction)


def _beyond_ellipse(semi_x: float, semi_y: float, centre: tuple[float, float], radius: float) -> tuple[float, float]:
    """The point of the circle that lies farthest out: its distance, and that of the ellipse on the same ray."""
    x, y = centre
    outwards = math.atan2(y, x)
    angles = [outwards + 2 * math.pi * step / _SAMPLES for step in range(_SAMPLES)]
    points = [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]
    levels = [math.hypot(px / semi_x, py / semi_y) for px, py in points]
    level = max(levels)
    reach = math.hypot(*points[levels.index(level)])
    return reach, reach / level


def millimetres(length: float) -> str:
    return f"{1e3 * length:.6g} mm"


def hole_problem(section: Section) -> str:
    """What is wrong with the holes of a section: one that leaves it, or two that overlap."""
    if section.holes is None:
        return ""
    holes = list(zip(section.holes.centres, section.holes.radii, strict=True))
    for number, (centre, radius) in enumerate(holes, start=1):
        for end, name in ((0.0, "base"), (1.0, "tip")):
            excess = overrun(section, end, centre, radius)
            if excess is not None:
                return (
                    f"hole {number} reaches {excess.reach} {excess.direction}; expected it inside the section, which "
                    f"ends at {excess.limit} at the {name}"
                )
        inner = max(ends(section.annulus.inner)) if section.annulus is not None else 0.0
        nearest = math.hypot(*centre) - radius
        if section.annulus is not None and nearest < inner * (1 - _ROUNDING):
            return (
                f"hole {number} begins {millimetres(nearest)} from the axis; expected it in the wall of the annulus, "
                f"which begins at {millimetres(inner)}"
            )
    for (number, (one, first)), (other, (two, second)) in combinations(enumerate(holes, start=1), 2):
        apart = math.dist(one, two)
        if apart < (first + second) * (1 - _ROUNDING):
            return (
                f"holes {number} and {other} are {millimetres(apart)} apart and overlap; expected at least "
                f"{millimetres(first + second)}, the sum of their radii"
            )
    return ""
