"""Operations that change a tile's shape or the order of its elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tilewright.errors import ShapeMismatchError, TypeMismatchError
from tilewright.language._build import (
    broadcast_type,
    emit,
    emit_pair,
    i32_attr,
    iota,
    reshape_type,
    splat,
    to_tensor,
)
from tilewright.language._context import current
from tilewright.language.constexpr import constant_bool, constant_int, constexpr_value, known_value
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor
from tilewright.language.tile_shapes import check_shape

if TYPE_CHECKING:
    from tilewright import _core


def flatten_ints(values: Sequence[Any]) -> tuple[Any, ...]:
    """Variadic ints as a tuple: `f(x, 2, 3)` and `f(x, (2, 3))` are equivalent."""
    if len(values) == 1:
        only = constexpr_value(values[0])
        if isinstance(only, (tuple, list)):
            values = only
    return tuple(known_value(value) for value in values)


def wrap_axis(axis: Any, rank: int) -> int:
    """An axis normalized to 0 to rank - 1; negative axes count from the end.

    Raises:
        ConstantError: It is not a constant integer.
        ShapeMismatchError: It is out of range.
    """
    value = constant_int(axis, "axis")
    if not -rank <= value < rank:
        raise ShapeMismatchError(f"axis {value} is out of range for {rank} dimensions")
    return value % rank


@functools.cache  # because each operation asks again for one of a few pairs
def common_shape(shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The shape to which all shapes broadcast; shorter ones get leading dimensions of size 1.

    Raises:
        ShapeMismatchError: The shapes do not broadcast.
    """
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result = []
    for dim in range(rank):
        sizes = {shape[dim] for shape in padded} - {1}
        if len(sizes) > 1:
            named = " and ".join(str(list(shape)) for shape in shapes)
            raise ShapeMismatchError(
                f"Cannot make_shape_compatible: incompatible dimensions at index {dim}: "
                + " and ".join(str(shape[dim]) for shape in padded)
                + f"; shapes {named} do not broadcast",
                hint="the sizes of a dimension must be equal, or one of them 1",
            )
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def expand_to(x: tensor, shape: tuple[int, ...], encoding: _core.Attribute | None = None) -> tensor:
    """Broadcasts `x` to a shape; the caller has checked that it does.

    The result has the given encoding, which that of `x` has to fit, or the one that follows from
    that of `x`.
    """
    if x.type.shape == shape:
        return x
    if not x.type.is_block():
        return splat(x, shape, encoding)
    while len(x.type.shape) < len(shape):
        x = insert_dim(x, 0)
    if x.type.shape == shape:
        return x
    return emit("tile.broadcast", [x], type=broadcast_type(x, shape, encoding))


def broadcast_all(*values: tensor) -> list[tensor]:
    """All values broadcast to their common shape."""
    shapes = [value.type.shape for value in values]
    if all(shape == shapes[0] for shape in shapes):
        return list(values)
    shape = common_shape(tuple(shapes))
    if all(value.type.encoding is None for value in values):
        return [expand_to(value, shape) for value in values]
    # The layout of the results is that of the first operand with the shape that has one, or else
    # the one that the first other operand with a layout determines.
    encoding = None
    expanded = dict[int, tensor]()
    for index in sorted(range(len(values)), key=lambda i: _precedence(values[i], shape)):
        expanded[index] = expand_to(values[index], shape, encoding)
        encoding = expanded[index].type.encoding if encoding is None else encoding
    return [expanded[index] for index in range(len(values))]


def _precedence(x: tensor, shape: tuple[int, ...]) -> tuple[bool, bool]:
    """Orders the operands of a broadcast by whether they determine the layout of the result."""
    has_none = x.type.encoding is None
    return has_none, not has_none and x.type.shape != shape


def insert_dim(x: tensor, axis: int) -> tensor:
    """Inserts a dimension of size 1 at `axis`, which is between 0 and the rank."""
    if not x.type.is_block():
        return splat(x, (1,))
    return emit("tile.expand_dims", [x], {"axis": i32_attr(axis)})


def positions_along(shape: Sequence[int], axis: int) -> tensor:
    """An int32 tile of the given shape with each element's position along a dimension."""
    sizes = [1] * len(shape)
    sizes[axis] = shape[axis]
    return expand_to(reshape(iota(0, shape[axis]), sizes), tuple(shape))


@Family.SHAPES
@member
def broadcast(input: Any, other: Any) -> tuple[tensor, tensor]:
    """Broadcasts two values to their common shape.

    Raises:
        ShapeMismatchError: The sizes of a dimension differ and none of them is 1.

    Example:
        >>> row, column = tl.arange(0, 2)[None, :], tl.arange(0, 2)[:, None]
        >>> tl.broadcast(row, column)
        [[0 1]
         [0 1]]
        [[0 0]
         [1 1]]
    """
    lhs, rhs = broadcast_all(to_tensor(input), to_tensor(other))
    return lhs, rhs


@Family.SHAPES
@member
def broadcast_to(input: Any, *shape: Any) -> tensor:
    """Broadcasts a scalar, or a tile of the same rank, to a shape given as ints or as a tuple.

    Raises:
        ShapeMismatchError: A size other than 1 differs, or the ranks differ.

    Example:
        >>> tl.broadcast_to(tl.arange(0, 3)[None, :], (2, 3))
        [[0 1 2]
         [0 1 2]]
    """
    x = to_tensor(input)
    target = check_shape(flatten_ints(shape))
    have = x.type.shape
    if x.type.is_block():
        fits = len(have) == len(target)
        fits = fits and all(a in (1, b) for a, b in zip(have, target, strict=True))
        if not fits:
            raise ShapeMismatchError(f"cannot broadcast shape {list(have)} to {list(target)}")
    return expand_to(x, target)


@Family.SHAPES
@member
def expand_dims(input: Any, axis: Any) -> tensor:
    """Inserts dimensions of size 1.

    Args:
        input: A scalar or tile of rank r.
        axis: The position in the result, an int or a tuple of ints; negative ones count from the
            end.

    Raises:
        ShapeMismatchError: An axis is out of range or given twice.

    Example:
        >>> tl.expand_dims(tl.arange(0, 3), 1)
        [[0]
         [1]
         [2]]
    """
    x = to_tensor(input)
    axis = constexpr_value(axis)
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    rank = len(x.type.shape) + len(axes)
    wrapped = sorted(wrap_axis(a, rank) for a in axes)
    if len(set(wrapped)) != len(wrapped):
        raise ShapeMismatchError(f"expand_dims takes distinct axes, found {axes}")
    for a in wrapped:
        x = insert_dim(x, a)
    return x


@Family.SHAPES
@member
def reshape(input: Any, *shape: Any, can_reorder: bool = False) -> tensor:
    """Changes the shape; the elements keep their row-major order.

    Args:
        input: A scalar or tile.
        shape: The new sizes, as ints or as a tuple; one of them may be -1.
        can_reorder: Allow the compiler to reorder the elements.

    Raises:
        ShapeMismatchError: The number of elements differs.

    Example:
        >>> tl.reshape(tl.arange(0, 6), (2, 3))
        [[0 1 2]
         [3 4 5]]
    """
    x = to_tensor(input)
    sizes = list(flatten_ints(shape))
    if sizes.count(-1) == 1:
        rest = -math.prod(sizes)
        if rest and x.type.numel % rest == 0:
            sizes[sizes.index(-1)] = x.type.numel // rest
    target = check_shape(sizes)
    if math.prod(target) != x.type.numel:
        raise ShapeMismatchError(
            "reshape() cannot change total number of elements in tensor: "
            f"{list(x.type.shape)} has {x.type.numel}, {list(target)} has {math.prod(target)}"
        )
    if not x.type.is_block():
        return splat(x, target)
    if not target:
        raise ShapeMismatchError(f"cannot reshape {list(x.type.shape)} to a scalar")
    if target == x.type.shape:
        return x
    reorder = constant_bool(can_reorder, "can_reorder")
    attrs = {"allow_reorder": current().ctx.unit_attr()} if reorder else {}
    return emit("tile.reshape", [x], attrs, type=reshape_type(x, target))


@Family.SHAPES
@member
def view(input: Any, *shape: Any) -> tensor:
    """`reshape` that may reorder the elements.

    Example:
        >>> tl.view(tl.zeros((2, 2), tl.int32), 4)
        [0 0 0 0]
    """
    return reshape(input, *shape, can_reorder=True)


@Family.SHAPES
@member
def ravel(x: Any, can_reorder: bool = False) -> tensor:
    """Flattens a tile to rank 1.

    Example:
        >>> tl.ravel(tl.reshape(tl.arange(0, 4), (2, 2)))
        [0 1 2 3]
    """
    x = to_tensor(x)
    return reshape(x, x.type.numel, can_reorder=can_reorder)


@Family.SHAPES
@member
def permute(input: Any, *dims: Any) -> tensor:
    """Reorders dimensions: dimension i of the result is dimension `dims[i]` of the input.

    Raises:
        ShapeMismatchError: The input is a scalar, or `dims` is not a permutation of 0 to rank - 1.

    Example:
        >>> x = tl.reshape(tl.arange(0, 6), (2, 3))
        >>> tl.permute(x, 1, 0)
        [[0 3]
         [1 4]
         [2 5]]
    """
    x = _block(input, "permute")
    rank = len(x.type.shape)
    order = [constant_int(d, "a dimension") for d in flatten_ints(dims)]
    order = [d + rank if -rank <= d < 0 else d for d in order]
    if sorted(order) != list(range(rank)):
        raise ShapeMismatchError(
            f"dims of permute must be a permutation of {list(range(rank))}, found {order}"
        )
    return emit("tile.trans", [x], {"order": current().ctx.i32_array_attr(order)})


@Family.SHAPES
@member
def trans(input: Any, *dims: Any) -> tensor:
    """Swaps the last two dimensions; with `dims`, the same as `permute`.

    Raises:
        ShapeMismatchError: The tile has fewer than two dimensions.

    Example:
        >>> x = tl.reshape(tl.arange(0, 4), (2, 2))
        >>> tl.trans(x)
        [[0 2]
         [1 3]]
    """
    x = _block(input, "trans")
    rank = len(x.type.shape)
    if not flatten_ints(dims):
        if rank < 2:
            raise ShapeMismatchError(f"trans needs two dimensions, found {list(x.type.shape)}")
        dims = (*range(rank - 2), rank - 1, rank - 2)
    return permute(x, *dims)


@Family.SHAPES
@member
def join(a: Any, b: Any) -> tensor:
    """Broadcasts two values of one dtype and stacks them along a new last dimension.

    Raises:
        ShapeMismatchError: The shapes do not broadcast.
        TypeMismatchError: The dtypes differ.

    Example:
        >>> i = tl.arange(0, 3)
        >>> tl.join(i, -i)
        [[ 0  0]
         [ 1 -1]
         [ 2 -2]]
    """
    x, y = broadcast_all(to_tensor(a), to_tensor(b))
    if x.dtype != y.dtype:
        raise TypeMismatchError(
            f"join takes two values of one dtype, found {x.dtype} and {y.dtype}"
        )
    scalars = not x.type.is_block()
    if scalars:
        x, y = splat(x, (1,)), splat(y, (1,))
    result = emit("tile.join", [x, y])
    return reshape(result, 2) if scalars else result


@Family.SHAPES
@member
def split(a: Any) -> tuple[tensor, tensor]:
    """Splits a tile along its last dimension, which must have size 2.

    Raises:
        ShapeMismatchError: The input is a scalar, or its last dimension has another size.

    Example:
        >>> x = tl.reshape(tl.arange(0, 6), (3, 2))
        >>> tl.split(x)
        [0 2 4]
        [1 3 5]
    """
    x = _block(a, "split")
    shape = x.type.shape
    if shape[-1] != 2:
        raise ShapeMismatchError(f"split needs a last dimension of size 2, found {list(shape)}")
    if len(shape) == 1:
        # tile.split yields tiles, so split a tile of shape (1, 2) and extract the elements.
        from tilewright.language.reductions import first_of_one

        lhs, rhs = split(reshape(x, 1, 2))
        return first_of_one(lhs), first_of_one(rhs)
    return emit_pair("tile.split", [x])


@Family.SHAPES
@member
def interleave(a: Any, b: Any) -> tensor:
    """Interleaves two tiles along the last dimension: a0 b0 a1 b1 ...

    Example:
        >>> i = tl.arange(0, 3)
        >>> tl.interleave(i, -i)
        [ 0  0  1 -1  2 -2]
    """
    joined = join(a, b)
    shape = joined.type.shape
    if len(shape) == 1:
        return joined
    return reshape(joined, (*shape[:-2], 2 * shape[-2]))


@Family.SHAPES
def cat(input: Any, other: Any, can_reorder: Any = False, dim: Any = 0) -> tensor:
    """Concatenates two tiles of the same dtype and shape along the dimension `dim`.

    `can_reorder` is accepted; the order is always kept.

    Raises:
        ShapeMismatchError: The shapes differ, or there is no dimension `dim`.
        TypeMismatchError: The dtypes differ.

    Example:
        >>> i = tl.arange(0, 3)
        >>> tl.cat(i, i + 10)
        [ 0  1  2 10 11 12]
    """
    x, y = _block(input, "cat"), _block(other, "cat")
    if x.type.shape != y.type.shape:
        shapes = f"{list(x.type.shape)} and {list(y.type.shape)}"
        raise ShapeMismatchError(f"cat takes two tiles of one shape, found {shapes}")
    if x.dtype != y.dtype:
        raise TypeMismatchError(f"cat takes two tiles of one dtype, found {x.dtype} and {y.dtype}")
    axis = wrap_axis(dim, len(x.type.shape))
    if axis == 0:
        return emit("tile.cat", [x, y])
    # tile.cat concatenates along dimension 0, which is exchanged with `axis` before and after.
    order = list(range(len(x.type.shape)))
    order[0], order[axis] = axis, 0
    return permute(emit("tile.cat", [permute(x, order), permute(y, order)]), order)


@Family.SHAPES
@member
def gather(src: Any, index: Any, axis: Any) -> tensor:
    """Gathers elements along a dimension: for `axis` 1, `result[i, j] = src[i, index[i, j]]`.

    Args:
        src: A tile of rank r.
        index: A tile of integers of rank r, with the same sizes except along `axis`.
        axis: The dimension, a constant int.

    Returns:
        A tile of `index`'s shape and `src`'s dtype.

    Raises:
        TypeMismatchError: The indices are not integers.
        ShapeMismatchError: The ranks, or the sizes of another dimension than `axis`, differ.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.gather(i * i, 3 - i, 0)
        [9 4 1 0]
    """
    x, i = _block(src, "gather"), _block(index, "gather")
    if not i.dtype.is_int():
        raise TypeMismatchError(f"indices of gather must be integers, found {i.dtype}")
    rank = len(x.type.shape)
    dim = wrap_axis(axis, rank)
    others = [d for d in range(rank) if d != dim]
    if len(i.type.shape) != rank or any(x.type.shape[d] != i.type.shape[d] for d in others):
        raise ShapeMismatchError(
            f"gather along axis {dim} from shape {list(x.type.shape)} cannot take indices of "
            f"shape {list(i.type.shape)}: all other dimensions must agree"
        )
    return emit("tile.gather", [x, i], {"axis": i32_attr(dim)})


def _block(x: Any, what: str) -> tensor:
    value = to_tensor(x)
    if not value.type.is_block():
        raise ShapeMismatchError(f"{what} takes a tile, found a scalar {value.type}")
    return value
