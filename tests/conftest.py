"""Shared by all tests: helper modules are importable as `catalogue.checks` and the like."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Compilation is what the tests cost, and the programs are small: unoptimised code halves the time. Set before JAX.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0".strip()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file share compiled functions, so they run in one worker unless they say otherwise."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.name))


@pytest.fixture(scope="module", autouse=True)
def _few_programs():
    """Every file leaves compiled functions behind; a process may hold only so many."""
    yield
    from pliant.numerics import forget_programs_when_many

    forget_programs_when_many()
