"""Which velocities a force depends on: the sparsity of tangent matrices of robots with meshes, and its colouring.

Columns of a sparse matrix that share no row are found together from one derivative (Curtis, Powell and Reid 1974), so
the tangent of a mesh costs a number of derivatives that does not grow with the mesh.
"""

import dataclasses
import functools

import numpy as np
import scipy.sparse as sparse

from pliant.model import Structure

_LARGE = 600  # velocities from which a robot with a mesh is solved with sparse matrices


def is_large(structure: Structure) -> bool:
    """Whether matrices of this robot are to be sparse: much of it is free nodes, and what couples them is known."""
    lone = structure.nv - len(structure.tree.joined)
    known = all(kind.coupled_rows is not None for kind in structure.interactions)
    return structure.nv >= _LARGE and lone > structure.nv // 2 and known


@dataclasses.dataclass(frozen=True, eq=False)
class Colouring:
    """rows, columns (z,): places of the nonzeros; colour (nv,) of every velocity, `colours` of them."""

    rows: np.ndarray
    columns: np.ndarray
    colour: np.ndarray
    colours: int

    @property
    def seeds(self) -> np.ndarray:
        """(colours, nv) the directions to take derivatives along."""
        seeds = np.zeros((self.colours, len(self.colour)))
        seeds[self.colour, np.arange(len(self.colour))] = 1.0
        return seeds

    def matrix(self, derivatives: np.ndarray) -> sparse.csc_matrix:
        """(nv, nv) from derivatives (colours, nv) along the seeds."""
        values = derivatives[self.colour[self.columns], self.rows]
        size = len(self.colour)
        return sparse.csc_matrix((values, (self.rows, self.columns)), shape=(size, size))


@functools.lru_cache(maxsize=16)
def colouring(structure: Structure) -> Colouring:
    """Pattern of the tangent of a robot's forces by its velocities."""
    blocks = _blocks(structure)
    owner = np.empty(structure.nv, dtype=int)
    for index, block in enumerate(blocks):
        owner[block] = index
    graph = _graph(structure, owner, len(blocks))
    rows, columns = graph.nonzero()
    pairs = [np.meshgrid(blocks[i], blocks[j], indexing="ij") for i, j in zip(rows, columns, strict=True)]
    colour, count = np.empty(structure.nv, dtype=int), 0
    hue = _greedy((graph @ graph).tocsr())
    for value in range(hue.max() + 1):
        own = [blocks[index] for index in np.flatnonzero(hue == value)]
        for block in own:
            colour[block] = count + np.arange(len(block))
        count += max(len(block) for block in own)
    return Colouring(
        np.concatenate([pair[0].ravel() for pair in pairs]),
        np.concatenate([pair[1].ravel() for pair in pairs]),
        colour,
        count,
    )


def _blocks(structure: Structure) -> list[np.ndarray]:
    """Velocities that belong together: everything that hangs on something, then node by node."""
    tree = structure.tree
    blocks = [tree.joined] if len(tree.joined) else []
    for block, lone in zip(tree.blocks, tree.lone, strict=True):
        if lone:
            blocks += list(block.columns)
    return blocks


def _graph(structure: Structure, owner: np.ndarray, count: int) -> sparse.csr_matrix:
    """(blocks, blocks) 0/1: whose forces depend on whose motion."""
    links = [(index, index) for index in range(count)]
    for group in structure.groups:
        for member in group.members:
            starts = member.v_start + group.width * group.element.tied_segments
            links += [(first, second) for first, second in owner[starts]]
    for rows in _coupled_rows(structure):
        table = structure.tree.jacobian_gather(np.unique(rows))
        zero = sum(block.count * block.rows * block.width for block in structure.tree.blocks)
        moved = np.unique(owner[np.flatnonzero(np.any(table < zero, axis=0))])
        links += [(i, j) for i in moved for j in moved]
    pairs = np.array(links)
    data = np.ones(2 * len(pairs))
    places = (np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]]))
    graph = sparse.csr_matrix((data, places), shape=(count, count))
    graph.data[:] = 1.0
    return graph


def _coupled_rows(structure: Structure) -> list[np.ndarray]:
    """Sets of rows that forces tie together across the tree: ends of springs and of loops, the run of a tendon."""
    sets = [rows for part in structure.parts for rows in part.coupled_rows or ()]
    return [rows[rows > 0] for rows in sets if np.any(rows > 0)]


def _greedy(conflicts: sparse.csr_matrix) -> np.ndarray:
    """(n,) a number for every block, different for blocks in conflict."""
    colours = np.full(conflicts.shape[0], -1)
    for index in range(conflicts.shape[0]):
        near = colours[conflicts.indices[conflicts.indptr[index] : conflicts.indptr[index + 1]]]
        used = set(near.tolist())
        colours[index] = next(value for value in range(len(used) + 1) if value not in used)
    return colours
