"""Facts that the user asserts. The compiler believes them; if one is false, results are undefined.

A fact is an attribute of the operation that computes the value or, for an argument of the kernel,
of the argument, and so holds wherever the value is used. Values that a loop or branch passes on
have no place for a fact: there hints have no effect.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import ShapeMismatchError
from tilewright.language._build import i32_attr, to_tensor
from tilewright.language._context import current
from tilewright.language.constexpr import builtin, constant_int, constexpr_value
from tilewright.language.tensor import member, tensor


def _fact(input: Any, values: Any, name: str) -> Any:
    input = constexpr_value(input)
    if not isinstance(input, tensor):
        return input
    values = constexpr_value(values)
    listed = list(values) if isinstance(values, (tuple, list)) else [values]
    numbers = [constant_int(value, f"value of {name}") for value in listed]
    rank = len(input.type.shape)
    if len(numbers) != max(rank, 1):
        raise ShapeMismatchError(
            f"{name} takes one value per dimension: {rank} for {input.type}, found {len(numbers)}"
        )
    ctx = current().ctx
    attr = ctx.i32_array_attr(numbers) if rank else i32_attr(numbers[0])
    input.handle.set_fact(f"tile.{name}", attr)
    return input


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
