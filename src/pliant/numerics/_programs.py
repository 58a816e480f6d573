"""Compiled programs take memory mappings, of which Linux gives a process 65 530; without any left LLVM crashes."""

from pathlib import Path

import jax

_MAPPINGS = Path("/proc/self/maps")
_MANY = 40_000


def forget_programs_when_many() -> None:
    """Let go of what JAX has compiled in this process when it holds more than half of the mappings there are. Call it
    between pieces of work that share no robots; what is needed again is compiled again, or comes from the cache on disk
    (`pliant.configure`)."""
    if _MAPPINGS.exists() and _MAPPINGS.read_bytes().count(b"\n") > _MANY:
        jax.clear_caches()
