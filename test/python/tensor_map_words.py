"""Descriptions of tensor maps, encoded as include/tilewright/Runtime/TensorMapParameters.h says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# By RangeOp and DataType.
CONSTANT, ARGUMENT, PROGRAM_ID, MULTIPLY = 0, 1, 2, 6
TYPES = (
    *("i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"),
    *("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15", "fp16", "bf16", "fp32", "fp64"),
)
BYTES = dict.fromkeys(TYPES, 1) | {
    **dict.fromkeys(("i16", "u16", "fp16", "bf16"), 2),
    **dict.fromkeys(("i32", "u32", "fp32"), 4),
    **dict.fromkeys(("i64", "u64", "fp64"), 8),
}
_MOST_RANK = 5


class Map(NamedTuple):
    """A map; extents and strides (one fewer) are steps, the innermost dimension first."""

    extents: Sequence[int]
    strides: Sequence[int]
    box: Sequence[int]
    type: str = "fp32"
    slot: int = 0
    offset: int = -1
    swizzle: int = 0
    nan_fill: bool = False


def step(op: int, lhs: int = 0, rhs: int | None = None, bits: int = 64) -> tuple[int, int, int]:
    """A step; a constant has one value."""
    return op | bits << 8, lhs, lhs if rhs is None and op == CONSTANT else rhs or 0


def encode(steps: Sequence[tuple[int, int, int]], maps: Sequence[Map]) -> list[int]:
    words = [3 * len(steps), *(word for step in steps for word in step)]
    for m in maps:
        words += [TYPES.index(m.type), len(m.extents), m.slot, m.offset, m.swizzle, m.nan_fill]
        strides = (0, *m.strides)
        for i in range(_MOST_RANK):
            inside = i < len(m.extents)
            words += [m.extents[i], strides[i], m.box[i]] if inside else [0, 0, 0]
    return [int(word) for word in words]


def matrix(
    rows: int = 1, columns: int = 2, dtype: str = "fp32", bits: int = 64, **fields: int
) -> list[int]:
    """A map of x[rows, columns], whose extents are these slots, in boxes of 8 rows."""
    size = BYTES[dtype]
    steps = [
        step(ARGUMENT, columns, bits=bits),
        step(ARGUMENT, rows, bits=bits),
        step(CONSTANT, size, bits=bits),
        step(MULTIPLY, 0, 2, bits=bits),
    ]
    box = Map([0, 1], [3], [32 // size, 8], dtype, **fields)
    return encode(steps, [box])
