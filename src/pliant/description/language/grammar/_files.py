"""Files that a robot file names: they lie below its folder."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from pliant.description.language.grammar._findings import Finding, Location, Tree, problems_from
from pliant.description.language.grammar._problems import RobotFileError, show
from pliant.description.language.grammar._types import Checked, wrong


@dataclass(frozen=True)
class FileBelow(Checked):
    """The path of a file below the folder of the robot file."""

    thing: str
    example: str

    @property
    def expected(self) -> str:
        return f'the path of {self.thing} below the folder of this file, without "..", e.g. {self.example}'

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not value or "\0" in value:
            raise wrong(value, self.expected)
        rooted = PurePosixPath(value).is_absolute() or PureWindowsPath(value).anchor
        if rooted or ".." in PureWindowsPath(value).parts:
            raise wrong(value, self.expected)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


def file_below(folder: Path, file: str, thing: str, place: Location, tree: Tree, source: str) -> Path:
    """The file named at `place`, which must lie below the folder even when links lead elsewhere."""
    path = folder / file
    if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
        return path
    what = ", which leads outside" if path.is_file() else "; there is no such file"
    message = f"got {show(file)}{what}; expected {thing} below the folder of this file"
    raise RobotFileError(problems_from([Finding(place, file, message)], tree, source))
