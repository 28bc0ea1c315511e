"""Values made from nothing, and choosing between values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import NUMBER, constant, emit, i32_attr, iota, splat, to_tensor
from tilewright.language.casts import convert, element_type
from tilewright.language.constexpr import builtin, constant_int, constexpr_value, describe
from tilewright.language.dtypes import block_type, check_shape, int1, int32
from tilewright.language.promotion import promoted
from tilewright.language.reductions import first_of_one
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor


def _axis(axis: Any, what: str) -> int:
    value = constant_int(axis, f"axis of {what}")
    if value not in (0, 1, 2):
        raise ConstantError(f"axis of {what} must be 0, 1 or 2, found {value}")
    return value


@builtin
def program_id(axis: Any) -> tensor:
    """This program's position along one axis of the grid, an int32 scalar.

    Raises:
        ConstantError: The axis is not 0, 1 or 2.
    """
    attrs = {"axis": i32_attr(_axis(axis, "program_id"))}
    return emit("tile.program_id", [], int32, attrs)


@builtin
def num_programs(axis: Any) -> tensor:
    """The number of programs along one axis of the grid, an int32 scalar.

    Raises:
        ConstantError: The axis is not 0, 1 or 2.
    """
    attrs = {"axis": i32_attr(_axis(axis, "num_programs"))}
    return emit("tile.num_programs", [], int32, attrs)


@builtin
def arange(start: Any, end: Any) -> tensor:
    """The integers from `start` up to, not including, `end`: an int32 block of rank 1.

    Raises:
        ConstantError: A bound is not constant, negative or does not fit 32 bits, `end` is not
            greater than `start`, or their difference is not a power of two.
    """
    low, high = constant_int(start, "start of arange"), constant_int(end, "end of arange")
    for bound in (low, high):
        if not 0 <= bound < 2**31:
            raise ConstantError(
                f"bounds of arange must be at least 0 and fit 32 bits, found {bound}",
                hint="subtract from the result to go below 0",
            )
    size = high - low
    if size <= 0:
        raise ConstantError(f"arange must end after it starts, found {low} to {high}")
    if size & (size - 1):
        raise ConstantError(
            f"arange({low}, {high}) has {size} elements, which is not a power of two",
            hint="use tilewright.next_power_of_2 and mask what is beyond",
        )
    return iota(low, high)


@builtin
def full(shape: Any, value: Any, dtype: Any) -> tensor:
    """A block of one value.

    Args:
        shape: Sizes, a tuple of constant ints that are powers of two.
        value: A number, or a scalar or one-element block of a running kernel.
        dtype: The element type.

    Raises:
        ShapeMismatchError: The shape is not constant or `value` has more than one element.
        TypeMismatchError: `value` is not a number.
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
        raise ShapeMismatchError(f"full needs a scalar, found a value of shape {shape}")
    return splat(first_of_one(x), sizes)


def _sizes(shape: Any) -> Sequence[Any]:
    shape = constexpr_value(shape)
    if isinstance(shape, (tuple, list)):
        return shape
    if isinstance(shape, int):
        return (shape,)
    raise ConstantError(f"a shape must be a tuple of constant ints, found {describe(shape)}")


@builtin
def zeros(shape: Any, dtype: Any) -> tensor:
    """A block of zeros; see `full`."""
    return full(shape, 0, dtype)


@builtin
def zeros_like(input: Any) -> tensor:
    """Zeros of the shape and dtype of `input`."""
    x = to_tensor(input)
    return full(x.type.shape, 0, x.dtype)


@builtin
def where(condition: Any, x: Any, y: Any) -> tensor:
    """`x` where the condition is true, `y` elsewhere. Both are computed either way.

    Args:
        condition: An int1 value; other integers and floats count as true unless zero.
        x, y: Values or numbers, brought to a common dtype; all three broadcast.

    Raises:
        TypeMismatchError: `x` and `y` have no common type.
        ShapeMismatchError: The shapes do not broadcast.
    """
    choose = convert(to_tensor(condition), int1)
    a, b = promoted(x, y, "where", pointers=True)
    if a.dtype != b.dtype:
        raise TypeMismatchError(f"'where' does not take {a.dtype} and {b.dtype}")
    if choose.type.is_block():
        choose, a, b = broadcast_all(choose, a, b)
    return emit("arith.select", [choose, a, b], a.type)
