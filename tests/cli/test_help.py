"""Help is quick, and every command shows an example."""

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import invoke

COMMANDS = (
    "library",
    "new",
    "check",
    "schema",
    "statics",
    "modes",
    "simulate",
    "run",
    "identify",
    "plot",
    "mesh",
    "validate",
    "compare",
    "cog-fit",
    "native",
    "export-c",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example(command):
    assert f"Example: pliant {command}" in invoke(command, "--help").stdout


def test_help_lists_every_command():
    shown = invoke("--help").stdout
    assert all(f" {command} " in shown for command in COMMANDS)


def test_version():
    assert invoke("--version").stdout.startswith("pliant 0")


def test_help_imports_neither_jax_nor_the_description_layer_and_is_quick():
    code = (
        "import sys; from pliant.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'jax', 'numpy', 'pydantic', 'xarray', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, "--help"], check=True, stdout=subprocess.DEVNULL, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time, because the wall clock also counts what else the machine is doing.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.0


def test_the_page_names_every_command_and_option():
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"`pliant {command}" in page
        for option in re.findall(r"--[a-z][a-z-]+", invoke(command, "--help").stdout):
            assert option in page or option in ("--help", "--no-energy"), (command, option)


def test_commands_that_compute_set_jax_up_first(monkeypatch):
    called = []
    monkeypatch.setattr("pliant._jax.configure", lambda: called.append(True))
    invoke("schema")
    assert not called
    invoke("statics", "no-such-robot", code=2)
    assert called == [True]
