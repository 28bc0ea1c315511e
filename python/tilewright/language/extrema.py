"""Minima and maxima along one dimension, and their indices."""

from __future__ import annotations

from typing import Any

from tilewright.language._build import emit, iota, same_shape
from tilewright.language.casts import convert
from tilewright.language.constexpr import builtin, constant_bool, constexpr_value
from tilewright.language.dtypes import dtype, float32, int32
from tilewright.language.reductions import Combiner, numeric_tile, reduce, without_bfloat16
from tilewright.language.registry import Family
from tilewright.language.shape import positions_along, reshape, wrap_axis
from tilewright.language.tensor import member, tensor
from tilewright.language.tile_shapes import are_powers_of_two


@builtin
def _max(a: tensor, b: tensor) -> tensor:
    return emit(_extremum(a.dtype, "max"), [a, b])


@builtin
def _min(a: tensor, b: tensor) -> tensor:
    return emit(_extremum(a.dtype, "min"), [a, b])


def _extremum(type: dtype, which: str) -> str:
    if type.is_floating():
        return f"arith.{which}numf"
    return f"arith.{which}{'si' if type.is_int_signed() else 'ui'}"


def _indexed(greater: bool, tie_break_left: bool) -> Combiner:
    """The combiner of (value, index) pairs.

    A number takes precedence over NaN, as it does without indices, so that the result does not
    depend on the order in which elements are combined.
    """

    @builtin
    def combine(v1: tensor, i1: tensor, v2: tensor, i2: tensor) -> tuple[tensor, tensor]:
        first = v1 > v2 if greater else v1 < v2
        tie = v1 == v2
        if v1.dtype.is_floating():
            right_nan = v2 != v2
            first = first | (right_nan & (v1 == v1))
            tie = tie | (right_nan & (v1 != v1))
        if tie_break_left:
            first = first | (tie & (i1 < i2))
        value = emit("arith.select", [first, v1, v2])
        return value, emit("arith.select", [first, i1, i2])

    return combine


def _extreme(input: Any, axis: Any, keep_dims: Any, indices: Any, left: Any, which: str) -> Any:
    x = without_bfloat16(numeric_tile(input, which))
    if not constant_bool(indices, "return_indices"):
        if x.dtype.primitive_bitwidth < 32:
            x = convert(x, float32 if x.dtype.is_floating() else int32)
        return reduce(x, axis, _max if which == "max" else _min, keep_dims)
    combine = _indexed(which == "max", constant_bool(left, "tie_break_left"))
    return reduce((x, _positions(x, axis)), axis, combine, keep_dims)


def _positions(x: tensor, axis: Any) -> tensor:
    """The index of each element along the dimension, or in row-major order if `axis` is None."""
    shape = x.type.shape
    if constexpr_value(axis) is not None:
        indices = positions_along(shape, wrap_axis(axis, len(shape)))
    elif are_powers_of_two(shape):
        indices = reshape(iota(0, x.type.numel), shape)
    else:
        indices = positions_along(shape, 0)
        for dim in range(1, len(shape)):
            indices = indices * shape[dim] + positions_along(shape, dim)
    if x.type.encoding is None:
        return indices
    # The operands of a reduction must have the same layout.
    return emit("tile.reshape", [indices], type=same_shape(x, int32))


@Family.REDUCTIONS
@member
def max(
    input: Any,
    axis: Any = None,
    return_indices: Any = False,
    return_indices_tie_break_left: Any = True,
    keep_dims: Any = False,
) -> Any:
    """The maximum along a dimension; NaN only if all elements are NaN.

    Args:
        input: A tile of integers or floats.
        axis: The dimension; None reduces all dimensions.
        return_indices: Also return the index of the maximum, int32; in row-major order if `axis`
            is None.
        return_indices_tie_break_left: If elements are equal, return the lowest index; otherwise
            the index of any of them.
        keep_dims: Keep the dimension, with size 1.

    Returns:
        The maximum, or the tuple (maximum, index). bfloat16 gives float32. Without indices, float16
        gives float32 too, and integers narrower than 32 bits give int32.

    Raises:
        ShapeMismatchError: The axis is out of range, or the input is a scalar.

    Example:
        >>> tl.max(tl.load(p + tl.arange(0, 4)), 0, return_indices=True)
        3
        3
    """
    left = return_indices_tie_break_left
    return _extreme(input, axis, keep_dims, return_indices, left, "max")


@Family.REDUCTIONS
@member
def min(
    input: Any,
    axis: Any = None,
    return_indices: Any = False,
    return_indices_tie_break_left: Any = True,
    keep_dims: Any = False,
) -> Any:
    """The minimum along a dimension; see `max`.

    Example:
        >>> tl.min(tl.load(p + tl.arange(0, 4)) - 2)
        -2
    """
    left = return_indices_tie_break_left
    return _extreme(input, axis, keep_dims, return_indices, left, "min")


@Family.REDUCTIONS
@member
def argmax(input: Any, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
    """The index, int32, of the maximum along a dimension; see `max`.

    Example:
        >>> i = tl.arange(0, 5)
        >>> tl.argmax(i * (4 - i), 0)
        2
    """
    position: tensor = _extreme(input, axis, keep_dims, True, tie_break_left, "max")[1]
    return position


@Family.REDUCTIONS
@member
def argmin(input: Any, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
    """The index, int32, of the minimum along a dimension; see `max`.

    Example:
        >>> i = tl.arange(0, 5)
        >>> tl.argmin(i * (i - 4), 0)
        2
    """
    position: tensor = _extreme(input, axis, keep_dims, True, tie_break_left, "min")[1]
    return position
