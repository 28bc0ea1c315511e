"""Conversions to narrower floats that hardware lacks, composed of those that it has.

Apart from the sign bit, the bit pattern of a float increases with its magnitude. Subtracting one
from it as an integer therefore gives the next float toward zero, whatever the sign.
"""

from __future__ import annotations

from tilewright.language._build import compare, constant, emit, same_shape
from tilewright.language.dtypes import bfloat16, dtype, float32, int8, int16, int32
from tilewright.language.tensor import tensor

_BITS = {8: int8, 16: int16, 32: int32}


def narrow(x: tensor, target: dtype) -> tensor:
    """Rounds to nearest, ties to even."""
    return emit("arith.truncf", [x], type=same_shape(x, target))


def toward_zero(x: tensor, target: dtype) -> tensor:
    """Rounds toward zero; finite values beyond the largest finite value round to it."""
    if x.dtype.is_fp64() and target.is_bf16():
        # Truncating in two steps equals truncating once, and there is no direct conversion.
        x = toward_zero(x, float32)
    nearest = narrow(x, target)
    back = emit("arith.extf", [nearest], type=x.type)
    sizes = [emit("math.absf", [value]) for value in (back, x)]
    too_large = compare(sizes[0], sizes[1], "ogt")
    bits = emit("arith.bitcast", [nearest], type=same_shape(x, _BITS[target.primitive_bitwidth]))
    less = emit("arith.subi", [bits, constant(1, bits.type)])
    if target.is_fp8e4b8() or target.is_fp8e5b16():
        # These types have no negative zero: its bit pattern is NaN.
        is_zero = compare(less, constant(-128, bits.type), "eq")
        less = emit("arith.select", [is_zero, constant(0, bits.type), less])
    chosen = emit("arith.select", [too_large, less, bits])
    return emit("arith.bitcast", [chosen], type=nearest.type)


def double_to_bfloat16(x: tensor) -> tensor:
    """Rounds to nearest in two steps without double rounding.

    The first step rounds to odd: it truncates and sets the last bit if the result is inexact, so
    that the second step, to nearest, can tell on which side of a tie the value was.
    """
    single = toward_zero(x, float32)
    lost = compare(emit("arith.extf", [single], type=x.type), x, "une")
    bits = emit("arith.bitcast", [single], type=same_shape(x, int32))
    sticky = emit("arith.ori", [bits, emit("arith.extui", [lost], type=bits.type)])
    return narrow(emit("arith.bitcast", [sticky], type=single.type), bfloat16)


def with_sticky_bit(x: tensor, digits: int) -> tensor:
    """Rounds an integer to odd, to a number of the same type that has at most `digits` bits.

    A conversion of the result to a float of `digits` bits is exact, and a further conversion to a
    float with at least two bits fewer rounds as the integer itself would be.
    """
    width = x.dtype.int_bitwidth
    dropped = (1 << (width - digits)) - 1
    low = emit("arith.andi", [x, constant(dropped, x.type)])
    carry = emit("arith.addi", [low, constant(dropped, x.type)])  # its upper bit: low is not 0
    odd = emit("arith.andi", [emit("arith.ori", [x, carry]), constant(~dropped, x.type)])
    offset, limit = x, 1 << digits
    if x.dtype.is_int_signed():
        offset, limit = emit("arith.addi", [x, constant(limit, x.type)]), 2 * limit
    fits = compare(offset, constant(limit, x.type), "ult")
    return emit("arith.select", [fits, x, odd])


def to_tf32(x: tensor) -> tensor:
    """Rounds float32 to the ten mantissa bits of TF32, to nearest even; infinities and NaN stay."""
    bits = emit("arith.bitcast", [x], type=same_shape(x, int32))
    number = bits.type
    last = emit("arith.shrui", [bits, constant(13, number)])
    bias = emit("arith.andi", [last, constant(1, number)])
    bias = emit("arith.addi", [bias, constant(0xFFF, number)])
    near = emit("arith.addi", [bits, bias])
    rounded = emit("arith.andi", [near, constant(~0x1FFF, number)])
    exponent = emit("arith.andi", [bits, constant(0x7F800000, number)])
    is_finite = compare(exponent, constant(0x7F800000, number), "ne")
    chosen = emit("arith.select", [is_finite, rounded, bits])
    return emit("arith.bitcast", [chosen], type=x.type)
