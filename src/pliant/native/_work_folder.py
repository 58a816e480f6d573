"""Folders in which libraries are built: gone when a build ends, or removed by a later one if its process was killed."""

import contextlib
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pliant.native._errors import CompilerError

try:
    import fcntl
except ImportError:  # no such locks on this system: nothing is then taken for abandoned
    fcntl = None  # type: ignore[assignment]

_AT_WORK = "building"  # a file that is locked for as long as the process lives that builds there
_BESIDE = "-"  # in the names of all folders but those of entries
_REMOVED = ".removed"  # how the name ends of what is on its way out
_SETTLED = 60.0  # s; a younger folder may not be locked yet


@contextlib.contextmanager
def work_folder(cache: Path, key: str) -> Iterator[Path]:
    """A new folder beside the entries of a cache. What is done there makes it an entry by giving it another name; when
    it is interrupted, nothing is left, and when the compiler fails, the source is, for the reader of the message."""
    drop_abandoned(cache)
    work = Path(tempfile.mkdtemp(dir=cache, prefix=f"{key}{_BESIDE}"))
    try:
        with (work / _AT_WORK).open("w") as mark:
            _lock(mark)
            yield work
    except CompilerError:
        at_rest(work)
        raise
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def at_rest(folder: Path) -> None:
    """Nobody builds in this folder any more, and it is to stay."""
    (folder / _AT_WORK).unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Out of the way first, so that another process does not see half of it; one that uses it keeps what it loaded."""
    if folder.exists():
        with contextlib.suppress(OSError):
            away = folder.rename(folder.with_name(f"{folder.name}{_BESIDE}{uuid.uuid4().hex}{_REMOVED}"))
            shutil.rmtree(away, ignore_errors=True)


def drop_abandoned(cache: Path) -> None:
    """Remove what processes that were killed have left in a cache: folders in which nobody builds any more."""
    before = time.time() - _SETTLED
    with contextlib.suppress(OSError), os.scandir(cache) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                # An entry that is in its place was whole when it came there.
                old = _BESIDE in entry.name and entry.stat(follow_symlinks=False).st_mtime < before
                if old and entry.is_dir(follow_symlinks=False) and _is_abandoned(entry):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    if entry.name.endswith(_REMOVED):
        return True
    mark = Path(entry.path) / _AT_WORK
    if not mark.exists():
        return not os.listdir(entry.path)  # killed before it could say that it is at work
    with mark.open("r+") as file:
        return _lock(file)


def _lock(file: IO[str]) -> bool:
    """Whether nobody else holds the lock; this process then does until it closes the file."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
