"""Several programs as one C library for other people's programs: a source file and a header."""

import dataclasses
import re
import string
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from pliant.native.printing import PRELUDE, CText
from pliant.native.tracing import jaxpr_of, trace_jaxpr
from pliant.numerics import tracing_for_scalars


def c_name(text: str) -> str:
    """A word that C takes: letters, digits and underscores, no digit first."""
    word = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{word}" if word[:1].isdigit() or not word else word


def c_comment(text: str) -> str:
    """A comment of C that ends where the text ends, whatever names stand in it."""
    # In C99 backslashes join lines, and question marks make other characters (trigraphs), backslashes too.
    shown = "".join(letter if letter.isprintable() and letter not in "\\?" else "." for letter in text)
    return f"/* {shown.replace('*/', '* /').replace('/*', '/ *')} */"


def c_string(text: str) -> str:
    """A string of C, with its quotes."""
    plain = set(string.ascii_letters + string.digits + " _-.,:;()[]/+*=<>'")
    return '"' + "".join(chr(code) if chr(code) in plain else f"\\{code:03o}" for code in text.encode()) + '"'


def checked_name(name: str) -> str:
    """The name of a function in C, as it was given; a ValueError where it cannot be one."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"a native function is named by letters, digits and underscores; got {name!r}")
    return name


@dataclasses.dataclass(frozen=True, eq=False)
class CFunction:
    """A function of a library: its flattened arguments come from `given` (C expressions of pointers to doubles), its
    flattened results go to `taken`. signature: as it stands in the header, without the semicolon; beside: what else it
    does, lines of C."""

    name: str
    about: str
    signature: str
    given: Sequence[str]
    taken: Sequence[str]
    call: Any
    examples: Sequence[Any]
    beside: Sequence[str] = ()


def library_source(header: str, functions: Sequence[CFunction]) -> tuple[str, dict[str, int]]:
    """Text of the source file, and the number of operations of each function."""
    texts, wrappers, counts = [], [], {}
    for function in functions:
        with tracing_for_scalars():
            closed, _ = jaxpr_of(function.call, function.examples)
        text = CText(trace_jaxpr(closed, f"{function.name}_program"))
        texts.append(text)
        counts[function.name] = text.operation_count
        given = ", ".join(function.given) or "0"
        taken = ", ".join(function.taken) or "0"
        lines = [
            f"{function.signature} {{",
            f"  const pliant_real *const x[] = {{{given}}};",
            f"  pliant_real *const y[] = {{{taken}}};",
            f"  {text.program.name}(x, y);",
            *(f"  {line}" for line in function.beside),
            "}",
        ]
        wrappers.append("\n".join(lines))
    routines = list(dict.fromkeys(routine for text in texts for routine in text.routines))
    bodies = [text.text().replace("PLIANT_FUNCTION void", "static void", 1) for text in texts]
    return "\n\n".join([f'#include "{header}"', PRELUDE, *routines, *bodies, *wrappers]) + "\n", counts


def sizes_of(tree: Any) -> list[int]:
    """Elements of every leaf."""
    return [int(np.size(leaf)) for leaf in jax.tree.leaves(tree)]
