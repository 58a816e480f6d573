"""Any pure JAX function as native code: traced to a scalar program, printed as C, built, loaded. Knows no robots."""

from pliant.native._build import cache_folder, compiler
from pliant.native._errors import (
    CompilerError,
    MismatchError,
    NativeError,
    TooLargeError,
    UnsupportedError,
)
from pliant.native._ffi import JaxFunction, jax_function
from pliant.native._function import NativeFunction, compare, compile_function
from pliant.native._library import CFunction, c_name, library_source, sizes_of

__all__ = [
    "CFunction",
    "CompilerError",
    "JaxFunction",
    "MismatchError",
    "NativeError",
    "NativeFunction",
    "TooLargeError",
    "UnsupportedError",
    "c_name",
    "cache_folder",
    "compare",
    "compile_function",
    "compiler",
    "jax_function",
    "library_source",
    "sizes_of",
]
