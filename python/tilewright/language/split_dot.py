"""float32 dots as bfloat16 dots: the precisions "bf16x3" and "bf16x6" of `tl.dot`.

Each operand is split into parts of 8 bits of the fraction, and the products of parts that matter
for the precision are summed, the smallest first. With two parts,

    x = big + small
    a @ b = a.big @ b.big + (a.big @ b.small + a.small @ b.big)

Three parts have the 24 bits of float32; their six products with indices whose sum is at most 2 are
taken.
"""

from __future__ import annotations

import math

from tilewright.language._build import compare, constant, emit, same_shape
from tilewright.language._context import current
from tilewright.language.dtypes import bfloat16, float32
from tilewright.language.tensor import tensor

# The number of parts of each operand.
PARTS = {"bf16x3": 2, "bf16x6": 3}

_LARGEST = (2 - 2.0**-7) * 2.0**127  # of bfloat16


class _Parts:
    """The parts of a tile, the largest first."""

    def __init__(self, x: tensor, count: int) -> None:
        zero, is_finite = constant(0, x.type), _is_finite(x)
        part, rest = emit("arith.select", [is_finite, _within_bfloat16(x), x]), x
        self.parts = [_narrow(part)]
        for _ in range(count - 1):
            difference = emit("arith.subf", [rest, _widen(self.parts[-1])])
            # Otherwise inf - inf would be NaN.
            rest = emit("arith.select", [is_finite, difference, zero])
            self.parts.append(_narrow(rest))
        # The largest part, as a factor of smaller parts: with these, whose signs may differ, an
        # infinity would give infinities of both signs.
        zero = constant(0, self.parts[0].type)
        self.finite = [emit("arith.select", [is_finite, self.parts[0], zero]), *self.parts[1:]]


def split_dot(a: tensor, b: tensor, acc: tensor, count: int) -> tensor:
    """`acc + a @ b` for float32 tiles, by dots of `count` parts of `a` and `b`."""
    left, right = _Parts(a, count), _Parts(b, count)
    small = constant(0, acc.type)
    for place in range(count - 1, 0, -1):
        for i in range(place, -1, -1):
            small = _dot(left.finite[i], right.finite[place - i], small)
    return _dot(left.parts[0], right.parts[0], emit("arith.addf", [small, acc]))


def _is_finite(x: tensor) -> tensor:
    return compare(emit("math.absf", [x]), constant(math.inf, x.type), "olt")


def _within_bfloat16(x: tensor) -> tensor:
    """`x` limited to the largest bfloat16, since numbers that are greater may round to infinity."""
    limited = emit("arith.minnumf", [x, constant(_LARGEST, x.type)])
    return emit("arith.maxnumf", [limited, constant(-_LARGEST, x.type)])


def _narrow(x: tensor) -> tensor:
    return emit("arith.truncf", [x], type=same_shape(x, bfloat16))


def _widen(x: tensor) -> tensor:
    return emit("arith.extf", [x], type=same_shape(x, float32))


def _dot(a: tensor, b: tensor, acc: tensor) -> tensor:
    attrs = {"precision": current().ctx.attr("#tile.precision<ieee>")}
    return emit("tile.dot", [a, b, acc], attrs)
