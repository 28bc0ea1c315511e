"""Ragged descriptors: arrays of rows in groups of different sizes, under Triton's names.

    d = create_ragged_descriptor(x, [BM, BN])         # on the host: groups are ranges of rows
    tile = load_ragged(d, start, count, [row, col])   # in a kernel: rows of start ... start + count

Rows are counted from the start of their group. A tile may cross both ends of the group: other
groups' rows are read as the padding and are not written. Triton has TMA check this, by two more
dimensions of the descriptor and addresses that wrap; here the descriptor has the rank of the array,
and the kernel narrows it to the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ArgumentError, ShapeMismatchError, TypeMismatchError
from tilewright.language.constexpr import (
    builtin,
    constant_int,
    constexpr,
    constexpr_value,
    describe,
)
from tilewright.language.dtypes import int64
from tilewright.language.math import maximum, minimum
from tilewright.language.tensor import tensor
from tilewright.language.tensor_descriptors import tensor_descriptor
from tilewright.language.windows import check_rank, indices, integer
from tilewright.tools.tensor_descriptor import TensorDescriptor

_MAX_ROWS = 2**30


def create_ragged_descriptor(
    T: Any, block_shape: Sequence[int], ragged_dim: int = 0
) -> TensorDescriptor:
    """A descriptor of a tensor or NumPy array whose groups are ranges along one dimension.

    Args:
        T: The array, of 2 to 5 dimensions.
        block_shape: The shape of the tiles, one size for each dimension.
        ragged_dim: The dimension; not the last one. A negative one counts from the end.

    Raises:
        ArgumentError: The dimension is out of range or the last one, it is larger than 2^30, or
            `TensorDescriptor` refuses the array or the shape.
    """
    rank = len(T.shape)
    dim = ragged_dim + rank if ragged_dim < 0 else ragged_dim
    if not 0 <= dim < rank - 1:
        raise ArgumentError(
            f"ragged_dim is a dimension other than the last of {rank}, found {ragged_dim}"
        )
    if T.shape[dim] > _MAX_ROWS:
        raise ArgumentError(f"a ragged dimension has at most 2^30 rows, found {T.shape[dim]}")
    return TensorDescriptor.from_tensor(T, block_shape)


@builtin
def load_ragged(
    TMA: Any,
    slice_off: Any,
    slice_size: Any,
    coords: Any,
    ragged_dim: Any = 0,
    _semantic: Any = None,
) -> tensor:
    """The tile of a group at coordinates; elements outside of the group are the padding.

    Args:
        TMA: A tensor descriptor, as from `create_ragged_descriptor`.
        slice_off: The group's first index along the ragged dimension.
        slice_size: The number of its indices; none if it is not positive.
        coords: The first element of the tile, an integer for each dimension; that of the ragged
            dimension counts from `slice_off`. They may be negative.
        ragged_dim: The ragged dimension, a constant.

    Raises:
        TypeMismatchError: `TMA` is not a tensor descriptor, or a number is not an integer.
        ShapeMismatchError: The number of coordinates differs from that of the dimensions, or the
            ragged dimension is not one of them.
        ConstantError: The ragged dimension is not a constant.
    """
    group, at = _group(TMA, slice_off, slice_size, coords, ragged_dim, "load_ragged")
    return group.load(at)


@builtin
def store_ragged(
    TMA: Any,
    slice_off: Any,
    slice_size: Any,
    coords: Any,
    data: Any,
    ragged_dim: Any = 0,
    _semantic: Any = None,
) -> None:
    """Stores a tile in a group at coordinates; elements outside of the group are not written.

    Takes the arguments of `load_ragged`, and the tile.

    Raises:
        TypeMismatchError, ShapeMismatchError, ConstantError: As for `load_ragged`, or the tile has
            another shape than the descriptor's.
    """
    group, at = _group(TMA, slice_off, slice_size, coords, ragged_dim, "store_ragged")
    group.store(at, data)


@builtin
def atomic_add_ragged(
    TMA: Any,
    slice_off: Any,
    slice_size: Any,
    coords: Any,
    data: Any,
    ragged_dim: Any = 0,
    _semantic: Any = None,
) -> None:
    """Atomically adds a tile to that of a group, with relaxed memory order.

    Takes the arguments of `store_ragged`.

    Raises:
        TypeMismatchError, ShapeMismatchError, ConstantError: As for `store_ragged`, or there is no
            atomic addition of the dtype.
    """
    group, at = _group(TMA, slice_off, slice_size, coords, ragged_dim, "atomic_add_ragged")
    group.atomic_add(at, data)


@builtin
def to_ragged_indices(
    slice_off: Any, slice_size: Any, row: Any, _semantic: Any = None
) -> tuple[Any, Any, Any]:
    """Coordinates of a row of a group in a descriptor with Triton's two additional dimensions.

    Such a descriptor, which a program makes, has 2^30 rows of stride s, preceded by dimensions
    with the strides 2^34 - s and s, and tiles that have 1 element along these. The first coordinate
    selects the multiple of 2^64 elements, at which addresses wrap; the others put the end of the
    group at row 2^30, so that rows beyond it are outside. Descriptors of `create_ragged_descriptor`
    have no such dimensions.

    Args:
        slice_off: The group's first row.
        slice_size: The number of its rows.
        row: The row, counted from the first one.

    Returns:
        The coordinates along the two dimensions and along the rows.
    """
    return constexpr(_MAX_ROWS), slice_off + slice_size, _MAX_ROWS - slice_size + row


def _group(
    descriptor: Any, offset: Any, count: Any, coords: Any, ragged_dim: Any, what: str
) -> tuple[tensor_descriptor, list[tensor]]:
    """A group as a descriptor of its own, narrowed to the array, and coordinates in it."""
    whole = constexpr_value(descriptor)
    if not isinstance(whole, tensor_descriptor):
        raise TypeMismatchError(f"{what} takes a tensor descriptor, found {describe(descriptor)}")
    at: list[Any] = [*indices(coords, f"coords of {what}")]
    check_rank(what, len(whole.block_shape), coords=at)
    dim = _dimension(ragged_dim, len(at), what)
    start = integer(offset, f"slice_off of {what}", int64)
    size = integer(count, f"slice_size of {what}", int64)
    first = maximum(start, 0)
    skipped = first - start  # elements of the group before the array
    at[dim] -= skipped
    shape = [*whole.shape]
    shape[dim] = minimum(size - skipped, shape[dim] - first)
    base = whole.base + first * whole.strides[dim]
    rounds = whole.round_f32_to_tf32
    ragged = tensor_descriptor(base, shape, whole.strides, whole.block_shape, whole.padding, rounds)
    return ragged, at


def _dimension(value: Any, rank: int, what: str) -> int:
    """The ragged dimension, not negative."""
    dim = constant_int(value, f"ragged_dim of {what}")
    if not -rank <= dim < rank:
        raise ShapeMismatchError(f"{what} has {rank} dimensions, but the ragged_dim {dim}")
    return dim % rank
