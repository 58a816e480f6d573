"""The suites by name."""

from harness.hybrid import HYBRID
from harness.spine import SPINE

SUITES = {"hybrid": HYBRID, "spine": SPINE}
