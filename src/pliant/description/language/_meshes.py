"""Meshes: nodes that move by themselves, and edges between them that are springs or beams."""

import re
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Discriminator, Field, Tag, ValidationError, model_validator

from pliant.description.language._mesh_consistency import net_problems
from pliant.description.language._mesh_files import MeshFile
from pliant.description.language._mesh_laws import AxialEdges, BeamEdges
from pliant.description.language._nets import Edge, regular_net
from pliant.description.language._places import AXES, MOST_NODES, Parent
from pliant.description.language.grammar import (
    ByName,
    Checked,
    Each,
    ListOf,
    Meanings,
    Move,
    NameOf,
    Part,
    Quantity,
    Switch,
    Wanted,
    WholeNumber,
    at_field,
    gather,
    is_list,
    is_mapping,
    lacking,
    vector,
    wrong,
)

_NODE = WholeNumber("the number of a node", 1, MOST_NODES)
_MASS = Quantity("mass", above=0)
_MOMENT = Quantity("inertia", above=0)
_INERTIA = Each(ByName(AXES, (_MOMENT,) * 3, default=None, common=_MOMENT), "node")
_RANGE = re.compile(r"\s*(\d{1,7})\s*-\s*(\d{1,7})\s*")
_SLENDER = 12.0  # a thin rod of mass m and length l has the moment of inertia m l^2 / 12


class Pair(Checked):
    """An edge: the numbers of its two nodes."""

    expected = "the numbers of two different nodes, e.g. [1, 2]"

    def check(self, value: Any) -> tuple[int, ...]:
        if not is_list(value) or len(value) != 2:
            raise wrong(value, self.expected)
        pair = gather((index, _NODE.check, item) for index, item in enumerate(value))
        if pair[0] == pair[1]:
            raise wrong(value, self.expected)
        return pair

    def json_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2}


class NodeList(Checked):
    """Numbers of nodes, alone or from one to another: `[1-30, 45]`."""

    expected = "a list of the numbers of nodes, or ranges of them, e.g. [1, 5-8]"

    def check(self, value: Any) -> tuple[int, ...]:
        items = value if is_list(value) else [value]
        numbers = {number for item in items for number in self._range(item)}
        return tuple(sorted(numbers))

    def _range(self, item: Any) -> range:
        match = _RANGE.fullmatch(item) if isinstance(item, str) else None
        whole = isinstance(item, int) and not isinstance(item, bool)
        first, last = (int(match[1]), int(match[2])) if match else (item, item) if whole else (0, 0)
        if not 1 <= first <= last <= MOST_NODES:
            raise wrong(item, self.expected)
        return range(first, last + 1)

    def json_schema(self) -> dict[str, Any]:
        one = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
        return {"anyOf": [*one["anyOf"], {"type": "array", "items": one}]}


Count = Annotated[int, WholeNumber("a number of nodes", 2, 10_000)]


class _Regular(Part):
    diagonals: Switch = False

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        counts = self.nodes  # type: ignore[attr-defined]
        if np.prod(counts, dtype=float) > MOST_NODES:
            raise wrong(list(counts), f"at most {MOST_NODES} nodes in all")
        return self


class Grid(_Regular):
    """Nodes in the x-y plane, row by row along x from the origin of the mesh's frame."""

    called = "a grid"
    size: Annotated[tuple[float, float], vector("length", 2, above=0)]
    nodes: Annotated[tuple[Count, ...], ListOf("a list of 2 numbers of nodes, along x and y", size=2)]


class Block(_Regular):
    """Nodes in layers along z, each a grid, from the origin of the mesh's frame."""

    called = "a block"
    size: Annotated[tuple[float, float, float], vector("length", 3, above=0)]
    nodes: Annotated[tuple[Count, ...], ListOf("a list of 3 numbers of nodes, along x, y and z", size=3)]


class Start(Parent):
    called = "where a mesh lies at the start"


class Total(Part):
    called = "the mass of all nodes together"
    total: Annotated[float, _MASS]


def _mass_form(value: Any) -> str:
    return "spread" if is_mapping(value) or isinstance(value, Total) else "one"


Mass = Annotated[
    Annotated[Total, Tag("spread")] | Annotated[float | tuple[float, ...], Each(_MASS, "node"), Tag("one")],
    Discriminator(_mass_form),
    Wanted('the mass of a node, e.g. "5 g", a list of one for each node, or {total: 36 g}'),
]
Positions = Annotated[tuple[Move, ...], ListOf("a list of places [x, y, z], two or more", least=2)]
Edges = Annotated[tuple[Annotated[Edge, Pair()], ...], ListOf("a list of one or more edges, e.g. [[1, 2], [2, 3]]")]


class Net(NamedTuple):
    """Nodes (n, 3) in the mesh's frame, and edges as pairs of indices from 0."""

    nodes: NDArray[np.float64]
    edges: list[Edge]


class Mesh(Part):
    called = "a mesh"
    meanings = Meanings(
        nodes="positions of the nodes in the frame",
        mass="mass of a node",
        inertia="moments of inertia of a node",
    )
    name: Annotated[str, NameOf("a name")]
    where: Start = Field(default_factory=Start)
    nodes: Positions | None = None
    edges: Edges | None = None
    grid: Grid | None = None
    block: Block | None = None
    file: MeshFile | None = None
    axial: AxialEdges | None = None
    beam: BeamEdges | None = None
    mass: Mass
    inertia: Annotated[tuple[Any, ...], _INERTIA] | None = None
    fixed: Annotated[tuple[int, ...], NodeList()] = ()

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        shapes = [name for name in ("edges", "grid", "block", "file") if getattr(self, name) is not None]
        if not shapes or (shapes == ["edges"] and self.nodes is None):
            raise lacking('"nodes" and "edges", a "grid", a "block" or a "file"')
        if len(shapes) > 1:
            raise wrong(shapes, 'only one of: "edges" (with "nodes"), "grid", "block", "file"')
        if self.file is not None:
            text = '"file" only in a robot file, whose folder tells where it is; in Python use Robot.mesh(file=...)'
            raise at_field("file", self.file.path, wrong(self.file.path, text))
        if (self.axial is None) == (self.beam is None):
            if self.axial is None:
                raise lacking('"axial" (edges that are springs) or "beam" (edges that are beams)')
            raise wrong(["axial", "beam"], 'either "axial" or "beam", not both')
        problems = net_problems(self)
        if problems:
            raise ValidationError.from_exception_data("Mesh", problems)
        return self

    @property
    def kind(self) -> str:
        return "axial" if self.beam is None else "beam"

    @property
    def law(self) -> Any:
        """What the edges are."""
        return getattr(self, self.kind)

    @cached_property
    def net(self) -> Net:
        shape = self.grid or self.block
        if shape is None:
            nodes, edges = np.array(self.nodes), [(first - 1, second - 1) for first, second in self.edges or ()]
            return Net(nodes, edges)
        nodes, edges = regular_net(shape.size, shape.nodes, shape.diagonals)
        # Beside a grid or block the nodes may be given too: the same net in another place or shape.
        return Net(nodes if self.nodes is None else np.array(self.nodes), edges)

    @property
    def mean_length(self) -> float:
        nodes, edges = self.net
        first, second = np.array(edges).T
        return float(np.mean(np.linalg.norm(nodes[second] - nodes[first], axis=1)))

    @property
    def node_mass(self) -> float | tuple[float, ...]:
        return self.mass.total / len(self.net.nodes) if isinstance(self.mass, Total) else self.mass

    @property
    def node_inertia(self) -> Any:
        """Inertia of nodes that turn: as given, or that of a thin rod of the node's mass and the edges' mean length."""
        if self.beam is None or self.inertia is not None:
            return self.inertia
        each = np.asarray(self.node_mass) * self.mean_length**2 / _SLENDER
        return np.repeat(each[..., None], 3, axis=-1)
