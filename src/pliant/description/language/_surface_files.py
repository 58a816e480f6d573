"""Meshes and heights of surfaces out of files: what stands in them takes the place of their names."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, ValidationError

from pliant.description.language._sampled_surfaces import SAMPLED_WORDS
from pliant.description.language.grammar import (
    FileBelow,
    Finding,
    Location,
    Part,
    Quantity,
    RobotFileError,
    Tree,
    file_below,
    is_list,
    is_mapping,
    problems_from,
)

_THINGS = dict(zip(SAMPLED_WORDS, ("a mesh of triangles", "a table of heights"), strict=True))


class _Named(Part):
    """What a shape says of its file; its other words are none of this part's."""

    model_config = ConfigDict(extra="ignore")
    file: Annotated[str, FileBelow("a file", "pipe.stl")]
    scale: Annotated[float, Quantity("number", above=0)] = 1.0


def expand_surface_files(tree: Tree, folder: str | os.PathLike[str], source: str) -> Tree:
    """The robot file with what stands in the files of its surfaces in place of their names."""
    data, lines = tree.data, dict(tree.lines)
    for index, word, named in _surface_files(tree):
        place: Location = ("surfaces", index, word)
        path = file_below(Path(folder), named.file, _THINGS[word], (*place, "file"), tree, source)
        surfaces = list(data["surfaces"])
        surfaces[index] = {**surfaces[index], word: _with_data(word, surfaces[index][word], path, named.scale)}
        data = {**data, "surfaces": surfaces}
        here = tree.lines.get((*place, "file"))
        lines |= {(*place, name): here for name in ("vertices", "triangles", "heights") if here is not None}
    return Tree(data, {**lines, **tree.lines}, tree.findings)


def surface_files(tree: Tree, folder: str | os.PathLike[str]) -> list[Path]:
    """The files of the surfaces of a robot file."""
    return [Path(folder) / named.file for _, _, named in _surface_files(tree)]


def surface_in_python(surface: dict[str, Any], robot: str) -> dict[str, Any]:
    """The surface with what stands in its file, which may lie anywhere: Python code is trusted."""
    for word in SAMPLED_WORDS:
        shape: Any = surface.get(word)
        path: Any = shape.get("file") if is_mapping(shape) else None
        if not isinstance(path, str | os.PathLike) or not Path(path).name:
            continue
        try:
            named = _Named.model_validate({**shape, "file": Path(path).name})
        except ValidationError as error:
            findings = [
                Finding(("surfaces", 0, word, *detail["loc"]), detail["input"], detail["msg"])
                for detail in error.errors(include_url=False)
            ]
            raise RobotFileError(problems_from(findings, Tree({"surfaces": [surface]}), robot)) from None
        surface = {**surface, word: _with_data(word, shape, path, named.scale)}
    return surface


def _with_data(word: str, shape: Any, path: str | os.PathLike[str], scale: float) -> dict[str, Any]:
    from pliant.description.formats.surfaces import read_heights, read_triangles

    readers: dict[str, Callable[..., dict[str, Any]]] = {"mesh": read_triangles, "heightfield": read_heights}
    return {
        **readers[word](path, scale),
        **{key: value for key, value in shape.items() if key not in ("file", "scale")},
    }


def _surface_files(tree: Tree) -> Iterator[tuple[int, str, _Named]]:
    """The surfaces with a file, by index and word; what is wrong with the others is told when they are checked."""
    surfaces: Any = tree.data.get("surfaces") if is_mapping(tree.data) else None
    for index, surface in enumerate(surfaces if is_list(surfaces) else ()):
        for word in SAMPLED_WORDS:
            shape: Any = surface.get(word) if is_mapping(surface) else None
            if not is_mapping(shape) or shape.get("file") is None:
                continue
            try:
                yield index, word, _Named.model_validate(shape)
            except ValidationError:
                continue
