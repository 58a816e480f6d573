"""Batches of the 18-DoF arm on a GPU: vmap against CUDA, from one robot to a million.

    python -m cases.gpu_batches FOLDER [TABLE]

FOLDER is what cases.gpu_build has made; the table is printed, and written to a file if one is named.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from pliant.model import prepare
from pliant.native import load_cuda
from pliant.simulation._native_functions import exported, samples_of

BATCHES = (1, 100, 10_000, 100_000, 1_000_000)
_REPEATS = 5
_STEPS_AT_MOST = 100_000  # robots: vmap of a Newmark step takes tens of seconds to compile and fills the memory


def _best(run: Callable[[], Any]) -> float:
    jax.block_until_ready(run())
    times = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        jax.block_until_ready(run())
        times.append(time.perf_counter() - began)
    return min(times)


def main(folder: Path, table: Path | None) -> None:
    model = pliant.load_model(folder / "arm.npz")
    numbers = jax.device_put(prepare(model.structure, model.parameters))
    device = jax.devices()[0]
    lines = [f"{device.device_kind}, JAX {jax.__version__}, float64, {model.nv} degrees of freedom; best of {_REPEATS}"]
    lines.append(f"{'function':<18}{'robots':>9}{'vmap /s':>12}{'CUDA /s':>12}{'ratio':>8}{'differ by':>11}")
    built = [name for name in ("forward_dynamics", "newmark_step") if (folder / f"{name}.so").exists()]
    for name in built:
        function = exported(model)[name]
        results = tuple(jax.ShapeDtypeStruct(shape, np.float64) for shape in function.results.values())
        native = load_cuda(folder / f"{name}.so", name, results)
        sample = samples_of(model, function, 1)[0]
        by_vmap = jax.jit(jax.vmap(function.call, (None, *(0 for _ in sample))))
        for count in BATCHES:
            if name == "newmark_step" and count > _STEPS_AT_MOST:
                continue
            rng = np.random.default_rng(0)
            jitter = {"q": 1e-3, "v": 1e-3}
            batch = [
                jnp.asarray(np.asarray(x) + jitter.get(word, 0.0) * rng.normal(size=(count, *np.shape(x))))
                for word, x in zip(function.arguments, sample, strict=True)
            ]
            by_cuda = jax.jit(lambda *given, count=count, native=native: native(count, *given))
            ours, theirs = by_cuda(numbers, *batch), by_vmap(numbers, *batch)
            told = zip(function.told(ours), function.told(theirs), strict=True)
            differ = max(float(jnp.max(jnp.abs(x - y)) / jnp.max(jnp.abs(y))) for x, y in told if y.size)
            fast = _best(lambda batch=batch, by_cuda=by_cuda: by_cuda(numbers, *batch))
            slow = _best(lambda batch=batch, by_vmap=by_vmap: by_vmap(numbers, *batch))
            lines.append(
                f"{name:<18}{count:>9}{count / slow:>12.3g}{count / fast:>12.3g}{slow / fast:>8.3g}{differ:>11.1g}"
            )
            print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    print(text)
    if table is not None:
        table.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
