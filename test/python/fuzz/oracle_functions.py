"""The functions of the language in NumPy that are composed of others, and Python's operators."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
import oracle
import oracle_reductions
from tiles import DType, Inexact, Tile, divide, lift, promoted

# elementwise


def add(x: Any, y: Any, sanitize_overflow: bool = True) -> Tile:
    return lift(x) + y


def sub(x: Any, y: Any, sanitize_overflow: bool = True) -> Tile:
    return lift(x) - y


def mul(x: Any, y: Any, sanitize_overflow: bool = True) -> Tile:
    return lift(x) * y


def cast(
    x: Any, dtype: str, fp_downcast_rounding: str | None = None, bitcast: bool = False
) -> Tile:
    target = DType(dtype)
    nearest = oracle.cast(x, dtype, bitcast)
    if fp_downcast_rounding != "rtz" or target.is_float8:
        return nearest
    wide, found = lift(x).exact().astype(np.float64), nearest.value
    if target == "bfloat16":
        one_less = (found.view(np.uint32) - np.uint32(1 << 16)).view(np.float32)
    else:
        one_less = np.nextafter(found, found.dtype.type(0))
    return nearest.like(np.where(np.abs(found) > np.abs(wide), one_less, found))


def logical_and(x: Any, y: Any) -> Tile:
    return lift(x).to("int1") & lift(y).to("int1")


def logical_or(x: Any, y: Any) -> Tile:
    return lift(x).to("int1") | lift(y).to("int1")


def logical_not(x: Any) -> Tile:
    return ~lift(x).to("int1")


class PropagateNan:
    NONE, ALL = "none", "all"


def _propagating(function: Any, nan: Any) -> Any:
    def apply(x: Any, y: Any, propagate_nan: str = PropagateNan.NONE) -> Tile:
        found = function(x, y)
        if propagate_nan == PropagateNan.NONE or not found.dtype.is_float:
            return found
        a, b = promoted(x, y)
        return found.like(nan(a.exact(), b.exact()).astype(found.value.dtype))

    return apply


maximum = _propagating(oracle.maximum, np.maximum)
minimum = _propagating(oracle.minimum, np.minimum)


def clamp(x: Any, low: Any, high: Any, propagate_nan: str = PropagateNan.NONE) -> Tile:
    return minimum(maximum(x, low, propagate_nan), high, propagate_nan)


def fdiv(x: Any, y: Any, ieee_rounding: bool = False, approx: bool = False) -> Tile:
    a, b = promoted(x, y)
    if a.dtype in ("float16", "bfloat16"):
        with np.errstate(all="ignore"):
            return Tile(a.dtype, a.exact().astype(np.float64) / b.exact().astype(np.float64))
    return oracle.div_rn(a, b) if ieee_rounding else divide(a, b)


def softmax(
    x: Tile, dim: int | None = None, keep_dims: bool = False, ieee_rounding: bool = False
) -> Tile:
    axis = 0 if dim is None else dim
    numerator = oracle.names()["exp"](x - oracle_reductions.maximum_of(x, axis, keep_dims=True))
    return fdiv(numerator, oracle_reductions.sum(numerator, axis, keep_dims=True), ieee_rounding)


def _erf(wide: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf, otypes=[np.float64])(wide)


erf = oracle._smooth(_erf, lambda x: 1.13 * np.ones_like(x))
rsqrt = oracle._smooth(lambda x: 1 / np.sqrt(x), lambda x: 0.5 * np.abs(x) ** -1.5)


def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> tuple[Tile, Tile]:
    """Cell by cell, counting through the groups column by column."""
    cells = []
    rows, columns, height = (int(lift(x)) for x in (size_i, size_j, size_g))
    for first in range(0, rows, height):
        group = range(first, builtins.min(first + height, rows))
        cells += [(row, column) for column in range(columns) for row in group]
    number = (lift(i) * columns + j).exact().astype(np.int64)
    found = np.array(cells, np.int32)[number]
    return Tile("int32", found[..., 0]), Tile("int32", found[..., 1])


# shapes, reductions and sorts


def broadcast(x: Any, y: Any) -> tuple[Tile, Tile]:
    a, b = lift(x), lift(y)
    shape = np.broadcast_shapes(a.shape, b.shape)
    wide_a, wide_b = (v.moved(lambda value: np.broadcast_to(value, shape)) for v in (a, b))
    return wide_a, wide_b


def squeeze(x: Tile, dim: int) -> Tile:
    return x.moved(lambda v: v.squeeze(dim))


def unsqueeze(x: Tile, dim: int) -> Tile:
    return oracle.expand_dims(x, dim)


def reduce_or(x: Tile, axis: Any, keep_dims: bool = False) -> Tile:
    return oracle_reductions.reduce(x, axis, lambda a, b: a | b, keep_dims)  # type: ignore[no-any-return]


def bitonic_merge(x: Tile, dim: int | None = None, descending: bool = False) -> Tile:
    values = x.exact()
    steps = np.sign(np.diff(values.astype(np.float64)))
    for row in steps.reshape(-1, steps.shape[-1]) if steps.size else ():
        moves = row[row != 0]
        if np.count_nonzero(np.diff(moves)) > 1:
            raise Inexact
    return oracle_reductions.sort(x, descending=descending)


def item(x: Tile) -> Tile:
    return x.moved(lambda v: v.reshape(()))


# descriptors, order, checks


def load_tensor_descriptor(descriptor: Any, offsets: Any) -> Tile:
    return descriptor.load(offsets)  # type: ignore[no-any-return]


def store_tensor_descriptor(descriptor: Any, offsets: Any, value: Any) -> None:
    descriptor.store(offsets, value)


def debug_barrier() -> None:
    pass


def device_assert(condition: Any, msg: str = "", mask: Any = None) -> None:
    if mask is not None:
        condition = logical_or(condition, logical_not(mask))
    assert np.all(lift(condition).exact()), msg


def expect_zero(x: Any, mask: Any) -> Tile:
    device_assert(lift(x) == 0, mask=mask)
    return lift(x)


def static_assert(condition: Any, msg: str = "") -> None:
    assert condition, msg


_FUNCTIONS = (
    cast, add, sub, mul, logical_and, logical_or, logical_not, clamp, fdiv, softmax,
    swizzle2d, broadcast, squeeze, unsqueeze, reduce_or, bitonic_merge, item,
    load_tensor_descriptor, store_tensor_descriptor, debug_barrier, device_assert, expect_zero,
    static_assert, PropagateNan,
)  # fmt: skip


def names() -> dict[str, Any]:
    known: dict[str, Any] = {function.__name__: function for function in _FUNCTIONS}
    known.update(maximum=maximum, minimum=minimum, erf=erf, rsqrt=rsqrt)
    known["view"] = oracle.reshape
    return known


# Python's own functions and operators, which are elementwise in kernels


def _of_tiles(function: Any, plain: Any) -> Any:
    def apply(*operands: Any) -> Any:
        if not any(isinstance(x, Tile) for x in operands):
            return plain(*operands)
        return function(*operands)

    return apply


def both(x: Any, y: Any) -> Any:
    """`x and y`; y is a function, which is not called if x is a scalar that is false."""
    if isinstance(x, Tile) and x.shape:
        return logical_and(x, y())
    if not x:
        return x
    return y() if not isinstance(x, Tile) else logical_and(x, y())


def either(x: Any, y: Any) -> Any:
    if isinstance(x, Tile) and x.shape:
        return logical_or(x, y())
    if x:
        return x
    return y() if not isinstance(x, Tile) else logical_or(x, y())


def negated(x: Any) -> Any:
    return logical_not(x) if isinstance(x, Tile) else not x


def python_names() -> dict[str, Any]:
    """Global names of kernels; those with an underscore replace `and`, `or` and `not`."""
    return {
        "abs": _of_tiles(oracle.absolute, builtins.abs),
        "max": _of_tiles(oracle.maximum, builtins.max),
        "min": _of_tiles(oracle.minimum, builtins.min),
        "_both": both,
        "_either": either,
        "_negated": negated,
    }
