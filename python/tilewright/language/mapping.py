"""Functions of scalars applied to the elements of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, TypeMismatchError
from tilewright.language import combiners
from tilewright.language._build import i32_attr, same_shape, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import convert
from tilewright.language.constexpr import constant_int, constexpr_value
from tilewright.language.dtypes import dtype, int64
from tilewright.language.registry import Family
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor

_NAME = "map_elementwise"


@Family.MATH
def map_elementwise(scalar_fn: Any, *args: Any, pack: Any = 1) -> Any:
    """Applies a function of scalars to each element of tiles that broadcast.

    Each element takes its own path through the function: of an `if`, only one side runs.

    Args:
        scalar_fn: A `@jit` function that takes one scalar per tile and returns a scalar or a tuple
            of scalars. It may branch, loop and call others, but not access memory or create tiles.
        args: Tiles and scalars, which are broadcast to a common shape.
        pack: The number of elements per call, a power of two. The function then takes `pack`
            scalars of the first tile, `pack` of the second, and so on, and returns `pack` scalars
            for each result, in the same order. Which elements are in a call is unspecified.

    Returns:
        A tile of the common shape, or a tuple of tiles if the function returns a tuple.

    Raises:
        TypeMismatchError: The function returns something else than scalars, or values of one
            result that differ in type.
        ShapeMismatchError: The arguments do not broadcast.
        ConstantError: `pack` is not a positive power of two.

    Example:
        >>> tl.map_elementwise(sign, tl.arange(0, 4) - 1)  # sign is a @jit function
        [-1  0  1  1]
    """
    function, size = constexpr_value(scalar_fn), constant_int(pack, "pack")
    if size < 1 or size & (size - 1):
        raise ConstantError(f"pack must be a positive power of 2, found {size}")
    if not args:
        raise TypeMismatchError("map_elementwise needs at least one tile")
    values = broadcast_all(*map(to_tensor, args))
    combiners.check_callable(function, size * len(values), _NAME)
    if not values[0].type.is_block():
        return combiners.apply(function, [x for x in values for _ in range(size)], _NAME)
    return _map(function, values, size)


def _map(function: Any, values: Sequence[tensor], pack: int) -> Any:
    """Builds the operation. Its result types are known only after its region has been built."""
    context = current()
    builder = context.builder
    carried = [convert(x, _carried(x.dtype)) for x in values]
    handles = [x.handle for x in carried]
    types = [context.ir(x.dtype) for x in carried for _ in range(pack)]
    attrs = {"pack": i32_attr(pack)}
    draft = builder.create("tile.map", handles, types=[], attrs=attrs, regions=1)
    block, after = draft.region(0).add_block(types, builder.loc), builder.insertion_point
    builder.set_to_end(block)
    elements = [(x.dtype, source.dtype) for x, source in zip(carried, values, strict=True)]
    pairs = [pair for pair in elements for _ in range(pack)]
    arguments = [convert(tensor(block.arg(i), c), e) for i, (c, e) in enumerate(pairs)]
    returned = combiners.apply(function, arguments, _NAME)
    scalars = _scalars(returned, pack)
    yielded = [convert(x, _carried(x.dtype)) for x in scalars]
    builder.create("tile.yield", [x.handle for x in yielded], types=[])
    builder.insertion_point = after
    results = [context.ir(same_shape(values[0], x.dtype)) for x in yielded[::pack]]
    op = builder.create("tile.map", handles, types=results, attrs=attrs, regions=1)
    final = op.region(0).add_block(types, builder.loc)
    final.splice(block)
    for old, new in zip(block.args, final.args, strict=True):
        old.replace_all_uses_with(new)
    draft.erase()
    tiles = [
        convert(tensor(handle, x.dtype), scalar.dtype)
        for handle, x, scalar in zip(op.results, yielded[::pack], scalars[::pack], strict=True)
    ]
    return tuple(tiles) if isinstance(returned, (tuple, list)) else tiles[0]


def _carried(type: dtype) -> dtype:
    """The type of an element in the operation: pointers are integers there."""
    return int64 if type.is_ptr() else type


def _scalars(returned: Any, pack: int) -> list[tensor]:
    """The results of the function: `pack` scalars of one type for each tile."""
    listed = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if not listed or listed[0] is None:
        raise TypeMismatchError("the function of map_elementwise returns nothing")
    if len(listed) % pack:
        raise TypeMismatchError(
            f"the function of map_elementwise returns {len(listed)} values, which is not a "
            f"multiple of pack = {pack}"
        )
    values = [to_tensor(x) for x in listed]
    for index, x in enumerate(values):
        first = values[index // pack * pack]
        if x.type.is_block():
            raise TypeMismatchError(f"the function of map_elementwise returns the tile {x.type}")
        if x.dtype != first.dtype:
            raise TypeMismatchError(
                f"the values of one result differ in type: {first.dtype} and {x.dtype}",
                hint="convert them with .to(dtype)",
            )
    return values
