"""Published, analytic and measured results that Pliant must reproduce (`pliant validate`), and one robot solved with
every rod model (`pliant compare`)."""

from typing import TYPE_CHECKING, Any

from pliant.validation._case import CaseSkipped, Row
from pliant.validation._registry import cases, run

if TYPE_CHECKING:
    from pliant.validation._comparison import Comparison, ModelRow, compare_models

__all__ = ["CaseSkipped", "Comparison", "ModelRow", "Row", "cases", "compare_models", "run"]


def __getattr__(name: str) -> Any:
    # Loaded when first used: listing the cases needs no JAX.
    if name not in __all__:
        raise AttributeError(f"module 'pliant.validation' has no attribute {name!r}")
    from pliant.validation import _comparison

    return getattr(_comparison, name)
