"""Result files: NetCDF through h5netcdf, written atomically."""

import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.arguments import file_path
from pliant.results import _dataset

if TYPE_CHECKING:
    import xarray

    from pliant.results._result import Result


class ResultFileError(Exception):
    """A file that is not a result of Pliant, or not readable."""

    def __init__(self, path: str | os.PathLike[str], found: str) -> None:
        super().__init__(f"{os.fspath(path)}: {found}; expected a NetCDF file written by a Pliant result's save()")


def save(result: "Result", path: str | os.PathLike[str]) -> Path:
    """Write ``result``; the file appears complete or not at all."""
    target = Path(path)
    dataset = result.to_xarray()
    # A fill value would turn numbers that equal it into NaN for other readers.
    encoding = {name: {"_FillValue": None} for name, array in dataset.variables.items() if array.dtype.kind == "f"}
    # Same folder, so that the replacement is a rename within one file system.
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}.partial")
    try:
        dataset.to_netcdf(partial, engine="h5netcdf", encoding=encoding)
        with open(partial, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def load_result(path: str | os.PathLike[str]) -> "Result":
    """Read the result that ``save`` wrote: the same class, with equal arrays."""
    # Imported here because the result classes have save() and load as their methods' implementation.
    from pliant.results import _equilibrium, _modes, _trajectory

    kinds: tuple[type[Result], ...] = (
        _equilibrium.Equilibrium,
        _equilibrium.LoadPath,
        _equilibrium.QuasiStatic,
        _modes.Modes,
        _trajectory.Trajectory,
    )
    path = file_path("path", path)
    dataset = _read(path)
    name = dataset.attrs.get(_dataset.KIND)
    if name is None:
        raise ResultFileError(path, f"it has no {_dataset.KIND!r} attribute")
    kind = next((kind for kind in kinds if kind.__name__ == name), None)
    if kind is None:
        known = ", ".join(kind.__name__ for kind in kinds)
        raise ResultFileError(path, f"it holds a result of kind {name!r}, this version knows {known}")
    version = int(dataset.attrs.get("pliant_format", 0))
    if version != _dataset.FORMAT:
        raise ResultFileError(path, f"its format is {version}, this version reads format {_dataset.FORMAT}")
    try:
        return _dataset.from_dataset(kind, dataset)
    except (KeyError, ValueError, TypeError) as error:
        raise ResultFileError(path, f"its {name} is incomplete or damaged ({error})") from error


def _read(path: str | os.PathLike[str]) -> "xarray.Dataset":
    import xarray

    if not Path(path).is_file():
        raise ResultFileError(path, "no such file")
    try:
        with xarray.open_dataset(path, engine="h5netcdf", decode_times=False) as dataset:
            return dataset.load()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ResultFileError(path, f"it cannot be read ({error})") from error
