"""Surfaces given by data, of which the distances are sampled: meshes of triangles, and heights over a rectangle."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from pydantic import model_validator

from pliant.description.language.grammar import (
    Checked,
    FileBelow,
    Length,
    Meanings,
    NotAQuantity,
    Part,
    Quantity,
    at_field,
    is_list,
    lacking,
    to_si,
    vector,
    wrong,
)

if TYPE_CHECKING:
    from pliant.description.sampling import Sampled

Table = tuple[tuple[float, ...], ...]
_IN_FILE = '"file" only in a robot file, whose folder tells where it is; in Python use Robot.surface(...)'


@dataclass(frozen=True)
class Rows(Checked):
    """A table of lengths; columns: how many, where it is known."""

    wanted: str
    least: int
    columns: int | None = None

    @property
    def expected(self) -> str:
        return self.wanted

    def check(self, value: Any) -> Table:
        if not is_list(value) or len(value) < self.least or not all(is_list(row) for row in value):
            raise wrong(value, self.expected)
        sizes = {len(row) for row in value}
        if len(sizes) > 1 or (min(sizes) < 2 if self.columns is None else sizes != {self.columns}):
            raise wrong(value, self.expected)
        return tuple(tuple(self._length(item) for item in row) for row in value)

    def _length(self, item: Any) -> float:
        if type(item) is float and -np.inf < item < np.inf:
            return item
        try:
            return to_si(item, "length")
        except NotAQuantity:
            raise wrong(item, self.expected) from None

    def json_schema(self) -> dict[str, Any]:
        row = {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}}
        return {"type": "array", "items": row, "minItems": self.least}


class Corners(Checked):
    expected = "a list of four or more triangles: three different numbers of vertices, from 1, e.g. [1, 2, 3]"

    def check(self, value: Any) -> tuple[tuple[int, ...], ...]:
        if not is_list(value) or len(value) < 4:
            raise wrong(value, self.expected)
        for triple in value:
            whole = is_list(triple) and all(type(item) is int and item > 0 for item in triple)
            if not whole or len(triple) != 3 or len(set(triple)) != 3:
                raise wrong(triple, self.expected)
        return tuple(map(tuple, value))

    def json_schema(self) -> dict[str, Any]:
        row = {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 3, "maxItems": 3}
        return {"type": "array", "items": row, "minItems": 4}


class SurfaceMesh(Part):
    called = "a closed surface of triangles"
    meanings = Meanings(
        resolution="distance of the places at which the distance from the mesh is sampled",
        reach="distance from the mesh up to which it is sampled",
    )
    file: Annotated[str, FileBelow("a mesh of triangles (STL, OBJ, PLY, OFF)", "pipe.stl")] | None = None
    scale: Annotated[float, Quantity("number", above=0)] | None = None
    vertices: Annotated[Table, Rows("a list of four or more places [x, y, z]", 4, 3)] | None = None
    triangles: Annotated[tuple[tuple[int, ...], ...], Corners()] | None = None
    resolution: Length
    reach: Annotated[float, Quantity("length", least=0)] | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.file is not None:
            raise at_field("file", self.file, wrong(self.file, _IN_FILE))
        if self.vertices is None or self.triangles is None:
            raise lacking('a "file", or "vertices" and "triangles"')
        if self.scale is not None:
            raise at_field("scale", self.scale, wrong(self.scale, '"scale" only beside a "file"'))
        most = len(self.vertices)
        for triple in self.triangles:
            if max(triple) > most:
                raise at_field("triangles", triple, wrong(list(triple), f"numbers of vertices from 1 to {most}"))
        return self

    def sampled(self, reach: float) -> "Sampled":
        """reach: up to which distance it is wanted, where the file does not say."""
        from pliant.description.sampling import sampled_triangles

        assert self.vertices is not None and self.triangles is not None
        return sampled_triangles(
            self.vertices, self.triangles, self.resolution, reach if self.reach is None else self.reach
        )


class SurfaceHeights(Part):
    called = "a surface given by heights over a rectangle"
    meanings = Meanings(
        size="sizes of the rectangle along x and y",
        resolution="distance of the places at which the distance from the surface is sampled",
        reach="distance from the surface up to which it is sampled",
    )
    file: Annotated[str, FileBelow("a table of heights", "ground.csv")] | None = None
    scale: Annotated[float, Quantity("number", above=0)] | None = None
    heights: Annotated[Table, Rows("two or more rows of two or more heights, as many in each row", 2)] | None = None
    size: Annotated[tuple[float, float], vector("length", 2, above=0)]
    resolution: Length | None = None
    reach: Annotated[float, Quantity("length", least=0)] | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.file is not None:
            raise at_field("file", self.file, wrong(self.file, _IN_FILE))
        if self.heights is None:
            raise lacking('a "file", or "heights"')
        if self.scale is not None:
            raise at_field("scale", self.scale, wrong(self.scale, '"scale" only beside a "file"'))
        return self

    def sampled(self, reach: float) -> "Sampled":
        """reach: up to which distance it is wanted, where the file does not say."""
        from pliant.description.sampling import sampled_heights

        assert self.heights is not None
        counts = (len(self.heights), len(self.heights[0]))
        finest = min(size / (count - 1) for size, count in zip(self.size, counts, strict=True))
        resolution = finest if self.resolution is None else self.resolution
        return sampled_heights(self.heights, self.size, resolution, reach if self.reach is None else self.reach)


SAMPLED_WORDS = ("mesh", "heightfield")
