"""Properties that the user asserts. If one does not hold, the behavior is undefined.

A hint is an operation that returns its operand; the property holds for the result. If the hint is
in the same IR block as the definition of its operand, later uses of the operand refer to the result
too, so that a call whose result is discarded takes effect. In a nested branch or loop only the
result has the property, because it does not dominate later uses outside.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import emit, to_tensor
from tilewright.language._context import current
from tilewright.language.constexpr import constant_int, constexpr_value
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor


def _fact(input: Any, values: Any, name: str) -> Any:
    input = constexpr_value(input)
    if not isinstance(input, tensor) or input.known is not None:
        return input
    scalar = input.type.scalar
    is_useful = scalar.is_int() or scalar.is_ptr()
    if not is_useful and name != "constancy":
        raise TypeMismatchError(f"{name} takes integers and pointers, found {input.type}")
    values = constexpr_value(values)
    listed = list(values) if isinstance(values, (tuple, list)) else [values]
    numbers = [constant_int(value, f"value of {name}") for value in listed]
    rank = len(input.type.shape)
    if len(numbers) != max(rank, 1):
        raise ShapeMismatchError(
            f"{name} takes one value per dimension: {rank} for {input.type}, found {len(numbers)}"
        )
    if any(number <= 0 for number in numbers):
        raise ConstantError(f"values of {name} must be positive, found {numbers}")
    if any(number >= 1 << 31 for number in numbers):
        raise ConstantError(f"values of {name} must be less than 2^31, found {numbers}")
    if not is_useful:
        return input  # the compiler uses what is known about addresses and masks only
    attrs = {name: current().ctx.i32_array_attr(numbers)}
    hinted = emit("tile.hint", [input], attrs)
    if hinted.handle.shares_block(input.handle):
        input.handle = hinted.handle
    return hinted


@Family.HINTS
@member
def multiple_of(input: Any, values: Any) -> Any:
    """Asserts that in each dimension the first element of every run is a multiple of a number.

    Args:
        input: Integers or pointers; for a pointer the property applies to its address in bytes.
        values: One constant int per dimension, or one for a scalar.

    Returns:
        `input`, with the property.

    Raises:
        ShapeMismatchError: The number of `values` differs from the rank.
        TypeMismatchError: `input` has elements other than integers and pointers.
        ConstantError: One of `values` is not a positive constant.

    Example:
        >>> tl.multiple_of(tl.load(p), 8)  # every access with this offset is aligned
        0
    """
    return _fact(input, values, "divisibility")


@Family.HINTS
@member
def max_contiguous(input: Any, values: Any) -> Any:
    """Asserts that in each dimension elements come in runs of this length that increase by one.

    Arguments and errors are those of `multiple_of`.

    Example:
        >>> tl.max_contiguous(tl.load(p + tl.arange(0, 8)), 8)
        [0 1 2 3 4 5 6 7]
    """
    return _fact(input, values, "contiguity")


@Family.HINTS
@member
def max_constancy(input: Any, values: Any) -> Any:
    """Asserts that in each dimension elements come in runs of this length that are equal.

    Arguments and errors are those of `multiple_of`, except that `input` may be of floats, too,
    which changes nothing.

    Example:
        >>> tl.max_constancy(tl.load(p + tl.arange(0, 8) // 4), 4)
        [0 0 0 0 1 1 1 1]
    """
    return _fact(input, values, "constancy")


@Family.HINTS
def assume(cond: Any) -> None:
    """Asserts that a condition holds. The compiler currently ignores it.

    Raises:
        TypeMismatchError: `cond` is neither a tensor nor a number.

    Example:
        >>> n = tl.load(p + 4)
        >>> tl.assume(n > 0)
        >>> 100 // n
        25
    """
    to_tensor(cond)
