"""Named arrays in one sealed .npz file. Nothing in such a file is trusted: no pickles, no sizes but the file's own."""

import io
import math
import tokenize
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pliant._files import AnyPath, seal, seal_problem, writing

_KINDS = "biufcU"  # of dtypes: truth values, whole numbers, floating point, complex, text
# What the readers of zip archives and of array headers raise on a file that somebody made up.
_UNREADABLE = (
    zipfile.BadZipFile, EOFError, OSError, ValueError, LookupError, TypeError, SyntaxError, tokenize.TokenError,
    RecursionError, MemoryError, OverflowError, NotImplementedError, RuntimeError,
)  # fmt: skip


def write_arrays(path: AnyPath, arrays: Mapping[str, Any]) -> Path:
    """Write arrays, sealed; the file is whole or absent."""
    with writing(path) as partial:
        with partial.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        seal(partial)
    return Path(path)


def read_arrays(path: AnyPath) -> dict[str, np.ndarray]:
    """The arrays of a file that `write_arrays` wrote; a ValueError says in words why it is none."""
    problem = seal_problem(path)
    if problem:
        raise ValueError(problem)
    try:
        with zipfile.ZipFile(path) as archive:
            members, size = archive.infolist(), Path(path).stat().st_size
            if sum(member.file_size for member in members) > size:
                raise ValueError("its parts are larger than the file")
            return {member.filename.removesuffix(".npy"): _array(archive.read(member)) for member in members}
    except _UNREADABLE as error:
        raise ValueError(f"its arrays cannot be read ({error or type(error).__name__})") from error


def _array(stored: bytes) -> np.ndarray:
    stream = io.BytesIO(stored)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("another version of NumPy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    begin = stream.tell()
    if dtype.kind not in _KINDS:
        raise ValueError(f"an array of {dtype}")
    # Before memory is taken for it.
    if math.prod(shape) * dtype.itemsize != len(stored) - begin:
        raise ValueError(f"an array of the shape {shape} in {len(stored) - begin} bytes")
    return np.ndarray(shape, dtype, stored, begin, order="F" if fortran else "C").copy()
