"""Files that are whole or absent: written aside, moved into place, and sealed where a reader must know them whole.

A seal is a line behind the contents with their digest. Readers of HDF5 and of zip archives pass over it; ours looks at
it first, so that no parser ever sees a file that was cut short or garbled on its way.
"""

import contextlib
import errno
import hashlib
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

AnyPath = str | os.PathLike[str]

_PARTIAL, _UNIQUE = ".partial", len(uuid.uuid4().hex)
_SEAL = b"\npliant sha256 "
_SEAL_LENGTH = len(_SEAL) + 2 * hashlib.sha256().digest_size + 1
_LONGEST_NAME = 100  # characters of a file's name that its partial file keeps
_ABANDONED = 3600.0  # s: no file takes so long to write

_CURES = {
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG): "free some space, or write to another folder",
    (errno.EACCES, errno.EPERM, errno.EROFS): "write to a folder in which you may make files",
    (errno.ENOENT,): "make its folder first, or write to another one",
    (errno.EISDIR, errno.ENOTDIR, errno.EEXIST): "choose another name",
    (errno.ENAMETOOLONG,): "choose a shorter name",
}


class WriteError(OSError):
    """A file that could not be written, told in one sentence. None of it is left, and what was there before stays."""

    def __init__(self, path: AnyPath, cause: str, number: int | None = None) -> None:
        cure = next((words for numbers, words in _CURES.items() if number in numbers), "write to another folder")
        super().__init__(f"{os.fspath(path)}: cannot be written ({cause}); {cure}")
        self.errno = number

    @classmethod
    def of(cls, path: AnyPath, error: OSError) -> Self:
        """What an error of the system means for a file."""
        return cls(path, error.strerror or str(error) or type(error).__name__, error.errno)


@contextlib.contextmanager
def writing(path: AnyPath) -> Iterator[Path]:
    """A path beside `path` to write to, for a while: at the end what is there takes the place of `path`, unless there
    was an error. Errors of the system become a WriteError."""
    target, partial = Path(path), _beside(path)
    drop_partial(path, _ABANDONED)
    try:
        yield partial
        to_disk(partial, os.O_RDWR)
        os.replace(partial, target)
        with contextlib.suppress(OSError):  # not every file system does it for a folder
            to_disk(target.parent)
    except WriteError:
        raise
    except OSError as error:
        raise WriteError.of(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _beside(path: AnyPath) -> Path:
    """A name that no other file has, in the same folder: a rename within one file system replaces at once."""
    return Path(path).parent / f"{_stem(path)}{uuid.uuid4().hex}{_PARTIAL}"


def _stem(path: AnyPath) -> str:
    return f".{Path(path).name[:_LONGEST_NAME]}."


def drop_partial(path: AnyPath, age: float = 0.0) -> None:
    """Remove what processes that were killed have left of this file, if it is older than `age` [s]."""
    stem, before = _stem(path), time.time() - age
    with contextlib.suppress(OSError), os.scandir(Path(path).parent) as entries:
        for entry in entries:
            own = entry.name.removeprefix(stem).removesuffix(_PARTIAL)
            if entry.name == f"{stem}{own}{_PARTIAL}" and len(own) == _UNIQUE and entry.stat().st_mtime <= before:
                os.unlink(entry)


def check_writable(path: AnyPath) -> None:
    """A WriteError where no file could be written, before anything is computed for it. Its folder is made."""
    make_folder(Path(path).parent)
    partial = _beside(path)
    try:
        partial.touch()
        partial.unlink()
    except OSError as error:
        raise WriteError.of(path, error) from error


def to_disk(path: Path, how: int = os.O_RDONLY) -> None:
    """What was written survives a loss of power."""
    handle = os.open(path, how)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: AnyPath, content: bytes) -> Path:
    """Write a file, which is whole or absent."""
    write_all({Path(path): content})
    return Path(path)


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write files that belong together: none takes its place before all are written."""
    with contextlib.ExitStack() as stack:
        for path, content in contents.items():
            stack.enter_context(writing(path)).write_bytes(content)


def make_folder(path: AnyPath) -> Path:
    """The folder, made when missing."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError.of(path, error) from error
    return Path(path)


def seal(path: Path) -> None:
    """Put the digest of a file's contents behind them."""
    with path.open("rb+") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0, os.SEEK_END)
        file.write(_seal(digest))


def seal_problem(path: AnyPath) -> str:
    """Why a sealed file cannot be trusted to be whole, in words; nothing where it can."""
    try:
        if not Path(path).is_file():
            return "this is a folder" if Path(path).is_dir() else "there is no such file"
        with open(path, "rb") as file:
            length = file.seek(0, os.SEEK_END) - _SEAL_LENGTH
            if length < 0:
                return "it is too short"
            file.seek(length)
            line = file.read()
            if not line.startswith(_SEAL):
                return "it does not end with a seal of Pliant: it was cut short, or another program wrote it"
            file.seek(0)
            digest, left = hashlib.sha256(), length
            while left:
                piece = file.read(min(left, 1 << 20))
                if not piece:
                    return "it became shorter while it was read"
                digest.update(piece)
                left -= len(piece)
    except (OSError, ValueError) as error:
        return f"it cannot be read ({getattr(error, 'strerror', None) or error})"
    return "" if line == _seal(digest.hexdigest()) else "its contents do not fit its seal: it is damaged"


def _seal(digest: str) -> bytes:
    return _SEAL + digest.encode() + b"\n"
