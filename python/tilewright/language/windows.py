"""Windows: a tile of elements of a strided array, at offsets that are known at run time.

Block pointers and tensor descriptors load and store windows. The element with the index i of a
window is that with the index `offsets + i` of the array, at `base + sum((offsets + i) * strides)`:

    pointers = (base + sum(offsets * strides)) + sum(i * strides)     scalar + tile
    mask     = i < clamp(shape - offsets) & i >= clamp(-offsets)      clamped to 0 ... block_shape

What depends on the offsets is scalar arithmetic of 64 bits. So a loop that moves a window keeps its
tiles of indices, and the comparisons have 32 bits, which vectorize better than 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import constant, iota, number_type
from tilewright.language.casts import convert
from tilewright.language.constexpr import constant_int, constexpr_value, describe
from tilewright.language.dtypes import dtype, int32, int64
from tilewright.language.math import maximum, minimum
from tilewright.language.shape import expand_to, insert_dim
from tilewright.language.tensor import tensor
from tilewright.language.tile_shapes import check_shape


def items(values: Any) -> list[Any]:
    """The items of a tuple or list; any other value is the only item."""
    plain = values if isinstance(values, (tuple, list)) else constexpr_value(values)
    return list(plain) if isinstance(plain, (tuple, list)) else [plain]


def array_pointer(base: Any, what: str) -> tensor:
    """The pointer to the first element of an array.

    Raises:
        TypeMismatchError: It is not a scalar pointer.
    """
    plain = constexpr_value(base)
    if not isinstance(plain, tensor) or plain.type.is_block() or not plain.dtype.is_ptr():
        raise TypeMismatchError(
            f"{what} takes a pointer to the array's first element, found {describe(base)}"
        )
    return plain


def check_stored(value: tensor, block_shape: tuple[int, ...], what: str) -> None:
    """Checks that a value to store in a window is a scalar or has the window's shape.

    Raises:
        ShapeMismatchError: It has another shape.
    """
    if value.type.is_block() and value.type.shape != block_shape:
        raise ShapeMismatchError(
            f"{what} has a value of shape {list(value.type.shape)} "
            f"for a block of shape {list(block_shape)}"
        )


def indices(values: Any, what: str) -> list[tensor]:
    """The items of a tuple as int64 scalars.

    Raises:
        TypeMismatchError: One of them is not an integer.
    """
    return [integer(value, what, int64) for value in items(values)]


def integer(value: Any, what: str, type: dtype) -> tensor:
    """An integer as a scalar of an integer type.

    Raises:
        TypeMismatchError: It is not an integer, or is a constant that the type cannot represent.
    """
    plain = constexpr_value(value)
    if isinstance(plain, int) and not isinstance(plain, bool):
        number_type(plain)  # at most 64 bits
        if not type.get_int_min_value() <= plain <= type.get_int_max_value():
            raise TypeMismatchError(f"{what}: {plain} does not fit in {type}")
        return constant(plain, type)
    is_scalar = isinstance(plain, tensor) and not plain.type.is_block()
    if not is_scalar or not plain.dtype.is_int() or plain.dtype.is_bool():
        raise TypeMismatchError(f"{what} must be integers, found {describe(value)}")
    known = constant_of(plain)
    return convert(plain, type) if known is None else constant(known, type)


def window_shape(block_shape: Any, what: str) -> tuple[int, ...]:
    """The shape of a window.

    Raises:
        ConstantError: A size is not a constant integer.
        ShapeMismatchError: A size is not positive, there are none, or more than 2^20 elements.
    """
    shape = check_shape(constant_int(size, f"block_shape of {what}") for size in items(block_shape))
    if not shape:
        raise ShapeMismatchError(f"{what} needs a block_shape of at least one dimension, found ()")
    return shape


def check_rank(what: str, rank: int, **lists: Sequence[Any]) -> None:
    """Checks that each list has `rank` items.

    Raises:
        ShapeMismatchError: One of them has another number of items.
    """
    for name, values in lists.items():
        if len(values) != rank:
            raise ShapeMismatchError(
                f"{what} has a block_shape of {rank} dimensions, but {len(values)} {name}"
            )


def window_pointers(
    base: tensor,
    strides: Sequence[tensor],
    offsets: Sequence[tensor],
    block_shape: tuple[int, ...],
) -> tensor:
    """The pointers of a window, a tile with the shape `block_shape`; the strides are int64."""
    start: Any = base
    for offset, stride in zip(offsets, strides, strict=True):
        start = start + offset * stride
    steps = [
        along(convert(iota(0, size), int64) * stride, dim, block_shape)
        for dim, (size, stride) in enumerate(zip(block_shape, strides, strict=True))
    ]
    return expand_to(start + sum(steps[1:], start=steps[0]), block_shape)


def window_mask(
    shape: Sequence[tensor],
    offsets: Sequence[tensor],
    block_shape: tuple[int, ...],
    dims: Sequence[int],
) -> tensor | None:
    """Where a window is within the array along the dimensions `dims`; None if there are none."""
    mask = None
    for dim in dims:
        i, offset = iota(0, block_shape[dim]), offsets[dim]
        inside = i < _clamp(shape[dim] - offset, block_shape[dim])
        if not _is_known_positive(offset):
            inside = inside & (i >= _clamp(-offset, block_shape[dim]))
        inside = along(inside, dim, block_shape)
        mask = inside if mask is None else mask & inside
    return None if mask is None else expand_to(mask, block_shape)


def row_indices(values: Any, what: str) -> tensor:
    """The rows of a gather as int64.

    Raises:
        ShapeMismatchError: They are not a tile of rank 1.
        TypeMismatchError: They are not integers.
    """
    rows = constexpr_value(values)
    if not isinstance(rows, tensor) or len(rows.type.shape) != 1:
        raise ShapeMismatchError(f"{what} must be a tile of rank 1, found {describe(values)}")
    if not rows.dtype.is_int() or rows.dtype.is_bool():
        raise TypeMismatchError(f"{what} must be integers, found {rows.type}")
    return convert(rows, int64)


def rows_window(
    base: tensor,
    shape: Sequence[tensor],
    strides: Sequence[tensor],
    rows: tensor,
    column: tensor,
    columns: int,
) -> tuple[tensor, tensor]:
    """The pointers and the mask of a number of columns, from `column` on, of several rows."""
    block = (rows.type.shape[0], columns)
    row = window_pointers(base, strides[1:], [column], block[1:])
    pointers = along(row, 1, block) + along(rows * strides[0], 0, block)
    mask: Any = window_mask(shape[1:], [column], block[1:], [0])
    inside = (rows >= 0) & (rows < shape[0])
    return pointers, along(inside, 0, block) & along(mask, 1, block)


def along(x: tensor, dim: int, shape: tuple[int, ...]) -> tensor:
    """A tile of rank 1 as one of the rank of `shape`, with size 1 in the dimensions but `dim`."""
    for axis in range(len(shape)):
        if axis != dim:
            x = insert_dim(x, axis)
    return x


def constant_of(x: tensor) -> int | None:
    """The value of an integer scalar, if it is a constant of the function that is being built."""
    owner = x.handle.owner
    if owner is None or owner.name != "arith.constant":
        return None
    number = int(str(owner.get_attr("value")).partition(" ")[0])  # "-1 : i32", also if unsigned
    return number % 2**x.dtype.int_bitwidth if x.dtype.is_int_unsigned() else number


def _is_known_positive(x: tensor) -> bool:
    """Whether a scalar is a constant that is not negative."""
    known = constant_of(x)
    return known is not None and known >= 0


def padding_name(option: Any, element: dtype, what: str) -> str:
    """ "zero" or "nan", for a padding that may also be None or "".

    Raises:
        ConstantError: The option is unknown.
        TypeMismatchError: It is "nan", and the elements are not floats.
    """
    name = constexpr_value(option)
    if name is not None and not (isinstance(name, str) and name in ("", "zero", "nan")):
        raise ConstantError(
            f"the padding of {what} must be 'zero' or 'nan', found {describe(name)}"
        )
    if name == "nan" and not element.is_floating():
        raise TypeMismatchError(f"the padding of {what} is 'nan', but its elements are {element}")
    return name or "zero"


def padding_value(name: str) -> float:
    """What is read where a window is outside of its array."""
    return float("nan") if name == "nan" else 0


def _clamp(x: Any, size: int) -> tensor:
    """An int64 scalar clamped to 0 ... size, as an int32."""
    return convert(minimum(maximum(x, 0), size), int32)
