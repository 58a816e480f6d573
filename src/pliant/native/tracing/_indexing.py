"""Flat positions that gather and scatter read and write, from their dimension numbers (XLA's semantics, in NumPy)."""

from typing import Any, NamedTuple

import numpy as np


class Windows(NamedTuple):
    """What a gather reads or a scatter writes: windows of equal size, one for each row of indices.

    Flat positions are start . strides + inside; `limit` bounds the start of a window in every indexed dimension. order:
    flat position in the batch-times-window array of every element of the result (or of the updates), in their shape.
    """

    inside: np.ndarray  # (S,) positions of a window's elements relative to its start
    batch: np.ndarray  # (B,) positions that batching dimensions add
    strides: np.ndarray  # (K,)
    limit: np.ndarray  # (K,)
    order: np.ndarray

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of windows, of elements in one, of components of an index."""
        return len(self.batch), len(self.inside), len(self.strides)

    @property
    def is_one_run(self) -> bool:
        """Whether it is one window of neighbours, at one index."""
        own = self.sizes[0] == 1 and self.sizes[2] == 1 and not self.batch[0]
        return own and np.array_equal(self.inside, range(len(self.inside)))

    @property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(map(int, table)) for table in (self.inside, self.batch, self.strides, self.limit))


def windows(
    operand: tuple[int, ...],
    result: tuple[int, ...],
    sizes: tuple[int, ...],
    index_shape: tuple[int, ...],
    window_dims: tuple[int, ...],
    hidden_dims: tuple[int, ...],
    index_map: tuple[int, ...],
    operand_batching: tuple[int, ...],
    index_batching: tuple[int, ...],
) -> Windows:
    """window_dims: dimensions of the result that run within a window; hidden_dims: of the operand, of size 1 in the
    window and absent from the result. The last dimension of the indices holds their components."""
    strides = np.array([int(np.prod(operand[i + 1 :])) for i in range(len(operand))], dtype=np.int64)
    seen = [d for d in range(len(operand)) if d not in hidden_dims and d not in operand_batching]
    box = tuple(sizes[d] for d in seen)
    inside = np.zeros(box, dtype=np.int64)
    for axis, d in enumerate(seen):
        inside += (np.arange(box[axis]) * strides[d]).reshape([-1 if a == axis else 1 for a in range(len(box))])
    batch_shape = index_shape[:-1]
    batch = np.zeros(batch_shape, dtype=np.int64)
    for d, axis in zip(operand_batching, index_batching, strict=True):
        batch += (np.arange(batch_shape[axis]) * strides[d]).reshape(
            [-1 if a == axis else 1 for a in range(len(batch_shape))]
        )
    # The batch-times-window array, its dimensions moved to where the result has them.
    plain = np.arange(batch.size * inside.size).reshape(batch_shape + box)
    free = [d for d in range(len(result)) if d not in window_dims]
    source = {d: i for i, d in enumerate(free)} | {d: len(free) + i for i, d in enumerate(window_dims)}
    order = plain.transpose([source[d] for d in range(len(result))]) if result else plain.reshape(())
    mapped = np.array(index_map, dtype=np.int64)
    limit = np.array([operand[d] - sizes[d] for d in index_map], dtype=np.int64)
    return Windows(inside.reshape(-1), batch.reshape(-1), strides[mapped] if mapped.size else mapped, limit, order)


def gather_windows(operand: tuple[int, ...], indices: tuple[int, ...], result: tuple[int, ...], params: Any) -> Windows:
    d = params["dimension_numbers"]
    return windows(
        operand, result, params["slice_sizes"], indices, d.offset_dims, d.collapsed_slice_dims, d.start_index_map,
        d.operand_batching_dims, d.start_indices_batching_dims,
    )  # fmt: skip


def scatter_windows(
    operand: tuple[int, ...], indices: tuple[int, ...], updates: tuple[int, ...], params: Any
) -> Windows:
    d = params["dimension_numbers"]
    hidden = set(d.inserted_window_dims) | set(d.operand_batching_dims)
    seen = iter(updates[i] for i in d.update_window_dims)
    sizes = tuple(1 if axis in hidden else next(seen) for axis in range(len(operand)))
    return windows(
        operand, updates, sizes, indices, d.update_window_dims, d.inserted_window_dims,
        d.scatter_dims_to_operand_dims, d.operand_batching_dims, d.scatter_indices_batching_dims,
    )  # fmt: skip


def known_positions(where: Windows, indices: np.ndarray, clip: bool) -> tuple[np.ndarray, np.ndarray]:
    """Flat positions (B, S) for known indices (..., K), and whether each window (B,) lies inside the operand."""
    start = np.asarray(indices, dtype=np.int64).reshape(len(where.batch), len(where.strides))
    legal = np.all((start >= 0) & (start <= where.limit), axis=1)
    if clip:
        start = np.clip(start, 0, where.limit)
    begin = start @ where.strides + where.batch if len(where.strides) else where.batch
    return begin[:, None] + where.inside[None, :], legal
