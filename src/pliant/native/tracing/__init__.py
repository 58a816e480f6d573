"""From a jaxpr to a program of scalars: values, and the rules of the primitives."""

from pliant.native.tracing._trace import trace_jaxpr

__all__ = [
    "trace_jaxpr",
]
