"""Any pure JAX function as native code: traced to a scalar program, printed as C, built, loaded. Knows no robots."""

from pliant.native._build import cache_folder, compiler
from pliant.native._errors import (
    CompilerError,
    MismatchError,
    NativeError,
    TooLargeError,
    UnsupportedError,
)
from pliant.native._function import NativeFunction, compare, compile_function

__all__ = [
    "CompilerError",
    "MismatchError",
    "NativeError",
    "NativeFunction",
    "TooLargeError",
    "UnsupportedError",
    "cache_folder",
    "compare",
    "compile_function",
    "compiler",
]
