"""Indices of tiles: `x[:, None]`, `x[0:16]`, `x[-1]`, `x[i]`, `x[..., ::2]`.

None inserts a dimension of size 1, an integer removes a dimension, and a slice keeps the part that
it keeps of a Python list. The bounds of a slice are constants; an integer may be known only at run
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError, UnsupportedError
from tilewright.language._build import constant
from tilewright.language.casts import convert
from tilewright.language.constexpr import constexpr_value, describe
from tilewright.language.dtypes import block_type, int32
from tilewright.language.reductions import first_of_one
from tilewright.language.shape import (
    expand_dims,
    expand_to,
    gather,
    permute,
    positions_along,
    reshape,
    split,
)
from tilewright.language.tensor import tensor


def index(x: tensor, items: Sequence[Any]) -> tensor:
    """The part of a tile that the items of a subscript select.

    Args:
        x: A scalar or tile. A scalar takes None, and ignores ':'.
        items: None, slices, integers and at most one Ellipsis. A negative constant counts from the
            end. An integer that is known only at run time must be from 0 to the dimension's size,
            exclusively; otherwise the elements are unspecified.

    Raises:
        ShapeMismatchError: More dimensions are indexed than exist, a constant index is out of
            range, or a slice is empty.
        ConstantError: A bound of a slice is not a constant integer.
        TypeMismatchError: An index is a tile or a float.
        UnsupportedError: An index is of another kind.
    """
    full = _full(x, [_item(item) for item in items])
    _check_range(x, [item for item in full if item is not None])
    result, axis = x, 0
    for item in full:
        if item is None:
            result = expand_dims(result, axis)
            axis += 1
        elif isinstance(item, slice):
            result = _slice(result, axis, item)
            axis += 1
        else:
            result = _element(result, axis, item)
    return result


def _item(item: Any) -> Any:
    """The item with the values of constants.

    Raises:
        TypeMismatchError, UnsupportedError: It selects nothing.
    """
    item = constexpr_value(item)
    if isinstance(item, tensor):
        if item.type.is_block() or not item.dtype.is_int():
            raise TypeMismatchError(
                f"an index must be an integer, found {item.type}",
                hint="tl.gather takes a tile of indices" if item.type.is_block() else None,
            )
        return item
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, int) and not isinstance(item, bool):
        return item
    raise UnsupportedError(
        f"a tensor can be indexed with integers, slices, None and '...', found {describe(item)}",
        hint="tl.where selects by a condition",
    )


def _full(x: tensor, items: list[Any]) -> list[Any]:
    """The items with ':' for the dimensions for which `...` stands, so one for each dimension."""
    rank = len(x.type.shape)
    if rank == 0:
        items = [item for item in items if not _is_colon(item)]
    indexed = sum(item is not None and item is not Ellipsis for item in items)
    dots = sum(item is Ellipsis for item in items)
    if indexed > rank:
        raise ShapeMismatchError(f"{indexed} dimensions are indexed, but the type is {x.type}")
    if dots > 1:
        raise UnsupportedError(f"an index can have one '...', found {dots}")
    at = items.index(Ellipsis) if dots else len(items)
    return [*items[:at], *[slice(None)] * (rank - indexed), *items[at + 1 :]]


def _is_colon(item: Any) -> bool:
    parts = (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)
    return len(parts) == 3 and all(part is None for part in parts)


def _check_range(x: tensor, items: list[Any]) -> None:
    shape = x.type.shape
    for dim, item in enumerate(items):
        if isinstance(item, int) and not -shape[dim] <= item < shape[dim]:
            raise ShapeMismatchError(
                f"index {item} is out of range for dimension {dim} of shape {list(shape)}"
            )


# Slices


def _slice(x: tensor, axis: int, part: slice) -> tensor:
    size = x.type.shape[axis]
    for bound in (part.start, part.stop, part.step):
        if bound is not None and (not isinstance(bound, int) or isinstance(bound, bool)):
            raise ConstantError(
                f"a bound of a slice must be a constant integer, found {describe(bound)}",
                hint="load the part from memory, or use tl.gather with x_start + tl.arange(0, n)",
            )
    if part.step == 0:
        raise ConstantError("the step of a slice must not be zero")
    kept = range(*part.indices(size))
    if len(kept) == 0:
        raise ShapeMismatchError(
            f"the slice {part.start}:{part.stop}:{part.step} of a dimension of size {size} is empty"
        )
    if kept == range(size):
        return x
    if size % 2 == 0 and kept in (range(size // 2), range(size // 2, size)):
        return _half(x, axis, upper=kept.start != 0)
    wanted = (*x.type.shape[:axis], len(kept), *x.type.shape[axis + 1 :])
    return gather(x, positions_along(wanted, axis) * kept.step + kept.start, axis)


def _half(x: tensor, axis: int, upper: bool) -> tensor:
    """One half of a dimension, which takes no exchange between threads if one thread has both."""
    shape = x.type.shape
    rank = len(shape)
    halves = reshape(x, (*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :]))
    last = permute(halves, *(dim for dim in range(rank + 1) if dim != axis), axis)
    return split(last)[upper]


# Integers


def _element(x: tensor, axis: int, item: Any) -> tensor:
    shape = x.type.shape
    wanted = (*shape[:axis], 1, *shape[axis + 1 :])
    if isinstance(item, tensor):
        indices = expand_to(convert(item, int32), wanted)
    else:
        indices = constant(item % shape[axis], block_type(int32, wanted))
    rest = (*shape[:axis], *shape[axis + 1 :])
    one = gather(x, indices, axis)
    return reshape(one, rest) if rest else first_of_one(one)
