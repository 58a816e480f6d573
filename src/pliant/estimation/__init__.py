"""Forces on a soft robot from its pressures and where its markers are: estimates, their bounds, a stream of them."""

from pliant.estimation._estimate import ForceEstimate
from pliant.estimation._estimator import ForceEstimator
from pliant.estimation._stream import StreamingForceEstimator

__all__ = ["ForceEstimate", "ForceEstimator", "StreamingForceEstimator"]
