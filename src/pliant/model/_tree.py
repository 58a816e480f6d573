"""Index tables of the flattened robot: rows in segments, segments in a tree. Host-side NumPy, built once.

Row 0 is the world. A segment is a run of rows that share their velocities (a joint, a piece of a rod). Every sum over
ancestors or descendants splits into a running sum inside a segment and a 0/1 matrix between segments, and poses compose
by pointer jumping, so nothing is traced per link.
"""

import dataclasses
import functools

import numpy as np


@dataclasses.dataclass(frozen=True, eq=False)
class SegmentBlock:
    """The segments of one group: `count` segments of `rows` rows and `width` velocities each."""

    count: int
    rows: int
    width: int
    columns: np.ndarray  # (count, width) velocity indices


@dataclasses.dataclass(frozen=True, eq=False)
class Tree:
    """blocks in row order; segment_parent (S,): the row each segment hangs on."""

    blocks: tuple[SegmentBlock, ...]
    segment_parent: np.ndarray
    nv: int

    @functools.cached_property
    def row_segment(self) -> np.ndarray:
        """(R,) segment of each row, world left out."""
        pieces, segment = [], 0
        for block in self.blocks:
            pieces.append(np.repeat(np.arange(segment, segment + block.count), block.rows))
            segment += block.count
        return np.concatenate(pieces) if pieces else np.zeros(0, dtype=int)

    @property
    def row_count(self) -> int:
        return len(self.row_segment)

    @property
    def segment_count(self) -> int:
        return len(self.segment_parent)

    @functools.cached_property
    def parent(self) -> np.ndarray:
        """(R + 1,) parent row; the world is its own parent."""
        parent = np.arange(-1, self.row_count)
        parent[0] = 0
        starts = np.flatnonzero(np.diff(self.row_segment, prepend=-1)) + 1
        parent[starts] = self.segment_parent
        return parent

    @functools.cached_property
    def downward(self) -> np.ndarray:
        """(R,) rows, 1 to R, every one after its parent."""
        depth = np.zeros(len(self.parent), dtype=int)
        above = self.parent
        while np.any(above != 0):
            depth += above != 0
            above = self.parent[above]
        return 1 + np.argsort(depth[1:], kind="stable")

    @functools.cached_property
    def jumps(self) -> tuple[np.ndarray, ...]:
        """Pointer-jumping tables: after k rounds a row has been composed with its 2^k - 1 nearest ancestors."""
        tables, jump = [], self.parent
        while np.any(jump != 0):
            tables.append(jump)
            jump = jump[jump]
        return tuple(tables)

    @functools.cached_property
    def hanging(self) -> np.ndarray:
        """(H,) segments that hang on others: only these need the tree, so a mesh of free nodes costs nothing here."""
        return np.flatnonzero(self.segment_parent)

    @functools.cached_property
    def chain(self) -> np.ndarray | None:
        """(H, H) 0/1 among `hanging`: segment s hangs on segment s' or on something that does, or is s'. None when
        every segment hangs on the world."""
        if len(self.hanging) == 0:
            return None
        chain = np.zeros((len(self.hanging), len(self.hanging)))
        place = {int(segment): index for index, segment in enumerate(self.hanging)}
        for index, segment in enumerate(self.hanging):
            above = int(segment)
            while self.segment_parent[above] != 0:
                chain[index, place[above]] = 1.0
                above = int(self.row_segment[self.segment_parent[above] - 1])
        return chain

    @functools.cached_property
    def inherited(self) -> np.ndarray:
        """(R,) which of the `hanging` segments each row belongs to; H for rows that hang on the world."""
        place = np.full(self.segment_count, len(self.hanging))
        place[self.hanging] = np.arange(len(self.hanging))
        return place[self.row_segment]

    @functools.cached_property
    def attached_row(self) -> np.ndarray:
        """(H,) index of the row each of the `hanging` segments hangs on, in arrays that leave the world out."""
        return self.segment_parent[self.hanging] - 1

    def jacobian_gather(self, rows: np.ndarray) -> np.ndarray:
        """(len(rows), nv) indices into the stacked columns of `dynamics` (see there): the column of every velocity in
        the spatial Jacobian of each row, or the index one past the last for a velocity that does not move it."""
        zero = sum(block.count * block.rows * block.width for block in self.blocks)
        table = np.full((len(rows), self.nv), zero)
        column_start = self._column_start
        for k, start in enumerate(rows):
            row, seen = int(start), set()
            while row != 0:
                segment = self.row_segment[row - 1]
                if segment not in seen:
                    seen.add(segment)
                    first, columns = column_start[row - 1]
                    table[k, columns] = first + np.arange(len(columns))
                row = self.parent[row]
        return table

    @functools.cached_property
    def _column_start(self) -> list[tuple[int, np.ndarray]]:
        """For every row: index of its first stacked column, and the velocities of its segment."""
        starts, offset = [], 0
        for block in self.blocks:
            for segment in range(block.count):
                for row in range(block.rows):
                    starts.append((offset + (segment * block.rows + row) * block.width, block.columns[segment]))
            offset += block.count * block.rows * block.width
        return starts

    @functools.cached_property
    def velocity_order(self) -> np.ndarray:
        """(nv,) where each velocity stands in the concatenation of the blocks' (count, width)."""
        stacked = np.concatenate([block.columns.ravel() for block in self.blocks]) if self.blocks else np.zeros(0, int)
        order = np.empty(self.nv, dtype=int)
        order[stacked] = np.arange(self.nv)
        return order

    @functools.cached_property
    def lone(self) -> tuple[bool, ...]:
        """Per block: whether it is several segments that hang on the world with nothing on them, so that their part of
        the mass matrix is block-diagonal (nodes of a mesh)."""
        carrying = np.zeros(self.segment_count, dtype=bool)
        carrying[self.row_segment[self.attached_row]] = True
        result, start = [], 0
        for block in self.blocks:
            own = slice(start, start + block.count)
            result.append(block.count > 1 and not (np.any(self.segment_parent[own]) or np.any(carrying[own])))
            start += block.count
        return tuple(result)

    @functools.cached_property
    def joined(self) -> np.ndarray:
        """(J,) velocities outside the lone blocks, whose mass matrix is full."""
        parts = [block.columns.ravel() for block, lone in zip(self.blocks, self.lone, strict=True) if not lone]
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, dtype=int)

    @functools.cached_property
    def joined_segments(self) -> np.ndarray:
        segments, start = [], 0
        for block, lone in zip(self.blocks, self.lone, strict=True):
            if not lone:
                segments.append(np.arange(start, start + block.count))
            start += block.count
        return np.concatenate(segments) if segments else np.zeros(0, dtype=int)

    @functools.cached_property
    def base_jacobian_gather(self) -> np.ndarray:
        """(joined segments, J) as `jacobian_gather`, of the rows they hang on."""
        return self.jacobian_gather(self.segment_parent[self.joined_segments])[:, self.joined]

    @functools.cached_property
    def mass_gather(self) -> np.ndarray:
        """(J, J) indices into [diagonal blocks | couplings (J per stacked velocity) | one zero] of the joined blocks:
        see `dynamics`."""
        return self._gather_couplings(0)

    @functools.cached_property
    def tangent_gather(self) -> np.ndarray:
        """Indices for a matrix that is not symmetric: [diagonal blocks | couplings below the diagonal | couplings above
        it | one zero]."""
        return self._gather_couplings(len(self.joined) ** 2)

    def _gather_couplings(self, apart: int) -> np.ndarray:
        """apart: how far behind those below the diagonal the couplings above it stand."""
        blocks = [block for block, lone in zip(self.blocks, self.lone, strict=True) if not lone]
        count = len(self.joined)
        diagonal_size = sum(block.count * block.width**2 for block in blocks)
        table = np.full((count, count), diagonal_size + count * count + apart)
        moved = self.base_jacobian_gather < sum(b.count * b.rows * b.width for b in self.blocks)
        place = np.full(self.nv, -1)
        place[self.joined] = np.arange(count)
        offset = segment = stacked = 0
        for block in blocks:
            for local in range(block.count):
                columns = place[block.columns[local]]
                square = offset + np.arange(block.width**2).reshape(block.width, block.width)
                table[np.ix_(columns, columns)] = square
                above = np.flatnonzero(moved[segment])
                coupling = diagonal_size + (stacked + np.arange(block.width))[None, :] * count + above[:, None]
                table[np.ix_(above, columns)] = coupling + apart
                table[np.ix_(columns, above)] = coupling.T
                offset += block.width**2
                stacked += block.width
                segment += 1
        return table
