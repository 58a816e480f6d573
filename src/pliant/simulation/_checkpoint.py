"""A long run on disk: what has been computed so far, so that a run that was killed goes on where it was."""

import dataclasses
import hashlib
import os
import time
import warnings
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pliant._arrays import read_arrays, write_arrays
from pliant._files import WriteError, check_writable, drop_partial
from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._flow import StepState
from pliant.simulation.stepping._implicit import Caches


@dataclasses.dataclass
class SoFar:
    """A run so far: whole chunks, samples and steps, the state and Newton's cache there, and all samples. Where a chunk
    was put aside before its end it has `begun`; passed: its targets that are behind, aside: what else it needs to go on
    with the same bits."""

    position: int
    reached: int
    steps: int
    moving: StepState
    cache: Caches | None
    kept: list[StepState]
    aside: np.ndarray
    passed: int = 0
    begun: bool = False


_COUNTS = ("position", "reached", "steps", "passed", "begun")


class CheckpointError(ValueError):
    """A file that is no checkpoint of this run, or is damaged."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(f"checkpoint {path}: {found}; remove the file to start from the beginning, or name another")


class Checkpoint:
    """One file, replaced as a whole. key: of the run; a file of another run is refused, not overwritten."""

    def __init__(self, path: str | os.PathLike[str], key: str, every: float) -> None:
        self._path, self._key, self._every = Path(path), key, every
        self._last = time.monotonic()

    def resume(self, begin: SoFar) -> SoFar:
        """What the file holds, or the beginning where there is none, and a file can be made: better told now than
        after an hour."""
        drop_partial(self._path)  # of the process that was killed: only one at a time has this run
        if not self._path.exists():
            check_writable(self._path)
            return begin
        try:
            stored = read_arrays(self._path)
        except ValueError as error:
            raise CheckpointError(self._path, str(error)) from error
        if str(stored.get("key")) != self._key:
            raise CheckpointError(self._path, "it belongs to another run (robot, start, inputs or settings differ)")
        try:
            counts: Any = {name: int(stored[name]) for name in _COUNTS}
            first, samples = begin.kept[0], _restored(begin.moving, stored, "samples")
            moving, cache = _restored(begin.moving, stored, "moving"), _restored(begin.cache, stored, "cache")
            aside = _restored(begin.aside, stored, "aside")
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(self._path, f"it is incomplete ({error})") from error
        counts["begun"] = bool(counts["begun"])
        kept = [first] if counts["reached"] == 1 else [first, samples]
        return SoFar(moving=moving, cache=cache, aside=aside, kept=kept, **counts)

    def save(self, run: SoFar) -> None:
        """Write, when it is time to. A file that cannot be written does not end the run: the last whole one stays, and
        a warning says so."""
        if time.monotonic() - self._last < self._every or run.steps == 0:
            return
        samples = jax.tree.map(lambda *parts: np.concatenate(parts), *run.kept[1:]) if run.kept[1:] else run.moving
        parts = {"moving": run.moving, "cache": run.cache, "samples": samples, "aside": run.aside}
        arrays = {
            f"{name}.{index}": np.asarray(leaf)
            for name, part in parts.items()
            for index, leaf in enumerate(jax.tree.leaves(part))
        }
        counts = {name: np.asarray(int(getattr(run, name))) for name in _COUNTS}
        try:
            write_arrays(self._path, {"key": np.asarray(self._key), **counts, **arrays})
        except WriteError as error:
            warnings.warn(f"{error}. The run goes on, and tries again", RuntimeWarning, stacklevel=3)
        self._last = time.monotonic()

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def run_key(description: str, settings: dict[str, Any], moving: StepState, inputs: InputSet) -> str:
    """Digest of all that decides a run; of a law of the state only its name is known."""
    law = "" if inputs.law is None else inputs.law.name
    digest = hashlib.sha256(repr((description, settings, inputs.ports, law)).encode())
    for leaf in jax.tree.leaves((moving, inputs.numbers, inputs.law)):
        digest.update(np.asarray(leaf).tobytes())
    return digest.hexdigest()


def _restored(like: Any, stored: Any, name: str) -> Any:
    leaves, shape = jax.tree.flatten(like)
    return jax.tree.unflatten(shape, [stored[f"{name}.{index}"] for index in range(len(leaves))])
