"""Minima and maxima along one dimension, and their indices."""

from __future__ import annotations

from typing import Any

from tilewright.errors import TypeMismatchError
from tilewright.language._build import emit, iota, same_shape
from tilewright.language.casts import cast, convert
from tilewright.language.constexpr import builtin, constant_bool, constexpr_value
from tilewright.language.creation import where
from tilewright.language.dtypes import dtype, float32, int32, uint8
from tilewright.language.reductions import numeric_tile, reduce, without_bfloat16
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


def _widened(input: Any, which: str) -> tensor:
    x = numeric_tile(input, which)
    if x.dtype.primitive_bitwidth < 32:
        x = convert(x, float32 if x.dtype.is_floating() else int32)
    return x


def _extreme(input: Any, axis: Any, keep_dims: Any, which: str) -> Any:
    return reduce(_widened(input, which), axis, _max if which == "max" else _min, keep_dims)


def _is_extreme(x: tensor, axis: Any, which: str) -> tensor:
    """Which elements equal the extreme one; all of them if they are NaN."""
    extreme = _extreme(x, axis, True, which)
    found: tensor = x == extreme
    return found | (extreme != extreme) if x.dtype.is_floating() else found


def _first_index(input: Any, axis: Any, keep_dims: Any, which: str) -> tensor:
    """The lowest index of an element that equals the extreme one; 0 if all elements are NaN.

    Two reductions of numbers take fewer instructions than one of pairs, whose combiner would
    compare for NaN and for equality. Programs often need the extreme element as well.
    """
    if numeric_tile(input, which).dtype.is_fp8e4b15():
        raise TypeMismatchError(f"{which} with indices does not take fp8e4b15")
    x = _widened(input, which)
    candidates = where(_is_extreme(x, axis, which), _positions(x, axis), 2**31 - 1)
    index: tensor = reduce(candidates, axis, _min, keep_dims)
    return index


def _with_index(input: Any, axis: Any, keep_dims: Any, which: str) -> tuple[tensor, tensor]:
    """The extreme element, of the input's dtype except for bfloat16, and its index."""
    x = without_bfloat16(numeric_tile(input, which))
    index = _first_index(x, axis, keep_dims, which)
    if not x.dtype.is_fp8():
        return convert(_extreme(x, axis, keep_dims, which), x.dtype), index
    # Conversions to eight bits make infinities finite, so the element's bits are found instead.
    found = _is_extreme(_widened(x, which), axis, which)
    bits = where(found, convert(cast(x, uint8, bitcast=True), int32), 255)
    least = reduce(bits, axis, _min, keep_dims)
    return cast(convert(least, uint8), x.dtype, bitcast=True), index


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
    constant_bool(return_indices_tie_break_left, "return_indices_tie_break_left")
    with_index = constant_bool(return_indices, "return_indices")
    return (_with_index if with_index else _extreme)(input, axis, keep_dims, "max")


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
    constant_bool(return_indices_tie_break_left, "return_indices_tie_break_left")
    with_index = constant_bool(return_indices, "return_indices")
    return (_with_index if with_index else _extreme)(input, axis, keep_dims, "min")


@Family.REDUCTIONS
@member
def argmax(input: Any, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
    """The index, int32, of the maximum along a dimension; see `max`.

    Example:
        >>> i = tl.arange(0, 5)
        >>> tl.argmax(i * (4 - i), 0)
        2
    """
    constant_bool(tie_break_left, "tie_break_left")
    return _first_index(input, axis, keep_dims, "max")


@Family.REDUCTIONS
@member
def argmin(input: Any, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
    """The index, int32, of the minimum along a dimension; see `max`.

    Example:
        >>> i = tl.arange(0, 5)
        >>> tl.argmin(i * (i - 4), 0)
        2
    """
    constant_bool(tie_break_left, "tie_break_left")
    return _first_index(input, axis, keep_dims, "min")
