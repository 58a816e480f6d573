"""JAX as Pliant wants it. Importing Pliant sets float64 and nothing else; `configure` sets the rest when asked to."""

import contextlib
import os
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
from jax.experimental.compilation_cache import compilation_cache

jax.config.update("jax_enable_x64", True)

# Two parts of XLA's CPU compiler that do not suit programs of many small operations: the newer code generator takes
# about 1.4 times as long to compile a Jacobian, and the hand-over of small sums to a kernel library makes it run about
# 1.5 times slower (benchmarks/cases/compiler_flags.py). An unknown flag would end the process, so they are set only for
# the releases they were measured on; later ones know the second only.
_SUMS = {"xla_cpu_experimental_ynn_fusion_type": ""}
_FLAGS: dict[str, dict[str, Any]] = {
    "0.10": {"xla_cpu_use_fusion_emitters": False, **_SUMS},
    "0.11": _SUMS,
    "0.12": _SUMS,
}

# Settings of JAX's cache on disk: as JAX begins, and so that small programs are kept too, since a robot has many.
_KEPT = {
    "jax_persistent_cache_min_compile_time_secs": (1.0, 0.0),
    "jax_persistent_cache_min_entry_size_bytes": (0, -1),
}

_ENTRY, _MARK = "-cache", ".pliant-whole"  # how the names of its entries end; see `_drop_torn`


def _own_flags() -> dict[str, Any]:
    """Flags for this release of XLA, without those that the user has set."""
    release = ".".join(version("jaxlib").split(".")[:2])
    given = os.environ.get("XLA_FLAGS", "")
    return {name: value for name, value in _FLAGS.get(release, {}).items() if name not in given}


# The flags, for jax.jit of a program that is always compiled on its own: JAX refuses them for one that may be called
# within another, under vmap or under grad.
OWN_PROGRAM: dict[str, Any] = {"compiler_options": _own_flags() or None}


def configure(*, cache: bool | str | os.PathLike[str] = True, flags: bool = True) -> None:
    """Changes settings of JAX, for the whole process, that make Pliant start and run faster.

    Call it once, before JAX computes anything. Without it everything works, but every process compiles its programs
    anew, and on the CPU your own jitted functions run more slowly. What you have set yourself, in JAX's configuration
    or in the environment, stays.

    cache: whether JAX keeps compiled programs on disk, so that the next process starts at once. True: in Pliant's own
    folder, $PLIANT_CACHE/jax or ~/.cache/pliant/jax; or a folder of yours. flags: whether $XLA_FLAGS gets what suits
    programs of many small operations on the CPU. A warning says so where it is too late for them.

        import pliant

        pliant.configure()
    """
    if cache is not False:
        _keep_programs(None if cache is True else Path(cache))
    if flags:
        _set_flags()


def _keep_programs(folder: Path | None) -> None:
    if folder is not None or jax.config.jax_compilation_cache_dir is None:  # type: ignore[attr-defined]
        jax.config.update("jax_compilation_cache_dir", str(folder or _cache_folder()))
        compilation_cache.reset_cache()  # or JAX would not look again after its first compilation
    _drop_torn(Path(jax.config.jax_compilation_cache_dir))  # type: ignore[attr-defined]
    for name, (default, wanted) in _KEPT.items():
        if getattr(jax.config, name) == default and name.upper() not in os.environ:
            jax.config.update(name, wanted)


def _drop_torn(folder: Path) -> None:
    """A full disk, or a process killed while it wrote, leaves entries of JAX's cache empty or cut short. JAX cannot
    read them, warns of them in every process and never replaces them. An entry is looked into once: a mark is as old
    as the latest of those that are known to be whole."""
    mark = folder / _MARK
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        written = {entry.path: entry.stat().st_mtime_ns for entry in entries if entry.name.endswith(_ENTRY)}
        known = mark.stat().st_mtime_ns if mark.exists() else 0
        fresh = {path: when for path, when in written.items() if when >= known}
        for path in fresh:
            if not _is_whole(Path(path)):
                with contextlib.suppress(OSError):
                    os.unlink(path)
        if fresh:
            latest = max(fresh.values())
            mark.touch()
            os.utime(mark, ns=(latest, latest))


def _is_whole(entry: Path) -> bool:
    """Whether an entry of JAX's cache can be unpacked, which takes some milliseconds."""
    from jax._src import compilation_cache  # there is no public way to look into an entry

    try:
        return bool(compilation_cache.decompress_executable(entry.read_bytes()))
    except OSError:
        return True  # who may not read it may not judge it
    except Exception:  # noqa: BLE001 - of the packer that JAX has found, whose errors have no common name
        return False


def _cache_folder() -> Path:
    own = os.environ.get("PLIANT_CACHE")
    if own:
        return Path(own) / "jax"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pliant" / "jax"


def _set_flags() -> None:
    added = _own_flags()
    if not added:
        return
    if _has_started():
        warnings.warn(
            "JAX has started already, so that its XLA flags can no longer be changed: call pliant.configure() before "
            "anything is computed, or with flags=False",
            stacklevel=3,
        )
        return
    words = [f"--{name}={str(value).lower()}" for name, value in added.items()]
    os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), *words]).strip()


def _has_started() -> bool:
    """Whether JAX has looked for its devices, which is when XLA reads its flags."""
    from jax._src import xla_bridge  # there is no public way to ask without starting them

    return xla_bridge.backends_are_initialized()
