"""The functions of the language in NumPy, on whole tiles, as documented.

execute.py runs a kernel's Python code with these functions in place of the language's, one program
after the other. Here are those of elements and shapes, and dots; the other modules `oracle_*` have
the rest.
"""

from __future__ import annotations

import types
from typing import Any

import hints
import narrow
import numpy as np
from memory import Memory
from tiles import (
    FLOATS,
    WIDENED,
    DType,
    Tile,
    combined_error,
    lift,
    promoted,
    root,
    rounding,
    wide_error,
)

# Hopper adds products of 8-bit floats with 13 bits below the largest one: docs/differences.md.
FLOAT8_SUMS = 2.0**-13


class Language(types.SimpleNamespace):
    """Replaces `tl` while the oracle runs."""


class State:
    memory: Memory
    program: tuple[int, ...]
    grid: tuple[int, ...]


state = State()


# making tiles


def arange(start: int, end: int) -> Tile:
    return Tile("int32", np.arange(start, end))


def full(shape: Any, value: Any, dtype: str) -> Tile:
    return Tile(
        dtype,
        np.broadcast_to(lift(value).to(dtype).value if isinstance(value, Tile) else value, shape),
    )


def zeros(shape: Any, dtype: str) -> Tile:
    return full(shape, 0, dtype)


def zeros_like(x: Tile) -> Tile:
    return full(x.shape, 0, x.dtype)


def where(condition: Any, x: Any, y: Any) -> Tile:
    pointers = isinstance(x, Tile) and x.dtype.is_pointer
    a, b = (x, y) if pointers else promoted(x, y)
    chosen = lift(condition).to("int1").value
    value = np.where(chosen, a.value, b.value)
    if a.error is None and b.error is None:
        wrapped = a.has_wrapped or b.has_wrapped
        return a.like(value, full=np.where(chosen, a.full, b.full) if wrapped else None)
    return a.like(value, np.where(chosen, wide_error(a), wide_error(b)))


def cast(x: Any, dtype: str, bitcast: bool = False) -> Tile:
    return lift(x).to(dtype, bitcast=bitcast) if isinstance(x, Tile) else Tile(dtype, x)


def program_id(axis: int) -> Tile:
    return Tile("int32", state.program[axis])


def num_programs(axis: int) -> Tile:
    return Tile("int32", state.grid[axis])


# elementwise


def maximum(x: Any, y: Any) -> Tile:
    return _extremum(np.fmax, x, y)


def minimum(x: Any, y: Any) -> Tile:
    return _extremum(np.fmin, x, y)


def _extremum(function: Any, x: Any, y: Any) -> Tile:
    a, b = (v.to("float32") if v.dtype == "bfloat16" else v for v in (lift(x), lift(y)))
    a, b = promoted(a, b)
    if a.dtype in WIDENED:
        return a.like(function(a.value, b.value), full=function(a.full, b.full))
    return a.like(function(a.value, b.value)).propagated(combined_error(a, b), rounds=False)


def absolute(x: Tile) -> Tile:
    return x.like(np.abs(x.value), x.error)


def cdiv(x: Any, y: Any) -> Any:
    return (x + y - 1) // y


def sqrt(x: Tile) -> Tile:
    return root(x)


def sqrt_rn(x: Tile) -> Tile:
    with rounding(correctly=True):
        return root(x)


def div_rn(x: Tile, y: Tile) -> Tile:
    with rounding(correctly=True):
        return x / y


def fma(x: Tile, y: Tile, z: Tile) -> Tile:
    wide = [v.value.astype(np.longdouble) for v in (x, y, z)]
    error = combined_error(x, y, wide[1], wide[0])
    with np.errstate(all="ignore"):
        result = x.like((wide[0] * wide[1] + wide[2]).astype(np.float64))
    # Rounded twice here, so only the last bit may differ from the exact result.
    return result.blurred((0.0 if error is None else error) + wide_error(z))


def umulhi(x: Tile, y: Tile) -> Tile:
    a, b = promoted(x, y)
    mask = (1 << a.dtype.bits) - 1
    product = (a.value.astype(object) & mask) * (b.value.astype(object) & mask) >> a.dtype.bits
    unsigned = np.asarray(product, dtype=object).astype(np.uint64)
    return a.like(unsigned.astype(DType(f"uint{a.dtype.bits}").stored))


def _rounding(function: Any) -> Any:
    return lambda x: x.like(x.decided(function))


def _smooth(function: Any, slope: Any) -> Any:
    """A function that is accurate to a few ulps, with a bound on its slope."""

    def apply(x: Tile) -> Tile:
        wide = x.value.astype(np.float64)
        with np.errstate(all="ignore"):
            value = function(wide)
            reach = np.maximum(
                np.abs(slope(wide - wide_error(x))), np.abs(slope(wide + wide_error(x)))
            )
            return x.like(value).blurred(reach * wide_error(x), ulps=10.0)

    return apply


# shapes


def broadcast_to(x: Tile, *shape: Any) -> Tile:
    sizes = shape[0] if isinstance(shape[0], tuple) else shape
    return x.moved(lambda v: np.broadcast_to(v, sizes))


def expand_dims(x: Tile, axis: int) -> Tile:
    return x.moved(lambda v: np.expand_dims(v, axis))


def reshape(x: Tile, *shape: Any, can_reorder: bool = False) -> Tile:
    sizes = shape[0] if isinstance(shape[0], tuple) else shape
    return x.moved(lambda v: v.reshape(sizes))


def permute(x: Tile, *order: int) -> Tile:
    return x.moved(lambda v: v.transpose(order))


def trans(x: Tile) -> Tile:
    return x.T


def ravel(x: Tile, can_reorder: bool = False) -> Tile:
    return x.moved(lambda v: v.reshape(-1))


def _stack(x: Tile, y: Tile, stack: Any) -> Tile:
    if x.error is None and y.error is None:
        return x.like(stack([x.value, y.value]))
    errors = [np.broadcast_to(wide_error(v), v.shape) for v in (x, y)]
    return x.like(stack([x.value, y.value]), stack(errors))


def join(x: Tile, y: Tile) -> Tile:
    return _stack(x, y, lambda both: np.stack(both, -1))


def cat(x: Tile, y: Tile, can_reorder: bool = False, dim: int = 0) -> Tile:
    return _stack(x, y, lambda values: np.concatenate(values, dim))


def interleave(x: Tile, y: Tile) -> Tile:
    joined = join(x, y)
    return joined.moved(lambda v: v.reshape(*v.shape[:-2], -1))


def split(x: Tile) -> tuple[Tile, Tile]:
    return x.moved(lambda v: v[..., 0]), x.moved(lambda v: v[..., 1])


def flip(x: Tile, dim: int = -1) -> Tile:
    return x.moved(lambda v: np.flip(v, dim))


def gather(x: Tile, index: Tile, axis: int) -> Tile:
    places = index.value.astype(np.int64)
    return x.moved(lambda v: np.take_along_axis(v, places, axis))


# dots


# The error of a float32 operand of a dot, in units of the operand, by `input_precision`.
OPERANDS = {"tf32": 2.0**-10, "tf32x3": 2.0**-20}


def _operand_error(x: Tile, precision: str) -> np.ndarray:
    """What rounding to the bits of tensor cores, or cutting off, changes at most."""
    wide = np.broadcast_to(wide_error(x), x.shape)
    if x.dtype != "float32" or precision not in OPERANDS:
        return wide
    bits = x.value.astype(np.float32).view(np.uint32)
    return wide + np.where(bits & 0x1FFF, np.abs(x.value) * OPERANDS[precision], 0)


def dot(
    a: Tile,
    b: Tile,
    acc: Tile | None = None,
    input_precision: str = "tf32",
    out_dtype: str = "float32",
    **hints: Any,
) -> Tile:
    if not a.dtype.is_float:
        product = np.matmul(a.value.astype(np.int64), b.value.astype(np.int64))
        return Tile("int32", product if acc is None else product + acc.value)
    out = DType("float64" if a.dtype == "float64" else out_dtype)
    wide = [v.value.astype(np.float64) for v in (a, b)]
    with np.errstate(all="ignore"):
        error = [_operand_error(v, input_precision) for v in (a, b)]
    start = np.float64(0) if acc is None else acc.value.astype(np.float64)
    with np.errstate(all="ignore"):
        total = np.matmul(*wide) + start
        size = np.matmul(np.abs(wide[0]), np.abs(wide[1])) + np.abs(start)
        own = np.matmul(np.abs(wide[0]) + error[0], error[1]) + np.matmul(error[0], np.abs(wide[1]))
    adding = "float64" if out == "float64" else "float32"
    unit = FLOAT8_SUMS if a.dtype.is_float8 else FLOATS["float16" if out == "float16" else adding]
    parts = [*wide, start]
    exact = all(v is None or v.error is None for v in (a, b, acc)) and not any(map(np.any, error))
    if exact and all(np.all(p == np.floor(p)) for p in parts) and np.all(size < 1 / unit):
        return Tile(adding, total).to(out)
    depth = a.shape[-1] + 2
    blur = own + unit * depth * size + (0 if acc is None else wide_error(acc))
    return Tile(adding, total, blur).to(out)


def names() -> dict[str, Any]:
    known = dict(globals())
    known.update(
        abs=absolute,
        floor=_rounding(np.floor), ceil=_rounding(np.ceil),
        exp=_smooth(np.exp, np.exp), exp2=_smooth(np.exp2, lambda x: np.exp2(x)),
        sin=_smooth(np.sin, np.ones_like), cos=_smooth(np.cos, np.ones_like),
        tanh=_smooth(np.tanh, np.ones_like),
        sigmoid=_smooth(lambda x: 1 / (1 + np.exp(-x)), np.ones_like),
        log=_smooth(np.log, lambda x: 1 / x), log2=_smooth(np.log2, lambda x: 2 / x),
        multiple_of=hints.multiple_of, max_contiguous=hints.max_contiguous,
        max_constancy=hints.max_constancy, assume=hints.assume, dot_scaled=narrow.dot_scaled,
    )  # fmt: skip
    ints = (f"{u}int{b}" for u in ("", "u") for b in (8, 16, 32, 64))
    for name in ("int1", *FLOATS, *narrow.FORMATS, *ints):
        known[name] = DType(name)
    return known
