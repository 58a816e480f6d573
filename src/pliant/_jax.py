"""JAX as Pliant wants it: float64, and compiled functions kept on disk so that a second process starts at once.

Imported before anything else that imports JAX. What the user has set himself (cache folder, XLA flags) is kept.
"""

import os
from importlib.metadata import version
from pathlib import Path

# XLA's newer code generator for CPUs takes 1.4 to 1.6 times as long to compile Pliant's functions, and they run no
# faster (docs/benchmarks.md). An unknown flag would end the process, so it is set only where it was measured.
_EMITTERS = "xla_cpu_use_fusion_emitters"
_flags = os.environ.get("XLA_FLAGS", "")
if version("jaxlib").startswith("0.10.") and _EMITTERS not in _flags:
    os.environ["XLA_FLAGS"] = f"{_flags} --{_EMITTERS}=false".strip()

import jax  # noqa: E402  (reads XLA_FLAGS)

jax.config.update("jax_enable_x64", True)

if jax.config.jax_compilation_cache_dir is None:  # type: ignore[attr-defined]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    jax.config.update("jax_compilation_cache_dir", str(home / "pliant" / "jax"))
# Small functions are worth keeping too: a robot is made of many.
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
