"""Tensor descriptors: an array in memory, from which kernels load and store tiles of one shape.

    matrix = tl.make_tensor_descriptor(x, (M, N), (stride, 1), (BM, BN))
    tile = matrix.load((row, column))

An access is one with pointers and a mask of all dimensions (windows.py). The host's class of the
same purpose is tilewright.tools.tensor_descriptor.TensorDescriptor; in a kernel it is one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.errors import ShapeMismatchError, TypeMismatchError
from tilewright.language import atomics
from tilewright.language._build import to_tensor
from tilewright.language.constexpr import constexpr, constexpr_value, describe
from tilewright.language.debug import device_assert, has_assertions
from tilewright.language.dtypes import block_type, int32, int64, uint32, uint64
from tilewright.language.dtypes import dtype as Type
from tilewright.language.memory import load, store
from tilewright.language.registry import Family
from tilewright.language.rounding import to_tf32
from tilewright.language.tensor import tensor
from tilewright.language.value import value_class
from tilewright.language.windows import (
    array_pointer,
    check_rank,
    check_stored,
    constant_of,
    indices,
    integer,
    items,
    padding_name,
    padding_value,
    row_indices,
    rows_window,
    window_mask,
    window_pointers,
    window_shape,
)

_MAX_RANK = 5


@dataclass(frozen=True)
class tensor_descriptor_type:
    """The type of a tensor descriptor: its `block_type` is that of the tiles."""

    block_type: Type

    def __str__(self) -> str:
        return f"tensor_descriptor<{self.block_type}>"


@value_class
class tensor_descriptor:
    """An array with the shape of the tiles that are loaded from it: `tl.make_tensor_descriptor`.

    All accesses are checked: elements outside of the array are read as the padding, and are not
    written. Offsets are integers, one for each dimension, and may be negative.

    Attributes:
        base: The pointer to the first element.
        shape: The sizes, int32 scalars, or int64 ones if they were made from such.
        strides: The distances of consecutive elements in each dimension, as int64 scalars; the last
            one is a constant if it is known to be 1.
        block_shape: The shape of the tiles.
        padding: "zero" or "nan".
        round_f32_to_tf32: Whether loads round float32 to TF32, to nearest even.
        type: Its type, a `tl.tensor_descriptor_type`.
    """

    def __init__(
        self,
        base: Any,
        shape: Sequence[Any],
        strides: Sequence[Any],
        block_shape: tuple[int, ...],
        padding: str,
        round_f32_to_tf32: bool = False,
    ) -> None:
        self.base, self.shape, self.strides = base, tuple(shape), tuple(strides)
        self.block_shape, self.padding = block_shape, padding
        self.round_f32_to_tf32 = round_f32_to_tf32

    def flatten(self) -> tuple[Sequence[Any], Hashable]:
        is_contiguous = isinstance(self.strides[-1], constexpr)
        strides = self.strides[:-1] if is_contiguous else self.strides
        key = (self.block_shape, self.padding, is_contiguous, self.round_f32_to_tf32)
        return (self.base, self.shape, strides), key

    @classmethod
    def unflatten(cls, parts: Sequence[Any], key: Any) -> tensor_descriptor:
        base, shape, strides = parts
        block_shape, padding, is_contiguous, rounds = key
        last = (constexpr(1),) if is_contiguous else ()
        return cls(base, shape, (*strides, *last), block_shape, padding, rounds)

    @property
    def dtype(self) -> Type:
        """The type of the elements."""
        found: Type = self.base.dtype.element_ty
        return found

    @property
    def block_type(self) -> Type:
        """The type of the tiles."""
        return block_type(self.dtype, self.block_shape)

    @property
    def type(self) -> tensor_descriptor_type:
        return tensor_descriptor_type(self.block_type)

    def load(self, offsets: Any, cache_modifier: Any = "", eviction_policy: Any = "") -> tensor:
        """The tile at the offsets; elements outside of the array are the padding.

        Raises:
            ShapeMismatchError: The number of offsets differs from that of the dimensions.
            TypeMismatchError: An offset is not an integer.
            ConstantError: An option is unknown; see `tl.load`.
        """
        pointers, mask = self._window(offsets, "load")
        return self._loaded(pointers, mask, cache_modifier, eviction_policy)

    def store(self, offsets: Any, value: Any) -> None:
        """Stores a tile of the shape `block_shape`, cast to the dtype, at the offsets.

        Raises:
            ShapeMismatchError: The value has another shape, or the number of offsets differs from
                that of the dimensions.
            TypeMismatchError: An offset is not an integer, or the base is a const pointer.
        """
        tile = self._tile(value, self.block_shape, "store")
        pointers, mask = self._window(offsets, "store")
        store(pointers, tile, mask=mask)

    def gather(self, x_offsets: Any, y_offset: Any) -> tensor:
        """Loads a part of several rows, for a block_shape of one row.

        Args:
            x_offsets: The rows, a tile of integers of rank 1.
            y_offset: The first column, an integer.

        Returns:
            A tile with as many rows as `x_offsets`, and the columns of the block_shape.

        Raises:
            ShapeMismatchError: The block_shape is not that of one row, or `x_offsets` is not a tile
                of rank 1.
            TypeMismatchError: An offset is not an integer.
        """
        pointers, mask = self._rows(x_offsets, y_offset, "gather")
        return self._loaded(pointers, mask)

    def scatter(self, value: Any, x_offsets: Any, y_offset: Any) -> None:
        """Stores a part of several rows; arguments as for `gather`, whose result `value` is like.

        If rows occur several times, one of the values is stored.

        Raises:
            ShapeMismatchError, TypeMismatchError: As for `gather`, or the value has another shape.
        """
        pointers, mask = self._rows(x_offsets, y_offset, "scatter")
        store(pointers, self._tile(value, pointers.type.shape, "scatter"), mask=mask)

    def atomic_add(self, offsets: Any, value: Any) -> None:
        """Atomically adds a tile to the one at the offsets, with relaxed memory order.

        Takes the dtypes of `tl.atomic_add`; the other atomic methods are like it.

        Raises:
            ShapeMismatchError, TypeMismatchError: As for `store`, or there is no such atomic
                operation on the dtype.
        """
        self._reduce(atomics.atomic_add, offsets, value)

    def atomic_min(self, offsets: Any, value: Any) -> None:
        """Atomically stores the minima; see `atomic_add`."""
        self._reduce(atomics.atomic_min, offsets, value)

    def atomic_max(self, offsets: Any, value: Any) -> None:
        """Atomically stores the maxima; see `atomic_add`."""
        self._reduce(atomics.atomic_max, offsets, value)

    def atomic_and(self, offsets: Any, value: Any) -> None:
        """Atomic bitwise and; see `atomic_add`."""
        self._reduce(atomics.atomic_and, offsets, value)

    def atomic_or(self, offsets: Any, value: Any) -> None:
        """Atomic bitwise or; see `atomic_add`."""
        self._reduce(atomics.atomic_or, offsets, value)

    def atomic_xor(self, offsets: Any, value: Any) -> None:
        """Atomic bitwise xor; see `atomic_add`."""
        self._reduce(atomics.atomic_xor, offsets, value)

    def __repr__(self) -> str:
        return f"tensor_descriptor({self.dtype}, {list(self.block_shape)})"

    def _window(self, offsets: Any, what: str) -> tuple[tensor, tensor | None]:
        first = indices(offsets, f"offsets of {what}")
        block = self.block_shape
        check_rank(what, len(block), offsets=first)
        mask = window_mask(self.shape, first, block, range(len(block)))
        return window_pointers(self.base, self.strides, first, block), mask

    def _rows(self, x_offsets: Any, y_offset: Any, what: str) -> tuple[tensor, tensor]:
        if len(self.block_shape) != 2 or self.block_shape[0] != 1:
            raise ShapeMismatchError(
                f"{what} takes a descriptor with a block_shape of one row, [1, columns], "
                f"found {list(self.block_shape)}"
            )
        rows = row_indices(x_offsets, f"x_offsets of {what}")
        column = integer(y_offset, f"y_offset of {what}", int64)
        return rows_window(self.base, self.shape, self.strides, rows, column, self.block_shape[1])

    def _loaded(
        self, pointers: tensor, mask: Any, cache_modifier: Any = "", eviction_policy: Any = ""
    ) -> tensor:
        tile = load(
            pointers,
            mask,
            padding_value(self.padding),
            cache_modifier=cache_modifier,
            eviction_policy=eviction_policy,
        )
        return to_tf32(tile) if self.round_f32_to_tf32 else tile

    def _tile(self, value: Any, shape: tuple[int, ...], what: str) -> tensor:
        tile = to_tensor(value, self.dtype)
        check_stored(tile, shape, what)
        return tile

    def _reduce(self, atomic: Callable[..., tensor], offsets: Any, value: Any) -> None:
        what = atomic.__name__
        tile = self._tile(value, self.block_shape, what)
        pointers, mask = self._window(offsets, what)
        atomic(pointers, tile, mask=mask, sem="relaxed")


Family.DESCRIPTORS.add("tensor_descriptor", tensor_descriptor)
Family.DESCRIPTORS.add("tensor_descriptor_type", tensor_descriptor_type)


@Family.DESCRIPTORS
def make_tensor_descriptor(
    base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any = "zero"
) -> tensor_descriptor:
    """A descriptor of an array in memory, for loads and stores of tiles.

    Args:
        base: A pointer to the array's first element.
        shape: The sizes of the array, a tuple of 1 to 5 integers.
        strides: The distances of consecutive elements in each dimension, in elements. The last one
            must be 1; one that is known only at run time is checked by a `device_assert` in kernels
            with `debug=True`, and else is used as it is. The others may be any numbers.
        block_shape: The shape of the tiles, constant ints. A row may have less than 16 bytes.
        padding_option: What is read outside of the array: "zero", or "nan" for floats.

    Raises:
        TypeMismatchError: `base` is not a scalar pointer, an item of a tuple is not an integer, or
            the padding is "nan" and the elements are integers.
        ShapeMismatchError: The tuples have different lengths or more than 5 items, a size of the
            tile is not positive, or the last stride is known and not 1.
        ConstantError: `block_shape` or `padding_option` is not known at compile time, or the
            padding is unknown.

    Example:
        >>> matrix = tl.make_tensor_descriptor(p, [4, 4], [4, 1], [2, 2])
        >>> matrix.load([3, 1])
        [[13 14]
         [ 0  0]]
    """
    what = "make_tensor_descriptor"
    pointer = array_pointer(base, what)
    block = window_shape(block_shape, what)
    if len(block) > _MAX_RANK:
        raise ShapeMismatchError(
            f"{what} takes at most {_MAX_RANK} dimensions, found a block_shape of {len(block)}"
        )
    lengths = [_size(size, f"shape of {what}") for size in items(shape)]
    steps: list[Any] = [*indices(strides, f"strides of {what}")]
    check_rank(what, len(block), shape=lengths, strides=steps)
    last = constant_of(steps[-1])
    if last not in (None, 1):
        raise ShapeMismatchError(f"the last stride of {what} must be 1, found {last}")
    if last == 1:
        steps[-1] = constexpr(1)
    elif has_assertions():
        device_assert(steps[-1] == 1, f"the last stride of {what} must be 1")
    padding = padding_name(padding_option, pointer.dtype.element_ty, what)
    return tensor_descriptor(pointer, lengths, steps, block, padding)


def _size(value: Any, what: str) -> tensor:
    """A size as an int32, or as an int64 if its type is not narrower."""
    plain = constexpr_value(value)
    if isinstance(plain, int):
        is_wide = not int32.get_int_min_value() <= plain <= int32.get_int_max_value()
    else:
        is_wide = isinstance(plain, tensor) and plain.dtype in (int64, uint32, uint64)
    return integer(value, what, int64 if is_wide else int32)


@Family.DESCRIPTORS
def load_tensor_descriptor(desc: Any, offsets: Any) -> tensor:
    """The tile of a tensor descriptor at the offsets: `desc.load(offsets)`.

    Raises:
        TypeMismatchError: `desc` is not a tensor descriptor.

    Example:
        >>> matrix = tl.make_tensor_descriptor(p, [4, 4], [4, 1], [2, 2])
        >>> tl.load_tensor_descriptor(matrix, [2, 2])
        [[10 11]
         [14 15]]
    """
    return _descriptor(desc, "load_tensor_descriptor").load(offsets)


@Family.DESCRIPTORS
def store_tensor_descriptor(desc: Any, offsets: Any, value: Any) -> None:
    """Stores a tile with a tensor descriptor at the offsets: `desc.store(offsets, value)`.

    Raises:
        TypeMismatchError: `desc` is not a tensor descriptor.

    Example:
        >>> row = tl.make_tensor_descriptor(p, [4], [1], [4])
        >>> tl.store_tensor_descriptor(row, [2], tl.full((4,), 9, tl.int32))
        >>> tl.load(p + tl.arange(0, 6))
        [0 1 9 9 4 5]
    """
    _descriptor(desc, "store_tensor_descriptor").store(offsets, value)


def _descriptor(value: Any, what: str) -> tensor_descriptor:
    plain = constexpr_value(value)
    if not isinstance(plain, tensor_descriptor):
        raise TypeMismatchError(f"{what} takes a tensor descriptor, found {describe(value)}")
    return plain
