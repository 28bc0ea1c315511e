"""Reductions, scans, histograms and sorts in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracle import maximum, minimum, ravel
from tiles import FLOATS, DType, Inexact, Tile, lift, wide_error


def _along(values: Any, axis: int) -> list[list[Tile]]:
    """For each position along the axis, the slices of the tiles."""
    listed = list(values) if isinstance(values, tuple) else [values]
    length = listed[0].shape[axis]
    return [[v.moved(lambda x, i=i: np.take(x, i, axis)) for v in listed] for i in range(length)]


def reduce(x: Any, axis: Any, combine: Any, keep_dims: bool = False) -> Any:
    rank = len(x[0].shape if isinstance(x, tuple) else x.shape)
    if axis is None:
        x, axis = (tuple(ravel(v) for v in x) if isinstance(x, tuple) else ravel(x)), 0
        kept: Any = tuple(range(rank))
    else:
        axis = kept = axis % rank
    steps = _along(x, axis)
    total = steps[0]
    for step in steps[1:]:
        result = combine(*total, *step)
        total = list(result) if isinstance(result, tuple) else [result]
    if keep_dims:
        total = [v.moved(lambda value: np.expand_dims(value, kept)) for v in total]
    return tuple(total) if isinstance(x, tuple) else total[0]


def histogram(x: Tile, bins: int, mask: Any = None) -> Tile:
    values = x.value.astype(object)
    counted = (values >= 0) & (values < bins)
    if mask is not None:
        counted &= lift(mask).value
    found = values[counted.astype(bool)].astype(np.int64)
    return Tile("int32", np.bincount(found, minlength=bins))


def associative_scan(x: Any, axis: int, combine: Any, reverse: bool = False) -> Any:
    steps = _along(x, axis)
    order = steps[::-1] if reverse else steps
    running = [order[0]]
    for step in order[1:]:
        result = combine(*running[-1], *step)
        running.append(list(result) if isinstance(result, tuple) else [result])
    running = running[::-1] if reverse else running
    results = []
    for parts in zip(*running, strict=True):
        value = np.stack([part.value for part in parts], axis)
        inexact = any(part.error is not None for part in parts)
        errors = [np.broadcast_to(wide_error(part), part.shape) for part in parts]
        results.append(parts[0].like(value, np.stack(errors, axis) if inexact else None))
    return tuple(results) if isinstance(x, tuple) else results[0]


def sort(x: Tile, dim: int | None = None, descending: bool = False) -> Tile:
    """Along the last dimension; NaN counts as the greatest, and -0.0 as less than 0.0."""
    values = x.exact()
    order = np.lexsort((~np.signbit(values) if x.dtype.is_float else values, values))
    if descending:
        order = order[..., ::-1]
    return x.like(np.take_along_axis(values, order, -1))


def topk(x: Tile, k: int, dim: int | None = None, descending: bool = True) -> Tile:
    return sort(x, descending=descending).moved(lambda values: values[..., :k])


def _summand(x: Tile, dtype: str | None) -> Tile:
    if dtype is not None:
        return x.to(dtype)
    if not x.dtype.is_float and x.dtype.bits < 32:
        return x.to("int32" if x.dtype.is_signed else "uint32")
    return x


def _sum_error(x: Tile, total: np.ndarray, axis: Any, keep_dims: bool, dtype: str) -> Any:
    """None if every partial sum is a small integer: then no order of summation rounds."""
    wide = x.value.astype(np.float64)
    size = np.abs(wide).sum(axis, keepdims=keep_dims)
    whole = np.all(wide == np.floor(wide)) and np.all(size < 1 / FLOATS[dtype])
    if x.error is None and whole:
        return None
    count = x.value.size // max(total.size, 1)
    own = np.broadcast_to(wide_error(x), x.shape).sum(axis, keepdims=keep_dims)
    return own + FLOATS[dtype] * (count + 2) * size


def sum(x: Tile, axis: Any = None, keep_dims: bool = False, dtype: str | None = None) -> Tile:
    x = _summand(x, dtype)
    if not x.dtype.is_float:
        with np.errstate(all="ignore"):
            return x.like(x.value.sum(axis, keepdims=keep_dims, dtype=x.dtype.stored))
    adding = DType("float64" if x.dtype == "float64" else "float32")
    with np.errstate(all="ignore"):
        total = x.value.astype(np.float64).sum(axis, keepdims=keep_dims)
        error = _sum_error(x, total, axis, keep_dims, adding)
    return Tile(adding, total, error).to(x.dtype)


def xor_sum(x: Tile, axis: Any = None, keep_dims: bool = False) -> Tile:
    return reduce(x, axis, lambda a, b: a ^ b, keep_dims)


def cumsum(x: Tile, axis: int = 0, reverse: bool = False, dtype: str | None = None) -> Tile:
    x = _summand(x.to("float32") if x.dtype == "bfloat16" else x, dtype)
    return associative_scan(x, axis, lambda a, b: a + b, reverse)


def cumprod(x: Tile, axis: int = 0, reverse: bool = False, dtype: str | None = None) -> Tile:
    x = x.to("float32") if x.dtype == "bfloat16" else x
    x = x if dtype is None else x.to(dtype)
    return associative_scan(x, axis, lambda a, b: a * b, reverse)


def _extreme(x: Tile, axis: Any, keep_dims: bool, indices: bool, greatest: bool) -> Any:
    x = x.to("float32") if x.dtype == "bfloat16" else x
    if not indices:
        if x.dtype.bits < 32:
            x = x.to("float32" if x.dtype.is_float else "int32")
        return reduce(x, axis, maximum if greatest else minimum, keep_dims)
    if x.dtype.is_float and np.isnan(x.exact()).any():
        raise Inexact
    wide = x.exact()
    position = np.expand_dims((np.argmax if greatest else np.argmin)(wide, axis), axis)
    value = np.take_along_axis(wide, position, axis)
    if not keep_dims:
        value, position = value.squeeze(axis), position.squeeze(axis)
    return x.like(value), Tile("int32", position)


def maximum_of(
    x: Tile, axis: Any = None, return_indices: bool = False, keep_dims: bool = False, **ties: Any
) -> Any:
    return _extreme(x, axis, keep_dims, return_indices, True)


def minimum_of(
    x: Tile, axis: Any = None, return_indices: bool = False, keep_dims: bool = False, **ties: Any
) -> Any:
    return _extreme(x, axis, keep_dims, return_indices, False)


def argmax(x: Tile, axis: int, keep_dims: bool = False, **ties: Any) -> Tile:
    return _extreme(x, axis, keep_dims, True, True)[1]


def argmin(x: Tile, axis: int, keep_dims: bool = False, **ties: Any) -> Tile:
    return _extreme(x, axis, keep_dims, True, False)[1]


def names() -> dict[str, Any]:
    functions = (
        reduce, histogram, associative_scan, sort, topk, sum, xor_sum, cumsum, cumprod, argmax,
        argmin,
    )  # fmt: skip
    known = {function.__name__: function for function in functions}
    return {**known, "max": maximum_of, "min": minimum_of}
