"""Builds what cases.gpu_batches runs: the 18-DoF arm, and CUDA of its functions for one kind of GPU.

    python -m cases.gpu_build FOLDER sm_90

It needs CasADi and nvcc, and no GPU; the machine with the GPU needs neither.
"""

import json
import sys
import time
from pathlib import Path

import jax
import numpy as np

import pliant
from cases.robots import cantilever
from harness import problems
from pliant.model import prepare
from pliant.native import build_cuda, cuda_source
from pliant.simulation._native_functions import exported

FUNCTIONS = ("forward_dynamics", "newmark_step")


def main(folder: Path, architecture: str) -> None:
    discretised = {"pcs": {"pieces": problems.PIECES, "quadrature": problems.POINTS_PER_PIECE}}
    model = pliant.compile(cantilever(discretised, viscosity=problems.VISCOSITY))
    model.save(folder / "arm")
    numbers, about = prepare(model.structure, model.parameters), {}
    for name, function in exported(model).items():
        if name not in FUNCTIONS:
            continue
        arguments = (numbers, *(np.zeros(shape) for shape in function.arguments.values()))
        began = time.perf_counter()
        source = cuda_source(function.call, arguments, name)
        build_cuda(source, folder / f"{name}.so", architecture)
        about[name] = {"build": time.perf_counter() - began, "megabytes": len(source) / 1e6}
        print(name, about[name], flush=True)
    (folder / "about.json").write_text(json.dumps({"jax": jax.__version__, "functions": about}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
