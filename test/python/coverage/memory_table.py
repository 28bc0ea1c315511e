"""Loads, stores, atomics and matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from number_formats import (
    ALL,
    DTYPES,
    FLOAT8S,
    FLOATS,
    FORMATS,
    INTS,
    Wide,
    wrapped,
)
from operands import Operand, Shape
from operation import MATRICES, Operation, nearest

WORDS = ("int32", "int64", "uint32", "uint64")
TWO = (Operand(), Operand())
MASK = Operand(dtype="int1")
INDEX = Operand(dtype="int32", low=0, high=11)


def two(dtype: str) -> tuple[str, str]:
    return (dtype, dtype)


def masked(t: str, a: Wide, m: Wide) -> Wide:
    return np.where(m, a, 3 if t != "int1" else True)


def masked_zero(t: str, a: Wide, m: Wide) -> Wide:
    return np.where(m, a, np.zeros_like(a))


def moved(row: int, column: int) -> Callable[..., Any]:
    """The tile of the same size at a row and a column; zeros are outside of the array."""

    def reference(t: str, a: Wide) -> Wide:
        found = np.zeros_like(a)
        rows, columns = a.shape
        for i in range(rows):
            for j in range(columns):
                if 0 <= i + row < rows and 0 <= j + column < columns:
                    found[i, j] = a[i + row, j + column]
        return found

    return reference


LOADS = [
    Operation("tl.load", "tl.load(a_ptr + at)", ALL, lambda t, a: a, skips=DTYPES),
    Operation("tl.load", "tl.load(a_ptr + at, mask=b, other=3)", (*INTS, *FLOATS, *FLOAT8S), masked,
              operands=(Operand(), MASK), skips=DTYPES),
    Operation("tl.load", "tl.load(a_ptr + at, mask=b, other=0)", ALL, masked_zero,
              operands=(Operand(), MASK), skips=DTYPES),
    Operation("tl.load", "tl.load(a_ptr + b)", ALL, lambda t, a, b: a.ravel()[b.astype(int)],
              operands=(Operand(), INDEX), skips=DTYPES),
    Operation("tl.load", "tl.load(a_ptr + 7)", ALL, lambda t, a: a.ravel()[7], skips=DTYPES),
    Operation("tl.store", "tl.load(a_ptr + at)", ALL, lambda t, a, b, m: np.where(m, b, a),
              operands=(Operand(), Operand(), MASK), before="tl.store(a_ptr + at, b, mask=c)",
              skips=DTYPES),
    Operation("tl.store", "tl.load(a_ptr + 5)", ALL, lambda t, a, b: b.ravel()[3], operands=TWO,
              before="tl.store(a_ptr + 5, tl.load(b_ptr + 3))", skips=DTYPES),
    Operation("tl.make_block_ptr", "tl.load(tl.make_block_ptr(a_ptr, {shape}, ({N}, 1), (1, -2), "
              "{shape}, (1, 0)), boundary_check=(0, 1), padding_option='zero')", ALL,
              moved(1, -2), shapes=MATRICES,
              skips=DTYPES),
    Operation("tl.advance", "tl.load(tl.advance(tl.make_block_ptr(a_ptr, {shape}, ({N}, 1), (0, 0),"
              " {shape}, (1, 0)), (1, 0)), boundary_check=(0,))", ALL,
              moved(1, 0), shapes=MATRICES, skips=DTYPES),
]  # fmt: skip
DESCRIBED = "d = tl.make_tensor_descriptor(a_ptr, {shape}, ({N}, 1), {shape})"
DESCRIPTORS = [
    Operation("tl.make_tensor_descriptor", "d.load([1, -2])", ALL,
              moved(1, -2), shapes=MATRICES,
              before=DESCRIBED, skips=DTYPES),
    Operation("tl.load_tensor_descriptor", "tl.load_tensor_descriptor(d, [1, 0])", ALL,
              moved(1, 0), shapes=MATRICES, before=DESCRIBED,
              skips=DTYPES),
    Operation("tl.store_tensor_descriptor", "tl.load(a_ptr + at)", ALL,
              lambda t, a, b: np.concatenate([a[:1], b[:-1]]), shapes=MATRICES, operands=TWO,
              before=DESCRIBED + "\ntl.store_tensor_descriptor(d, [1, 0], b)", skips=DTYPES),
]  # fmt: skip


def atomic(
    name: str, takes: tuple[str, ...], function: Callable[..., Any], **rest: Any
) -> Operation:
    """The previous values, and the memory afterwards."""

    def reference(t: str, a: Wide, b: Wide) -> tuple[Wide, Wide]:
        return a, function(t, a, b)

    options = {"bound": nearest, **rest}
    return Operation(
        f"tl.{name}", f"tl.{name}(a_ptr + at, b), tl.load(a_ptr + at)", takes, reference, two,
        (Operand(), Operand(like=0)), **options,
    )  # fmt: skip


def by_bits(greatest: bool) -> Callable[..., Any]:
    """Floats as their bits are ordered: -0.0 is less than 0.0."""

    def reference(t: str, a: Wide, b: Wide) -> Wide:
        if t not in FORMATS:
            return np.maximum(a, b) if greatest else np.minimum(a, b)
        less = (a < b) | ((a == b) & np.signbit(a) & ~np.signbit(b))
        return np.where(less == greatest, b, a)

    return reference


FINITE = (Operand(low=-100, high=100), Operand(low=-100, high=100, like=0))
HALVES, SINGLE = ("fp16", "bf16"), ("fp32", "fp64")


def exchanged(t: str, a: Wide, b: Wide, c: Wide) -> tuple[Wide, Wide]:
    return a, np.where(a == b, c, a)


ATOMICS = [
    atomic("atomic_add", ("fp16", "bf16", "fp64"), lambda t, a, b: a + b, skips=("fp32", *WORDS)),
    atomic("atomic_add", ("fp32",), lambda t, a, b: a + b, flushes=True, skips=DTYPES),
    atomic("atomic_add", WORDS, lambda t, a, b: wrapped(a + b, t), skips=DTYPES),
    atomic("atomic_xchg", (*SINGLE, *WORDS), lambda t, a, b: b),
    atomic("atomic_and", WORDS, lambda t, a, b: a & b),
    atomic("atomic_or", WORDS, lambda t, a, b: a | b),
    atomic("atomic_xor", WORDS, lambda t, a, b: a ^ b),
    Operation("tl.atomic_max", "tl.atomic_max(a_ptr + at, b), tl.load(a_ptr + at)",
              (*HALVES, *SINGLE, *WORDS), lambda t, a, b: (a, by_bits(True)(t, a, b)), two,
              FINITE),
    Operation("tl.atomic_min", "tl.atomic_min(a_ptr + at, b), tl.load(a_ptr + at)",
              (*HALVES, *SINGLE, *WORDS), lambda t, a, b: (a, by_bits(False)(t, a, b)), two,
              FINITE),
    Operation("tl.atomic_cas", "tl.atomic_cas(a_ptr + at, b, c), tl.load(a_ptr + at)",
              ("int16", "uint16", *WORDS), exchanged, two,
              (Operand(), Operand(like=0), Operand()), shapes=((128,), (16, 32), (4, 16)),
              skips=FLOATS),
]  # fmt: skip

PRODUCTS: tuple[Shape, ...] = ((16, 32, 16), (32, 16, 64), (5, 12, 7))


def left(shape: Shape) -> Shape:
    return shape[:2]


def right(shape: Shape) -> Shape:
    return shape[1:]


def dot_type(dtype: str) -> str:
    return {"int8": "int32", "uint8": "int32", "fp64": "fp64"}.get(dtype, "fp32")


def product_bound(dtype: str, gpu: bool) -> float:
    """In ulps of the sum of absolute values; tensor cores keep few bits of float8 products."""
    return 0.0 if dtype == "int32" else 2.0**11 if gpu and dtype == "fp32" else 8.0


def sizes(t: str, a: Wide, b: Wide) -> Any:
    return None if t in INTS else np.abs(a) @ np.abs(b)


OPERANDS = (Operand(low=-4, high=4, shape=left), Operand(low=-4, high=4, shape=right))
DOTS = [
    Operation("tl.dot", "tl.dot(a, b, input_precision='ieee')",
              ("int8", "fp16", "bf16", "fp32", *FLOAT8S), lambda t, a, b: a @ b, dot_type, OPERANDS,
              product_bound, sizes, PRODUCTS, skips=DTYPES),
    Operation("tl.dot", "tl.dot(a, b, out_dtype=tl.float64)", ("fp64",), lambda t, a, b: a @ b,
              dot_type, OPERANDS, product_bound, sizes, PRODUCTS, skips=DTYPES),
]  # fmt: skip

OPERATIONS = [*LOADS, *DESCRIPTORS, *ATOMICS, *DOTS]
