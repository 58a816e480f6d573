"""A long run on disk: what has been computed so far, so that a run that was killed goes on where it was."""

import dataclasses
import hashlib
import os
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._flow import StepState
from pliant.simulation.stepping._implicit import Caches


@dataclasses.dataclass
class SoFar:
    """A run up to a chunk: how many chunks, samples and steps, the state and Newton's cache there, and all samples."""

    position: int
    reached: int
    steps: int
    moving: StepState
    cache: Caches | None
    kept: list[StepState]


class Checkpoint:
    """One file, replaced as a whole. key: of the run; a file of another run is refused, not overwritten."""

    def __init__(self, path: str | os.PathLike[str], key: str, every: float) -> None:
        self._path, self._key, self._every = Path(path), key, every
        self._last = time.monotonic()

    def resume(self, begin: SoFar) -> SoFar:
        """What the file holds, or the beginning where there is none."""
        if not self._path.exists():
            return begin
        with np.load(self._path, allow_pickle=False) as stored:
            if str(stored["key"]) != self._key:
                raise ValueError(
                    f"checkpoint {self._path} belongs to another run (robot, start, inputs or settings differ); "
                    "remove the file or name another"
                )
            position, reached, steps = (int(stored[name]) for name in ("position", "reached", "steps"))
            first, samples = begin.kept[0], _restored(begin.moving, stored, "samples")
            moving, cache = _restored(begin.moving, stored, "moving"), _restored(begin.cache, stored, "cache")
            return SoFar(position, reached, steps, moving, cache, [first] if reached == 1 else [first, samples])

    def save(self, run: SoFar) -> None:
        """Write, when it is time to."""
        if time.monotonic() - self._last < self._every or run.position == 0:
            return
        samples = jax.tree.map(lambda *parts: np.concatenate(parts), *run.kept[1:]) if run.kept[1:] else run.moving
        parts = {"moving": run.moving, "cache": run.cache, "samples": samples}
        arrays = {
            f"{name}.{index}": np.asarray(leaf)
            for name, part in parts.items()
            for index, leaf in enumerate(jax.tree.leaves(part))
        }
        # A name of its own, so that a process killed while it writes leaves the last whole file in place.
        unfinished = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        counts = {name: np.asarray(getattr(run, name)) for name in ("position", "reached", "steps")}
        everything: dict[str, Any] = {"key": np.asarray(self._key), **counts, **arrays}
        with unfinished.open("wb") as file:
            np.savez(file, **everything)
        os.replace(unfinished, self._path)
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
