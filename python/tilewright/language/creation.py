"""Program ids, ranges, constant tiles, and selection between values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import NUMBER, constant, emit, i32_attr, iota, splat, to_tensor
from tilewright.language.casts import convert, element_type
from tilewright.language.constexpr import constant_int, constexpr_value, describe
from tilewright.language.dtypes import block_type, int1, int32
from tilewright.language.promotion import promoted
from tilewright.language.reductions import first_of_one
from tilewright.language.registry import Family
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor
from tilewright.language.tile_shapes import check_shape


def _axis(axis: Any, what: str) -> int:
    value = constant_int(axis, f"axis of {what}")
    if value not in (0, 1, 2):
        raise ConstantError(f"{what} axis must be 0, 1, or 2, found {value}")
    return value


@Family.GRID
def program_id(axis: Any) -> tensor:
    """This program's index along one axis of the grid, an int32 scalar.

    Raises:
        ConstantError: `axis` is not the constant 0, 1 or 2.

    Example:
        >>> tl.program_id(0)
        0
    """
    attrs = {"axis": i32_attr(_axis(axis, "program_id"))}
    return emit("tile.program_id", [], attrs, element=int32)


@Family.GRID
def num_programs(axis: Any) -> tensor:
    """The number of programs along one axis of the grid, an int32 scalar.

    Raises:
        ConstantError: `axis` is not the constant 0, 1 or 2.

    Example:
        >>> tl.num_programs(0)
        1
    """
    attrs = {"axis": i32_attr(_axis(axis, "num_programs"))}
    return emit("tile.num_programs", [], attrs, element=int32)


@Family.CREATION
def arange(start: Any, end: Any) -> tensor:
    """The integers from `start` (inclusive) to `end` (exclusive), as an int32 tile of rank 1.

    Raises:
        ConstantError: A bound is not constant, is negative or does not fit in int32, or `end` is
            not greater than `start`.
        ShapeMismatchError: There are more than 2^20 integers.

    Example:
        >>> tl.arange(0, 6)
        [0 1 2 3 4 5]
    """
    low, high = constant_int(start, "start of arange"), constant_int(end, "end of arange")
    for bound in (low, high):
        if not 0 <= bound < 2**31:
            raise ConstantError(
                f"the bounds of arange must be at least 0 and fit in int32, found {bound}",
                hint="to get negative values, subtract from the result",
            )
    if high <= low:
        raise ConstantError(
            f"arange's end argument must be greater than the start argument, found {low} to {high}"
        )
    check_shape((high - low,))
    return iota(low, high)


@Family.CREATION
def full(shape: Any, value: Any, dtype: Any) -> tensor:
    """A tile filled with one value.

    Args:
        shape: A tuple of constant ints, or a single constant int.
        value: A Python number, a scalar, or a tile of one element.
        dtype: The element type.

    Raises:
        ConstantError: `shape` is not a constant tuple or int.
        ShapeMismatchError: A size is not positive, there are more than 2^20 elements, or `value`
            has more than one element.
        TypeMismatchError: `value` is not a number.

    Example:
        >>> tl.full((2, 3), 7, tl.int32)
        [[7 7 7]
         [7 7 7]]
    """
    sizes = check_shape(_sizes(shape))
    element = element_type(dtype)
    value = constexpr_value(value)
    if isinstance(value, NUMBER) and not element.is_ptr():
        return constant(value, block_type(element, sizes) if sizes else element)
    x = to_tensor(value, element)
    if not x.type.is_block():
        return splat(x, sizes)
    if x.type.numel != 1:
        shape = list(x.type.shape)
        raise ShapeMismatchError(f"full takes a scalar value, found a value of shape {shape}")
    return splat(first_of_one(x), sizes)


def _sizes(shape: Any) -> Sequence[Any]:
    shape = constexpr_value(shape)
    if isinstance(shape, (tuple, list)):
        return shape
    if isinstance(shape, int):
        return (shape,)
    raise ConstantError(f"a shape must be a tuple of constant ints, found {describe(shape)}")


@Family.CREATION
def zeros(shape: Any, dtype: Any) -> tensor:
    """A tile of zeros; see `full`.

    Example:
        >>> tl.zeros((2, 2), tl.float32)
        [[0. 0.]
         [0. 0.]]
    """
    return full(shape, 0, dtype)


@Family.CREATION
def zeros_like(input: Any) -> tensor:
    """A value of zeros with the shape and dtype of `input`.

    Example:
        >>> tl.zeros_like(tl.arange(0, 4))
        [0 0 0 0]
    """
    x = to_tensor(input)
    return full(x.type.shape, 0, x.dtype) if x.dtype.is_ptr() else constant(0, x.type)


@Family.CREATION
def where(condition: Any, x: Any, y: Any) -> tensor:
    """`x` where the condition is true, `y` elsewhere. Both are always evaluated.

    Args:
        condition: An int1 value; other integers and floats are compared with zero.
        x, y: Values or numbers, promoted to a common dtype; all three operands broadcast.

    Raises:
        TypeMismatchError: `x` and `y` have no common type.
        ShapeMismatchError: The shapes do not broadcast.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.where(i < 2, i, -i)
        [ 0  1 -2 -3]
    """
    choose = convert(to_tensor(condition), int1)
    x, y = constexpr_value(x), constexpr_value(y)
    if isinstance(x, tensor) and isinstance(y, tensor) and x.dtype == y.dtype:
        a, b = broadcast_all(x, y)  # also of types that have no arithmetic
    else:
        a, b = promoted(x, y, "where", pointers=True)
    if a.dtype != b.dtype:
        raise TypeMismatchError(f"'where' does not take {a.dtype} and {b.dtype}")
    if choose.type.is_block():
        choose, a, b = broadcast_all(choose, a, b)
    return emit("arith.select", [choose, a, b])
