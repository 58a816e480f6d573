"""Primitives that only move elements, and sums and products: for known numbers and for expressions alike."""

import math
from typing import Any

import numpy as np

from pliant.native._casadi import casadi
from pliant.native.tracing._indexing import gather_windows, known_positions, scatter_windows
from pliant.native.tracing._values import (
    Symbolic,
    Value,
    elements_of,
    is_known,
    joined,
    pick,
    positions,
    shape_of,
    symbolic,
)


def moved(name: str, values: list[Value], avals: list[Any], params: Any) -> list[Value] | None:
    """Results of a primitive that moves elements to known places, or None if it is none of these."""
    if name in _MOVES:
        value = values[0]
        return [pick(value, _MOVES[name](positions(shape_of(value)), params))]
    if name == "concatenate":
        return [_concatenated(values, params["dimension"])]
    if name == "stack":
        return [_concatenated([_expanded(value, params["axis"]) for value in values], params["axis"])]
    if name in ("split", "unstack"):
        return _parts(name, values[0], params)
    if name == "pad":
        return [_padded(values[0], values[1], params["padding_config"])]
    if name == "iota":
        shape, axis = params["shape"], params["dimension"]
        along = np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        return [np.broadcast_to(along, shape).astype(params["dtype"])]
    if name in ("empty", "empty2"):  # what is filled later, or what nobody reads
        return [np.zeros(avals[0].shape, avals[0].dtype)]
    if name == "platform_index":  # which of JAX's machines this is: the processor, or any
        own = [names is None or "cpu" in names for names in params["platforms"]]
        return [np.asarray(own.index(True), np.int32)]
    if name in ("scatter", *_NUMPY) and is_known(values[1]):
        return [scattered(name, values, params)]
    if name == "optimization_barrier":
        return list(values)
    return None


def _slice(ids: np.ndarray, params: Any) -> np.ndarray:
    steps = params["strides"] or (1,) * ids.ndim
    return ids[tuple(map(slice, params["start_indices"], params["limit_indices"], steps))]


def _broadcast(ids: np.ndarray, params: Any) -> np.ndarray:
    shape, at = params["shape"], params["broadcast_dimensions"]
    own = [1] * len(shape)
    for axis, place in enumerate(at):
        own[place] = ids.shape[axis]
    return np.broadcast_to(ids.reshape(own), shape)


_MOVES = {
    "reshape": lambda ids, p: ids.reshape(p["new_sizes"]),
    "squeeze": lambda ids, p: ids.squeeze(tuple(p["dimensions"])),
    "transpose": lambda ids, p: ids.transpose(p["permutation"]),
    "tile": lambda ids, p: np.tile(ids, p["reps"]),
    "rev": lambda ids, p: np.flip(ids, tuple(p["dimensions"])),
    "slice": _slice,
    "broadcast_in_dim": _broadcast,
}


def _expanded(value: Value, axis: int) -> Value:
    return pick(value, np.expand_dims(positions(shape_of(value)), axis))


def _concatenated(values: list[Value], axis: int) -> Value:
    ids, offset = [], 0
    for value in values:
        ids.append(positions(shape_of(value)) + offset)
        offset += ids[-1].size
    return pick(joined(values), np.concatenate(ids, axis))


def _parts(name: str, value: Value, params: Any) -> list[Value]:
    axis, ids = params["axis"], positions(shape_of(value))
    if name == "unstack":
        return [pick(value, part) for part in np.moveaxis(ids, axis, 0)]
    cuts = np.cumsum(params["sizes"])[:-1]
    return [pick(value, part) for part in np.split(ids, cuts, axis)]


def _padded(value: Value, fill: Value, config: Any) -> Value:
    shape = shape_of(value)
    size = math.prod(shape)
    full = tuple(low + high + n + max(n - 1, 0) * inner for n, (low, high, inner) in zip(shape, config, strict=True))
    # Negative padding cuts: paste into a larger array and take the window.
    before = [max(-low, 0) for low, _, _ in config]
    wide = tuple(max(n, 0) + 2 * sum(map(abs, c[:2])) for n, c in zip(full, config, strict=True))
    ids = np.full(wide, size, dtype=np.int64)
    start = [b + max(low, 0) for b, (low, _, _) in zip(before, config, strict=True)]
    where = tuple(
        slice(s - b, s - b + max(n - 1, 0) * (inner + 1) + (n > 0), inner + 1)
        for s, b, n, (_, _, inner) in zip(start, before, shape, config, strict=True)
    )
    ids[where] = positions(shape)
    window = tuple(slice(b, b + n) for b, n in zip(before, full, strict=True))
    return pick(joined([value, fill]), ids[window])


def gathered(values: list[Value], shape: tuple[int, ...], params: Any) -> Value:
    """Gather at known places; out of bounds it gives what JAX's mode says."""
    operand, indices = values
    where = gather_windows(shape_of(operand), np.shape(indices), shape, params)
    mode = str(params["mode"]).upper()
    clip = "FILL" not in mode
    places, legal = known_positions(where, indices, clip)
    if clip or legal.all():
        return pick(operand, places.reshape(-1)[where.order])
    places[~legal] = math.prod(shape_of(operand))
    extended = joined([operand, fill_of(operand.dtype, params["fill_value"])])
    return pick(extended, places.reshape(-1)[where.order])


def fill_of(dtype: np.dtype, asked: Any) -> np.ndarray:
    """What a gather gives out of bounds: NaN, the smallest or the largest of whole numbers, or true."""
    if asked is not None:
        return np.asarray(asked, dtype)
    if np.issubdtype(dtype, np.signedinteger):
        return np.asarray(np.iinfo(dtype).min, dtype)
    if np.issubdtype(dtype, np.unsignedinteger):
        return np.asarray(np.iinfo(dtype).max, dtype)
    return np.asarray(np.nan).astype(dtype)


def scattered(name: str, values: list[Value], params: Any) -> Value:
    """Scatter to known places: set, add, multiply, or the smaller or larger of the two."""
    operand, indices, updates = values
    where = scatter_windows(shape_of(operand), np.shape(indices), shape_of(updates), params)
    places, legal = known_positions(where, indices, "CLIP" in str(params["mode"]).upper())
    legal = legal | ("CLIP" in str(params["mode"]).upper())
    flat = places.reshape(-1)[where.order].reshape(-1)
    kept = np.broadcast_to(legal[:, None], places.shape).reshape(-1)[where.order].reshape(-1)
    shape = shape_of(operand)
    if name == "scatter":
        ids = positions(shape).reshape(-1).copy()
        ids[flat[kept]] = math.prod(shape) + np.arange(flat.size)[kept]
        return pick(joined([operand, updates]), ids.reshape(shape))
    if is_known(operand) and is_known(updates):
        result = np.array(operand).reshape(-1)
        _NUMPY[name].at(result, flat[kept], np.asarray(updates).reshape(-1)[kept])
        return result.reshape(shape)
    combine = {
        "scatter-add": lambda a, b: a + b,
        "scatter-sub": lambda a, b: a - b,
        "scatter-mul": lambda a, b: a * b,
        "scatter-min": casadi().fmin,
        "scatter-max": casadi().fmax,
    }[name]
    column, added = casadi().SX(elements_of(operand)), elements_of(updates)
    # Rounds in which no place occurs twice.
    order = np.arange(flat.size)[kept]
    while order.size:
        _, first = np.unique(flat[order], return_index=True)
        now = order[np.sort(first)]
        at = flat[now].tolist()
        column.nz[at] = combine(column.nz[at], added.nz[now.tolist()])
        order = np.setdiff1d(order, now)
    dtype = operand.dtype if isinstance(operand, Symbolic) else updates.dtype
    return symbolic(column, shape, dtype)


_NUMPY = {
    "scatter-add": np.add, "scatter-sub": np.subtract, "scatter-mul": np.multiply, "scatter-min": np.minimum,
    "scatter-max": np.maximum,
}  # fmt: skip


def product(values: list[Value], params: Any, dtype: np.dtype) -> Value:
    """dot_general: products of matrices, batched."""
    (contract_a, contract_b), (batch_a, batch_b) = params["dimension_numbers"]
    a, b = values
    shape_a, shape_b = shape_of(a), shape_of(b)
    free_a = [d for d in range(len(shape_a)) if d not in contract_a and d not in batch_a]
    free_b = [d for d in range(len(shape_b)) if d not in contract_b and d not in batch_b]
    result = tuple(shape_a[d] for d in (*batch_a, *free_a)) + tuple(shape_b[d] for d in free_b)
    batch = math.prod(shape_a[d] for d in batch_a)
    rows, columns = math.prod(shape_a[d] for d in free_a), math.prod(shape_b[d] for d in free_b)
    depth = math.prod(shape_a[d] for d in contract_a)
    left = pick(a, positions(shape_a).transpose([*batch_a, *free_a, *contract_a]).reshape(batch, rows, depth))
    right = pick(b, positions(shape_b).transpose([*batch_b, *contract_b, *free_b]).reshape(batch, depth, columns))
    if is_known(left) and is_known(right):
        return np.matmul(left, right).reshape(result).astype(dtype)
    ca = casadi()
    one, other, parts = elements_of(left), elements_of(right), []
    for index in range(batch):
        # CasADi stores columns first: the transposed product of transposes is what C order asks for.
        x = ca.reshape(one[index * rows * depth : (index + 1) * rows * depth], depth, rows)
        y = ca.reshape(other[index * depth * columns : (index + 1) * depth * columns], columns, depth)
        parts.append(ca.vec(ca.densify(ca.mtimes(y, x))))
    column = ca.vertcat(*parts) if parts else ca.SX.zeros(0, 1)
    return symbolic(column, result, dtype)


def reduced(name: str, value: Value, axes: tuple[int, ...], dtype: np.dtype) -> Value:
    """Sum, product, smallest, largest, all, any over axes."""
    numbers, combine, nothing = REDUCTIONS[name]
    if is_known(value):
        if np.isinf(nothing) and np.issubdtype(dtype, np.integer):
            nothing = np.iinfo(dtype).min if nothing < 0 else np.iinfo(dtype).max
        elif dtype == np.bool_:
            nothing = nothing > 0
        return np.asarray(numbers(value, axis=tuple(axes), initial=nothing)).astype(dtype)
    shape = value.shape
    kept = [d for d in range(len(shape)) if d not in axes]
    result = tuple(shape[d] for d in kept)
    count = math.prod(shape[d] for d in axes)
    order = positions(shape).transpose([*axes, *kept]).reshape(count, -1)
    layers = [value.elements.nz[row.tolist()] for row in order]
    while len(layers) > 1:  # in pairs, as JAX's own sums do
        layers = [combine(*layers[i : i + 2]) if i + 1 < len(layers) else layers[i] for i in range(0, len(layers), 2)]
    return symbolic(layers[0], result, dtype)


# For NumPy, for two columns, and what nothing at all gives.
REDUCTIONS: dict[str, tuple[Any, Any, Any]] = {
    "reduce_sum": (np.add.reduce, lambda a, b: a + b, 0),
    "reduce_prod": (np.multiply.reduce, lambda a, b: a * b, 1),
    "reduce_max": (np.maximum.reduce, lambda a, b: casadi().fmax(a, b), -np.inf),
    "reduce_min": (np.minimum.reduce, lambda a, b: casadi().fmin(a, b), np.inf),
    "reduce_and": (np.logical_and.reduce, lambda a, b: casadi().logic_and(a, b), True),
    "reduce_or": (np.logical_or.reduce, lambda a, b: casadi().logic_or(a, b), False),
}


def accumulated(name: str, value: Value, params: Any, dtype: np.dtype) -> Value:
    """cumsum, cumprod, cummax, cummin along one axis."""
    numbers, combine = _CUMULATIVE[name]
    axis, reverse = params["axis"], params["reverse"]
    if is_known(value):
        turned = np.flip(value, axis) if reverse else np.asarray(value)
        result = numbers(turned, axis=axis)
        return np.asarray(np.flip(result, axis) if reverse else result).astype(dtype)
    order = np.moveaxis(positions(value.shape), axis, 0)
    order = order[::-1] if reverse else order
    layers: list[Any] = []
    for row in order:
        layer = value.elements.nz[row.reshape(-1).tolist()]
        layers.append(combine(layers[-1], layer) if layers else layer)
    back = np.argsort(order.reshape(-1)).reshape(value.shape)
    return pick(symbolic(casadi().vertcat(*layers), (value.size,), dtype), back)


_CUMULATIVE: dict[str, tuple[Any, Any]] = {
    "cumsum": (np.cumsum, lambda a, b: a + b),
    "cumprod": (np.cumprod, lambda a, b: a * b),
    "cummax": (np.maximum.accumulate, lambda a, b: casadi().fmax(a, b)),
    "cummin": (np.minimum.accumulate, lambda a, b: casadi().fmin(a, b)),
}
