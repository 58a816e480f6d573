"""Native code called from inside JAX on the CPU: an XLA FFI handler in C beside the program, and its derivative."""

import functools
import hashlib
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pliant.native._build import load
from pliant.native._errors import UnsupportedError
from pliant.native._function import compile_function
from pliant.native._library import checked_name

REVERSE_COST = 2  # operations of a reverse sweep by those of a forward one: an estimate, not measured
_PROGRAM = "_native"  # after a name, so that it is never that of a function of the C library
_HEADER = "xla/ffi/api/c_api.h"


def jax_function(function: Callable[..., Any], arguments: Sequence[Any], name: str = "function") -> "JaxFunction":
    """function(*arguments) as native code that JAX can call: under jit, vmap, grad, jacfwd and jacrev, to any order.

    arguments: examples, or their shapes; leaves are float64, integers or booleans. name: for messages and in C. The
    code of a derivative is made when it is first asked for.
    """
    return JaxFunction(function, arguments, name)


class JaxFunction:
    """What `jax_function` returns: takes arguments like the examples, and gives what the JAX function gives.

    native: the same, called without JAX. target: the name under which XLA knows it.
    """

    def __init__(self, function: Callable[..., Any], arguments: Sequence[Any], name: str) -> None:
        checked_name(name)
        self.__name__ = name
        examples = jax.eval_shape(lambda *leaves: leaves, *arguments)
        self._structure: Any = jax.tree.structure(examples)
        leaves = jax.tree.leaves(examples)
        self._paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(examples)]
        self._given = [self._strong(leaf, path) for leaf, path in zip(leaves, self._paths, strict=True)]
        self._function = function
        self.native = compile_function(
            function, jax.tree.unflatten(self._structure, self._given), f"{name}{_PROGRAM}", _units, _options()
        )
        self._results, self._out = jax.tree.flatten(self.native.results)
        self.target = f"pliant_{name}_{Path(self.native.library).parent.name}"
        _register(self.target, self.native.library, _handler(self.native.symbol))
        self._call = jax.custom_jvp(self._value)
        self._call.defjvp(self._tangents)

    def __call__(self, *arguments: Any) -> Any:
        leaves, structure = jax.tree.flatten(arguments)
        if structure != self._structure:
            raise TypeError(f"{self.__name__} takes arguments of structure {self._structure}; got {structure}")
        given = map(self._converted, leaves, self._given, self._paths)
        results = self._call(*given)
        typed = [result.astype(aval.dtype) for result, aval in zip(results, self._results, strict=True)]
        return jax.tree.unflatten(self._out, typed)

    # Leaves

    def _strong(self, leaf: jax.ShapeDtypeStruct, path: str) -> jax.ShapeDtypeStruct:
        if leaf.dtype != np.float64 and not _is_whole(leaf):
            self._refuse(leaf, "float64, integers or booleans", path)
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)

    def _converted(self, leaf: Any, wanted: jax.ShapeDtypeStruct, path: str) -> jax.Array:
        given = jax.typeof(leaf)
        same = given.dtype == wanted.dtype or (_is_integer(given) and _is_integer(wanted))
        fits = given.weak_type and _is_floating(wanted) and (_is_floating(given) or _is_integer(given))
        if tuple(given.shape) != wanted.shape or not (same or fits):
            self._refuse(given, f"{wanted.dtype}{list(wanted.shape)}", path)
        return jnp.asarray(leaf, dtype=np.float64)

    def _refuse(self, given: Any, wanted: str, path: str) -> None:
        raise TypeError(
            f"argument {path} of native function {self.__name__} is {given.dtype}{list(given.shape)}; expected {wanted}"
        )

    # Values and tangents, on flat float64 leaves

    def _value(self, *leaves: jax.Array) -> list[jax.Array]:
        shapes = [jax.ShapeDtypeStruct(aval.shape, np.float64) for aval in self._results]
        return list(jax.ffi.ffi_call(self.target, shapes, vmap_method="broadcast_all")(*leaves))

    def _tangents(self, leaves: Sequence[jax.Array], tangents: Sequence[jax.Array]) -> tuple[Any, Any]:
        results = self._call(*leaves)
        moves = [jnp.zeros(aval.shape) for aval in self._results]
        if self._inputs and self._outputs:
            (matrix,) = self.derivative._call(*leaves)
            column = matrix @ _vector(tangents[i] for i in _floating(self._given))
            which = _floating(self._results)
            for index, part in zip(which, _parts(column, [self._results[i] for i in which]), strict=True):
                moves[index] = part
        return results, moves

    @functools.cached_property
    def derivative(self) -> "JaxFunction":
        """The Jacobian of all floating-point results by all floating-point arguments, one matrix."""
        if REVERSE_COST * self._outputs < self._inputs:
            try:
                return self._derivative_by(jax.jacrev)
            except (ValueError, UnsupportedError):
                pass  # a loop of unknown length has no reverse
        return self._derivative_by(jax.jacfwd)

    def _derivative_by(self, differentiate: Callable[..., Any]) -> "JaxFunction":
        moving = _floating(self._given)

        def matrix(*arguments: Any) -> jax.Array:
            fixed = jax.tree.leaves(arguments)

            def of_vector(vector: jax.Array) -> jax.Array:
                leaves = list(fixed)
                for index, part in zip(moving, _parts(vector, [self._given[i] for i in moving]), strict=True):
                    leaves[index] = part
                results = jax.tree.leaves(self._function(*jax.tree.unflatten(self._structure, leaves)))
                return _vector(jnp.asarray(results[i], np.float64) for i in _floating(self._results))

            return differentiate(of_vector)(_vector(fixed[i] for i in moving))

        arguments = jax.tree.unflatten(self._structure, self._given)
        return JaxFunction(matrix, arguments, f"{self.__name__}_jacobian")

    @property
    def _inputs(self) -> int:
        return sum(math.prod(self._given[i].shape) for i in _floating(self._given))

    @property
    def _outputs(self) -> int:
        return sum(math.prod(self._results[i].shape) for i in _floating(self._results))


def _is_floating(aval: Any) -> bool:
    return bool(jnp.issubdtype(aval.dtype, jnp.floating))


def _is_integer(aval: Any) -> bool:
    return bool(jnp.issubdtype(aval.dtype, jnp.integer))


def _is_whole(aval: Any) -> bool:
    return _is_integer(aval) or aval.dtype == np.bool_


def _floating(avals: Sequence[Any]) -> list[int]:
    return [index for index, aval in enumerate(avals) if _is_floating(aval)]


def _vector(arrays: Any) -> jax.Array:
    return jnp.concatenate([array.reshape(-1) for array in arrays])


def _parts(vector: jax.Array, avals: Sequence[Any]) -> list[jax.Array]:
    """A vector cut into arrays of these shapes."""
    parts, offset = [], 0
    for aval in avals:
        size = math.prod(aval.shape)
        parts.append(vector[offset : offset + size].reshape(aval.shape))
        offset += size
    return parts


# The library

# Sizes are those of one item; a batch is as many of them one after the other.
_SOURCE = """#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "xla/ffi/api/c_api.h"

#if defined(PLIANT_SINGLE)
typedef float pliant_number;
#define PLIANT_TYPE F32
#else
typedef double pliant_number;
#define PLIANT_TYPE F64
#endif
#define PLIANT_JOIN(a, b) a##b
#define PLIANT_XLA(type) PLIANT_JOIN(XLA_FFI_DataType_, type)

@declaration@

static const int64_t argument_sizes[] = {@argument_sizes@};
static const int64_t result_sizes[] = {@result_sizes@};

static XLA_FFI_Error *failure(const XLA_FFI_Api *api, const char *message) {
  XLA_FFI_Error_Create_Args args = {
      XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, message, XLA_FFI_Error_Code_INVALID_ARGUMENT};
  return api->XLA_FFI_Error_Create(&args);
}

static XLA_FFI_Error *mismatch(
    const XLA_FFI_Api *api, const char *kind, int64_t index, const char *what, int64_t expected, int64_t got) {
  char text[256 + sizeof "@name@"];
  if (index < 0)
    snprintf(text, sizeof text, "native function @name@: %s: expected %lld, got %lld", what, (long long)expected,
             (long long)got);
  else
    snprintf(text, sizeof text, "native function @name@: %s %lld: %s: expected %lld, got %lld", kind,
             (long long)index, what, (long long)expected, (long long)got);
  return failure(api, text);
}

static const char *type_name(XLA_FFI_DataType type) {
  switch (type) {
    case XLA_FFI_DataType_PRED: return "PRED";
    case XLA_FFI_DataType_S32: return "S32";
    case XLA_FFI_DataType_S64: return "S64";
    case XLA_FFI_DataType_F16: return "F16";
    case XLA_FFI_DataType_BF16: return "BF16";
    case XLA_FFI_DataType_F32: return "F32";
    case XLA_FFI_DataType_F64: return "F64";
    case XLA_FFI_DataType_C64: return "C64";
    case XLA_FFI_DataType_C128: return "C128";
    default: return "another type";
  }
}

/* The elements of a buffer of numbers. */
static XLA_FFI_Error *read_buffer(const XLA_FFI_Api *api, const char *kind, int64_t index, int is_buffer,
                                  const XLA_FFI_Buffer *buffer, int64_t *elements) {
  if (!is_buffer) return mismatch(api, kind, index, "is a buffer", 1, 0);
  if (buffer->struct_size < XLA_FFI_Buffer_STRUCT_SIZE)
    return mismatch(api, kind, index, "size of XLA_FFI_Buffer", XLA_FFI_Buffer_STRUCT_SIZE,
                    (int64_t)buffer->struct_size);
  if (buffer->dtype != PLIANT_XLA(PLIANT_TYPE)) {
    char text[256 + sizeof "@name@"];
    snprintf(text, sizeof text, "native function @name@: %s %lld: type: expected %s, got %s (%d)", kind,
             (long long)index, type_name(PLIANT_XLA(PLIANT_TYPE)), type_name(buffer->dtype), (int)buffer->dtype);
    return failure(api, text);
  }
  *elements = 1;
  for (int64_t d = 0; d < buffer->rank; ++d) *elements *= buffer->dims[d];
  return NULL;
}

static XLA_FFI_Error *write_metadata(const XLA_FFI_Api *api, XLA_FFI_Metadata_Extension *extension) {
  if (extension->extension_base.struct_size < XLA_FFI_Metadata_Extension_STRUCT_SIZE)
    return mismatch(api, NULL, -1, "size of XLA_FFI_Metadata_Extension", XLA_FFI_Metadata_Extension_STRUCT_SIZE,
                    (int64_t)extension->extension_base.struct_size);
  XLA_FFI_Metadata *metadata = extension->metadata;
  if (metadata->struct_size < XLA_FFI_Metadata_STRUCT_SIZE)
    return mismatch(api, NULL, -1, "size of XLA_FFI_Metadata", XLA_FFI_Metadata_STRUCT_SIZE,
                    (int64_t)metadata->struct_size);
  metadata->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  metadata->api_version.extension_start = NULL;
  metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  metadata->traits = 0;
  metadata->state_type_id.type_id = 0; /* the header does not count it in the size, but handlers fill it */
  return NULL;
}

#ifdef __cplusplus
extern "C"
#endif
XLA_FFI_Error *@handler@(XLA_FFI_CallFrame *frame) {
  const XLA_FFI_Api *api = frame->api;
  XLA_FFI_Error *error = NULL;
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE)
    return mismatch(api, NULL, -1, "size of XLA_FFI_CallFrame", XLA_FFI_CallFrame_STRUCT_SIZE,
                    (int64_t)frame->struct_size);
  /* Every extension begins like this one; what they have in common is named differently from release to release. */
  for (XLA_FFI_Metadata_Extension *extension = (XLA_FFI_Metadata_Extension *)frame->extension_start; extension;
       extension = (XLA_FFI_Metadata_Extension *)extension->extension_base.next)
    if (extension->extension_base.type == XLA_FFI_Extension_Metadata) return write_metadata(api, extension);
  if (api->api_version.major_version != XLA_FFI_API_MAJOR)
    return mismatch(api, NULL, -1, "major version of the FFI", XLA_FFI_API_MAJOR, api->api_version.major_version);
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE)
    return mismatch(api, NULL, -1, "stage", XLA_FFI_ExecutionStage_EXECUTE, frame->stage);
  if (frame->args.struct_size < XLA_FFI_Args_STRUCT_SIZE)
    return mismatch(api, NULL, -1, "size of XLA_FFI_Args", XLA_FFI_Args_STRUCT_SIZE, (int64_t)frame->args.struct_size);
  if (frame->rets.struct_size < XLA_FFI_Rets_STRUCT_SIZE)
    return mismatch(api, NULL, -1, "size of XLA_FFI_Rets", XLA_FFI_Rets_STRUCT_SIZE, (int64_t)frame->rets.struct_size);
  if (frame->args.size != @arguments@)
    return mismatch(api, NULL, -1, "number of arguments", @arguments@, frame->args.size);
  if (frame->rets.size != @results@)
    return mismatch(api, NULL, -1, "number of results", @results@, frame->rets.size);

  const pliant_number *x[@arguments@ + 1];
  long long x_step[@arguments@ + 1];
  pliant_number *y[@results@ + 1];
  int64_t count = -1, elements = 0;
  for (int i = 0; i < @results@; ++i) {
    const XLA_FFI_Buffer *buffer = (const XLA_FFI_Buffer *)frame->rets.rets[i];
    error = read_buffer(api, "result", i, frame->rets.types[i] == XLA_FFI_RetType_BUFFER, buffer, &elements);
    if (error) return error;
    if (count < 0 && result_sizes[i]) count = elements / result_sizes[i];
    const int64_t expected = (count < 0 ? 0 : count) * result_sizes[i];
    if (elements != expected) return mismatch(api, "result", i, "number of elements", expected, elements);
    y[i] = (pliant_number *)buffer->data;
  }
  if (count < 0) return NULL; /* every result is empty */
  for (int i = 0; i < @arguments@; ++i) {
    const XLA_FFI_Buffer *buffer = (const XLA_FFI_Buffer *)frame->args.args[i];
    error = read_buffer(api, "argument", i, frame->args.types[i] == XLA_FFI_ArgType_BUFFER, buffer, &elements);
    if (error) return error;
    const int64_t expected = count * argument_sizes[i];
    const int shared = @shared@ && elements == argument_sizes[i]; /* one for all items */
    if (elements != expected && !shared)
      return mismatch(api, "argument", i, "number of elements", expected, elements);
    x_step[i] = shared ? 0 : argument_sizes[i];
    x[i] = (const pliant_number *)buffer->data;
  }
@run@
  return NULL;
}
"""

_DECLARED = "void @program@(const double *const *x, double *const *y);"
_RUN = """  for (int64_t item = 0; item < count; ++item) {
    @program@(x, y);
    for (int i = 0; i < @arguments@; ++i) x[i] += x_step[i];
    for (int i = 0; i < @results@; ++i) y[i] += result_sizes[i];
  }"""
_LAUNCHED = """  XLA_FFI_Stream_Get_Args stream = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, NULL, frame->ctx, NULL};
  error = api->XLA_FFI_Stream_Get(&stream);
  if (error) return error;
  const int code = @program@_launch(count, x, x_step, y, stream.stream);
  if (code) return mismatch(api, NULL, -1, "error code of CUDA", 0, code);"""


def handler_source(program: str, arguments: Sequence[int], results: Sequence[int], on_gpu: bool = False) -> str:
    """C (and C++) of the XLA FFI handler of a program with arguments and results of these sizes; on_gpu: it stands
    after the program in CUDA and starts its kernel, and an argument may be one for all items."""
    words = {
        "declaration": "" if on_gpu else _DECLARED,
        "run": _LAUNCHED if on_gpu else _RUN,
        "shared": int(on_gpu),
        "program": program,
        "handler": _handler(program),
        "name": program.removesuffix(_PROGRAM),
        "arguments": len(arguments),
        "results": len(results),
        "argument_sizes": ", ".join(map(str, arguments)) or 0,
        "result_sizes": ", ".join(map(str, results)) or 0,
    }
    text = _SOURCE
    for _ in range(2):  # the two first bring others along
        text = re.sub("@([a-z_]+)@", lambda found: str(words[found[1]]), text)
    return text


def _handler(symbol: str) -> str:
    return f"{symbol}_ffi"


def _units(name: str, given: Sequence[Any], results: Sequence[Any]) -> list[str]:
    """The handler's source; it says for which header it is, so that another version of JAX builds another library."""
    for aval in results:
        if not (_is_floating(aval) or _is_whole(aval)):
            raise UnsupportedError(f"{name} returns {aval.dtype}, which native code does not hold")
    sizes, made = ([math.prod(aval.shape) for aval in avals] for avals in (given, results))
    header = Path(jax.ffi.include_dir(), _HEADER).read_bytes()
    note = f"/* {_HEADER} {hashlib.sha256(header).hexdigest()} */\n"
    return [note + handler_source(name, sizes, made)]


def _options() -> tuple[str, ...]:
    return ("-isystem", jax.ffi.include_dir())


_registered: set[str] = set()


def _register(target: str, library: Any, symbol: str) -> None:
    """Once for a target, whose name is its content: XLA takes no second address for a name."""
    if target not in _registered:
        handler = getattr(load(library), symbol)
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(handler), platform="cpu", api_version=1)
        _registered.add(target)
