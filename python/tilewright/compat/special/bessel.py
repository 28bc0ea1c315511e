"""Bessel functions of orders 0 and 1, of float64.

Below 8 a function is a polynomial times its zeros, so that the result is accurate beside them. From
8 on Hankel's amplitudes P and Q, which are polynomials of 1 / x^2, multiply the sine and cosine:
only the absolute error is small there. (Abramowitz and Stegun, chapter 9.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from tilewright.compat.special import coefficients as table
from tilewright.compat.special import double_double as dd
from tilewright.compat.special.double import Double, choose, polynomial

_TWO_OVER_PI = 0.6366197723675814
_ROOT_PI = 1.772453850905516
_LARGE = 8.0
_INFINITY = float("inf")


_Pair: TypeAlias = tuple[float, float]


class _Order(NamedTuple):
    """The tables of an order. Zeros and squares of zeros are sums of two numbers."""

    j: Sequence[float]
    y_low: Sequence[float]
    y_middle: Sequence[float]
    p: Sequence[float]
    q: Sequence[float]
    j_squares: Sequence[_Pair]  # of zeros; the last two are above 8
    y_zero: _Pair  # the first zero, and its square
    y_square: _Pair
    middle_zeros: Sequence[_Pair]


_ORDERS = (
    _Order(
        table.BESSEL_J0, table.BESSEL_Y0_LOW, table.BESSEL_Y0_MIDDLE, table.BESSEL_P0,
        table.BESSEL_Q0, table.J0_SQUARES, table.Y0_ZEROS[0], table.Y0_SQUARE[0],
        table.Y0_ZEROS[1:4],
    ),
    _Order(
        table.BESSEL_J1, table.BESSEL_Y1_LOW, table.BESSEL_Y1_MIDDLE, table.BESSEL_P1,
        table.BESSEL_Q1, table.J1_SQUARES, table.Y1_ZEROS[0], table.Y1_SQUARE[0],
        table.Y1_ZEROS[0:3],
    ),
)  # fmt: skip


def _beside(x: Double, zero: _Pair) -> Double:
    """The difference to a zero."""
    return (x - zero[0]) - zero[1]


def _square_beside(x: Double, square: _Pair) -> Double:
    """The difference of x^2 to the square of a zero; the multiply-add is exact beside it."""
    return x.fma(x, -square[0]) - square[1]


def _small_j(x: Double, order: int) -> Double:
    """J for 0 <= x < 8."""
    tables = _ORDERS[order]
    result = polynomial((x * x).fma(1 / 32, -1.0), tables.j)
    for square in tables.j_squares[:2]:
        result = result * _square_beside(x, square)
    for square in tables.j_squares[2:]:
        result = result * x.fma(x, -square[0])
    return result * x if order else result


def _large(x: Double, order: int, second: bool) -> Double:
    """J, or Y if `second`, for x >= 8.

    The phase of order 0 is x - pi / 4, that of order 1 less by pi / 2.
    """
    tables = _ORDERS[order]
    inverse = 1.0 / x
    variable = (inverse * inverse).fma(128.0, -1.0)
    p, q = polynomial(variable, tables.p), polynomial(variable, tables.q) * inverse
    sin, cos = x.call("sin"), x.call("cos")
    # The cosine and sine of the phase, times the root of 2.
    phase = (cos + sin, sin - cos) if order == 0 else (sin - cos, -(sin + cos))
    total = p * phase[1] + q * phase[0] if second else p * phase[0] - q * phase[1]
    return choose(x.equals(_INFINITY), 0.0, total / (x.call("sqrt") * _ROOT_PI))


def _j(x: Double, order: int) -> Double:
    magnitude = x.call("absf")
    is_large = magnitude >= _LARGE
    small = _small_j(choose(is_large, 0.0, magnitude), order)
    large = _large(choose(is_large, magnitude, _LARGE), order, False)
    result = choose(is_large, large, small)
    return choose(x < 0.0, -result, result) if order else result


def j0(x: Double) -> Double:
    """The Bessel function of the first kind of order 0."""
    return _j(x, 0)


def j1(x: Double) -> Double:
    """The Bessel function of the first kind of order 1."""
    return choose(x.equals(0.0), x, _j(x, 1))


def _logarithm(x: Double, zero: _Pair) -> Double:
    """log(x / zero), accurate also where it is nearly 0."""
    is_tiny = x < 2.0**-900  # where the quotient may be subnormal
    quotient = choose(is_tiny, 1.0, x) / zero[0]
    rest = quotient.fma(-zero[0], x) - quotient * zero[1]
    near = rest / (quotient * zero[0])
    logarithm = choose(is_tiny, x, quotient).call("log")
    return logarithm + choose(is_tiny, -math.log(zero[0]), near)


def _low_y(x: Double, order: int) -> Double:
    """Y for 0 < x < 3: 2 / pi log(x / z) J(x), and a polynomial that is zero at z."""
    tables = _ORDERS[order]
    series = polynomial((x * x).fma(2 / 9, -1.0), tables.y_low)
    series = series * _square_beside(x, tables.y_square)
    series = series / x if order else series
    return _logarithm(x, tables.y_zero) * _TWO_OVER_PI * _small_j(x, order) + series


def _middle_y(x: Double, order: int) -> Double:
    """Y for 3 <= x < 8."""
    tables = _ORDERS[order]
    result = polynomial(x.fma(0.4, -2.2), tables.y_middle)
    for zero in tables.middle_zeros:
        result = result * _beside(x, zero)
    return result


def _y(x: Double, order: int) -> Double:
    is_low, is_large = x < 3.0, x >= _LARGE
    is_positive = x > 0.0
    low = _low_y(choose(is_low & is_positive, x, 1.0), order)
    middle = _middle_y(choose(is_low | is_large, 4.0, x), order)
    large = _large(choose(is_large, x, _LARGE), order, True)
    result = choose(is_low, low, choose(is_large, large, middle))
    result = choose(x < 0.0, float("nan"), result)
    return choose(x.equals(0.0), -_INFINITY, result)


def y0(x: Double) -> Double:
    """The Bessel function of the second kind of order 0; minus infinity at 0, NaN below."""
    return _y(x, 0)


def y1(x: Double) -> Double:
    """The Bessel function of the second kind of order 1; minus infinity at 0, NaN below."""
    return _y(x, 1)


# Modified Bessel functions


def _power_series(order: int) -> list[float]:
    """1 / (k! (k + order)!), the highest power first: the next is below 2^-56 of I(8)."""
    found, value = [], 1.0
    for k in range(24):
        found.append(value)
        value /= (k + 1) * (k + 1 + order)
    return found[::-1]


def _i(x: Double, order: int) -> Double:
    magnitude = x.call("absf")
    is_large = magnitude >= _LARGE
    half = choose(is_large, 0.0, magnitude) * 0.5
    small = polynomial(half * half, _power_series(order))
    large = choose(is_large, choose(magnitude > 800.0, 800.0, magnitude), _LARGE)
    tables = (table.BESSEL_I0, table.BESSEL_I1)
    series = polynomial((1.0 / large).fma(16.0, -1.0), tables[order]) / large.call("sqrt")
    power = dd.exp(large)
    tail = dd.scale((power.value.high + power.value.low) * series, power.exponent)
    result = choose(is_large, tail, small * half if order else small)
    return choose(x.is_nan(), x, result)


def cyl_bessel_i0(x: Double) -> Double:
    """The modified Bessel function of the first kind of order 0."""
    return _i(x, 0)


def cyl_bessel_i1(x: Double) -> Double:
    """The modified Bessel function of the first kind of order 1."""
    return _i(x, 1).copysign(x)
