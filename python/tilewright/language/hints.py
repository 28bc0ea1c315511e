"""Facts that the user asserts. The compiler believes them; if one is false, results are undefined.

A hint is an operation whose result is its operand, and holds for the result. A call whose result
is dropped also holds for what follows it, unless it is in another branch or loop than the
assignment: there the value may be something else, and the hint is only about the result.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import emit, to_tensor
from tilewright.language._context import current
from tilewright.language.constexpr import builtin, constant_int, constexpr_value
from tilewright.language.tensor import member, tensor


def _fact(input: Any, values: Any, name: str) -> Any:
    input = constexpr_value(input)
    if not isinstance(input, tensor):
        return input
    if not (input.type.scalar.is_int() or input.type.scalar.is_ptr()):
        raise TypeMismatchError(f"{name} is told of integers and pointers, found {input.type}")
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
    attrs = {name: current().ctx.i32_array_attr(numbers)}
    hinted = emit("tile.hint", [input], input.type, attrs)
    if hinted.handle.shares_block(input.handle):
        input.handle = hinted.handle
    return hinted


@builtin
@member
def multiple_of(input: Any, values: Any) -> Any:
    """Asserts that along each dimension every run's first element is a multiple of a number.

    Args:
        input: A value of integers or pointers; for pointers the address in bytes is meant.
        values: One constant int per dimension, or one for a scalar.

    Returns:
        `input`.

    Raises:
        ShapeMismatchError: The number of values differs from the rank.
        TypeMismatchError: The values are neither integers nor pointers.
        ConstantError: A number is not positive.
    """
    return _fact(input, values, "divisibility")


@builtin
@member
def max_contiguous(input: Any, values: Any) -> Any:
    """Asserts that along each dimension runs of so many elements each count up by one.

    Arguments and errors are those of `multiple_of`.
    """
    return _fact(input, values, "contiguity")


@builtin
@member
def max_constancy(input: Any, values: Any) -> Any:
    """Asserts that along each dimension runs of so many elements are equal.

    Arguments and errors are those of `multiple_of`.
    """
    return _fact(input, values, "constancy")


@builtin
def assume(cond: Any) -> None:
    """Promises that a condition holds; the compiler may use it.

    Raises:
        TypeMismatchError: It is neither a value nor a constant.
    """
    to_tensor(cond)
