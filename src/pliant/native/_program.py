"""A native program: statements on buffers of doubles. Between statements everything lies in buffers."""

import dataclasses
from typing import Any


@dataclasses.dataclass(eq=False)
class Buffer:
    """`size` doubles; `symbols` stand for them in expressions. argument: which input it is, None if it is working
    space; constants: what it holds for ever, if it does; whole, offset: of what it is a part."""

    size: int
    symbols: Any  # casadi.SX (size, 1); None if it holds constants, or a long argument that no expression reads
    argument: int | None = None
    constants: tuple[float, ...] | None = None
    whole: "Buffer | None" = None
    offset: int = 0

    def part(self, offset: int, size: int) -> "Buffer":
        symbols = None if self.symbols is None else self.symbols[offset : offset + size]
        return Buffer(size, symbols, self.argument, whole=self, offset=offset)


@dataclasses.dataclass(eq=False)
class Compute:
    """target[i] = expressions[i], all from what the buffers hold before."""

    expressions: Any  # casadi.SX (n, 1)
    target: Buffer


@dataclasses.dataclass(eq=False)
class Copy:
    source: Buffer
    target: Buffer


@dataclasses.dataclass(eq=False)
class Repeat:
    """A loop that is kept. Without `condition` it runs `count` times. `slices`: (whole, part) pairs, part takes the
    next share of whole before each turn (from the end if `reverse`); `stacks`: (part, whole), the other way after."""

    count: int | None
    condition: tuple[list[Any], Buffer] | None  # statements, and the truth they leave
    body: list[Any]
    slices: list[tuple[Buffer, Buffer]] = dataclasses.field(default_factory=list)
    stacks: list[tuple[Buffer, Buffer]] = dataclasses.field(default_factory=list)
    reverse: bool = False


@dataclasses.dataclass(eq=False)
class Choose:
    """Runs the branch whose number the first element of `index` holds, clamped."""

    index: Buffer
    branches: list[list[Any]]


@dataclasses.dataclass(eq=False)
class Call:
    """A routine of the runtime on whole buffers: `name(sizes..., inputs..., outputs...)`; tables are constant
    integers."""

    name: str
    sizes: tuple[int, ...]
    inputs: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    tables: tuple[tuple[int, ...], ...] = ()


@dataclasses.dataclass(eq=False)
class Program:
    """inputs: buffers of the arguments; outputs: buffers to be copied out at the end."""

    name: str
    inputs: list[Buffer]
    outputs: list[Buffer]
    statements: list[Any]
    buffers: list[Buffer]  # working space
