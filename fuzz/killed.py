"""What is killed and done again: a run with a checkpoint, a build of native code, and programs that JAX keeps on disk.

Each is a function of a folder that leaves its result in `result.npz` there, whichever process finishes it.
"""

import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax._src.compilation_cache import decompress_executable

import pliant
from pliant import _files
from pliant._arrays import write_arrays
from pliant.native import _work_folder, compile_function
from pliant.simulation import _pace, simulate

RESULT = "result.npz"
_PIECE, _PAUSE = 2048, 0.002  # bytes, s: of a slow disk


def checkpointed(folder: Path) -> None:
    """A double pendulum, whose checkpoint is written after every call; calls are short."""
    pliant.configure(cache=folder.parent / "jax", flags=False)
    _pace.SECONDS = 0.02
    bar = {"inertia": [1e-2, 1e-2, 1e-2], "centre": [0, 0, 0.3], "joint": {"revolute": "y"}}
    robot = pliant.Robot("double").rigid("upper", mass=1.0, **bar)
    robot = robot.rigid("lower", mass=0.5, parent={"link": "upper", "offset": {"move": [0, 0, 0.6]}}, **bar)
    model = pliant.compile(robot.initial("upper", angle=2.0))
    run = simulate(
        model, 20.0, stepper="newmark", step=1e-3, save_every=0.05, checkpoint=folder / "run.npz", checkpoint_every=0.0
    )
    _keep(folder, run.q, run.v, run.energy["total"], run.steps, run.estimated_error["position"])


def built(folder: Path) -> None:
    """A function that the system's compiler needs a moment for."""
    os.environ["PLIANT_CACHE"] = str(folder)
    _work_folder._SETTLED = -60.0  # what was left is removed at once, and not after a minute

    def chain(x: Any) -> Any:
        y = x
        for power in range(2, 9):
            y = jnp.sin(y @ x) / power + jnp.cos(x)
        return y

    x = np.linspace(-1.0, 1.0, 64).reshape(8, 8)
    _keep(folder, compile_function(chain, (x,), "chain")(x))


def cached(folder: Path) -> None:
    """Programs of a small robot, kept by JAX on a slow disk."""
    write = Path.write_bytes

    def slow(path: Path, data: bytes) -> int:
        if not path.name.endswith("-cache"):
            return write(path, data)
        with path.open("wb", buffering=0) as file:
            for begin in range(0, len(data), _PIECE):
                file.write(data[begin : begin + _PIECE])
                time.sleep(_PAUSE)
        return len(data)

    Path.write_bytes = slow  # type: ignore[method-assign, assignment]
    pliant.configure(cache=folder, flags=False)
    bar = {"mass": 1.0, "inertia": [1e-2, 1e-2, 1e-2], "centre": [0, 0, 0.3], "joint": {"revolute": "y"}}
    model = pliant.compile(pliant.Robot("bar").rigid("bar", **bar))
    q, v = jnp.array([0.3]), jnp.array([-0.2])
    _keep(folder, pliant.forward_dynamics(model, q, v), pliant.mass_matrix(model, q))


def _keep(folder: Path, *arrays: Any) -> None:
    write_arrays(folder / RESULT, {str(index): np.asarray(array) for index, array in enumerate(arrays)})


WORK: dict[str, Callable[[Path], None]] = {"checkpoint": checkpointed, "native": built, "cache": cached}


def left_over(kind: str, folder: Path) -> list[str]:
    """What lies in the folder of a finished work and should not, in words."""
    names = sorted(path.name for path in folder.iterdir() if path.name != RESULT)
    if kind == "checkpoint":
        return names
    if kind == "native":
        entries = sorted(path.name for path in (folder / "native").iterdir())
        wrong = [name for name in names if name != "native"]
        return wrong if len(entries) == 1 and "-" not in entries[0] else [*wrong, *entries]
    return [name for name in names if name.endswith("-cache") and not _is_whole(folder / name)]


def _is_whole(entry: Path) -> bool:
    try:
        return bool(decompress_executable(entry.read_bytes()))
    except Exception:  # noqa: BLE001 - of any packer
        return False


def do(kind: str, folder: Path) -> None:
    """One work, in a process of its own; what is no more than a warning elsewhere ends it with a code."""
    _files._ABANDONED = 0.0  # partial files are removed at once, and not after an hour
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WORK[kind](folder)
