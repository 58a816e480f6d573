"""The CUDA source of a function, run without CUDA: a kernel is then a loop over the robots."""

import ctypes
import shutil
import subprocess

import jax
import numpy as np
import pytest

import pliant
from pliant.dynamics import accelerations
from pliant.model import prepare
from pliant.native import CompilerError, build_cuda, cuda_source
from robots import arm

COUNT = 5


@pytest.mark.parametrize(
    ("kind", "tolerance"), [(np.float64, 1e-10), pytest.param(np.float32, 2e-3, marks=pytest.mark.long)]
)
def test_the_source_runs_every_robot_with_shared_numbers(tmp_path, kind, tolerance):
    model = arm()
    numbers = prepare(model.structure, model.parameters)

    def acceleration(numbers, q, v):
        return accelerations(model, numbers, q, v, 0.0, {})

    q, v = (0.1 * np.random.default_rng(k).normal(size=(COUNT, model.nv)) for k in (0, 1))
    source, library = tmp_path / "arm.cu", tmp_path / "arm.so"
    source.write_text(cuda_source(acceleration, (numbers, q[0], v[0]), "arm"))
    flags = ["-x", "c++", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC"]
    flags += ["-DPLIANT_SINGLE"] if kind is np.float32 else []
    compiler = shutil.which("g++")
    assert compiler, "g++ comes with gcc on the machines that this project is tested on"
    command = [compiler, *flags, "-isystem", jax.ffi.include_dir(), str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    shared = [np.ascontiguousarray(leaf, dtype=kind) for leaf in jax.tree.leaves(numbers)]
    given, found = [*shared, q.astype(kind), v.astype(kind)], np.zeros((COUNT, model.nv), kind)
    steps = [0] * len(shared) + [model.nv, model.nv]
    launch = ctypes.CDLL(str(library)).arm_launch
    pointers = (ctypes.c_void_p * len(given))(*(array.ctypes.data for array in given))
    results = (ctypes.c_void_p * 1)(found.ctypes.data)
    assert launch(ctypes.c_longlong(COUNT), pointers, (ctypes.c_longlong * len(steps))(*steps), results, None) == 0
    expected = [pliant.forward_dynamics(model, *state) for state in zip(q, v, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.max(np.abs(expected)))


def test_without_nvcc_one_line_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("NVCC", "no-such-nvcc")
    with pytest.raises(CompilerError, match=r"there is no nvcc: install the CUDA toolkit, or set \$NVCC"):
        build_cuda("", tmp_path / "nothing.so")
