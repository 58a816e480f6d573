"""Meshes out of CAD files: the lines of a file as the nodes and edges of a mesh."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import ValidationError

from pliant.description.language.grammar import (
    FileBelow,
    Finding,
    Location,
    Part,
    Quantity,
    RobotFileError,
    Tree,
    WholeNumber,
    file_below,
    is_list,
    is_mapping,
    problems_from,
)

_SHAPES = ("edges", "grid", "block")  # what a mesh may have in place of a file


class MeshFile(Part):
    """The lines of a CAD file; only in robot files and in `Robot.mesh`."""

    called = "a CAD file"
    path: Annotated[str, FileBelow("a CAD file", "sleeve.iges")]
    tolerance: Annotated[float, Quantity("length", least=0)] = 1e-3
    scale: Annotated[float, Quantity("number", above=0)] = 1.0
    pieces: Annotated[int, WholeNumber("a number of pieces of a curve", 1, 1000)] = 1

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [{"type": "string"}, full]}


def expand_mesh_files(tree: Tree, folder: str | os.PathLike[str], source: str) -> Tree:
    """The robot file with the nodes and edges of its CAD files in place of their names."""
    data, lines = tree.data, dict(tree.lines)
    for index, options in _mesh_files(tree):
        place: Location = ("meshes", index)
        path = file_below(Path(folder), options.path, "a CAD file", (*place, "file"), tree, source)
        meshes = list(data["meshes"])
        meshes[index] = with_net(meshes[index], path, options)
        data = {**data, "meshes": meshes}
        here = tree.lines.get((*place, "file"))
        # What turns out wrong with the net was written in `file`.
        lines |= {(*place, name): here for name in ("nodes", "edges", "fixed") if here is not None}
    return Tree(data, {**lines, **tree.lines}, tree.findings)


def mesh_files(tree: Tree, folder: str | os.PathLike[str]) -> list[Path]:
    """The CAD files that a robot file names."""
    return [Path(folder) / options.path for _, options in _mesh_files(tree)]


def with_net(mesh: dict[str, Any], path: str | os.PathLike[str], options: MeshFile) -> dict[str, Any]:
    """The mesh with the net of a CAD file; nodes where a single edge ends are fixed unless it says which are."""
    from pliant.description.formats.cad import read_wire_net

    net = read_wire_net(path, tolerance=options.tolerance, scale=options.scale, pieces=options.pieces)
    found = {
        "nodes": net.nodes.tolist(),
        "edges": [[first + 1, second + 1] for first, second in net.edges],
        "fixed": [node + 1 for node in net.single_edge_nodes()],
    }
    return {**found, **{key: value for key, value in mesh.items() if key != "file"}}


def mesh_in_python(mesh: dict[str, Any], file: Any, robot: str) -> dict[str, Any]:
    """The mesh with the net of a CAD file that may lie anywhere: Python code, unlike a robot file, is trusted."""
    given = MeshFile.expand(os.fspath(file) if isinstance(file, os.PathLike) else file)
    path: Any = given.get("path") if is_mapping(given) else None
    # Only a robot file is held to its folder; the name alone passes that check.
    anywhere = isinstance(path, str | os.PathLike) and bool(Path(path).name)
    try:
        options = MeshFile.model_validate({**given, "path": Path(path).name} if anywhere else given)
    except ValidationError as error:
        tree = Tree({"meshes": [{**mesh, "file": given}]})
        findings = [
            Finding(("meshes", 0, "file", *detail["loc"]), detail["input"], detail["msg"])
            for detail in error.errors(include_url=False)
        ]
        raise RobotFileError(problems_from(findings, tree, robot)) from None
    return with_net(mesh, str(path), options)


def _mesh_files(tree: Tree) -> Iterator[tuple[int, MeshFile]]:
    """The meshes with a file, by their index; what is wrong with the others is told when they are checked."""
    meshes: Any = tree.data.get("meshes") if is_mapping(tree.data) else None
    for index, mesh in enumerate(meshes if is_list(meshes) else ()):
        if not is_mapping(mesh) or mesh.get("file") is None or any(mesh.get(word) is not None for word in _SHAPES):
            continue
        try:
            yield index, MeshFile.model_validate(mesh["file"])
        except ValidationError:
            continue
