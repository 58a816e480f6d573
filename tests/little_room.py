"""A disk without room, for a while: no file of this process may grow beyond some bytes."""

import contextlib
import resource
from collections.abc import Iterator


@contextlib.contextmanager
def little_room(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
