"""From a function to a library: the cache, what can go wrong and how it is told, and C that strict compilers take."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.scipy import linalg

from little_room import little_room
from pliant.native import (
    CompilerError,
    NativeError,
    TooLargeError,
    UnsupportedError,
    _build,
    _work_folder,
    cache_folder,
    compile_function,
)
from pliant.native.printing._print_c import CText
from pliant.native.printing._runtime import PRELUDE
from pliant.native.tracing import _rules_control, _rules_matrices, _trace
from pliant.native.tracing._trace import trace_jaxpr

X = jnp.array([0.3, -1.2, 2.0])


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache; its folder."""
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "native"


@pytest.fixture
def use_compiler(monkeypatch, tmp_path):
    """Makes $CC a script of these lines."""

    def forget():
        _build.compiler.cache_clear()
        _build._identity.cache_clear()

    def use(*lines):
        script = tmp_path / "compiler"
        script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        script.chmod(0o755)
        monkeypatch.setenv("CC", str(script))
        forget()
        return script

    yield use
    monkeypatch.undo()
    forget()


def _one(x):
    return jnp.sin(x) * 2.0


def test_a_function_is_built_once(cache, monkeypatch):
    first = compile_function(_one, (X,))
    assert first.library.parent.parent == cache and (first.library.parent / "part0.c").exists()

    def refuse(*_):
        raise AssertionError("the compiler was called")

    monkeypatch.setattr(_build.Compilers, "call", refuse)
    again = compile_function(lambda x: jnp.sin(x) * 2.0, (X,))
    assert again.library == first.library
    np.testing.assert_array_equal(again(X), first(X))
    others = [lambda x: jnp.sin(x) * 2.0000000000000004, lambda x: jnp.sin(x) * jnp.array([1.0, 2.0, 3.0])]
    for other in others:
        with pytest.raises(AssertionError, match="was called"):
            compile_function(other, (X,))


def test_two_builders_at_once_leave_one_library(cache):
    source = "int seven(void) { return 7; }\n"
    first, second = (_build.build("key", [source]) for _ in range(2))
    assert first == second == _build.cached("key")
    assert [path.name for path in cache.iterdir()] == ["key"]
    assert _build.load(first).seven() == 7


def test_an_interrupted_build_ends_at_once_and_leaves_nothing(cache, use_compiler, tmp_path, monkeypatch):
    """Its compilers end too, and what they have started; they would take a minute."""
    use_compiler("sleep 60 &", f"echo $! >> {tmp_path}/started", "wait")
    monkeypatch.setattr(_build, "_identity", lambda: "gcc")
    started, pid = tmp_path / "started", os.getpid()

    def interrupt():
        while not started.exists() or not started.read_text().strip():
            time.sleep(0.01)
        os.kill(pid, signal.SIGINT)

    thread, began = threading.Thread(target=interrupt), time.monotonic()
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        _build.build("key", ["int six(void) { return 6; }\n", "int seven(void) { return 7; }\n"])
    thread.join()
    assert time.monotonic() - began < 2.0  # on an idle machine 0.1 s
    assert not list(cache.iterdir())
    assert not any(_is_running(int(process)) for process in started.read_text().split())


def _is_running(process):
    try:
        return subprocess.check_output(["ps", "-o", "stat=", "-p", str(process)], text=True)[0] != "Z"
    except subprocess.CalledProcessError:
        return False


def test_what_a_killed_build_left_is_removed(cache, monkeypatch):
    """Folders in which nobody builds any more; not those of others at work, nor the source of a failure."""
    cache.mkdir(parents=True)
    source = ["int seven(void) { return 7; }\n"]
    killed = """
import os, signal, sys
from pliant.native import _build
_build._compile_all = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
_build.build("key", ["int seven(void) { return 7; }"])
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -signal.SIGKILL
    (left,) = cache.iterdir()
    assert (left / "part0.c").exists()
    _build.build("key", source)
    assert left.exists(), "it is young, and may be another's that has just begun"
    monkeypatch.setattr(_work_folder, "_SETTLED", -60.0)
    (cache / "key-none").mkdir()
    (cache / "key-1.removed").mkdir()
    (cache / "key-failed").mkdir()
    (cache / "key-failed" / "part0.c").write_text("source")
    with _work_folder.work_folder(cache, "other") as other:
        _build.build("more", source)
        assert sorted(path.name for path in cache.iterdir()) == sorted(["key", "more", "key-failed", other.name])
    assert _build.cached("key") and _build.cached("more")


@pytest.mark.parametrize("name", ["library.so", "about.json", "digests.json"])
def test_an_entry_that_is_not_as_it_was_built_is_built_again(cache, name):
    """To load a library that was cut short ends the process by SIGBUS; without figures a build would fail for ever."""
    source = ["int seven(void) { return 7; }\n"]
    folder = _build.build("key", source).parent
    whole = (folder / name).read_bytes()
    for spoiled in (None, b"", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1]), b"[" * 3000):
        (folder / name).unlink()
        if spoiled is not None:
            (folder / name).write_bytes(spoiled)
        assert _build.cached("key") is None and not list(cache.iterdir())
        assert _build.build("key", source) == _build.cached("key") == folder / "library.so"
    assert _build.told(folder / "library.so")["megabytes"] > 0
    # What stands in the way of a build is replaced; another's that is whole is not.
    (folder / name).write_bytes(b"x")
    assert _build.build("key", source) == _build.cached("key")


def test_a_damaged_library_is_not_loaded(cache):
    """The whole way, in a process of its own."""
    code = """
import jax.numpy as jnp
from pliant.native import compile_function
print(compile_function(lambda x: 2.0 * x, (jnp.ones(3),), "twice")(jnp.ones(3)).sum())
"""

    def run():
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert run().stdout == "6.0\n"
    (library,) = cache.glob("*/library.so")
    library.write_bytes(library.read_bytes()[:4096])
    done = run()
    assert done.returncode == 0 and done.stdout == "6.0\n", done.stderr


def test_a_full_disk_is_told_in_one_sentence(cache):
    with (
        little_room(20),
        pytest.raises(CompilerError, match=r"native code cannot be kept there \(.*set \$PLIANT_CACHE"),
    ):
        _build.build("key", ["int seven(void) { return 7; }\n" * 10])
    assert not list(cache.iterdir())
    (cache / "key").mkdir()
    (cache / "key" / "about.json").write_text("[")
    with pytest.raises(NativeError, match=r"about\.json: it cannot be read, or is damaged .* it is built again"):
        _build.told(cache / "key" / "library.so")
    with pytest.raises(NativeError, match=r"none\.so: the library cannot be loaded"):
        _build.load(cache / "none.so")


def test_a_compiler_that_makes_nothing_is_told(cache, use_compiler):
    use_compiler("exit 0")
    with pytest.raises(CompilerError, match="without a library"):
        compile_function(_one, (X,))


def test_name_in_the_cache_follows_what_makes_the_code(monkeypatch, use_compiler, tmp_path):
    plain = _build.key_of("text", b"constants")
    assert plain == _build.key_of("text", b"constants")
    assert plain != _build.key_of("text", b"others") != _build.key_of("other text", b"others")
    with monkeypatch.context() as patch:
        patch.setattr(_build, "FLAGS", (*_build.FLAGS, "-O2"))
        assert _build.key_of("text", b"constants") != plain
    with monkeypatch.context() as patch:
        shutil.copytree(_build.cache_folder.__code__.co_filename.rpartition("/")[0], tmp_path / "generator")
        changed = tmp_path / "generator" / "printing" / "_runtime.py"
        changed.write_text(changed.read_text() + "\n")
        patch.setattr(_build, "__file__", str(tmp_path / "generator" / "_build.py"))
        patch.setattr(_build, "_generator", _build._generator.__wrapped__)
        assert _build.key_of("text", b"constants") != plain
    use_compiler("echo another compiler 1.0")
    assert _build.key_of("text", b"constants") != plain


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own" / "native"
    monkeypatch.delenv("PLIANT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "pliant" / "native"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "pliant" / "native"


def test_a_compiler_that_fails_is_quoted(cache, use_compiler):
    script = use_compiler("echo 'no room on this machine' >&2", "exit 3")
    with pytest.raises(CompilerError) as failure:
        compile_function(_one, (X,))
    message = str(failure.value)
    assert str(script) in message and "ended with 3" in message and "no room on this machine" in message
    (folder,) = cache.iterdir()
    assert message.endswith(f"The source is in {folder}")
    assert "pliant_sin" in (folder / "part0.c").read_text()
    assert not list(cache.glob("*/library.so"))


def test_a_compiler_that_says_nothing(cache, monkeypatch, use_compiler):
    use_compiler()
    monkeypatch.setenv("CC", "/bin/false")
    with pytest.raises(CompilerError, match=r"/bin/false.*\nended with 1"):
        compile_function(_one, (X,))


def test_no_compiler_is_told_in_one_line(cache, monkeypatch, use_compiler):
    use_compiler()
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(cache))
    with pytest.raises(CompilerError, match=r"^no C compiler: neither cc nor gcc nor clang.*JAX backend.*$") as failure:
        compile_function(_one, (X,))
    assert "\n" not in str(failure.value)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompilerError, match="'no-such-compiler', which does not exist"):
        compile_function(_one, (X,))


def test_what_no_program_can_hold_is_named_with_its_line():
    def function(x):
        y = 2 * x
        return jnp.argmax(y)

    line = function.__code__.co_firstlineno + 2
    with pytest.raises(UnsupportedError, match=f"lookup uses 'argmax'.*{__file__}:{line}"):
        compile_function(function, (X,), "lookup")


def test_too_large_a_program_is_refused():
    with pytest.raises(TooLargeError, match=r"wide would unroll to about [0-9,]+ operations"):
        compile_function(lambda a: a @ a @ a, (jax.ShapeDtypeStruct((200, 200), jnp.float64),), "wide")


def _of_everything(x, matrix, places):
    """Loops, branches, places, factors: every kind of statement and every routine."""
    lower = jnp.linalg.cholesky(matrix)
    solved = linalg.cho_solve((lower, True), x)
    general = jnp.linalg.solve(matrix + jnp.triu(matrix), x)
    turns, root = lax.while_loop(
        lambda c: jnp.abs(c[1] ** 2 - 2) > 1e-12, lambda c: (c[0] + 1, c[1] / 2 + 1 / c[1]), (0, 1 + x[0] ** 2)
    )
    branch = lax.switch(places[0], [jnp.sin, jnp.cos, lambda y: jnp.where(y > 0, jnp.log(y), -0.0)], x)
    _, table = lax.scan(lambda c, y: (c * 0.9 + y, jnp.outer(c, c)[:2, 0]), x, jnp.ones((20, 1)) * x, reverse=True)
    moved = lax.dynamic_update_slice(x, solved[:3], (places[1],)) + x[places[2]]
    added = jnp.zeros(len(x)).at[places].add(x[:4]).at[places[::-1]].set(7.0)
    single = (jnp.nextafter(x, 2 * x), jnp.sign(x), jnp.max(x), jnp.min(x), jnp.round(x), x.astype(int))
    return solved, general, turns, root, branch, table[:3], moved, added, single


def _listed(name, array):
    numbers = ", ".join(float(v).hex() for v in np.ravel(array))
    return f"static const double {name}[] = {{{numbers}}};"


def test_the_text_is_strict_c_that_touches_only_its_own(tmp_path, monkeypatch):
    """Warnings are errors; addresses, arithmetic of whole numbers and casts are watched while it runs."""
    size = 6
    # As if this were large: loops are kept, and matrices go to routines.
    for module in (_trace, _rules_matrices):
        monkeypatch.setattr(module, "WRITTEN_OUT", 3)
    monkeypatch.setattr(_rules_control, "WRITTEN_OUT_LOOP", 10)
    random = np.random.default_rng(2)
    root = random.normal(size=(size, size))
    # Places beyond both ends, and beyond what an int holds.
    places = jnp.array([9, -3, 40_000_000_000, 2])
    arguments = (jnp.asarray(random.normal(size=size)), jnp.asarray(root @ root.T + np.eye(size)), places)
    text = CText(trace_jaxpr(jax.make_jaxpr(_of_everything)(*arguments), "everything"))
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(_of_everything)(*arguments))]
    results = [f"static double y{i}[{leaf.size}];" for i, leaf in enumerate(expected)]
    prints = [f'for (int i = 0; i < {leaf.size}; ++i) printf("%.17g\\n", y{k}[i]);' for k, leaf in enumerate(expected)]
    main = [
        *(_listed(f"x{i}", argument) for i, argument in enumerate(arguments)), *results, "int main(void) {",
        f"const double *const x[] = {{{', '.join(f'x{i}' for i in range(len(arguments)))}}};",
        f"double *const y[] = {{{', '.join(f'y{i}' for i in range(len(expected)))}}};",
        "everything(x, y);", *prints, "return 0;", "}",
    ]  # fmt: skip
    for routine in ("cholesky", "triangular", "lu", "gather", "scatter", "scatter_add", "scatter_clipped"):
        assert f"pliant_{routine}(" in text.entry
    source, program = tmp_path / "everything.c", tmp_path / "everything"
    source.write_text("\n".join(["#include <stdio.h>", PRELUDE, *text.routines, text.text(), *main]) + "\n")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fno-sanitize-recover=all"]
    watched = "-fsanitize=address,undefined,float-cast-overflow"
    command = [_build.compiler(), *flags, watched, str(source), "-o", str(program), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:3000]
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr[:3000]
    own = np.array([float(line) for line in done.stdout.split()])
    wanted = np.concatenate([leaf.ravel() for leaf in expected])
    np.testing.assert_allclose(own, wanted, rtol=1e-10, atol=1e-13)


def test_clang_gets_no_flags_of_gcc(monkeypatch):
    monkeypatch.setattr(_build, "_identity", lambda: "gcc (Debian 12.2.0) 12.2.0")
    by_gcc = set(_build.flags())
    monkeypatch.setattr(_build, "_identity", lambda: "Debian clang version 19.1.7")
    assert {"-fno-tree-fre", "-flive-range-shrinkage"} <= by_gcc - set(_build.flags())
    assert {"-O1", "-ffp-contract=fast", "-march=native"} <= set(_build.flags())
