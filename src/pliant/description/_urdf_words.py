"""The words with which a robot file takes in a URDF file."""

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

from pydantic import Field

from pliant.description._part import Part
from pliant.description._places import Parent
from pliant.description._types import Checked, NameOf, Word, wrong

DRIVES = ("motion", "force")


class _FileBelow(Checked):
    """The path of a file below the folder of the robot file."""

    @property
    def expected(self) -> str:
        return 'the path of a URDF file below the folder of this file, without "..", e.g. arm.urdf'

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not value or "\0" in value:
            raise wrong(value, self.expected)
        rooted = PurePosixPath(value).is_absolute() or PureWindowsPath(value).anchor
        if rooted or ".." in PureWindowsPath(value).parts:
            raise wrong(value, self.expected)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


class UrdfFile(Part):
    """The field `urdf` of a robot file, or an item of it."""

    called = "a URDF file"
    file: Annotated[str, _FileBelow()]
    drive: Annotated[str, Word(DRIVES)] | None = None
    parent: Parent = Field(default_factory=Parent)
    prefix: Annotated[str, NameOf("the beginning of a name")] = ""
