"""Sums of two float64 numbers, with about 106 bits: exact sums and products, exp and log.

The basic operations are those of Knuth and Dekker: the rounding error of a sum or a product is
itself a float64. See Muller et al., Handbook of Floating-Point Arithmetic, chapter 4.
"""

from __future__ import annotations

from typing import NamedTuple

from tilewright.compat.special.coefficients import EXP, LOG
from tilewright.compat.special.double import (
    Double,
    Operand,
    choose,
    from_bits,
    polynomial,
)
from tilewright.language import math
from tilewright.language.tensor import tensor

# ln 2 as a sum of two numbers; n times the first is exact for integers n of up to 11 bits.
_LN2 = (0.6931471805598903, 5.497923018708371e-14)
_LOG2_E = 1.4426950408889634
_THIRD, _FIFTH = (1 / 3, 1.850371707708594e-17), (0.2, -1.1102230246251566e-17)
# The sum with a number below 2^51 rounds it to an integer, which is in the low bits of the sum.
_ROUND = 1.5 * 2.0**52
_ROUND_BITS = 0x4338000000000000
_MANTISSA = 52
_ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # sqrt(1/2)


class Sum(NamedTuple):
    """The sum of two numbers, of which the second is at most about an ulp of the first."""

    high: Double
    low: Double


def fast_two_sum(a: Double, b: Operand) -> Sum:
    """a + b exactly, if |a| >= |b| or a is zero."""
    high = a + b
    return Sum(high, a.like(b) - (high - a))


def two_sum(a: Double, b: Double) -> Sum:
    """a + b exactly, unless it overflows."""
    high = a + b
    part = high - a
    return Sum(high, (a - (high - part)) + (b - part))


def two_product(a: Double, b: Operand) -> Sum:
    """a * b exactly, unless it overflows or the second number underflows."""
    high = a * b
    return Sum(high, a.fma(b, -high))


def product(a: Sum, b: Sum) -> Sum:
    """The product, with a relative error of some 2^-104."""
    high, low = two_product(a.high, b.high)
    return fast_two_sum(high, a.low.fma(b.high, a.high.fma(b.low, low)))


def times(a: Sum, b: Operand) -> Sum:
    """The product with one number."""
    high, low = two_product(a.high, b)
    return Sum(high, a.low.fma(b, low))


class Scaled(NamedTuple):
    """The number value * 2^exponent, which need not be in the range of float64.

    The value is a sum of two numbers; the exponent is an int64.
    """

    value: Sum
    exponent: tensor


def scale(value: Double, exponent: tensor) -> Double:
    """value * 2^exponent with one rounding, for values near 1, also if the result is subnormal."""
    exponent = math.minimum(math.maximum(exponent, -2200), 2200)
    half = exponent >> 1
    return (value * power_of_two(half)) * power_of_two(exponent - half)


def power_of_two(exponent: tensor) -> Double:
    """2^exponent, for exponents of normal numbers; others are clamped."""
    exponent = math.minimum(math.maximum(exponent, -1023), 1024)
    return from_bits((exponent + 1023) << _MANTISSA)


def exp(high: Double, low: Operand = 0.0) -> Scaled:
    """e to the power of a sum of two numbers, with a relative error below 2^-55.

    high = n ln 2 + r with |r| <= ln(2) / 2, and a polynomial in r. Requires |high| < 2^11.
    """
    rounded = high.fma(_LOG2_E, _ROUND)
    n = rounded - _ROUND
    exponent = rounded.bits() - _ROUND_BITS
    exact = n.fma(-_LN2[0], high)
    r, rest = fast_two_sum(exact, n.fma(-_LN2[1], low))
    series = (r * r).fma(polynomial(r, EXP), r.fma(rest, rest))
    one_and_r = fast_two_sum(high.like(1.0), r)
    return Scaled(fast_two_sum(one_and_r.high, one_and_r.low + series), exponent)


def log(x: Double) -> Sum:
    """The natural logarithm of a positive finite number, with a relative error of some 2^-68.

    x = 2^k m with sqrt(1/2) <= m < sqrt(2), and log(m) = 2 artanh(s) with s = (m - 1) / (m + 1).
    """
    is_small = x < 2.0**-1022
    bits = choose(is_small, x * 2.0**54, x).bits()
    k = (bits - _ROOT_HALF_BITS) >> _MANTISSA
    m = from_bits(bits - (k << _MANTISSA))
    # A product of an integer below 2^11 with the first part of ln 2 is exact.
    count = from_bits(k + _ROUND_BITS) - _ROUND - choose(is_small, x.like(54.0), 0.0)
    part = _log_of_mantissa(m)
    high, low = two_sum(count * _LN2[0], part.high)
    return fast_two_sum(high, low + count.fma(_LN2[1], part.low))


def _log_of_mantissa(m: Double) -> Sum:
    """log(m) as 2 artanh(s) = 2 s (1 + s^2 (1/3 + s^2 (1/5 + ...)))."""
    below, above = m - 1.0, two_sum(m, m.like(1.0))
    reciprocal = 1.0 / above.high
    s = below * reciprocal
    remainder = s.fma(-above.high, below) - s * above.low
    ratio = fast_two_sum(s, remainder * reciprocal)
    square = product(ratio, ratio)
    fifth = _plus_constant(_FIFTH, Sum(square.high * polynomial(square.high, LOG), m.like(0.0)))
    third = _plus_constant(_THIRD, product(square, fifth))
    tail = product(ratio, product(square, third))
    total = fast_two_sum(ratio.high, tail.high)
    return Sum(total.high * 2.0, (total.low + (ratio.low + tail.low)) * 2.0)


def _plus_constant(constant: tuple[float, float], x: Sum) -> Sum:
    """The sum of a pair of numbers and a sum that is less."""
    total = fast_two_sum(x.high.like(constant[0]), x.high)
    return Sum(total.high, total.low + (x.low + constant[1]))
