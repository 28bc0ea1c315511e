"""Sorting networks along the last dimension: Batcher's bitonic sort (1968).

All rows are sorted at once, as one tile of rank 1. A step exchanges elements whose indices differ
in one bit: at distance 2, element 1 is compared with element 3. An element gets its partner's value
by a reduction, because the xor of a pair, which both elements get, xor an element is its partner.
Numbers are compared by integer keys of the same order; see `_keys`. A row whose length is no power
of two grows to one that is, with keys that come last.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import ShapeMismatchError, TypeMismatchError
from tilewright.language import math
from tilewright.language._build import iota, to_tensor
from tilewright.language.casts import convert, reinterpret
from tilewright.language.constexpr import (
    builtin,
    constant_bool,
    constant_int,
    constexpr_value,
)
from tilewright.language.creation import where
from tilewright.language.dtypes import (
    dtype,
    float32,
    int8,
    int16,
    int32,
    int64,
)
from tilewright.language.indexing import index as take
from tilewright.language.reductions import reduce, xor_sum
from tilewright.language.registry import Family
from tilewright.language.shape import expand_to, gather, positions_along, reshape, wrap_axis
from tilewright.language.tensor import member, tensor

_SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}


@Family.REDUCTIONS
@member
def sort(x: Any, dim: Any = None, descending: Any = False) -> tensor:
    """Sorts the elements along the last dimension.

    A NaN counts as greater than every number, and -0.0 as less than 0.0; the sign and the other
    bits of NaNs are not kept.

    Args:
        x: A tile of integers or floats.
        dim: The last dimension, which is the default.
        descending: Sort from the greatest to the least.

    Returns:
        A tile of the same shape and dtype.

    Raises:
        ShapeMismatchError: `dim` is another dimension, or `x` is a scalar.
        TypeMismatchError: `x` consists of pointers or float8e4b15.

    Example:
        >>> tl.sort(tl.arange(0, 8) * 5 % 8, descending=True)
        [7 6 5 4 3 2 1 0]
    """
    value = _rows(x, dim, "sort")
    down = constant_bool(descending, "descending")
    keys, width = _grown_keys(value, greatest=not down)
    merged = _merge(_sorted_runs(keys, width), width, down)
    return _rows_of(merged, width, value, value.type.shape[-1])


@Family.REDUCTIONS
@member
def topk(x: Any, k: Any, dim: Any = None, descending: Any = True) -> tensor:
    """The `k` greatest elements along the last dimension, from the greatest to the least.

    Args:
        x: As for `sort`.
        k: A positive constant, at most the size of the dimension.
        dim: The last dimension, which is the default.
        descending: If False, the `k` least elements, from the least to the greatest.

    Returns:
        A tile of the same dtype, with a last dimension of size `k`.

    Raises:
        ShapeMismatchError: `dim` is another dimension, `x` is a scalar, or `k` is not positive or
            is greater than the dimension.
        TypeMismatchError: `x` consists of pointers or float8e4b15.

    Example:
        >>> tl.topk(tl.arange(0, 8) * 5 % 8, 3)
        [7 6 5]
    """
    value = _rows(x, dim, "topk")
    kept = _count(k, value.type.shape)
    greatest = constant_bool(descending, "descending")
    keys, width = _grown_keys(value, greatest=not greatest)
    count = _round_up(kept)
    keys = _sorted_runs(keys, count)
    runs = width // count
    keys = _merge(keys, count, None if runs > 1 else greatest)
    while runs > 1:
        keys = _halve(keys, count, greatest)
        runs //= 2
        keys = _merge(keys, count, None if runs > 1 else greatest)
    return _rows_of(keys, count, value, kept)


@Family.REDUCTIONS
@member
def bitonic_merge(x: Any, dim: Any = None, descending: Any = False) -> tensor:
    """Sorts rows that are bitonic, such as an ascending half before a descending one.

    Arguments, result and errors are as for `sort`. A rotation of a bitonic row is bitonic, too.
    Other rows are permuted, but not sorted; if their length is no power of two, some of their
    elements may be repeated in place of others.

    Example:
        >>> tl.bitonic_merge(tl.abs(tl.arange(0, 8) - 4))
        [0 1 1 2 2 3 3 4]
    """
    value = _rows(x, dim, "bitonic_merge")
    *rows, size = value.type.shape
    down = constant_bool(descending, "descending")
    width = _round_up(size)
    grown = _keys(_with_last_repeated(value, width))
    merged = reshape(_merge(grown, width, down), (*rows, width))
    if width > size:
        last = take(reshape(grown, (*rows, width)), (..., slice(size - 1, size)))
        merged = _without_copies(merged, last, size, down)
    return _values(merged, value.dtype)


# Arguments


def _rows(x: Any, dim: Any, what: str) -> tensor:
    value = to_tensor(x)
    if not value.type.is_block():
        raise ShapeMismatchError(f"{what} takes a tile, found a scalar {value.type}")
    if value.dtype.is_ptr() or value.dtype.is_fp8e4b15():
        raise TypeMismatchError(
            f"{what} takes integers or floats, found {value.dtype}",
            hint="convert it: .to(tl.float16)" if value.dtype.is_fp8e4b15() else None,
        )
    rank = len(value.type.shape)
    axis = rank - 1 if constexpr_value(dim) is None else wrap_axis(dim, rank)
    if axis != rank - 1:
        raise ShapeMismatchError(
            f"{what} takes the last dimension, {rank - 1}, found dim {axis}",
            hint="move the dimension to the end with tl.permute",
        )
    return value


def _count(k: Any, shape: tuple[int, ...]) -> int:
    count = constant_int(k, "k of topk")
    if count <= 0:
        raise ShapeMismatchError(f"k of topk must be positive, found {count}")
    if count > shape[-1]:
        raise ShapeMismatchError(
            f"k of topk must be at most the size of the last dimension, found {count} for the "
            f"shape {list(shape)}"
        )
    return count


def _round_up(size: int) -> int:
    return 1 << (size - 1).bit_length()


# Keys: integers in the order of the elements


def _grown_keys(x: tensor, greatest: bool) -> tuple[tensor, int]:
    """The keys of rows whose length is rounded up to a power of two, and that length.

    The added keys are the greatest, or else the least. A key of an element may equal them: then the
    elements are equal, too.
    """
    size = x.type.shape[-1]
    width = _round_up(size)
    keys = _keys(_with_last_repeated(x, width))
    if width == size:
        return keys, width
    info = keys.dtype
    added = info.get_int_max_value() if greatest else info.get_int_min_value()
    return where((iota(0, keys.type.numel) & (width - 1)) < size, keys, added), width


def _with_last_repeated(x: tensor, width: int) -> tensor:
    """Rows of `width` elements that end with copies of the last one; bitonic ones stay bitonic."""
    *rows, size = x.type.shape
    if width == size:
        return x
    dim = len(rows)
    return gather(x, math.minimum(positions_along((*rows, width), dim), size - 1), dim)


def _without_copies(keys: tensor, copied: tensor, size: int, descending: bool) -> tensor:
    """Sorted rows without the copies of an element of each row, of which `size` elements remain.

    The first of the equal elements are left out:  1 2 2 2 3 4, of which two 2 are copies
    keys before the element keep their place:      1 . . .
    the others come from further on:               . 2 3 4
    """
    width = keys.type.shape[-1]
    first, moved = take(keys, (..., slice(size))), take(keys, (..., slice(width - size, width)))
    return where(first > copied if descending else first < copied, first, moved)


def _rows_of(keys: tensor, width: int, x: tensor, kept: int) -> tensor:
    """The first elements of each row of `width` keys, in the shape of `x` but for the last size."""
    *rows, _ = x.type.shape
    return take(reshape(_values(keys, x.dtype), (*rows, width)), (..., slice(kept)))


def _keys(x: tensor) -> tensor:
    """Integers whose order is that of the elements, as a tile of rank 1.

    The bits of a float that is not negative are ordered as the float is. Those of a negative float
    are ordered the other way around, so all but the sign are inverted.
    """
    flat = reshape(x, x.type.numel)
    if x.dtype.is_bool():
        return convert(flat, int8)
    if x.dtype.is_int():
        return flat
    if _nan_is_negative_zero(x.dtype):
        flat = convert(flat, float32)
    bits = reinterpret(flat, _SIGNED[flat.dtype.primitive_bitwidth])
    greatest, nan = _greatest_number_and_nan(flat.dtype)
    magnitude = bits & bits.dtype.get_int_max_value()
    return _inverted_if_negative(where(magnitude > greatest, nan, bits))


def _values(keys: tensor, element: dtype) -> tensor:
    """The elements with these keys."""
    if element.is_int():
        return convert(keys, element)
    bits = _inverted_if_negative(keys)
    if _nan_is_negative_zero(element):
        return convert(reinterpret(bits, float32), element)
    return reinterpret(bits, element)


def _inverted_if_negative(bits: tensor) -> tensor:
    width, greatest = bits.dtype.primitive_bitwidth, bits.dtype.get_int_max_value()
    result: tensor = bits ^ ((bits >> (width - 1)) & greatest)
    return result


def _nan_is_negative_zero(element: dtype) -> bool:
    """Whether the bits of a NaN would be those of -0.0; such a type is sorted as float32."""
    return element.is_fp8e4b8() or element.is_fp8e5b16()


def _greatest_number_and_nan(element: dtype) -> tuple[int, int]:
    """The bits of infinity, or of the greatest number of a type without it; and a quiet NaN's.

    The bits of every NaN, without its sign, are greater than the former.
    """
    if element.is_fp8e4nv():
        return 0x7E, 0x7F
    mantissa = element.fp_mantissa_width
    exponent = element.primitive_bitwidth - 1 - mantissa
    infinity = ((1 << exponent) - 1) << mantissa
    return infinity, infinity | 1 << (mantissa - 1)


# The network


def _sorted_runs(keys: tensor, size: int) -> tensor:
    """Sorts the halves of each run of `size` elements: the first up, the second down."""
    width = 2
    while width < size:
        keys = _merge(keys, width, None)
        width *= 2
    return keys


def _merge(keys: tensor, width: int, descending: bool | None) -> tensor:
    """Sorts each run of `width` elements, which is bitonic; every second one down if None."""
    index = iota(0, keys.type.numel)
    distance = width // 2
    while distance:
        is_first: Any = (index & distance) == 0
        if descending is None:
            is_first = is_first == ((index & width) == 0)
        keys = _exchange(keys, distance, ~is_first if descending else is_first)
        distance //= 2
    return keys


def _exchange(keys: tensor, distance: int, takes_minimum: tensor) -> tensor:
    """Each element takes the minimum or the maximum of itself and its partner."""
    count = keys.type.numel
    pairs = reshape(keys, count // (2 * distance), 2, distance)
    xor = expand_to(xor_sum(pairs, 1, keep_dims=True), pairs.type.shape)
    partner = keys ^ reshape(xor, count)
    return where(takes_minimum, math.minimum(keys, partner), math.maximum(keys, partner))


def _halve(keys: tensor, width: int, greatest: bool) -> tensor:
    """Of each two runs of `width` elements, sorted up and down, a bitonic run of the extremes.

    The greatest of both runs are the element-wise maxima, since element i of one run is compared
    with element `width - 1 - i` of the other in order.
    """
    count = keys.type.numel
    pairs = reshape(keys, count // (2 * width), 2, width)
    combine = _maximum if greatest else _minimum
    return reshape(reduce(pairs, 1, combine), count // 2)


@builtin
def _maximum(a: tensor, b: tensor) -> tensor:
    return math.maximum(a, b)


@builtin
def _minimum(a: tensor, b: tensor) -> tensor:
    return math.minimum(a, b)
