"""Every element passes every check."""

import pytest

from catalogue.checks import CHECKS
from catalogue.subjects import SUBJECTS, make

LONG = ("user-rod",)  # "rom" has all but its six methods from the same class


def _marks(name):
    return [pytest.mark.xdist_group(name), *([pytest.mark.long] if name in LONG else [])]


# The element varies slowest, so that one process compiles an element once and runs all its checks.
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", [pytest.param(name, marks=_marks(name)) for name in SUBJECTS])
def test_element(name, check):
    check(make(name))
