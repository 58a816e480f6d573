"""Provenance of a model's results."""

import hashlib
from typing import Any

import numpy as np

from pliant.model import Model
from pliant.results import provenance


def description_hash(model: Model) -> str:
    """Short digest of structure and numbers."""
    digest = hashlib.sha256(model.structure.text.encode())
    for path in sorted(model.parameters):
        digest.update(path.encode() + np.asarray(model.parameters[path]).tobytes())
    return digest.hexdigest()[:16]


def record(model: Model, settings: dict[str, Any]) -> str:
    """Provenance text of a result of this model."""
    return provenance(settings, model.name, description_hash(model))
