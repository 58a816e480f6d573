"""JAX as Pliant wants it: float64, and compiled functions kept on disk so that a second process starts at once.

Imported before anything else that imports JAX. A cache folder that the user has chosen (JAX's own setting) is kept.
"""

import os
from pathlib import Path

import jax

jax.config.update("jax_enable_x64", True)

if jax.config.jax_compilation_cache_dir is None:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    jax.config.update("jax_compilation_cache_dir", str(home / "pliant" / "jax"))
# Small functions are worth keeping too: a robot is made of many.
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
