"""Result files: NetCDF through h5netcdf, whole or absent, sealed: HDF5 may spin for ever in a file that is damaged."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pliant._files import seal, seal_problem, writing
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
    dataset = result.to_xarray()
    # A fill value would turn numbers that equal it into NaN for other readers.
    encoding = {name: {"_FillValue": None} for name, array in dataset.variables.items() if array.dtype.kind == "f"}
    # In memory, since HDF5 ends the process when a disk is full.
    content: Any = dataset.to_netcdf(None, engine="h5netcdf", encoding=encoding)
    with writing(path) as partial:
        partial.write_bytes(content)
        seal(partial)
    return Path(path)


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
    version = dataset.attrs.get("pliant_format", 0)
    if version != _dataset.FORMAT:
        raise ResultFileError(path, f"its format is {version}, this version reads format {_dataset.FORMAT}")
    try:
        return _dataset.from_dataset(kind, dataset)
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise ResultFileError(path, f"its {name} is incomplete or damaged ({error})") from error


def _read(path: str | os.PathLike[str]) -> "xarray.Dataset":
    import xarray

    problem = seal_problem(path)
    if problem:
        raise ResultFileError(path, problem)
    try:
        with xarray.open_dataset(path, engine="h5netcdf", decode_times=False) as dataset:
            return dataset.load()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ResultFileError(path, f"it cannot be read ({error})") from error
