"""Trigonometric and hyperbolic functions of `triton.language.extra.libdevice`, and their like.

Exponentials and logarithms are MLIR's operations. The others are computed in float64 from
these, also for float32 operands: their results are rounded once, which leaves an error of at most
0.51 ulp. Special values are those of C's Annex F. docs/math.md has the errors for float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tilewright.language as tl
from tilewright.compat.libdevice import FLOATS, copysign, fma_rn, isinf, operand, pair
from tilewright.compat.special import powers
from tilewright.compat.special.double import Double
from tilewright.language import math
from tilewright.language._build import emit
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.dtypes import float64
from tilewright.language.tensor import tensor

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh", "expm1",
    "log1p", "log10", "remainder", "sinh", "tan",
]  # fmt: skip

_LN2 = 0.6931471805599453
_PI, _PI_LOW = 3.141592653589793, 1.2246467991473532e-16
_TAN_PI_8, _TAN_3PI_8 = 0.41421356237309503, 2.414213562373095

# (atan(q) / q - 1) / q^2 as a polynomial in q^2, for |q| up to tan(pi/8): the interpolation at
# Chebyshev nodes, which is within 3e-18. The coefficient of the highest power is first.
_ATAN = (
    0.01627194475162406, -0.034558092551413795, 0.04551108126325172, -0.052303478730160745,
    0.058789145444006215, -0.06666423628069258, 0.0769229630497447, -0.09090908751076636,
    0.11111111105106705, -0.14285714285659326, 0.199999999999998, -0.3333333333333333,
)  # fmt: skip


def _operation(name: str, text: str) -> Callable[[Any], tensor]:
    def function(x: Any) -> tensor:
        return emit(f"math.{name}", [operand(x, FLOATS, name)])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text} of float32 or float64 values."
    return builtin(function)


expm1 = _operation("expm1", "`exp(x) - 1`")
log1p = _operation("log1p", "`log(1 + x)`")
log10 = _operation("log10", "The logarithm to base 10")


def _through_double(name: str, function: Callable[[tensor], tensor], text: str) -> Any:
    """The function of float32 and float64 values, which is computed in float64."""

    def wide(x: Any) -> tensor:
        value = operand(x, FLOATS, name)
        return cast(function(cast(value, float64)), value.dtype)

    wide.__name__ = wide.__qualname__ = name
    wide.__doc__ = text
    return builtin(wide)


# Angles


def _arctangent(numerator: tensor, denominator: tensor) -> tuple[tensor, tensor]:
    """The angle, from 0 to pi/2, whose tangent is a quotient of numbers that are not negative.

    The tangent of the difference to 0, pi/4 or pi/2 is at most tan(pi/8).

    Returns:
        The number 0, pi/4 or pi/2, and the difference.
    """
    low = numerator <= denominator * _TAN_PI_8
    middle = numerator <= denominator * _TAN_3PI_8
    top = tl.where(low, numerator, tl.where(middle, numerator - denominator, -denominator))
    bottom = tl.where(low, denominator, tl.where(middle, numerator + denominator, numerator))
    q = top / tl.where(bottom == 0, 1.0, bottom)  # the angle of 0 / 0 is 0
    square = q * q
    series = tl.full((), _ATAN[0], float64)
    for coefficient in _ATAN[1:]:
        series = fma_rn(series, square, tl.full((), coefficient, float64))
    # pi / 2 as a sum of two numbers, times 0, a half or 1. Numbers in `where` would be float32.
    half, quarter = tl.full((), _PI / 2, float64), tl.full((), _PI / 4, float64)
    base = tl.where(low, 0.0, tl.where(middle, quarter, half))
    rest = base * (_PI_LOW / _PI)
    return base, q + fma_rn(q * square, series, rest)


def _atan(x: tensor) -> tensor:
    base, rest = _arctangent(math.abs(x), tl.full((), 1.0, float64))
    return copysign(base + rest, x)


def _asin(x: tensor) -> tensor:
    base, rest = _arctangent(math.abs(x), math.sqrt((1.0 - x) * (1.0 + x)))
    return copysign(base + rest, x)


def _acos(x: tensor) -> tensor:
    base, rest = _arctangent(math.sqrt(1.0 - x), math.sqrt(1.0 + x))
    return 2.0 * (base + rest)


def _tan(x: tensor) -> tensor:
    return math.sin(x) / math.cos(x)


tan = _through_double("tan", _tan, "The tangent of `x` in radians.")
atan = _through_double("atan", _atan, "The arc tangent, from -pi/2 to pi/2.")
asin = _through_double("asin", _asin, "The arc sine, from -pi/2 to pi/2; NaN above 1.")
acos = _through_double("acos", _acos, "The arc cosine, from 0 to pi; NaN above 1.")


@builtin
def atan2(y: Any, x: Any) -> tensor:
    """The angle of the point (x, y), from -pi to pi."""
    first, second = pair(y, x, "atan2")
    a, b = cast(first, float64), cast(second, float64)
    numerator, denominator = math.abs(a), math.abs(b)
    # Infinities are equal, and halves and quarters of large numbers have a finite sum.
    both = isinf(a) & isinf(b)
    scale = tl.where(math.maximum(numerator, denominator) > 2.0**1000, 0.25, 1.0)
    numerator = tl.where(both, 1.0, numerator * cast(scale, float64))
    denominator = tl.where(both, 1.0, denominator * cast(scale, float64))
    base, rest = _arctangent(numerator, denominator)
    is_left = copysign(tl.full((), 1.0, float64), b) < 0
    angle = tl.where(is_left, (_PI - base) + (_PI_LOW - rest), base + rest)
    return cast(copysign(angle, a), first.dtype)


# Hyperbolic functions and their inverses


def _halved_exp(magnitude: tensor) -> tensor:
    """exp(x) / 2 where exp(x) may overflow: the product of two roots."""
    root = math.exp(magnitude * 0.5)
    return (root * 0.5) * root


def _sinh(x: tensor) -> tensor:
    magnitude = math.abs(x)
    less_one = emit("math.expm1", [magnitude])
    small = (less_one + less_one / (less_one + 1.0)) * 0.5
    return copysign(tl.where(magnitude < 22.0, small, _halved_exp(magnitude)), x)


def _cosh(x: tensor) -> tensor:
    magnitude = math.abs(x)
    power = math.exp(magnitude)
    small = power * 0.5 + 0.5 / power
    return tl.where(magnitude < 22.0, small, _halved_exp(magnitude))


def _asinh(x: tensor) -> tensor:
    magnitude = math.abs(x)
    square = magnitude * magnitude
    small = emit("math.log1p", [magnitude + square / (1.0 + math.sqrt(square + 1.0))])
    large = math.log(magnitude) + _LN2
    return copysign(tl.where(magnitude < 2.0**28, small, large), x)


def _acosh(x: tensor) -> tensor:
    above = x - 1.0
    small = emit("math.log1p", [above + math.sqrt(above * (above + 2.0))])
    large = math.log(x) + _LN2
    number = tl.where(x < 2.0**28, small, large)
    return cast(tl.where(x < 1.0, float("nan"), number), float64)


def _atanh(x: tensor) -> tensor:
    magnitude = math.abs(x)
    quotient = (magnitude + magnitude) / (1.0 - magnitude)
    return copysign(0.5 * emit("math.log1p", [quotient]), x)


sinh = _through_double("sinh", _sinh, "The hyperbolic sine.")
cosh = _through_double("cosh", _cosh, "The hyperbolic cosine.")
asinh = _through_double("asinh", _asinh, "The inverse hyperbolic sine.")
acosh = _through_double("acosh", _acosh, "The inverse hyperbolic cosine; NaN below 1.")
atanh = _through_double("atanh", _atanh, "The inverse hyperbolic tangent; NaN above 1.")


# Roots and remainders


cbrt = _through_double("cbrt", lambda x: powers.cbrt(Double(x)).value, "The cube root.")


@builtin
def remainder(x: Any, y: Any) -> tensor:
    """`x - n * y`, exactly, where n is the integer nearest to `x / y`; of two, the even one."""
    a, b = pair(x, y, "remainder")
    magnitude, divisor = math.abs(a), math.abs(b)
    rest = magnitude % (divisor + divisor)
    less = rest - divisor
    less = tl.where(less + less >= divisor, less - divisor, less)
    rest = tl.where(rest + rest > divisor, less, rest)
    # The result has the sign of x, also if it is zero, or the opposite one.
    negative = copysign(tl.full((), 1.0, a.dtype), a) < 0
    return tl.where(negative, -rest, rest)
