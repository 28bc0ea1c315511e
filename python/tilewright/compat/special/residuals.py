"""The sign of the rounding error of a float64 operation: of the exact result less the rounded one.

Operands are scaled to numbers near 1, so that nothing under- or overflows; their exponents are
integers. Each function requires finite operands, a divisor that is not zero, and a finite result
rounded to nearest, which may be subnormal. It returns a number with the sign.
"""

from __future__ import annotations

from typing import NamedTuple

from tilewright.compat.special import double_double as dd
from tilewright.compat.special.double import Double, choose, from_bits
from tilewright.language import math
from tilewright.language.creation import where
from tilewright.language.tensor import tensor

_MANTISSA, _BIAS = 52, 1023


class Parts(NamedTuple):
    """A number as fraction * 2^exponent: 1 <= |fraction| < 2, or zero and a large exponent."""

    fraction: Double
    exponent: tensor


def split(x: Double) -> Parts:
    is_small = x.call("absf") < 2.0**-1022
    bits = choose(is_small, x * 2.0**64, x).bits()
    field = (bits >> _MANTISSA) & 0x7FF
    ones = bits - ((field - _BIAS) << _MANTISSA)
    is_zero = x.equals(0.0)
    exponent = field - _BIAS - where(is_small, 64, 0)
    return Parts(choose(is_zero, x, from_bits(ones)), where(is_zero, -(1 << 20), exponent))


def _scaled(x: Parts, exponent: tensor, limit: int) -> Double:
    """x / 2^exponent; beyond 2^limit only its sign is right."""
    power = math.minimum(math.maximum(x.exponent - exponent, -limit), limit)
    return x.fraction * dd.power_of_two(power)


def of_sum(a: Double, b: Double, rounded: Double) -> Double:
    """Of a + b: the error itself. No step overflows (Boldo, Graillat and Muller, 2017)."""
    is_ordered = a.call("absf") >= b.call("absf")
    greater, less = choose(is_ordered, a, b), choose(is_ordered, b, a)
    return less - (rounded - greater)


def of_product(a: Double, b: Double, rounded: Double) -> Double:
    """Of a * b."""
    first, second, result = split(a), split(b), split(rounded)
    scaled = _scaled(result, first.exponent + second.exponent, 1000)
    return first.fraction.fma(second.fraction, -scaled)


def of_quotient(a: Double, b: Double, rounded: Double) -> Double:
    """Of a / b."""
    first, second, result = split(a), split(b), split(rounded)
    scaled = _scaled(result, first.exponent - second.exponent, 1000)
    rest = (-scaled).fma(second.fraction, first.fraction)
    return choose(b < 0.0, -rest, rest)


def of_root(x: Double, rounded: Double) -> Double:
    """Of sqrt(x), for positive numbers."""
    operand, result = split(x), split(rounded)
    half = operand.exponent >> 1
    root = _scaled(result, half, 1000)
    return (-root).fma(root, _scaled(operand, half * 2, 1000))


def of_fma(a: Double, b: Double, c: Double, rounded: Double) -> Double:
    """Of a * b + c, by the algorithm of Boldo and Muller (2011).

    If one of the product and c is 2^200 times the other, only the sign of the lesser matters.
    """
    first, second, third, result = split(a), split(b), split(c), split(rounded)
    exponent = first.exponent + second.exponent
    u = dd.two_product(first.fraction, second.fraction)
    addend, scaled = _scaled(third, exponent, 250), _scaled(result, exponent, 1000)
    alpha = dd.two_sum(addend, u.low)
    beta = dd.two_sum(u.high, alpha.high)
    middle = ((beta.high - scaled) + beta.low) + alpha.low
    product = first.fraction.fma(second.fraction, -scaled)
    below = choose(product.equals(0.0), c, product)
    distance = third.exponent - exponent
    is_product_zero = a.equals(0.0) | b.equals(0.0)
    sign = choose(distance > 200, u.high, choose(distance < -200, below, middle))
    return choose(is_product_zero, 0.0, sign)
