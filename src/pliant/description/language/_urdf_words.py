"""The words with which a robot file takes in a URDF file."""

from typing import Annotated

from pydantic import Field

from pliant.description.language._places import Parent
from pliant.description.language.grammar import FileBelow, NameOf, Part, Word

DRIVES = ("motion", "force")


class UrdfFile(Part):
    """The field `urdf` of a robot file, or an item of it."""

    called = "a URDF file"
    file: Annotated[str, FileBelow("a URDF file", "arm.urdf")]
    drive: Annotated[str, Word(DRIVES)] | None = None
    parent: Parent = Field(default_factory=Parent)
    prefix: Annotated[str, NameOf("the beginning of a name")] = ""
