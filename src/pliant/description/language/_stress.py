"""Stress that a rod makes within itself: what muscles, fluid in its walls or swelling do, section by section."""

from typing import Annotated

from pliant.description.language._places import Along
from pliant.description.language._programmes import Programme
from pliant.description.language.grammar import STRAINS, ByName, Meanings, NameOf, Part, Quantity

_STRESS = ByName(STRAINS, (Quantity("moment"),) * 3 + (Quantity("force"),) * 3)


class Internal(Along):
    called = "a stretch of a rod that makes its own stress"


class StressActuator(Part):
    """Moments and forces on every section, in its own axes, that push its strains up: work-conjugate to the strains."""

    called = "an internal stress"
    meanings = Meanings(stress="stress within the rod: three moments, three forces")
    name: Annotated[str, NameOf("a name")]
    internal: Internal
    stress: Programme[Annotated[tuple[float, ...], _STRESS]]
