"""Every element passes every check."""

import pytest

from catalogue.checks import CHECKS
from catalogue.subjects import SUBJECTS, make


# The element varies slowest, so that one process compiles an element once and runs all its checks.
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in SUBJECTS])
def test_element(name, check):
    check(make(name))
