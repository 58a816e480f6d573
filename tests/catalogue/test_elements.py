"""Every element passes every check."""

import pytest

from catalogue.checks import CHECKS
from catalogue.subjects import SUBJECTS, make

# "rom" has all but its six methods from the class of a user's rod; "gvs", "cog-on-revolute" and "free" have the code of
# the next three; "srl" stands in the tree of all interactions, which is held to the generic path too.
LONG = ("user-rod", "gvs-helical-in-pieces", "pcs-on-revolute", "spherical", "srl-helical")


def _marks(name):
    return [pytest.mark.long] if name in LONG else []


# The element varies slowest, so that one process compiles an element once and runs all its checks.
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", [pytest.param(name, marks=_marks(name)) for name in SUBJECTS])
def test_element(name, check):
    check(make(name))
