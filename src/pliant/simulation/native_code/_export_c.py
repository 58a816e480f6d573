"""A robot as a C library: a source, a header, an example with its CMake file, and a MEX wrapper."""

from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import Literal

from pliant._files import make_folder, write_all
from pliant.model import Model, prepare
from pliant.native import LONG, CFunction, c_comment, c_name, c_string, jaxpr_of, library_source, sizes_of
from pliant.simulation._inputs import make_inputs
from pliant.simulation._start import starting_state
from pliant.simulation.native_code._export_texts import CMAKE, DYNAMICS, EXAMPLE, INPUTS, MEX, NEWMARK, TIP, filled
from pliant.simulation.native_code._native_functions import Exported, chosen, ports_of


class ExportedC(NamedTuple):
    """files: what was written; operations: of each function, by its name in C."""

    files: tuple[Path, ...]
    operations: dict[str, int]


def export_c(
    model: Model, functions: Sequence[str], folder: str | Path, *, inputs: Sequence[str] = ("all",), name: str = ""
) -> ExportedC:
    """Write C99 that needs libm alone and allocates nothing into a folder. functions: names out of
    `native_functions(model)`; inputs: ports that the argument u holds. name: of the library (default: the robot's)."""
    wanted = dict.fromkeys(functions)
    if "newmark_step" in wanted:
        wanted |= dict.fromkeys(("newmark_start",))
    picked = chosen(model, list(wanted), inputs)
    word = c_name(name or model.name)
    library = _Library(model, word, tuple(inputs))
    source, operations = library_source(f"{word}.h", [library.prepare(), *map(library.function, picked)])
    start, numbers = library.start(), library.default_parameters()
    texts = {
        f"{word}.h": library.header(picked),
        f"{word}.c": source + "\n" + numbers + "\n" + start,
        f"{word}_mex.c": library.mex(picked),
        "example/main.c": library.example(picked),
        "example/CMakeLists.txt": filled(CMAKE, {"name": word}),
    }
    if library.tables:
        texts[f"{word}_data.h"] = library.data()
    files = {Path(folder) / place: text.encode() for place, text in texts.items()}
    for parent in {path.parent for path in files}:
        make_folder(parent)
    write_all(files)
    return ExportedC(tuple(files), operations)


class _Library:
    def __init__(self, model: Model, word: str, inputs: tuple[str, ...]) -> None:
        self.model, self.word = model, word
        self.ports = ports_of(model, inputs)
        self.prepared = prepare(model.structure, model.parameters)
        self.parameters = {path: np.asarray(value) for path, value in sorted(model.parameters.items())}
        names = [c_name(path) for path in self.parameters]
        # Two paths may differ in characters that C does not know.
        self.fields = dict(
            zip(self.parameters, (n if names.count(n) == 1 else f"{n}_{i}" for i, n in enumerate(names)), strict=True)
        )
        # Long arrays are pointed to, and lie in a file of their own.
        self.tables = [path for path, value in self.parameters.items() if value.size > LONG]
        self.taken = self._taken()
        sizes = zip(sizes_of(self.prepared), self.taken, strict=True)
        self.sizes = [0 if path is not None else size for size, path in sizes]

    def _taken(self) -> list[str | None]:
        """For every leaf of what is prepared the long parameter that it is, where it is one as it stands."""
        closed, _ = jaxpr_of(lambda parameters: prepare(self.model.structure, parameters), (self.model.parameters,))
        paths = [leaf[0][0].key for leaf in jax.tree_util.tree_leaves_with_path(self.model.parameters)]
        known = dict(zip(closed.jaxpr.invars, paths, strict=True))
        found = [None if isinstance(out, Literal) else known.get(out) for out in closed.jaxpr.outvars]
        return [path if path in self.tables else None for path in found]

    def prepare(self) -> CFunction:
        given = []
        for leaf in jax.tree_util.tree_leaves_with_path(self.model.parameters):
            field = self.fields[leaf[0][0].key]
            given.append(f"parameters->{field}" if np.ndim(leaf[1]) else f"&parameters->{field}")
        kept = [path is None for path in self.taken]

        def computed(parameters: Any) -> list[Any]:
            return list(compress(jax.tree.leaves(prepare(self.model.structure, parameters)), kept))

        return CFunction(
            f"{self.word}_prepare",
            "everything that follows from the parameters alone; call it again when one has changed",
            f"void {self.word}_prepare(const {self.word}_parameters *parameters, {self.word}_model *model)",
            given,
            list(compress(self._places(), kept)),
            computed,
            (self.model.parameters,),
            [f"model->{self.fields[path]} = parameters->{self.fields[path]};" for path in self.tables],
        )

    def _places(self) -> list[str]:
        """Where the leaves of what is prepared lie."""
        offsets = np.cumsum([0, *self.sizes])[:-1]
        return [
            f"model->values + {offset}" if path is None else f"model->{self.fields[path]}"
            for offset, path in zip(offsets, self.taken, strict=True)
        ]

    def function(self, function: Exported) -> CFunction:
        given = self._places()
        for name, shape in function.arguments.items():
            given.append(f"&{name}" if shape == () else _flat(name, shape))
        taken = [_flat(name, shape) for name, shape in function.results.items()]
        examples = (self.prepared, *(np.zeros(shape) for shape in function.arguments.values()))
        return CFunction(
            f"{self.word}_{function.name}",
            function.about,
            self.signature(function),
            given,
            taken,
            function.call,
            examples,
        )

    def signature(self, function: Exported) -> str:
        words = [f"const {self.word}_model *model"]
        for name, shape in function.arguments.items():
            if np.prod(shape):
                words.append(f"const double {name}{_size(shape)}" if shape else f"double {name}")
        words += [f"double {name}{_size(shape) or '[1]'}" for name, shape in function.results.items() if np.prod(shape)]
        return f"void {self.word}_{function.name}({', '.join(words)})"

    def header(self, functions: Sequence[Exported]) -> str:
        model, word, upper = self.model, self.word, self.word.upper()
        lines = [
            c_comment(f"Robot {model.name!r} in C99, made by Pliant. SI units."),
            c_comment("Nothing is allocated; functions are reentrant."),
            c_comment(f"Fill {word}_parameters (or take the defaults), call {word}_prepare, then the others."),
            f"#ifndef PLIANT_{upper}_H", f"#define PLIANT_{upper}_H", "",
            "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
            f"#define {upper}_NQ {model.nq} /* configuration */", f"#define {upper}_NV {model.nv} /* velocity */",
            f"#define {upper}_NU {sum(int(np.prod(s)) for s in self.ports.values())} /* inputs */",
            f"#define {upper}_FRAMES {len(model.structure.frames)}",
        ]  # fmt: skip
        kept = next((f.results["step_state"][0] for f in functions if f.name == "newmark_start"), None)
        if kept is not None:
            lines.append(f"#define {upper}_STEP_STATE {kept} /* of newmark_step */")
        lines += [
            "",
            c_comment("q: " + ", ".join(model.coordinate_names)),
            c_comment("v: " + ", ".join(model.velocity_names)),
            c_comment("u: " + (", ".join(self.ports) or "none")),
            c_comment("frames: " + (", ".join(model.frame_names) or "none")),
            "",
        ]
        lines += ["typedef struct {"]
        for path, value in self.parameters.items():
            long = path in self.tables
            size = f"[{value.size}]" if value.ndim and not long else ""
            note = f"{path}{f', {value.shape}' if value.ndim > 1 else ''}"
            lines.append(f"  {'const double *' if long else 'double '}{self.fields[path]}{size}; {c_comment(note)}")
        if not self.parameters:
            lines.append("  double none;")
        lines += [
            f"}} {word}_parameters;",
            "",
            f"typedef struct {{ double values[{max(sum(self.sizes), 1)}];{self._pointers()} }} {word}_model;",
            "",
        ]
        lines += [
            f"void {word}_default_parameters({word}_parameters *parameters); /* those of the robot file */",
            f"{self.prepare().signature}; {c_comment(self.prepare().about)}",
            f"void {word}_start(double q[{model.nq}], double v[{model.nv}]); /* initial state of the robot file */",
        ]
        lines += [f"{c_comment(function.about)}\n{self.signature(function)};" for function in functions]
        return "\n".join([*lines, "", "#ifdef __cplusplus", "}", "#endif", "#endif", ""])

    def _pointers(self) -> str:
        return "".join(f" const double *{self.fields[path]};" for path in self.tables)

    def data(self) -> str:
        """The long arrays of the robot file."""
        lines = [c_comment(f"Data of {self.word}.c")]
        for path in self.tables:
            numbers = ", ".join(map(repr, self.parameters[path].reshape(-1).tolist()))
            lines += [c_comment(path), f"static const double {self.word}_{self.fields[path]}[] = {{{numbers}}};"]
        return "\n".join([*lines, ""])

    def default_parameters(self) -> str:
        lines = [f'#include "{self.word}_data.h"', ""] if self.tables else []
        lines += [f"void {self.word}_default_parameters({self.word}_parameters *parameters) {{"]
        for path, value in self.parameters.items():
            field = f"parameters->{self.fields[path]}"
            if path in self.tables:
                lines.append(f"  {field} = {self.word}_{self.fields[path]};")
            elif value.ndim:
                lines += [f"  {field}[{i}] = {float(number)!r};" for i, number in enumerate(value.reshape(-1))]
            else:
                lines.append(f"  {field} = {float(value)!r};")
        return "\n".join([*lines, "}", ""])

    def start(self) -> str:
        state, _ = starting_state(self.model, None, 0.0, make_inputs(self.model, None))
        lines = [f"void {self.word}_start(double q[{self.model.nq}], double v[{self.model.nv}]) {{"]
        for name, values in (("q", state.q), ("v", state.v)):
            lines += [f"  {name}[{i}] = {float(number)!r};" for i, number in enumerate(np.asarray(values))]
        return "\n".join([*lines, "}", ""])

    def example(self, functions: Sequence[Exported]) -> str:
        names = [function.name for function in functions]
        frames = self.model.structure.frames
        parts = [
            INPUTS if self.ports else "",
            DYNAMICS if "forward_dynamics" in names else "",
            NEWMARK if "newmark_step" in names else "",
            TIP if "forward_kinematics" in names and frames else "",
        ]
        words = {
            "body": "".join(parts),
            "NAME": self.word.upper(),
            "name": self.word,
            "u": ", u" if self.ports else "",
            "frame": c_string(frames[-1].name if frames else ""),
        }
        return filled(EXAMPLE, words)

    def mex(self, functions: Sequence[Exported]) -> str:
        cases = []
        for function in functions:
            arguments = [(name, shape) for name, shape in function.arguments.items() if np.prod(shape)]
            results = [(name, shape) for name, shape in function.results.items() if np.prod(shape)]
            lines = [
                f'  if (strcmp(which, "{function.name}") == 0) {{',
                f"    count({len(arguments)}, nrhs - 1, which);",
            ]
            words = ["&model"]
            for index, (name, shape) in enumerate(arguments):
                pointer = f'numbers(prhs[{index + 1}], {int(np.prod(shape))}, "{name}")'
                words.append(pointer if shape else f"*{pointer}")
            for index, (_, shape) in enumerate(results):
                rows, columns = _mex_shape(shape)
                lines.append(f"    double *y{index} = made(plhs, nlhs, {index}, {rows}, {columns});")
                words.append(_cast(shape, f"y{index}"))
            lines += [f"    {self.word}_{function.name}({', '.join(words)});", "    return;", "  }"]
            cases.append("\n".join(lines))
        return filled(MEX, {"cases": "\n".join(cases), "name": self.word})


def _flat(name: str, shape: tuple[int, ...]) -> str:
    """A pointer to the first number of an array."""
    if not np.prod(shape):
        return "0"
    return f"&{name}{'[0]' * len(shape)}" if len(shape) > 1 else name


def _size(shape: tuple[int, ...]) -> str:
    return "".join(f"[{n}]" for n in shape)


def _mex_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """MATLAB keeps columns first: a matrix of C comes out transposed, further dimensions one after the other."""
    if len(shape) < 2:
        return int(np.prod(shape)), 1
    return shape[-1], int(np.prod(shape[:-1]))


def _cast(shape: tuple[int, ...], pointer: str) -> str:
    return f"(double (*){_size(shape[1:])}){pointer}" if len(shape) > 1 else pointer
