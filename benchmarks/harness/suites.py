"""The suites by name."""

from harness.arms import ARMS
from harness.contact import CONTACT
from harness.gpu import GPU
from harness.hybrid import HYBRID
from harness.implicit import IMPLICIT
from harness.models import MODELS_SUITE
from harness.native import NATIVE
from harness.size import SIZE
from harness.spine import SPINE
from harness.steppers import STEPPERS_SUITE

SUITES = {
    "arms": ARMS,
    "contact": CONTACT,
    "gpu": GPU,
    "hybrid": HYBRID,
    "implicit": IMPLICIT,
    "models": MODELS_SUITE,
    "native": NATIVE,
    "size": SIZE,
    "spine": SPINE,
    "steppers": STEPPERS_SUITE,
}
