"""Block pointers: a window of a strided array, which `tl.advance` moves.

    rows = tl.make_block_ptr(x, (M, K), (stride, 1), (row, 0), (BM, BK), order=(1, 0))
    for _ in range(0, K, BK):
        tile = tl.load(rows, boundary_check=(0, 1))
        rows = tl.advance(rows, (0, BK))

A load or store is one with pointers and, for the dimensions in `boundary_check`, a mask
(windows.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import to_tensor
from tilewright.language.constexpr import (
    constant_int,
    constexpr_value,
    describe,
    must_use_result,
)
from tilewright.language.dtypes import dtype as Type
from tilewright.language.registry import Family
from tilewright.language.tensor import tensor
from tilewright.language.value import value_class
from tilewright.language.windows import (
    array_pointer,
    check_rank,
    check_stored,
    indices,
    items,
    padding_name,
    padding_value,
    window_mask,
    window_pointers,
    window_shape,
)

_NOT_IN_PLACE = "advance() changes nothing: assign its result to the variable"


@value_class
class block_pointer:
    """A pointer to a tile of a strided array: what `tl.make_block_ptr` returns.

    Loops and branches carry it, and helper functions take and return it. The shape of the tile and
    the order are part of its type.

    Attributes:
        base: The pointer to the first element of the array.
        array_shape, strides: The sizes and strides of the array, in elements, as int64 scalars.
        offsets: The index of the tile's first element, as int64 scalars.
        block_shape: The shape of the tile.
        order: The order of the dimensions in memory, the fastest first.
    """

    def __init__(
        self,
        base: Any,
        array_shape: Sequence[Any],
        strides: Sequence[Any],
        offsets: Sequence[Any],
        block_shape: tuple[int, ...],
        order: tuple[int, ...],
    ) -> None:
        self.base = base
        self.array_shape, self.strides = tuple(array_shape), tuple(strides)
        self.offsets = tuple(offsets)
        self.block_shape, self.order = block_shape, order

    def flatten(self) -> tuple[Sequence[Any], Hashable]:
        parts = (self.base, self.array_shape, self.strides, self.offsets)
        return parts, (self.block_shape, self.order)

    @classmethod
    def unflatten(cls, parts: Sequence[Any], key: Any) -> block_pointer:
        base, shape, strides, offsets = parts
        return cls(base, shape, strides, offsets, *key)

    @property
    def dtype(self) -> Type:
        """The type of the pointers to the elements; `.element_ty` is that of the elements."""
        found: Type = self.base.dtype
        return found

    @property
    def type(self) -> Type:
        """The same as `dtype`."""
        return self.dtype

    @must_use_result(_NOT_IN_PLACE)
    def advance(self, offsets: Any) -> block_pointer:
        """`tl.advance(self, offsets)`."""
        return advance(self, offsets)

    def __repr__(self) -> str:
        return f"block_pointer({self.dtype}, {list(self.block_shape)})"


@Family.MEMORY
def make_block_ptr(
    base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
) -> block_pointer:
    """A block pointer: a pointer to a tile of a strided array, for `load`, `store` and `advance`.

    Args:
        base: A pointer to the array's first element.
        shape: The sizes of the array, a tuple of integers.
        strides: The distances of consecutive elements in each dimension, in elements.
        offsets: The index of the tile's first element; it may be outside of the array.
        block_shape: The shape of the tile, constant ints.
        order: The dimensions in the order of their strides, the smallest first. Any permutation
            gives the same results: the compiler finds the order from the strides.

    Raises:
        TypeMismatchError: `base` is not a scalar pointer, or an item of a tuple is not an integer.
        ShapeMismatchError: The tuples have different lengths, a size of the tile is not a power of
            two, or `order` is not a permutation of the dimensions.
        ConstantError: `block_shape` or `order` is not known at compile time.

    Example:
        >>> block = tl.make_block_ptr(p, (4, 4), (4, 1), (1, 2), (2, 2), (1, 0))
        >>> tl.load(block)
        [[ 6  7]
         [10 11]]
    """
    what = "make_block_ptr"
    pointer = array_pointer(base, what)
    block = window_shape(block_shape, what)
    sizes = indices(shape, f"shape of {what}")
    steps = indices(strides, f"strides of {what}")
    start = indices(offsets, f"offsets of {what}")
    dims = tuple(constant_int(dim, f"order of {what}") for dim in items(order))
    check_rank(what, len(block), shape=sizes, strides=steps, offsets=start, order=dims)
    if sorted(dims) != list(range(len(block))):
        raise ShapeMismatchError(
            f"order of {what} must be a permutation of 0 to {len(block) - 1}, found {list(dims)}"
        )
    return block_pointer(pointer, sizes, steps, start, block, dims)


@Family.MEMORY
@must_use_result(_NOT_IN_PLACE)
def advance(base: Any, offsets: Any) -> block_pointer:
    """A block pointer moved by a number of elements in each dimension.

    Args:
        base: A block pointer.
        offsets: What to add to its offsets, a tuple of integers.

    Raises:
        TypeMismatchError: `base` is not a block pointer, or an offset is not an integer.
        ShapeMismatchError: The number of offsets differs from that of the dimensions.

    Example:
        >>> block = tl.make_block_ptr(p, (16,), (1,), (0,), (4,), (0,))
        >>> tl.load(tl.advance(block, (14,)), boundary_check=(0,), padding_option="zero")
        [14 15  0  0]
    """
    pointer = constexpr_value(base)
    if not isinstance(pointer, block_pointer):
        raise TypeMismatchError(
            f"advance takes a block pointer, found {describe(base)}",
            hint="add the offsets to other pointers",
        )
    steps = indices(offsets, "offsets of advance")
    check_rank("advance", len(pointer.block_shape), offsets=steps)
    moved = [offset + step for offset, step in zip(pointer.offsets, steps, strict=True)]
    return block_pointer(
        pointer.base,
        pointer.array_shape,
        pointer.strides,
        moved,
        pointer.block_shape,
        pointer.order,
    )


def load_operands(
    pointer: block_pointer, mask: Any, other: Any, boundary_check: Any, padding_option: Any
) -> tuple[tensor, tensor | None, float | None]:
    """The pointers, the mask and the value of masked elements for a load of a block.

    Raises:
        TypeMismatchError: `mask` or `other` is given, or the padding is not one of the dtype.
        ConstantError: An option is unknown or not known at compile time.
        ShapeMismatchError: `boundary_check` has a dimension that the block does not have.
    """
    _no_mask("load", mask, other)
    padding = padding_name(padding_option, pointer.dtype.element_ty, "load")
    pointers, inside = _access(pointer, boundary_check, "load")
    return pointers, inside, None if inside is None else padding_value(padding)


def store_operands(
    pointer: block_pointer, value: Any, mask: Any, boundary_check: Any
) -> tuple[tensor, tensor, tensor | None]:
    """The pointers, the value and the mask for a store of a block.

    Raises:
        TypeMismatchError: `mask` is given.
        ConstantError: `boundary_check` is not known at compile time.
        ShapeMismatchError: `boundary_check` has a dimension that the block does not have, or the
            value is a tile of another shape.
    """
    _no_mask("store", mask, None)
    stored = to_tensor(value, pointer.dtype.element_ty)
    check_stored(stored, pointer.block_shape, "store")
    pointers, inside = _access(pointer, boundary_check, "store")
    return pointers, stored, inside


def _no_mask(what: str, mask: Any, other: Any) -> None:
    if constexpr_value(mask) is not None or constexpr_value(other) is not None:
        raise TypeMismatchError(
            f"{what} takes no mask and no `other` with a block pointer",
            hint="boundary_check=(0, 1) masks what is outside of these dimensions of the array",
        )


def _access(pointer: block_pointer, boundary_check: Any, what: str) -> tuple[tensor, tensor | None]:
    block = pointer.block_shape
    dims = _checked_dims(boundary_check, len(block), what)
    mask = window_mask(pointer.array_shape, pointer.offsets, block, dims)
    return window_pointers(pointer.base, pointer.strides, pointer.offsets, block), mask


def _checked_dims(boundary_check: Any, rank: int, what: str) -> list[int]:
    """The dimensions in `boundary_check`, in order."""
    given = constexpr_value(boundary_check)
    listed = [] if given is None else items(given)
    dims = [constant_int(dim, f"boundary_check of {what}") for dim in listed]
    for dim in dims:
        if not 0 <= dim < rank:
            raise ShapeMismatchError(
                f"boundary_check of {what} has the dimension {dim}, but the block has {rank} "
                f"dimension{'s' * (rank != 1)}"
            )
    if len(set(dims)) != len(dims):
        raise ConstantError(f"boundary_check of {what} has a dimension twice: {dims}")
    return sorted(dims)
