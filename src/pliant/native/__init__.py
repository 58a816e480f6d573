"""Any pure JAX function as native code: traced to a scalar program, printed as C, built, loaded. Knows no robots."""

from pliant.native._build import cache_folder, compiler
from pliant.native._cuda import build_cuda, cuda_source, load_cuda
from pliant.native._errors import (
    CompilerError,
    MismatchError,
    NativeError,
    TooLargeError,
    UnsupportedError,
)
from pliant.native._ffi import JaxFunction, jax_function
from pliant.native._function import NativeCall, NativeFunction, compare, compile_function
from pliant.native._library import CFunction, c_comment, c_name, c_string, library_source, sizes_of
from pliant.native._symbolic import casadi_function, sympy_expressions
from pliant.native.tracing import LONG, jaxpr_of

__all__ = [
    "LONG",
    "CFunction",
    "CompilerError",
    "JaxFunction",
    "MismatchError",
    "NativeCall",
    "NativeError",
    "NativeFunction",
    "TooLargeError",
    "UnsupportedError",
    "build_cuda",
    "c_comment",
    "c_name",
    "c_string",
    "cache_folder",
    "casadi_function",
    "compare",
    "compile_function",
    "compiler",
    "cuda_source",
    "jax_function",
    "jaxpr_of",
    "library_source",
    "load_cuda",
    "sizes_of",
    "sympy_expressions",
]
