"""Functions of `triton.language.extra.libdevice` on the bits of integers and floats."""

from __future__ import annotations

from typing import Any

import tilewright.language as tl
from tilewright.compat.libdevice import FLOATS, isnan, mul_rn, operand, pair
from tilewright.language import math
from tilewright.language._build import to_tensor
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.dtypes import dtype, float64, int32, int64, uint32, uint64
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

__all__ = [
    "brev", "byte_perm", "clz", "ffs", "hadd", "ilogb", "ldexp", "logb", "mul24", "mulhi",
    "nextafter", "popc", "rcp64h", "rhadd", "sad", "scalbn",
]  # fmt: skip

_INTEGERS = (int32, uint32, int64, uint64)


# Integers


def _unsigned(x: Any, what: str) -> tensor:
    value = operand(x, _INTEGERS, what)
    unsigned = uint32 if value.dtype.primitive_bitwidth == 32 else uint64
    return cast(value, unsigned, bitcast=True)


def _mask(value: tensor, pattern: int) -> tensor:
    """A byte that is repeated over the bits of an integer's type."""
    count = value.dtype.primitive_bitwidth // 8
    return tl.full((), int.from_bytes(bytes([pattern] * count), "little"), value.dtype)


def _count_bits(value: tensor) -> tensor:
    value = value - ((value >> 1) & _mask(value, 0x55))
    value = (value & _mask(value, 0x33)) + ((value >> 2) & _mask(value, 0x33))
    value = (value + (value >> 4)) & _mask(value, 0x0F)
    bits = value.dtype.primitive_bitwidth
    return cast((value * _mask(value, 0x01)) >> (bits - 8), int32)


@builtin
def popc(x: Any) -> tensor:
    """The number of ones in an integer of 32 or 64 bits, as int32."""
    return _count_bits(_unsigned(x, "popc"))


@builtin
def clz(x: Any) -> tensor:
    """The number of zeros above the highest one of an integer, as int32; all bits for 0."""
    value = _unsigned(x, "clz")
    bits = value.dtype.primitive_bitwidth
    shift = 1
    while shift < bits:
        value = value | (value >> shift)
        shift *= 2
    count: tensor = bits - _count_bits(value)
    return count


@builtin
def ffs(x: Any) -> tensor:
    """The position of the lowest one of an integer, counted from 1, as int32; 0 for 0."""
    value = _unsigned(x, "ffs")
    below = _count_bits((value - 1) & ~value)
    return cast(tl.where(value == 0, 0, below + 1), int32)


@builtin
def brev(x: Any) -> tensor:
    """The bits of an integer in reverse order, in its type."""
    given = operand(x, _INTEGERS, "brev")
    value = _unsigned(given, "brev")
    for shift, pattern in ((1, 0x55), (2, 0x33), (4, 0x0F)):
        mask = _mask(value, pattern)
        value = ((value >> shift) & mask) | ((value & mask) << shift)
    bits = value.dtype.primitive_bitwidth
    byte = tl.full((), 255, value.dtype)
    swapped = value & 0
    for position in range(0, bits, 8):
        swapped = swapped | (((value >> position) & byte) << (bits - 8 - position))
    return cast(swapped, given.dtype, bitcast=True)


@builtin
def mulhi(x: Any, y: Any) -> tensor:
    """The upper half of the product of two integers of 32 or 64 bits, in their type."""
    a, b = promoted(to_tensor(x), to_tensor(y), "libdevice.mulhi")
    a, b = operand(a, _INTEGERS, "mulhi"), operand(b, _INTEGERS, "mulhi")
    upper = math.umulhi(a, b)
    if a.dtype.is_int_unsigned():
        return upper
    # A negative operand, read as unsigned, is larger by two to the number of its bits.
    result: tensor = upper - tl.where(a < 0, b, 0) - tl.where(b < 0, a, 0)
    return result


def _words(x: Any, y: Any, what: str) -> tuple[tensor, tensor]:
    """Two operands of int32, or of uint32."""
    a, b = promoted(to_tensor(x), to_tensor(y), f"libdevice.{what}")
    return operand(a, (int32, uint32), what), operand(b, (int32, uint32), what)


@builtin
def mul24(x: Any, y: Any) -> tensor:
    """The low 32 bits of the product of the low 24 bits of two int32 or uint32."""
    a, b = _words(x, y, "mul24")
    # A shift to the right repeats the sign of a signed integer.
    result: tensor = ((a << 8) >> 8) * ((b << 8) >> 8)
    return result


@builtin
def hadd(x: Any, y: Any) -> tensor:
    """The mean of two int32 or uint32, rounded down, without overflow."""
    a, b = _words(x, y, "hadd")
    result: tensor = (a & b) + ((a ^ b) >> 1)
    return result


@builtin
def rhadd(x: Any, y: Any) -> tensor:
    """The mean of two int32 or uint32, rounded up, without overflow."""
    a, b = _words(x, y, "rhadd")
    result: tensor = (a | b) - ((a ^ b) >> 1)
    return result


@builtin
def sad(x: Any, y: Any, z: Any) -> tensor:
    """`|x - y| + z` modulo 2^32, of int32 or uint32 and a uint32, in the type of `x`."""
    a, b = _words(x, y, "sad")
    difference = math.maximum(a, b) - math.minimum(a, b)
    addend = operand(z, (int32, uint32), "sad")
    result: tensor = difference + cast(addend, a.dtype)
    return result


@builtin
def byte_perm(x: Any, y: Any, s: Any) -> tensor:
    """Four of the eight bytes of `x` and `y`, of int32, chosen by the four nibbles of `s`.

    The low three bits of a nibble are the number of a byte; those of `x` are 0 to 3.
    """
    a, b = (cast(cast(operand(v, (int32,), "byte_perm"), uint32), uint64) for v in (x, y))
    low, high = promoted(a, b << 32, "libdevice.byte_perm")
    bytes_, selector = promoted(low | high, cast(operand(s, (int32,), "byte_perm"), uint64), "&")
    result = bytes_ & 0
    for position in range(4):
        number = (selector >> (4 * position)) & 7
        result = result | (((bytes_ >> (number * 8)) & 0xFF) << (8 * position))
    return cast(result, int32)


# Exponents of floats


def _integer(value: tensor) -> dtype:
    return int32 if value.dtype.primitive_bitwidth == 32 else int64


def _shape(value: tensor) -> tuple[int, int]:
    """The bits of the mantissa, and the largest exponent."""
    return (23, 127) if value.dtype.is_fp32() else (52, 1023)


def _power_of_two(exponent: tensor, mantissa: int, largest: int, kind: dtype) -> tensor:
    return cast((exponent + largest) << mantissa, kind, bitcast=True)


def _scaled(value: tensor, exponent: tensor) -> tensor:
    """`value` times a power of two, rounded once, in three steps that do not overflow."""
    mantissa, largest = _shape(value)
    smallest = 1 - largest
    n = cast(exponent, _integer(value))
    # A step down leaves enough bits above the subnormal numbers, so that only the last one rounds.
    down = smallest + mantissa + 1
    for _ in range(2):
        step = tl.where(n > largest, largest, tl.where(n < smallest, down, 0))
        value = mul_rn(value, _power_of_two(cast(step, n.dtype), mantissa, largest, value.dtype))
        n = n - step
    last = tl.minimum(tl.maximum(n, smallest), largest)
    return mul_rn(value, _power_of_two(cast(last, n.dtype), mantissa, largest, value.dtype))


@builtin
def ldexp(x: Any, n: Any) -> tensor:
    """`x` times two to the power of the integer `n`."""
    return _scaled(operand(x, FLOATS, "ldexp"), operand(n, (int32,), "ldexp"))


@builtin
def scalbn(x: Any, n: Any) -> tensor:
    """`x` times two to the power of the integer `n`."""
    return _scaled(operand(x, FLOATS, "scalbn"), operand(n, (int32,), "scalbn"))


def _exponent(value: tensor) -> tensor:
    """The exponent of nonzero numbers, as int32."""
    mantissa, largest = _shape(value)
    magnitude = math.abs(value)
    is_small = magnitude < 2.0 ** (1 - largest)  # a subnormal number
    shift = mantissa + 1
    normal = tl.where(is_small, magnitude * 2.0**shift, magnitude)
    field = cast(normal, _integer(value), bitcast=True) >> mantissa
    return cast(field, int32) - largest - cast(tl.where(is_small, shift, 0), int32)


@builtin
def ilogb(x: Any) -> tensor:
    """The exponent of `x`, as int32: the smallest int32 for zero and NaN, the largest for inf."""
    value = operand(x, FLOATS, "ilogb")
    is_special = (value == 0) | isnan(value)
    found = tl.where(math.abs(value) == float("inf"), 0x7FFFFFFF, _exponent(value))
    return cast(tl.where(is_special, -0x80000000, found), int32)


@builtin
def logb(x: Any) -> tensor:
    """The exponent of `x`, as a float: minus infinity for zero."""
    value = operand(x, FLOATS, "logb")
    magnitude = math.abs(value)
    is_number = magnitude < float("inf")
    found = tl.where(is_number, cast(_exponent(value), value.dtype), magnitude)
    return cast(tl.where(value == 0, -float("inf"), found), value.dtype)


@builtin
def nextafter(x: Any, y: Any) -> tensor:
    """The next number after `x` in the direction of `y`; `y` if they are equal."""
    a, b = pair(x, y, "nextafter")
    integer = _integer(a)
    bits = cast(a, integer, bitcast=True)
    step = tl.where((a < b) == (a > 0), 1, -1)
    moved = cast(bits + cast(step, integer), a.dtype, bitcast=True)
    smallest = cast(tl.full((), 1, integer), a.dtype, bitcast=True)
    moved = tl.where(a == 0, tl.where(b > 0, smallest, -smallest), moved)
    result = tl.where(a == b, b, moved)
    return tl.where(isnan(a) | isnan(b), a + b, result)


@builtin
def rcp64h(x: Any) -> tensor:
    """The reciprocal of a float64 of which only the upper 32 bits count, and are given.

    Subnormal numbers count as zero. NVIDIA's has about 20 correct bits; here all that there is room
    for are correct.
    """
    value = operand(x, (float64,), "rcp64h")
    upper = cast(-1 << 32, int64)
    short = cast(cast(value, int64, bitcast=True) & upper, float64, bitcast=True)
    smallest = cast(2.0**-1022, float64)
    short = tl.where(math.abs(short) < smallest, mul_rn(short, 0.0), short)
    found = math.fdiv(cast(1.0, float64), short)
    found = tl.where(math.abs(found) < smallest, mul_rn(found, 0.0), found)
    return cast(cast(found, int64, bitcast=True) & upper, float64, bitcast=True)
