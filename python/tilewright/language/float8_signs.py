"""Operations that only change or compare float8 numbers, and so never round.

As arithmetic, in float32 with a conversion back, they would make infinity the greatest number. In
float8e4b8 and float8e5b16 the bits 0x80 are NaN, and there is no negative zero.
"""

from __future__ import annotations

from tilewright.language._build import compare, emit
from tilewright.language.casts import convert, reinterpret
from tilewright.language.dtypes import float32, uint8
from tilewright.language.tensor import tensor

_SIGN = 0x80


def _without_negative_zero(x: tensor) -> bool:
    return x.dtype.is_fp8e4b8() or x.dtype.is_fp8e5b16()


def negative(x: tensor) -> tensor:
    """`-x`."""
    bits = reinterpret(x, uint8)
    changed = bits ^ _SIGN
    if _without_negative_zero(x):
        changed = emit("arith.select", [(bits & (_SIGN - 1)) == 0, bits, changed])
    return reinterpret(changed, x.dtype)


def magnitude(x: tensor) -> tensor:
    """The absolute value."""
    bits = reinterpret(x, uint8)
    changed = bits & (_SIGN - 1)
    if _without_negative_zero(x):
        changed = emit("arith.select", [bits == _SIGN, bits, changed])
    return reinterpret(changed, x.dtype)


def extremum(a: tensor, b: tensor, greater: bool, propagate: bool) -> tensor:
    """The greater or the smaller of two numbers; if only one is NaN, it is the result only if
    `propagate`."""
    wide_a, wide_b = convert(a, float32), convert(b, float32)
    first = compare(wide_a, wide_b, "ogt" if greater else "olt")
    nan = wide_a if propagate else wide_b
    return emit("arith.select", [first | compare(nan, nan, "une"), a, b])
