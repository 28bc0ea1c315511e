"""Reductions, scans and sorts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from number_formats import (
    ALL,
    BITS_ONLY,
    BOOL,
    DTYPES,
    FLOAT8S,
    FLOATS,
    FORMATS,
    INTS,
    SIGNED,
    Wide,
    bits,
    rounded,
)
from operands import Operand, Shape
from operation import MATRICES, Bound, Operation

ROWS: tuple[Shape, ...] = ((128,), (16, 32), (5, 12))
SUMMED = Operand(low=-10, high=10)
Axis = int | None


def sum_type(dtype: str) -> str:
    if dtype in FORMATS or bits(dtype) >= 32:
        return dtype
    return "int32" if dtype in SIGNED else "uint32"


def extremum_type(dtype: str) -> str:
    if dtype in FORMATS:
        return dtype if bits(dtype) >= 32 else "fp32"
    return dtype if bits(dtype) >= 32 else "int32"


def indexed_type(dtype: str) -> tuple[str, str]:
    return ("fp32" if dtype == "bf16" else dtype, "int32")


def index_type(dtype: str) -> str:
    return "int32"


def whole(a: Wide) -> Wide:
    """Bools as integers."""
    return a.astype(object) if a.dtype == bool else a


def reduced(function: Callable[..., Any], axis: Axis, keep: bool = False) -> Callable[..., Any]:
    def reference(t: str, a: Wide) -> Wide:
        return function(whole(a), axis=axis, keepdims=keep)

    return reference


def positions(greatest: bool, axis: Axis) -> Callable[..., Any]:
    """The first of the greatest or smallest elements; NaN counts only if all are NaN."""

    def one(line: Wide) -> int:
        best = 0
        for i, x in enumerate(line):
            is_better = x > line[best] if greatest else x < line[best]
            if is_better or (line[best] != line[best] and x == x):
                best = i
        return best

    def reference(t: str, a: Wide) -> Wide:
        a = whole(a)
        return np.asarray(one(a.ravel()) if axis is None else np.apply_along_axis(one, axis, a))

    return reference


def with_value(function: Callable[..., Any], greatest: bool, axis: Axis) -> Callable[..., Any]:
    def reference(t: str, a: Wide) -> tuple[Wide, Wide]:
        return function(whole(a), axis=axis), positions(greatest, axis)(t, a)

    return reference


def within(ulps: float) -> Bound:
    """A bound for floats; integers are exact."""
    return lambda dtype, gpu: ulps if dtype in FORMATS else 0.0


def sums(axis: Axis, written: str, keep: bool = False) -> Operation:
    rest = ", keep_dims=True" if keep else ""

    def sizes(t: str, a: Wide) -> Any:
        return np.abs(a).sum(axis=axis, keepdims=keep) if t in FORMATS else None

    return Operation(
        "tl.sum", f"tl.sum(a, {written}{rest})", ALL, reduced(np.sum, axis, keep), sum_type,
        (SUMMED,), within(2.0), sizes, ROWS if axis in (-1, None) else MATRICES, skips=BITS_ONLY,
    )  # fmt: skip


def extrema(name: str, axis: Axis, written: str, takes: tuple[str, ...] = ALL) -> list[Operation]:
    greatest = name == "max"
    function = np.fmax.reduce if greatest else np.fmin.reduce
    shapes = ROWS if axis in (-1, None) else MATRICES
    plain = Operation(
        f"tl.{name}", f"tl.{name}(a, {written})", takes, reduced(function, axis), extremum_type,
        shapes=shapes, signed_zeros=False, skips=BITS_ONLY,
    )  # fmt: skip
    pair = Operation(
        f"tl.{name} with indices", f"tl.{name}(a, {written}, return_indices=True)", takes,
        with_value(function, greatest, axis), indexed_type, shapes=shapes, signed_zeros=False,
    )  # fmt: skip
    index = Operation(
        f"tl.arg{name}", f"tl.arg{name}(a, {written})", takes, positions(greatest, axis),
        index_type, shapes=shapes,
    )  # fmt: skip
    return [plain, pair, index]


def bitwise(name: str, function: np.ufunc, axis: Axis, written: str) -> Operation:
    def reference(t: str, a: Wide) -> Wide:
        return function.reduce(a, axis=axis)

    return Operation(
        f"tl.{name}", f"tl.{name}(a, {written})", (*BOOL, *INTS), reference,
        shapes=ROWS if axis in (-1, None) else MATRICES,
    )  # fmt: skip


def scan_type(dtype: str) -> str:
    return "fp32" if dtype == "bf16" else sum_type(dtype)


def product_type(dtype: str) -> str:
    return "fp32" if dtype == "bf16" else dtype


def accumulated(function: np.ufunc, axis: int, reverse: bool) -> Callable[..., Any]:
    def reference(t: str, a: Wide) -> Wide:
        a = np.flip(whole(a), axis) if reverse else whole(a)
        found = function.accumulate(a, axis=axis)
        return np.flip(found, axis) if reverse else found

    return reference


def scans(axis: int, written: str, reverse: bool) -> list[Operation]:
    rest = ", reverse=True" if reverse else ""
    shapes = ROWS if axis == -1 else MATRICES
    add, multiply = accumulated(np.add, axis, reverse), accumulated(np.multiply, axis, reverse)
    takes = (*BOOL, *INTS, *FLOATS)

    def sizes(t: str, a: Wide) -> Any:
        return add(t, np.abs(a)) if t in FORMATS else None

    total = Operation(
        "tl.cumsum", f"tl.cumsum(a, {written}{rest})", takes, add, scan_type, (SUMMED,),
        within(16.0), sizes, shapes, skips=(*FLOAT8S, *BITS_ONLY),
    )  # fmt: skip
    product = Operation(
        "tl.cumprod", f"tl.cumprod(a, {written}{rest})", takes, multiply, product_type,
        (Operand(low=0.9, high=1.1),), within(140.0), shapes=shapes, skips=FLOAT8S,
    )  # fmt: skip
    return [total, product]


LAST_NONZERO = """@tilewright.jit
def last_nonzero(x, y):
    return tl.where(y != 0, y, x)
"""
GREATER = """@tilewright.jit
def greater(x, y):
    return tl.where(x > y, x, y)
"""


def last_nonzero(axis: int) -> Callable[..., Any]:
    def line(values: Wide) -> Wide:
        found, seen = values.copy(), values[0]
        for i, x in enumerate(values):
            seen = x if x != 0 else seen
            found[i] = seen
        return found

    return lambda t, a: np.apply_along_axis(line, axis, a)


def order(a: np.longdouble) -> tuple[bool, Any, bool]:
    """NaN is last, and -0.0 before 0.0."""
    return (a != a, 0 if a != a else a, not np.signbit(a) if isinstance(a, np.longdouble) else True)


def in_order(descending: bool, count: int | None = None) -> Callable[..., Any]:
    def line(values: Wide) -> Wide:
        found = sorted(values, key=order, reverse=descending)[:count]
        return np.array(found, values.dtype)

    return lambda t, a: np.apply_along_axis(line, -1, a)


def bitonic(t: str, a: Wide) -> Wide:
    return in_order(False)(t, a)


def softmax(t: str, a: Wide) -> Wide:
    e = np.exp(a - a.max(axis=0))
    return e / e.sum(axis=0)


def counts(t: str, a: Wide) -> Wide:
    return np.array([(whole(a) == k).sum() for k in range(10)], object)


def softmax_type(dtype: str) -> str:
    return "fp64" if dtype == "fp64" else "fp32"


OPERATIONS = [
    *(sums(axis, str(written), keep) for axis, written, keep in (
        (-1, "{last}", False), (0, "0", False), (None, "None", False), (-1, "{last}", True),
    )),
    Operation("tl.sum with dtype", "tl.sum(a, {last}, dtype=tl.float32)", ("fp16", "fp32", *INTS),
              lambda t, a: rounded(a, "fp32").sum(-1) if t in INTS else a.sum(-1),
              lambda t: "fp32", (SUMMED,), within(2.0), lambda t, a: np.abs(a).sum(-1) * 1.0
              if t in FORMATS else np.abs(a).astype(np.longdouble).sum(-1), skips=DTYPES),
    *extrema("max", -1, "{last}"), *extrema("max", 0, "0"), *extrema("max", None, "None"),
    *extrema("min", -1, "{last}"), *extrema("min", 0, "0"), *extrema("min", None, "None"),
    bitwise("xor_sum", np.bitwise_xor, -1, "{last}"), bitwise("xor_sum", np.bitwise_xor, 0, "0"),
    bitwise("reduce_or", np.bitwise_or, -1, "{last}"),
    bitwise("reduce_or", np.bitwise_or, 0, "0"),
    *scans(-1, "{last}", False), *scans(0, "0", False), *scans(-1, "{last}", True),
    Operation("tl.associative_scan", "tl.associative_scan(a, {last}, last_nonzero)", ALL,
              last_nonzero(-1), operands=(Operand(),), helpers=LAST_NONZERO),
    Operation("tl.associative_scan", "tl.associative_scan(a, 0, last_nonzero)", ALL,
              last_nonzero(0), shapes=MATRICES, helpers=LAST_NONZERO),
    Operation("tl.reduce", "tl.reduce(a, {last}, greater)", ALL, reduced(np.max, -1),
              operands=(Operand(low=-100, high=100),), helpers=GREATER, signed_zeros=False),
    Operation("tl.reduce", "tl.reduce(a, 0, greater)", ALL, reduced(np.max, 0), shapes=MATRICES,
              operands=(Operand(low=-100, high=100),), helpers=GREATER, signed_zeros=False),
    Operation("tl.histogram", "tl.histogram(a, 10)", (*BOOL, *INTS), counts, index_type,
              (Operand(low=0, high=12),), shapes=((128,), (64,), (12,))),
    Operation("tl.histogram", "tl.histogram(a, 10)", INTS, counts, index_type,
              shapes=((128,), (64,), (12,)), skips=DTYPES),
    Operation("tl.sort", "tl.sort(a)", ALL, in_order(False)),
    Operation("tl.sort", "tl.sort(a, descending=True)", ALL, in_order(True)),
    Operation("tl.topk", "tl.topk(a, 5)", ALL, in_order(True, 5)),
    Operation("tl.bitonic_merge", "tl.bitonic_merge(tl.sort(a))", ALL, bitonic,
              shapes=((128,), (16, 32), (4, 16))),
    Operation("tl.softmax", "tl.softmax(a)", FLOATS, softmax, softmax_type, (SUMMED,),
              within(32.0), skips=(*FLOAT8S, *BITS_ONLY)),
]  # fmt: skip
