"""From C text to a loaded library: the system's compiler, and a cache by content, compiler and version."""

import concurrent.futures
import ctypes
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pliant.native._errors import CompilerError

# No flag changes what the arithmetic means but for contracting a * b + c.
FLAGS = ("-std=c99", "-O1", "-ffp-contract=fast", "-fPIC", "-fno-math-errno", "-fno-trapping-math")
# Equal subexpressions are found and dead stores left out before the compiler sees them; to look for them again takes
# gcc three times as long. Short lives of values in registers: 5 % quicker.
_GCC_FLAGS = (
    "-fexpensive-optimizations", "-fno-tree-dse", "-fno-dse", "-fno-tree-fre", "-fno-tree-dominator-opts",
    "-flive-range-shrinkage", "-fno-tree-ter",
)  # fmt: skip
_MACHINE = "-march=native"
_OWN, _ABOUT = "library.so", "about.json"


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
    """The library of this name, if it was built before."""
    path = cache_folder() / key / _OWN
    return path if path.exists() else None


def build(key: str, units: list[str], options: Sequence[str] = (), about: Mapping[str, float] | None = None) -> Path:
    """Compile translation units, side by side, into the library of this name. The source and what is told `about` it
    stay beside it."""
    began = time.perf_counter()
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    # Made apart and moved into place, so that another process never sees half of it.
    work = Path(tempfile.mkdtemp(dir=folder, prefix=f"{key}-"))
    sources = []
    for index, text in enumerate(units):
        sources.append(work / f"part{index}.c")
        sources[-1].write_text(text)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        objects = list(pool.map(functools.partial(_compile, options=options), sources))
    _call([compiler(), "-shared", "-o", str(work / _OWN), *map(str, objects), "-lm"], work)
    for path in objects:
        path.unlink()
    size = sum(len(unit) for unit in units) / 1e6
    figures = {**(about or {}), "seconds": time.perf_counter() - began, "megabytes": size}
    (work / _ABOUT).write_text(json.dumps(figures))
    final = folder / key
    try:
        work.rename(final)
    except OSError:
        shutil.rmtree(work)  # another process was faster
    return final / _OWN


def told(library: Path) -> dict[str, float]:
    """What was noted when a library was built."""
    return json.loads((library.parent / _ABOUT).read_text())


def _compile(source: Path, options: Sequence[str]) -> Path:
    result = source.with_suffix(".o")
    _call([compiler(), *flags(), *options, "-c", str(source), "-o", str(result)], source.parent)
    return result


def _call(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[:20])
        raise CompilerError(f"{' '.join(command)}\nended with {done.returncode}:\n{said}\nThe source is in {folder}")


@functools.cache
def load(path: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(path))
