"""The suites by name."""

from harness.hybrid import HYBRID
from harness.models import MODELS_SUITE
from harness.spine import SPINE

SUITES = {"hybrid": HYBRID, "models": MODELS_SUITE, "spine": SPINE}
