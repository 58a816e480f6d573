"""Published, analytic and measured results that Pliant must reproduce: `pliant validate`."""

from pliant.validation._case import CaseSkipped, Row
from pliant.validation._registry import cases, run

__all__ = ["CaseSkipped", "Row", "cases", "run"]
