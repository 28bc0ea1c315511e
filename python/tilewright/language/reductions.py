"""Reductions and scans along one dimension, with user-defined combiners and those of sums.

Minima and maxima are in extrema.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.errors import ShapeMismatchError, TypeMismatchError
from tilewright.language import combiners, overflow
from tilewright.language._build import constant, emit, i32_attr, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import convert, element_type
from tilewright.language.constexpr import builtin, constant_bool, constant_int, constexpr_value
from tilewright.language.dtypes import (
    dtype,
    float32,
    int32,
    int64,
    uint32,
)
from tilewright.language.memory import mask_value
from tilewright.language.registry import Family
from tilewright.language.shape import (
    broadcast_all,
    expand_to,
    insert_dim,
    reshape,
    wrap_axis,
)
from tilewright.language.tensor import member, tensor
from tilewright.language.tile_shapes import are_powers_of_two, check_shape

# What users call the operations.
_NAMES = {"tile.reduce": "reduce", "tile.scan": "associative_scan"}

# A combiner of the language: takes tensors and returns a tensor or a tuple of tensors.
Combiner = Callable[..., Any]


@Family.REDUCTIONS
@member
def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False) -> Any:
    """Reduces a tile along a dimension.

    Args:
        input: A tile, or a tuple of tiles that broadcast and are reduced together.
        axis: The dimension; None reduces all dimensions.
        combine_fn: A `@jit` function that takes the left values of all tiles, then the right
            values, and returns one value per tile. It must be associative and commutative.
        keep_dims: Keep the dimension, with size 1.

    Returns:
        A value without that dimension, or a tuple of them. A tile of rank 1 reduces to a scalar.

    Raises:
        ShapeMismatchError: The axis is out of range, or an input is a scalar.
        TypeMismatchError: The combiner's results differ in type from its arguments.

    Example:
        >>> tl.reduce(tl.arange(0, 5), 0, add)  # add is a @jit function: a + b
        10
    """
    single, values = _inputs(input, "reduce")
    results = _reduce(values, axis, combine_fn, constant_bool(keep_dims, "keep_dims"))
    return results[0] if single else tuple(results)


@Family.REDUCTIONS
@member
def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = False) -> Any:
    """An inclusive scan along a dimension: element i of the result combines elements 0 to i.

    Args:
        input: A tile, or a tuple of tiles that broadcast and are scanned together.
        axis: The dimension.
        combine_fn: As for `reduce`; it must be associative.
        reverse: Scan from the last element to the first.

    Returns:
        A tile of the same shape, or a tuple of them.

    Raises:
        ShapeMismatchError: The axis is out of range, or an input is a scalar.
        TypeMismatchError: The combiner's results differ in type from its arguments.

    Example:
        >>> tl.associative_scan(tl.arange(0, 5), 0, add)  # add is a @jit function: a + b
        [ 0  1  3  6 10]
    """
    single, values = _inputs(input, "associative_scan")
    dim = wrap_axis(axis, len(values[0].type.shape))
    attrs = {"axis": i32_attr(dim)}
    if constant_bool(reverse, "reverse"):
        attrs["reverse"] = current().ctx.unit_attr()
    results = _combine("tile.scan", values, attrs, combine_fn)
    return results[0] if single else tuple(results)


def _inputs(input: Any, what: str) -> tuple[bool, list[tensor]]:
    input = constexpr_value(input)
    single = not isinstance(input, (tuple, list))
    values = [to_tensor(x) for x in ([input] if single else input)]
    for x in values:
        if not x.type.is_block():
            raise ShapeMismatchError(f"{what} takes tiles, found a scalar {x.type}")
    return single, broadcast_all(*values)


def _reduce(values: list[tensor], axis: Any, combine: Any, keep_dims: bool) -> list[tensor]:
    shape = values[0].type.shape
    if constexpr_value(axis) is None:
        if are_powers_of_two(shape):
            results = _reduce_dim([reshape(x, x.type.numel) for x in values], 0, combine)
        else:  # a reshape would move elements; the order of the dimensions does not matter
            results = values
            for dim in reversed(range(len(shape))):
                results = _reduce_dim(results, dim, combine)
        return [expand_to(x, (1,) * len(shape)) for x in results] if keep_dims else results
    dim = wrap_axis(axis, len(shape))
    results = _reduce_dim(values, dim, combine)
    return [insert_dim(x, dim) for x in results] if keep_dims else results


def _reduce_dim(values: list[tensor], dim: int, combine: Any) -> list[tensor]:
    return _combine("tile.reduce", values, {"axis": i32_attr(dim)}, combine)


def _combine(
    name: str, values: Sequence[tensor], attrs: dict[str, Any], combine: Any
) -> list[tensor]:
    """Builds a reduction or scan; its region is the combiner, with two arguments per operand.

    Pointers are combined as 64-bit integers, because the lowering exchanges only integers and
    floats between threads.
    """
    context = current()
    builder = context.builder
    elements = [x.dtype for x in values]
    carried = [int64 if element.is_ptr() else element for element in elements]
    handles = [convert(x, c).handle for x, c in zip(values, carried, strict=True)]
    combine = constexpr_value(combine)
    is_own = getattr(combine, "__tilewright_builtin__", False)
    if not is_own:
        combiners.check_callable(combine, 2 * len(values), _NAMES[name])
    op = builder.create(name, handles, attrs=attrs, regions=1)
    block = op.region(0).add_block([context.ir(c) for c in carried] * 2, builder.loc)
    after = builder.insertion_point
    builder.set_to_end(block)
    arguments = [
        convert(tensor(block.arg(i), c), e)
        for i, (c, e) in enumerate(zip(carried * 2, elements * 2, strict=True))
    ]
    # A combiner of the language builds its operations itself; a @jit function is inlined.
    results = combine(*arguments) if is_own else combiners.apply(combine, arguments, _NAMES[name])
    yielded = [convert(x, c) for x, c in zip(_results(results, elements), carried, strict=True)]
    builder.create("tile.yield", [x.handle for x in yielded], types=[])
    builder.insertion_point = after
    combined = [tensor(value, c) for value, c in zip(op.results, carried, strict=True)]
    return [convert(x, element) for x, element in zip(combined, elements, strict=True)]


def _results(results: Any, elements: Sequence[dtype]) -> list[tensor]:
    listed = list(results) if isinstance(results, (tuple, list)) else [results]
    if len(listed) != len(elements):
        raise TypeMismatchError(
            f"the combiner returns {len(listed)} values where {len(elements)} are expected"
        )
    values = []
    for result, element in zip(listed, elements, strict=True):
        x = to_tensor(result)
        if x.type.is_block() or x.dtype != element:
            raise TypeMismatchError(
                f"the combiner returns {x.type} where it was given {element}",
                hint=f"cast the result with .to(tl.{element})" if not x.type.is_block() else None,
            )
        values.append(x)
    return values


@builtin
def _left(a: tensor, b: tensor) -> tensor:
    return a


def first_of_one(x: tensor) -> tensor:
    """The only element of a tile of one element, as a scalar."""
    return _reduce_dim([reshape(x, 1)], 0, _left)[0]


@builtin
@member
def item(input: Any) -> tensor:
    """`x.item()`: the only element of a tile of one element, as a scalar; a scalar is unchanged.

    Raises:
        ShapeMismatchError: The tile has more than one element.
    """
    x = to_tensor(input)
    if not x.type.is_block():
        return x
    if x.type.numel != 1:
        raise ShapeMismatchError(
            f"item takes a tile of one element, found shape {list(x.type.shape)}",
            hint="tl.sum, tl.max or tl.reduce make a scalar of several elements",
        )
    return first_of_one(x)


# Sums, products and bitwise operations


@builtin
def _add(a: tensor, b: tensor) -> tensor:
    return emit("arith.addf" if a.dtype.is_floating() else "arith.addi", [a, b])


@builtin
def _mul(a: tensor, b: tensor) -> tensor:
    return emit("arith.mulf" if a.dtype.is_floating() else "arith.muli", [a, b])


@builtin
def _xor(a: tensor, b: tensor) -> tensor:
    return emit("arith.xori", [a, b])


@builtin
def _or(a: tensor, b: tensor) -> tensor:
    return emit("arith.ori", [a, b])


def _sum_input(x: tensor, wanted: Any) -> tensor:
    """Converts to `wanted`, or else widens narrow integers to 32 bits of the same signedness."""
    wanted = constexpr_value(wanted)
    if wanted is not None:
        return convert(x, element_type(wanted))
    if x.dtype.is_int() and x.dtype.int_bitwidth < 32:
        return convert(x, int32 if x.dtype.is_int_signed() else uint32)
    return x


@Family.REDUCTIONS
@member
def sum(input: Any, axis: Any = None, keep_dims: Any = False, dtype: Any = None) -> tensor:
    """The sum along a dimension.

    Args:
        input: A tile of integers or floats.
        axis: The dimension; None sums all elements.
        keep_dims: Keep the dimension, with size 1.
        dtype: The type of the result. By default integers narrower than 32 bits, including
            int1, give int32 or uint32, and other types are kept. The accumulator has the same
            type, except that floats narrower than 32 bits accumulate in float32.

    Raises:
        ShapeMismatchError: The axis is out of range, or the input is a scalar.

    Example:
        >>> x = tl.reshape(tl.arange(0, 6), (2, 3))
        >>> tl.sum(x, axis=1)
        [ 3 12]
    """
    x = _sum_input(numeric_tile(input, "sum"), dtype)
    narrow = x.dtype.is_floating() and x.dtype.primitive_bitwidth < 32
    wide = convert(x, float32) if narrow else x
    result: tensor = reduce(wide, axis, _add, keep_dims)
    overflow.check_sums(x, lambda exact: reduce(exact, axis, _add, keep_dims))
    return convert(result, x.dtype)


@Family.REDUCTIONS
@member
def xor_sum(input: Any, axis: Any = None, keep_dims: Any = False) -> tensor:
    """The bitwise xor of the elements along a dimension; arguments as for `sum`.

    Raises:
        TypeMismatchError: The elements are not integers.

    Example:
        >>> tl.xor_sum(tl.arange(0, 8))
        0
    """
    return _bitwise_reduction(input, axis, keep_dims, _xor, "xor_sum")


@Family.REDUCTIONS
@member
def reduce_or(input: Any, axis: Any, keep_dims: Any = False) -> tensor:
    """The bitwise or of the elements along a dimension; arguments as for `sum`.

    Raises:
        TypeMismatchError: The elements are not integers.

    Example:
        >>> tl.reduce_or(tl.arange(0, 5), 0)
        7
    """
    return _bitwise_reduction(input, axis, keep_dims, _or, "reduce_or")


def _bitwise_reduction(
    input: Any, axis: Any, keep_dims: Any, combine: Combiner, what: str
) -> tensor:
    x = numeric_tile(input, what)
    if not x.dtype.is_int():
        raise TypeMismatchError(f"{what} takes integers, found {x.dtype}")
    result: tensor = reduce(x, axis, combine, keep_dims)
    return result


@Family.REDUCTIONS
@member
def cumsum(input: Any, axis: Any = 0, reverse: Any = False, dtype: Any = None) -> tensor:
    """The cumulative sum along a dimension, from its end if `reverse`.

    `dtype` is as for `sum`, except that bfloat16 gives float32 and float16 accumulates in float16.

    Raises:
        ShapeMismatchError: The axis is out of range, or the input is a scalar.

    Example:
        >>> i = tl.arange(0, 5)
        >>> tl.cumsum(i), tl.cumsum(i, reverse=True)
        [ 0  1  3  6 10]
        [10 10  9  7  4]
    """
    x = _sum_input(without_bfloat16(numeric_tile(input, "cumsum")), dtype)
    result: tensor = associative_scan(x, axis, _add, reverse)
    overflow.check_sums(x, lambda exact: associative_scan(exact, axis, _add, reverse))
    return result


@Family.REDUCTIONS
@member
def cumprod(input: Any, axis: Any = 0, reverse: Any = False, dtype: Any = None) -> tensor:
    """The cumulative product along a dimension, from its end if `reverse`.

    `dtype` is the type of the result and of the accumulator. By default bfloat16 gives float32, and
    other types are kept.

    Raises:
        ShapeMismatchError: The axis is out of range, or the input is a scalar.

    Example:
        >>> tl.cumprod(tl.arange(1, 6))
        [  1   2   6  24 120]
    """
    x = without_bfloat16(numeric_tile(input, "cumprod"))
    if constexpr_value(dtype) is not None:
        x = convert(x, element_type(dtype))
    result: tensor = associative_scan(x, axis, _mul, reverse)
    overflow.check_products(x, lambda exact, mul: associative_scan(exact, axis, mul, reverse))
    return result


# Histograms


@Family.REDUCTIONS
@member
def histogram(input: Any, num_bins: Any, mask: Any = None) -> tensor:
    """How often each integer from 0 to `num_bins` - 1 occurs in a tile.

    Elements outside of that range are not counted.

    Args:
        input: A tile of integers of rank 1.
        num_bins: The length of the result, a positive constant.
        mask: Which elements are counted; a tile of int1 of the input's shape, or a scalar.

    Returns:
        A tile of int32.

    Raises:
        TypeMismatchError: `input` is not of integers, or the mask is not int1.
        ShapeMismatchError: `input` is not of rank 1, `num_bins` is not positive, or the mask has
            another shape.

    Example:
        >>> tl.histogram(tl.arange(0, 16) % 5, 6)
        [4 3 3 3 3 0]
    """
    x = numeric_tile(input, "histogram")
    if not x.dtype.is_int():
        raise TypeMismatchError(f"histogram counts integers, found {x.dtype}")
    if len(x.type.shape) != 1:
        raise ShapeMismatchError(
            f"histogram takes a tile of rank 1, found shape {list(x.type.shape)}",
            hint="flatten it: tl.ravel(x)",
        )
    bins = constant_int(num_bins, "num_bins")
    if bins <= 0:
        raise ShapeMismatchError(f"num_bins must be positive, found {bins}")
    check_shape((bins,))
    if x.dtype.primitive_bitwidth < 32:
        x = convert(x, int32)
    if mask is not None:
        counted = mask_value(mask, "histogram")
        if counted.type.is_block() and counted.type.shape != x.type.shape:
            shapes = f"{list(x.type.shape)}, found {list(counted.type.shape)}"
            raise ShapeMismatchError(f"the mask of histogram must have the input's shape {shapes}")
        excluded = constant(-1, x.type)  # the greatest unsigned integer
        counted = expand_to(counted, x.type.shape, x.type.encoding)
        x = emit("arith.select", [counted, x, excluded])
    return emit("tile.histogram", [x], {"bins": i32_attr(bins)}, element=int32)


# Operands


def without_bfloat16(x: tensor) -> tensor:
    return convert(x, float32) if x.dtype.is_bf16() else x


def numeric_tile(x: Any, what: str) -> tensor:
    """A tile of integers or floats; an error for other operands of the function `what`."""
    value = to_tensor(x)
    if not value.type.is_block():
        raise ShapeMismatchError(f"{what} takes a tile, found a scalar {value.type}")
    if value.dtype.is_ptr():
        raise TypeMismatchError(f"{what} takes integers or floats, found {value.dtype}")
    return value
