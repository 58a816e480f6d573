"""Compiled programs take memory mappings, of which Linux gives a process 65 530; without any left LLVM crashes."""

import gc
from pathlib import Path

import jax
from jax._src.core import trace_state_clean  # there is no public way to ask

_MAPPINGS = Path("/proc/self/maps")
_LIMIT = Path("/proc/sys/vm/max_map_count")
_USUAL_LIMIT = 65_530  # of Linux
_MANY = 0.6  # of the limit: what one robot takes, some hundreds, is far less than the rest
_MOST_STRUCTURES = 150  # where nobody tells how many mappings there are

_expected: set[int] = set()  # robots whose programs may be there


def forget_programs_when_many() -> None:
    """Let go of what JAX has compiled in this process when it holds most of the mappings there are. What is needed
    again is compiled again, or comes from the cache on disk (`pliant.configure`)."""
    if _are_many() and trace_state_clean():
        jax.clear_caches()
        gc.collect()  # programs hang in circles
        _expected.clear()


def expect_programs_of(structure: int) -> None:
    """Make room for the programs of a robot before they are compiled. structure: its hash. Mappings are counted when it
    is a new one only: to count ten thousand takes some milliseconds."""
    if structure not in _expected:
        forget_programs_when_many()
        _expected.add(structure)


def _are_many() -> bool:
    try:
        held = _MAPPINGS.read_bytes().count(b"\n")
    except OSError:  # no Linux
        return len(_expected) >= _MOST_STRUCTURES
    return held > _MANY * _limit()


def _limit() -> int:
    try:
        return int(_LIMIT.read_text())
    except (OSError, ValueError):
        return _USUAL_LIMIT
