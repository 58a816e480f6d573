"""JAX as Pliant wants it: float64, and compiled functions kept on disk so that a second process starts at once.

Imported before anything else that imports JAX. What the user has set himself (cache folder, XLA flags) is kept.
"""

import os
from importlib.metadata import version
from pathlib import Path

# Two parts of XLA's CPU compiler that do not suit programs of many small operations: the newer code generator takes
# about 1.4 times as long to compile a Jacobian, and the hand-over of small sums to a kernel library makes it run about
# 1.5 times slower (benchmarks/cases/compiler_flags.py). An unknown flag would end the process, so they
# are set only for the releases they were measured on.
_FLAGS = {"xla_cpu_use_fusion_emitters": "false", "xla_cpu_experimental_ynn_fusion_type": ""}
if version("jaxlib").startswith("0.10."):
    given = os.environ.get("XLA_FLAGS", "")
    added = [f"--{name}={value}" for name, value in _FLAGS.items() if name not in given]
    os.environ["XLA_FLAGS"] = " ".join([given, *added]).strip()

import jax  # noqa: E402  (reads XLA_FLAGS)

jax.config.update("jax_enable_x64", True)

if jax.config.jax_compilation_cache_dir is None:  # type: ignore[attr-defined]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    jax.config.update("jax_compilation_cache_dir", str(home / "pliant" / "jax"))
# Small functions are worth keeping too: a robot is made of many.
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
