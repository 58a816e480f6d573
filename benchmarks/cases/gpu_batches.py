"""Batches of a function of the 18-DoF arm on a GPU, vmap against CUDA: `python -m cases.gpu_batches forward_dynamics`.

Libraries lie in runs/gpu or $PLIANT_GPU_BUILD, put there by cases.gpu_build, which needs no GPU; what is missing is
built first, which needs CasADi and nvcc.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # a million robots need what XLA would keep

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from cases.gpu_functions import GpuFunction, gpu_functions
from harness.child import BENCHMARKS
from harness.gpu import BATCHES, LARGEST_VMAP
from harness.timing import report, steady
from pliant.model import prepare
from pliant.native import load_cuda

_MOVED = 1e-3  # of the first robot's coordinates and velocities


def main(name: str) -> None:
    if jax.devices()[0].platform != "gpu":
        sys.exit("this suite needs a GPU that JAX can use")
    folder = Path(os.environ.get("PLIANT_GPU_BUILD", BENCHMARKS.parent / "runs" / "gpu"))
    if not (folder / f"{name}.so").exists():
        from cases import gpu_build  # reads robot files, which the machine with the GPU need not be able to

        gpu_build.main(folder, "native", [name])
    model = pliant.load_model(folder / "arm.npz")
    function = gpu_functions(model)[name]
    native = load_cuda(folder / f"{name}.so", name, function.results)
    numbers = prepare(model.structure, model.parameters)
    figures: dict[str, Any] = {"device": jax.devices()[0].device_kind}
    figures |= json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    for count in BATCHES:
        figures |= _timed(name, function, native, numbers, count)
    report(**figures)


def _timed(name: str, function: GpuFunction, native: Any, numbers: Any, count: int) -> dict[str, float]:
    kind = np.float32 if function.single else np.float64
    batch = _batch(function, count)
    own = jax.device_put(jax.tree.map(lambda x: np.asarray(x, dtype=kind), (numbers, batch)))
    by_cuda = jax.jit(lambda given: native(count, *jax.tree.leaves(given)))
    found = by_cuda(own)
    figures = {f"cuda-{count}": count * function.work / steady(lambda: jax.block_until_ready(by_cuda(own)))}
    if count <= LARGEST_VMAP[name]:
        # In float64 always: what is told is how far single precision is off.
        given = jax.device_put((numbers, batch))
        by_vmap = jax.jit(lambda given: jax.vmap(function.call, (None, *(0 for _ in batch)))(given[0], *given[1]))
        pairs = zip(function.compared(found), function.compared(by_vmap(given)), strict=True)
        figures[f"differ-{count}"] = max(float(jnp.max(jnp.abs(x - y)) / jnp.max(jnp.abs(y))) for x, y in pairs)
        figures[f"vmap-{count}"] = count * function.work / steady(lambda: jax.block_until_ready(by_vmap(given)))
    return figures


def _batch(function: GpuFunction, count: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [
        x + (_MOVED * random.normal(size=(count, *x.shape)) if word in ("q", "v") else np.zeros((count, *x.shape)))
        for word, x in zip(function.words, function.sample, strict=True)
    ]


if __name__ == "__main__":
    main(sys.argv[1])
