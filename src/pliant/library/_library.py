"""Finding and reading the robot files of the library."""

from pathlib import Path

from pliant.description import Problem, Robot, RobotFileError
from pliant.description import companions as companions_of
from pliant.description import load as load_file

_FOLDER = Path(__file__).parent / "robots"


def names() -> list[str]:
    """The names of the robots in the library, sorted."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


def path(name: str) -> Path:
    """The file of a robot in the library."""
    if name not in names():
        message = f"no robot of this name in the library; expected one of: {', '.join(names())}"
        raise RobotFileError([Problem(str(name), None, "", name, message)])
    return _FOLDER / f"{name}.yaml"


def load(name: str) -> Robot:
    """A robot of the library.

    >>> load("silicone-arm").name
    'silicone-arm'
    """
    return load_file(path(name))


def companions(name: str) -> list[Path]:
    """The files that a robot's own file names, such as a URDF file: a copy of it needs them beside it.

    >>> companions("silicone-arm")
    []
    """
    return companions_of(path(name))


def summary(name: str) -> str:
    """The leading comment of the robot's file: what it is and where it comes from."""
    lines = path(name).read_text(encoding="utf-8").splitlines()
    comment = []
    for line in lines:
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# ").rstrip())
    return "\n".join(comment)
