"""From a jaxpr to a program of scalars: values, and the rules of the primitives."""

from pliant.native.tracing._equations import Inner, inner_jaxprs, jaxpr_of, opened
from pliant.native.tracing._scratch import LONG
from pliant.native.tracing._trace import trace_jaxpr

__all__ = [
    "LONG",
    "Inner",
    "inner_jaxprs",
    "jaxpr_of",
    "opened",
    "trace_jaxpr",
]
