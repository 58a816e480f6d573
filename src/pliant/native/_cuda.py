"""Native code on a GPU: CUDA of a function, built with nvcc, called from JAX on whole batches.

The program is made where CasADi is, the library may run where it is not: `cuda_source` writes a file, `build_cuda`
makes a library of it, `load_cuda` takes it up, with the shapes alone.
"""

import hashlib
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax

from pliant.native._build import load
from pliant.native._errors import CompilerError
from pliant.native._ffi import handler_source
from pliant.native._library import checked_name
from pliant.native.printing import NEAR, CText, cuda_text
from pliant.native.tracing import jaxpr_of, trace_jaxpr
from pliant.numerics import tracing_for_scalars

GPU_FUNCTION_LENGTH = 400  # operations: what they need fits into the registers of a thread
GPU_FUNCTIONS = 50  # of one computation: nvcc's time grows faster than their number


def cuda_source(function: Callable[..., Any], arguments: Sequence[Any], name: str) -> str:
    """A file for nvcc: the function as a kernel, a C function NAME_launch that starts it, and a handler for JAX."""
    checked_name(name)
    with tracing_for_scalars():
        closed, _ = jaxpr_of(function, arguments)
    text = CText(trace_jaxpr(closed, name), GPU_FUNCTION_LENGTH, GPU_FUNCTIONS, NEAR)
    given, made = ([math.prod(aval.shape) for aval in avals] for avals in (closed.in_avals, closed.out_avals))
    handler = handler_source(name, given, made, on_gpu=True)
    return f"{cuda_text(text)}\n\n#ifndef PLIANT_NO_JAX\n{handler}\n#endif\n"


def build_cuda(source: str, library: str | Path, architecture: str = "native", single: bool = False) -> Path:
    """A shared library of a file of `cuda_source`, by nvcc; single: it computes with float32."""
    compiler = shutil.which(os.environ.get("NVCC", "nvcc"))
    if compiler is None:
        raise CompilerError("there is no nvcc: install the CUDA toolkit, or set $NVCC")
    path = Path(library)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.with_suffix(".cu")
    text.write_text(source)
    command = [compiler, "-O3", f"-arch={architecture}", "-Xcompiler", "-fPIC", "-shared", "-diag-suppress", "177"]
    command += [*(["-DPLIANT_SINGLE"] if single else []), "-I", jax.ffi.include_dir(), str(text), "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line[:200] for line in (done.stdout + done.stderr).splitlines()]
        said = "\n".join(([line for line in lines if "error" in line] or lines)[:20])
        raise CompilerError(f"{' '.join(command)}\nended with {done.returncode}:\n{said}\nThe source is {text}")
    return path


def load_cuda(library: str | Path, name: str, results: Any) -> Callable[..., Any]:
    """The function of a library as one of JAX on GPU arrays: every argument of all robots, one after the other, or one
    for all. results: shapes and types (float64, or float32 of a library built so) of what it gives for one robot; a
    batch of n gives (n, ...)."""
    path = Path(library).resolve()
    handler = getattr(load(path), f"{name}_ffi")
    target = f"pliant_cuda_{name}_{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(handler), platform="CUDA", api_version=1)
    avals, structure = jax.tree.flatten(results)

    def call(count: int, *arguments: Any) -> Any:
        shapes = [jax.ShapeDtypeStruct((count, *aval.shape), aval.dtype) for aval in avals]
        found = jax.ffi.ffi_call(target, shapes)(*jax.tree.leaves(arguments))
        return jax.tree.unflatten(structure, found)

    return call
