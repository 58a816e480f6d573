"""Builds what cases.gpu_batches runs: the 18-DoF arm, and CUDA of its functions for one kind of GPU.

    python -m cases.gpu_build FOLDER sm_90 [FUNCTION ...]

It needs CasADi and nvcc, and no GPU; the machine with the GPU needs neither.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pliant
from cases.gpu_functions import gpu_functions
from cases.robots import arm
from pliant.model import prepare
from pliant.native import build_cuda, cuda_source


def main(folder: Path, architecture: str, names: Sequence[str] = ()) -> None:
    model = pliant.compile(arm())
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder / "arm")
    numbers = prepare(model.structure, model.parameters)
    for name, function in gpu_functions(model).items():
        if names and name not in names:
            continue
        began = time.perf_counter()
        source = cuda_source(function.call, (numbers, *function.sample), name)
        build_cuda(source, folder / f"{name}.so", architecture, function.single)
        about = {"build": time.perf_counter() - began, "megabytes": len(source) / 1e6}
        (folder / f"{name}.json").write_text(json.dumps(about))
        print(name, about, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
