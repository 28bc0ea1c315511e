"""The functions of the language in NumPy, on whole tiles, as documented.

execute.py runs a kernel's Python code with these functions in place of the language's, one program
after the other.
"""

from __future__ import annotations

import builtins
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
    Inexact,
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


# memory


def load(
    pointer: Any, mask: Any = None, other: Any = None, boundary_check: Any = (), **padding: Any
) -> Tile:
    if isinstance(pointer, Window):
        return pointer.read(boundary_check, **padding)
    element = DType(pointer.dtype[1:])
    operands = [pointer.value, True if mask is None else lift(mask).value]
    filler = cast(0 if other is None else other, element)
    shape = np.broadcast_shapes(*(np.shape(x) for x in operands), filler.shape)
    pointer = pointer.moved(lambda x: np.broadcast_to(x, shape))
    chosen = np.broadcast_to(operands[1], shape)
    return where(Tile("int1", chosen), state.memory.read(pointer, chosen), filler)


def store(
    pointer: Any, value: Any, mask: Any = None, boundary_check: Any = (), **hints: Any
) -> None:
    if isinstance(pointer, Window):
        return pointer.write(value, boundary_check)
    element = DType(pointer.dtype[1:])
    shape = pointer.shape
    stored = cast(value, element).moved(lambda x: np.broadcast_to(x, shape))
    chosen = np.broadcast_to(True if mask is None else lift(mask).value, shape)
    state.memory.write(pointer, stored, chosen)


class Window:
    """A block pointer, or the place of a tile that a descriptor accesses."""

    def __init__(
        self, base: Tile, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any = ()
    ) -> None:
        self.base, self.block_shape = base, block_shape
        self.shape, self.strides, self.offsets = (
            [int(lift(x).full) for x in values] for values in (shape, strides, offsets)
        )

    def advanced(self, offsets: Any) -> Window:
        moved = [a + int(lift(b).full) for a, b in zip(self.offsets, offsets, strict=True)]
        return Window(self.base, self.shape, self.strides, moved, self.block_shape)

    advance = advanced

    def _places(self, checked: Any) -> tuple[Tile, Tile]:
        indices = np.indices(self.block_shape)
        at = [i + offset for i, offset in zip(indices, self.offsets, strict=True)]
        inside = np.full(self.block_shape, True)
        for dim in checked:
            inside &= (at[dim] >= 0) & (at[dim] < self.shape[dim])
        number = builtins.sum(i * stride for i, stride in zip(at, self.strides, strict=True))
        return self.base + Tile("int64", number), Tile("int1", inside)

    def read(self, checked: Any, padding_option: str = "zero") -> Tile:
        pointers, inside = self._places(checked)
        return load(pointers, inside, np.nan if padding_option == "nan" else 0)

    def write(self, value: Any, checked: Any) -> None:
        pointers, inside = self._places(checked)
        store(pointers, value, inside)


make_block_ptr = Window


def advance(window: Window, offsets: Any) -> Window:
    return window.advanced(offsets)


class make_tensor_descriptor:
    def __init__(
        self, base: Tile, shape: Any, strides: Any, block_shape: Any, padding_option: str = "zero"
    ) -> None:
        self.array, self.block_shape = (base, shape, strides), block_shape
        self.padding = padding_option

    def _at(self, offsets: Any) -> Window:
        return Window(*self.array, offsets, self.block_shape)

    def load(self, offsets: Any) -> Tile:
        return self._at(offsets).read(range(len(self.block_shape)), self.padding)

    def store(self, offsets: Any, value: Any) -> None:
        self._at(offsets).write(value, range(len(self.block_shape)))


def _atomic(function: Any, pointer: Tile, value: Any, mask: Any) -> Tile:
    """Processes elements in order. The real order, which decides the old values, is unspecified."""
    chosen = np.broadcast_to(True if mask is None else lift(mask).value, pointer.shape)
    operand = cast(value, pointer.dtype[1:]).moved(lambda x: np.broadcast_to(x, pointer.shape))
    old = np.zeros(pointer.shape, operand.dtype.stored)
    for index in np.ndindex(pointer.shape):
        if chosen[index]:
            place = pointer.moved(lambda x, index=index: x[index])
            always = np.array(True)
            before = state.memory.read(place, always, atomic=True)
            old[index] = before.value
            with np.errstate(all="ignore"):
                after = before.like(function(before.exact(), operand.exact()[index]))
            state.memory.write(place, after, always, atomic=True)
    return Tile(operand.dtype, old)


def _atomic_function(function: Any) -> Any:
    def apply(pointer: Tile, value: Any, mask: Any = None, **order: Any) -> Tile:
        return _atomic(function, pointer, value, mask)

    return apply


def atomic_cas(pointer: Tile, compare: Any, value: Any, **order: Any) -> Tile:
    always = np.full(pointer.shape, True)
    old = state.memory.read(pointer, always, atomic=True)
    new = where(old == cast(compare, old.dtype), cast(value, old.dtype), old)
    state.memory.write(pointer, new, always, atomic=True)
    return old


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


# reductions and scans


def _along(values: Any, axis: int) -> list[list[Tile]]:
    """For each position along the axis, the slices of the tiles."""
    listed = list(values) if isinstance(values, tuple) else [values]
    length = listed[0].shape[axis]
    return [[v.moved(lambda x, i=i: np.take(x, i, axis)) for v in listed] for i in range(length)]


def reduce(x: Any, axis: Any, combine: Any, keep_dims: bool = False) -> Any:
    rank = len(x[0].shape if isinstance(x, tuple) else x.shape)
    if axis is None:
        x, axis = (tuple(ravel(v) for v in x) if isinstance(x, tuple) else ravel(x)), 0
        kept: Any = tuple(range(rank))
    else:
        axis = kept = axis % rank
    steps = _along(x, axis)
    total = steps[0]
    for step in steps[1:]:
        result = combine(*total, *step)
        total = list(result) if isinstance(result, tuple) else [result]
    if keep_dims:
        total = [v.moved(lambda value: np.expand_dims(value, kept)) for v in total]
    return tuple(total) if isinstance(x, tuple) else total[0]


def histogram(x: Tile, bins: int, mask: Any = None) -> Tile:
    values = x.value.astype(object)
    counted = (values >= 0) & (values < bins)
    if mask is not None:
        counted &= lift(mask).value
    found = values[counted.astype(bool)].astype(np.int64)
    return Tile("int32", np.bincount(found, minlength=bins))


def associative_scan(x: Any, axis: int, combine: Any, reverse: bool = False) -> Any:
    steps = _along(x, axis)
    order = steps[::-1] if reverse else steps
    running = [order[0]]
    for step in order[1:]:
        result = combine(*running[-1], *step)
        running.append(list(result) if isinstance(result, tuple) else [result])
    running = running[::-1] if reverse else running
    results = []
    for parts in zip(*running, strict=True):
        value = np.stack([part.value for part in parts], axis)
        inexact = any(part.error is not None for part in parts)
        errors = [np.broadcast_to(wide_error(part), part.shape) for part in parts]
        results.append(parts[0].like(value, np.stack(errors, axis) if inexact else None))
    return tuple(results) if isinstance(x, tuple) else results[0]


def sort(x: Tile, dim: int | None = None, descending: bool = False) -> Tile:
    """Along the last dimension; NaN counts as the greatest, and -0.0 as less than 0.0."""
    values = x.exact()
    order = np.lexsort((~np.signbit(values) if x.dtype.is_float else values, values))
    if descending:
        order = order[..., ::-1]
    return x.like(np.take_along_axis(values, order, -1))


def topk(x: Tile, k: int, dim: int | None = None, descending: bool = True) -> Tile:
    return sort(x, descending=descending).moved(lambda values: values[..., :k])


def _summand(x: Tile, dtype: str | None) -> Tile:
    if dtype is not None:
        return x.to(dtype)
    if not x.dtype.is_float and x.dtype.bits < 32:
        return x.to("int32" if x.dtype.is_signed else "uint32")
    return x


def _sum_error(x: Tile, total: np.ndarray, axis: Any, keep_dims: bool, dtype: str) -> Any:
    """None if every partial sum is a small integer: then no order of summation rounds."""
    wide = x.value.astype(np.float64)
    size = np.abs(wide).sum(axis, keepdims=keep_dims)
    whole = np.all(wide == np.floor(wide)) and np.all(size < 1 / FLOATS[dtype])
    if x.error is None and whole:
        return None
    count = x.value.size // max(total.size, 1)
    own = np.broadcast_to(wide_error(x), x.shape).sum(axis, keepdims=keep_dims)
    return own + FLOATS[dtype] * (count + 2) * size


def sum(x: Tile, axis: Any = None, keep_dims: bool = False, dtype: str | None = None) -> Tile:
    x = _summand(x, dtype)
    if not x.dtype.is_float:
        with np.errstate(all="ignore"):
            return x.like(x.value.sum(axis, keepdims=keep_dims, dtype=x.dtype.stored))
    adding = DType("float64" if x.dtype == "float64" else "float32")
    with np.errstate(all="ignore"):
        total = x.value.astype(np.float64).sum(axis, keepdims=keep_dims)
        error = _sum_error(x, total, axis, keep_dims, adding)
    return Tile(adding, total, error).to(x.dtype)


def xor_sum(x: Tile, axis: Any = None, keep_dims: bool = False) -> Tile:
    return reduce(x, axis, lambda a, b: a ^ b, keep_dims)


def cumsum(x: Tile, axis: int = 0, reverse: bool = False, dtype: str | None = None) -> Tile:
    x = _summand(x.to("float32") if x.dtype == "bfloat16" else x, dtype)
    return associative_scan(x, axis, lambda a, b: a + b, reverse)


def cumprod(x: Tile, axis: int = 0, reverse: bool = False, dtype: str | None = None) -> Tile:
    x = x.to("float32") if x.dtype == "bfloat16" else x
    x = x if dtype is None else x.to(dtype)
    return associative_scan(x, axis, lambda a, b: a * b, reverse)


def _extreme(x: Tile, axis: Any, keep_dims: bool, indices: bool, greatest: bool) -> Any:
    x = x.to("float32") if x.dtype == "bfloat16" else x
    if not indices:
        if x.dtype.bits < 32:
            x = x.to("float32" if x.dtype.is_float else "int32")
        return reduce(x, axis, maximum if greatest else minimum, keep_dims)
    if x.dtype.is_float and np.isnan(x.exact()).any():
        raise Inexact
    wide = x.exact()
    position = np.expand_dims((np.argmax if greatest else np.argmin)(wide, axis), axis)
    value = np.take_along_axis(wide, position, axis)
    if not keep_dims:
        value, position = value.squeeze(axis), position.squeeze(axis)
    return x.like(value), Tile("int32", position)


def maximum_of(
    x: Tile, axis: Any = None, return_indices: bool = False, keep_dims: bool = False, **ties: Any
) -> Any:
    return _extreme(x, axis, keep_dims, return_indices, True)


def minimum_of(
    x: Tile, axis: Any = None, return_indices: bool = False, keep_dims: bool = False, **ties: Any
) -> Any:
    return _extreme(x, axis, keep_dims, return_indices, False)


def argmax(x: Tile, axis: int, keep_dims: bool = False, **ties: Any) -> Tile:
    return _extreme(x, axis, keep_dims, True, True)[1]


def argmin(x: Tile, axis: int, keep_dims: bool = False, **ties: Any) -> Tile:
    return _extreme(x, axis, keep_dims, True, False)[1]


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
        abs=absolute, max=maximum_of, min=minimum_of,
        floor=_rounding(np.floor), ceil=_rounding(np.ceil),
        exp=_smooth(np.exp, np.exp), exp2=_smooth(np.exp2, lambda x: np.exp2(x)),
        sin=_smooth(np.sin, np.ones_like), cos=_smooth(np.cos, np.ones_like),
        tanh=_smooth(np.tanh, np.ones_like),
        sigmoid=_smooth(lambda x: 1 / (1 + np.exp(-x)), np.ones_like),
        log=_smooth(np.log, lambda x: 1 / x), log2=_smooth(np.log2, lambda x: 2 / x),
        atomic_add=_atomic_function(np.add), atomic_max=_atomic_function(np.maximum),
        atomic_min=_atomic_function(np.minimum), atomic_and=_atomic_function(np.bitwise_and),
        atomic_or=_atomic_function(np.bitwise_or), atomic_xor=_atomic_function(np.bitwise_xor),
        atomic_xchg=_atomic_function(lambda old, new: new),
        multiple_of=hints.multiple_of, max_contiguous=hints.max_contiguous,
        max_constancy=hints.max_constancy, assume=hints.assume, dot_scaled=narrow.dot_scaled,
    )  # fmt: skip
    ints = (f"{u}int{b}" for u in ("", "u") for b in (8, 16, 32, 64))
    for name in ("int1", *FLOATS, *narrow.FORMATS, *ints):
        known[name] = DType(name)
    return known
