"""What importing Pliant changes of the process, and what `pliant.configure` does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax._src.compilation_cache import compress_executable

import pliant

_IMPORT = """
import json, os, jax
settings, environment = dict(jax.config.values), dict(os.environ)
import pliant
robot = pliant.Robot("bar").rigid("bar", mass=1.0, inertia=[1, 1, 1], joint={"revolute": "y"})
model = pliant.compile(robot)
pliant.forward_kinematics(model, model.neutral())
changed = {name for name, value in jax.config.values.items() if settings[name] != value}
print(json.dumps([sorted(changed), environment == dict(os.environ)]))
"""
_CONFIGURE = """
import json, os, jax
import pliant
pliant.configure()
kept = [jax.config.jax_compilation_cache_dir, jax.config.jax_persistent_cache_min_compile_time_secs]
print(json.dumps([*kept, jax.config.jax_persistent_cache_min_entry_size_bytes, os.environ.get("XLA_FLAGS", "")]))
jax.numpy.zeros(1)  # an unknown flag would end the process
"""
_OWN = ("JAX_COMPILATION_CACHE_DIR", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "XLA_FLAGS", "PLIANT_CACHE")


def _printed(code: str, **environment: str):
    clean = {name: value for name, value in os.environ.items() if name not in _OWN}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**clean, **environment}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_importing_sets_float64_and_nothing_else():
    assert _printed(_IMPORT) == [["jax_enable_x64"], True]


def test_configure_keeps_programs_in_pliants_folder(tmp_path: Path):
    folder, seconds, size, flags = _printed(_CONFIGURE, PLIANT_CACHE=str(tmp_path))
    assert (folder, seconds, size) == (str(tmp_path / "jax"), 0.0, -1)
    assert "--xla_cpu_experimental_ynn_fusion_type=" in flags.split()


def test_configure_leaves_what_the_user_has_set(tmp_path: Path):
    given = "--xla_cpu_experimental_ynn_fusion_type=LIBRARY_FUSION_TYPE_REDUCE"
    found = _printed(
        _CONFIGURE,
        JAX_COMPILATION_CACHE_DIR=str(tmp_path),
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="1.0",
        XLA_FLAGS=given,
    )
    assert found[:3] == [str(tmp_path), 1.0, -1]
    assert found[3].split()[0] == given and found[3].count("ynn_fusion_type") == 1


def test_entries_of_the_cache_that_are_not_whole_are_dropped(tmp_path: Path):
    """JAX never replaces an entry, not even one that a full disk or a killed process left empty or cut short."""
    folder, whole = tmp_path / "jax", compress_executable(b"a program" * 1000)
    folder.mkdir()
    contents = {
        "a-cache": b"",
        "b-cache": whole,
        "c-cache": whole[:-1],
        "d-cache": b"x",
        "c-atime": b"",
        ".lockfile": b"",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    _printed(_CONFIGURE, PLIANT_CACHE=str(tmp_path))
    left = {path.name for path in folder.iterdir()}
    assert {"b-cache", "c-atime", ".lockfile"} <= left and not {"a-cache", "c-cache", "d-cache"} & left
    # What was looked into is known; what came later is not.
    known = (folder / "b-cache").stat()
    (folder / "b-cache").write_bytes(whole[:-1])
    os.utime(folder / "b-cache", ns=(known.st_atime_ns, known.st_mtime_ns - 1))
    (folder / "e-cache").write_bytes(whole[:-1])
    _printed(_CONFIGURE, PLIANT_CACHE=str(tmp_path))
    left = {path.name for path in folder.iterdir()}
    assert "b-cache" in left and "e-cache" not in left


def test_configure_too_late_for_flags_says_so(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "")
    jnp.zeros(1)  # starts JAX
    with pytest.warns(UserWarning, match=r"call pliant.configure\(\) before anything is computed"):
        pliant.configure(cache=False)
    assert os.environ["XLA_FLAGS"] == ""
    pliant.configure(cache=False, flags=False)


def test_a_folder_given_is_taken_at_any_time(tmp_path: Path):
    before = jax.config.jax_compilation_cache_dir
    try:
        pliant.configure(cache=tmp_path, flags=False)
        jax.jit(lambda x: 3.0 * x + 1.0)(jnp.ones(7))
        assert any(path.name.endswith("-cache") for path in tmp_path.iterdir())
    finally:
        pliant.configure(cache=before, flags=False)
