"""From C text to a loaded library: the system's compiler, and a cache by content, compiler and version."""

import concurrent.futures
import contextlib
import ctypes
import functools
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pliant._files import to_disk
from pliant.native._compilers import Compilers
from pliant.native._errors import CompilerError, NativeError
from pliant.native._work_folder import at_rest, remove, work_folder

# No flag changes what the arithmetic means but for contracting a * b + c.
FLAGS = ("-std=c99", "-O1", "-ffp-contract=fast", "-fPIC", "-fno-math-errno", "-fno-trapping-math")
# Equal subexpressions are found and dead stores left out before the compiler sees them; to look for them again takes
# gcc three times as long. Short lives of values in registers: 5 % quicker.
_GCC_FLAGS = (
    "-fexpensive-optimizations", "-fno-tree-dse", "-fno-dse", "-fno-tree-fre", "-fno-tree-dominator-opts",
    "-flive-range-shrinkage", "-fno-tree-ter",
)  # fmt: skip
_MACHINE = "-march=native"
_OWN, _ABOUT, _DIGESTS = "library.so", "about.json", "digests.json"
_VERIFIED = (_OWN, _ABOUT)
_ATTEMPTS = 3  # to put an entry into its place, which other processes may want too


def flags() -> tuple[str, ...]:
    """Those of the compiler; $PLIANT_CFLAGS is added, so that "-O0" builds quickly what need not be fast."""
    own = () if "clang" in _identity() else _GCC_FLAGS
    return (*FLAGS, *own, _MACHINE, *os.environ.get("PLIANT_CFLAGS", "").split())


@functools.cache
def compiler() -> str:
    """Path of the C compiler: $CC, else cc or gcc or clang."""
    asked = os.environ.get("CC", "").strip()
    for name in [asked] if asked else ["cc", "gcc", "clang"]:
        found = shutil.which(name.split()[0]) if name else None
        if found:
            return found
    wanted = f"$CC is {asked!r}, which does not exist" if asked else "neither cc nor gcc nor clang was found"
    raise CompilerError(f"no C compiler: {wanted}. Install gcc, or use the JAX backend, which needs none")


@functools.cache
def _identity() -> str:
    """What the compiler says of itself, and what `native` stands for on this machine."""
    command = [compiler(), "-march=native", "-Q", "--help=target"]
    version = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=False).stdout
    target = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return version + target


@functools.cache
def _generator() -> str:
    """A fingerprint of the code that makes code: with another version nothing in the cache is used."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_folder() -> Path:
    """$PLIANT_CACHE, or a folder of the user's cache."""
    own = os.environ.get("PLIANT_CACHE")
    if own:
        return Path(own) / "native"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pliant" / "native"


def key_of(*parts: str | bytes) -> str:
    """Name in the cache of what is made of these parts, by this generator and this compiler."""
    digest = hashlib.sha256()
    for part in (_generator(), _identity(), " ".join(flags()), *parts):
        digest.update(part if isinstance(part, bytes) else part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def cached(key: str) -> Path | None:
    """The library of this name, if it was built before. An entry that is not as it was built (cut short, garbled, parts
    missing) is removed: to load it could end the process."""
    folder = cache_folder() / key
    if _is_whole(folder):
        return folder / _OWN
    remove(folder)
    return None


def _is_whole(folder: Path) -> bool:
    """Whether library and figures are those whose digests were noted when they were built."""
    try:
        noted = json.loads((folder / _DIGESTS).read_bytes())
        return isinstance(noted, dict) and all(noted.get(name) == _digest(folder / name) for name in _VERIFIED)
    except (OSError, ValueError, RecursionError):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def build(key: str, units: list[str], options: Sequence[str] = (), about: Mapping[str, float] | None = None) -> Path:
    """Compile translation units, side by side, into the library of this name. The source and what is told `about` it
    stay beside it."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Made apart and moved into place, so that another process never sees half of it.
        with work_folder(folder, key) as work:
            _build_in(work, units, options, about or {})
            entry = _moved(work, folder / key)
            at_rest(entry)
            return entry / _OWN
    except OSError as error:
        cause, cure = error.strerror or error, "free some space, or set $PLIANT_CACHE to another folder"
        raise CompilerError(f"{folder}: native code cannot be kept there ({cause}); {cure}") from error


def _build_in(work: Path, units: list[str], options: Sequence[str], about: Mapping[str, float]) -> None:
    began = time.perf_counter()
    sources = []
    for index, text in enumerate(units):
        sources.append(work / f"part{index}.c")
        sources[-1].write_text(text, encoding="utf-8")
    try:
        _compile_all(sources, options, work / _OWN)
    except CompilerError:
        (work / _OWN).unlink(missing_ok=True)  # the source stays, for the reader of the message
        raise
    finally:
        for path in work.glob("*.o"):
            path.unlink()
    if not (work / _OWN).is_file():
        raise CompilerError(f"{compiler()} ended without an error and without a library. The source is in {work}")
    size = sum(len(unit) for unit in units) / 1e6
    figures = {**about, "seconds": time.perf_counter() - began, "megabytes": size}
    (work / _ABOUT).write_text(json.dumps(figures))
    (work / _DIGESTS).write_text(json.dumps({name: _digest(work / name) for name in _VERIFIED}))
    for path in (*(work / name for name in (*_VERIFIED, _DIGESTS)), work):
        to_disk(path)


def _moved(work: Path, final: Path) -> Path:
    """Where a finished entry is: in its place, or where it was made when nothing else can be put there."""
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(OSError):
            work.rename(final)
            return final
        if _is_whole(final):
            shutil.rmtree(work)  # another process was faster
            return final
        remove(final)
    return work


def told(library: Path) -> dict[str, float]:
    """What was noted when a library was built."""
    path = library.parent / _ABOUT
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        cure = "remove its folder, and it is built again"
        raise NativeError(f"{path}: it cannot be read, or is damaged ({error}); {cure}") from error


def _compile_all(sources: list[Path], options: Sequence[str], library: Path) -> None:
    compilers = Compilers()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        try:
            objects = list(pool.map(functools.partial(_compile, compilers, options), sources))
            command = [compiler(), "-shared", "-o", str(library), *map(str, objects), "-lm"]
            pool.submit(compilers.call, command, library.parent).result()
        finally:
            compilers.stop()  # where this was interrupted, or one of them failed


def _compile(compilers: Compilers, options: Sequence[str], source: Path) -> Path:
    result = source.with_suffix(".o")
    compilers.call([compiler(), *flags(), *options, "-c", str(source), "-o", str(result)], source.parent)
    return result


@functools.cache
def load(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        cure = "build it again, or set $PLIANT_CACHE to a folder from which code may run"
        raise NativeError(f"{path}: the library cannot be loaded ({error}); {cure}") from error
