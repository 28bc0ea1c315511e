"""Conversions of float8e4b15, which the IR represents as bytes.

The format has a sign, 4 bits of exponent with bias 15 and 3 of mantissa, and neither infinities nor
NaNs. Apart from the sign, its bits are those of a float16 less than 2, without the highest bit of
the exponent and the lowest 7 of the mantissa:

    float16        s 0eeee mmm.......
    float8e4b15    s  eeee mmm

As in Triton, a conversion to it goes through float16, with rounding toward zero, and then rounds to
nearest, ties away from zero, and saturates at 1.75: the code of 1.875 results from no conversion.
NaNs become 1.75 with either sign: hardware's conversion to float16 drops a NaN's sign.
"""

from __future__ import annotations

from tilewright.language._build import constant, emit, same_shape
from tilewright.language.dtypes import float8e4b15, float16, int8, int16
from tilewright.language.tensor import tensor

_LARGEST = 0x3F00  # the bits of 1.75 as float16
_DROPPED = 7


def to_float16(x: tensor) -> tensor:
    """The same values as float16."""
    bits = emit("arith.extui", [tensor(x.handle, int8)], type=same_shape(x, int16))
    magnitude, sign = (bits & 0x7F) << _DROPPED, (bits & 0x80) << 8
    return emit("arith.bitcast", [magnitude | sign], type=same_shape(x, float16))


def from_float16(x: tensor, rounding: str | None) -> tensor:
    """Rounds to nearest, ties away from zero, or toward zero if `rounding` is "rtz"."""
    bits = emit("arith.bitcast", [x], type=same_shape(x, int16))
    magnitude = emit("arith.minsi", [bits & 0x7FFF, constant(_LARGEST, bits.type)])
    if rounding != "rtz":
        magnitude = magnitude + (1 << (_DROPPED - 1))
    code = (magnitude >> _DROPPED) | ((bits >> 8) & 0x80)
    return tensor(emit("arith.trunci", [code], type=same_shape(x, int8)).handle, float8e4b15)
