"""What the commands about native code say when they cannot do their work."""

import pytest
from cli_helpers import invoke

from pliant.native import _build


@pytest.fixture
def _no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))  # what was built before needs no compiler
    _build.compiler.cache_clear()
    yield
    _build.compiler.cache_clear()


@pytest.mark.usefixtures("_no_compiler")
def test_without_a_compiler_one_line_says_so():
    done = invoke("native", "pendulum-rod", "--function", "forward_kinematics", code=1)
    assert "no C compiler: $CC is 'no-such-compiler', which does not exist" in " ".join(done.stderr.split())


def test_unknown_functions_and_inputs_are_refused(tmp_path):
    out = ("--out", str(tmp_path))
    for words in (("native", "pendulum-rod"), ("export-c", "pendulum-rod", *out)):
        done = invoke(*words, "--function", "mass", code=2)
        assert "there is no native function 'mass'; known: forward_dynamics" in " ".join(done.stderr.split())
    done = invoke("export-c", "pendulum-rod", "--inputs", "motor", *out, code=2)
    assert "has no input 'motor'" in done.stderr
