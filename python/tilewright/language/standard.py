"""Functions composed of other functions of the language."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ShapeMismatchError
from tilewright.language import extrema, math, operators, reductions
from tilewright.language._build import to_tensor
from tilewright.language.constexpr import (
    constant_bool,
    constant_int,
    constexpr,
    constexpr_value,
)
from tilewright.language.registry import Family
from tilewright.language.shape import expand_dims, gather, positions_along, reshape, wrap_axis
from tilewright.language.tensor import member, tensor


@Family.MATH
def add(x: Any, y: Any, sanitize_overflow: Any = True) -> tensor:
    """`x + y`. Integers wrap, but with the option `debug` overflow is an error.

    Args:
        x, y: Tiles, scalars and numbers, which are broadcast to a common shape.
        sanitize_overflow: Whether overflow is an error if the launch has the options `debug` and
            `sanitize_overflow`; docs/debugging.md describes that.

    Raises:
        TypeMismatchError: The operands have no common type, or are two pointers.
        ConstantError: `sanitize_overflow` is not a constant.

    Example:
        >>> tl.add(tl.arange(0, 4), 10)
        [10 11 12 13]
    """
    return operators.add(x, y, constant_bool(sanitize_overflow, "sanitize_overflow"))


@Family.MATH
def sub(x: Any, y: Any, sanitize_overflow: Any = True) -> tensor:
    """`x - y`; see `add`.

    Example:
        >>> tl.sub(tl.arange(0, 4), 10)
        [-10  -9  -8  -7]
    """
    return operators.sub(x, y, constant_bool(sanitize_overflow, "sanitize_overflow"))


@Family.MATH
def mul(x: Any, y: Any, sanitize_overflow: Any = True) -> tensor:
    """`x * y`; see `add`.

    Example:
        >>> tl.mul(tl.arange(0, 4), 10)
        [ 0 10 20 30]
    """
    return operators.mul(x, y, constant_bool(sanitize_overflow, "sanitize_overflow"))


@Family.MATH
@member
def cdiv(x: Any, div: Any) -> Any:
    """`x / div` rounded up, for non-negative integers; a constant if both operands are.

    Example:
        >>> tl.cdiv(tl.arange(0, 8), 4)
        [0 1 1 1 1 2 2 2]
    """
    x, div = constexpr_value(x), constexpr_value(div)
    if not (isinstance(x, tensor) or isinstance(div, tensor)):
        return constexpr((x + div - 1) // div)
    less = operators.sub(div, 1, sanitize=True) if isinstance(div, tensor) else div - 1
    return operators.floordiv(operators.add(x, less, sanitize=True), div)


@Family.MATH
@member
def sigmoid(x: Any) -> tensor:
    """`1 / (1 + exp(-x))` for float32 or float64.

    Raises:
        TypeMismatchError: `x` has another dtype.

    Example:
        >>> tl.sigmoid(tl.load(q + tl.arange(0, 4)))
        [0.5    0.6225 0.7311 0.8176]
    """
    return 1 / (1 + math.exp(-to_tensor(x)))


@Family.REDUCTIONS
@member
def softmax(x: Any, dim: Any = None, keep_dims: Any = False, ieee_rounding: Any = False) -> tensor:
    """`exp(x) / sum(exp(x))` along a dimension, without overflow.

    Args:
        x: A tile of float16, bfloat16, float32 or float64; the first two give float32.
        dim: The dimension; 0 by default.
        keep_dims: Accepted and ignored; the result always has the shape of `x`.
        ieee_rounding: Round the quotient to nearest on every target.

    Raises:
        ShapeMismatchError: `dim` is out of range, or `x` is a scalar.

    Example:
        >>> tl.softmax(tl.load(q + tl.arange(0, 4)))
        [0.1015 0.1674 0.276  0.4551]
    """
    constant_bool(keep_dims, "keep_dims")
    axis = 0 if constexpr_value(dim) is None else dim
    value = to_tensor(x)
    shifted = value - extrema.max(value, axis, keep_dims=True)
    numerator = math.exp(shifted)
    return math.fdiv(numerator, reductions.sum(numerator, axis, keep_dims=True), ieee_rounding)


@Family.ORDER
def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> tuple[Any, Any]:
    """Renumbers the cells of a row-major size_i x size_j matrix in groups of size_g rows.

    Within a group, cells are numbered column by column, so that programs that run at the same time
    share rows and columns:

        4 x 4, groups of 2      0  2  4  6
                                1  3  5  7
                                8 10 12 14
                                9 11 13 15

    Returns:
        The row and column of the cell with the given cell's row-major number.

    Example:
        >>> n = tl.arange(0, 8)
        >>> tl.swizzle2d(n // 2, n % 2, 4, 2, 2)
        [0 1 0 1 2 3 2 3]
        [0 0 1 1 0 0 1 1]
    """
    index = i * size_j + j
    cells = size_g * size_j
    first_row = index // cells * size_g
    # The last group may have fewer rows.
    rows = math.minimum(size_i - first_row, size_g)
    inside = index % cells
    return first_row + inside % rows, inside // rows


@Family.SHAPES
@member
def flip(x: Any, dim: Any = None) -> tensor:
    """Reverses the elements along a dimension, the last one by default.

    Raises:
        ShapeMismatchError: `dim` is out of range, or `x` is a scalar.

    Example:
        >>> tl.flip(tl.arange(0, 4))
        [3 2 1 0]
    """
    value = to_tensor(x)
    shape = value.type.shape
    axis = wrap_axis(-1 if constexpr_value(dim) is None else dim, len(shape))
    return gather(value, shape[axis] - 1 - positions_along(shape, axis), axis)


@Family.SHAPES
@member
def squeeze(x: Any, dim: Any) -> tensor:
    """Removes a dimension of size 1; a tile of rank 1 becomes a scalar.

    Raises:
        ShapeMismatchError: `dim` is out of range, or the dimension has another size.

    Example:
        >>> tl.squeeze(tl.zeros((2, 1), tl.int32), 1)
        [0 0]
    """
    value = to_tensor(x)
    shape = value.type.shape
    axis = wrap_axis(dim, len(shape))
    if shape[axis] != 1:
        raise ShapeMismatchError(
            f"squeeze removes a dimension of size 1, found dimension {axis} of {list(shape)}"
        )
    rest = (*shape[:axis], *shape[axis + 1 :])
    return reshape(value, rest) if rest else reductions.first_of_one(value)


@Family.SHAPES
@member
def unsqueeze(x: Any, dim: Any) -> tensor:
    """Inserts a dimension of size 1: `expand_dims` for a single dimension.

    Raises:
        ConstantError: `dim` is not a constant integer.
        ShapeMismatchError: `dim` is out of range for the result.

    Example:
        >>> tl.unsqueeze(tl.arange(0, 2), 0)
        [[0 1]]
    """
    return expand_dims(x, constant_int(dim, "dim of unsqueeze"))
