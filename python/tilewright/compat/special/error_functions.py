"""erfc, erfcx, normcdf and their inverses, of float64.

erfcx(x) = exp(x^2) erfc(x) is a polynomial of (x - 4) / (x + 4) over 1 + 2x, for all x from 0 to
infinity: Shepherd and Laframboise, Mathematics of Computation 36 (1981). The squares in the
exponents have about 106 bits.

The inverses are functions of w = -log(1 - x^2), which is nearly linear in the square of the result:
Giles, "Approximating the erfinv function", GPU Computing Gems (2011). The coefficients are our own.
"""

from __future__ import annotations

from tilewright.compat.special import double_double as dd
from tilewright.compat.special.coefficients import (
    ERFCX,
    ERFINV_HIGH,
    ERFINV_LOW,
    ERFINV_MIDDLE,
)
from tilewright.compat.special.double import (
    Double,
    choose,
    clamped,
    piecewise,
    polynomial,
    smaller,
)

_ROOT_2 = 1.4142135623730951
_ROOT_HALF = (0.7071067811865476, -4.833646656726457e-17)


def _erfcx_of_magnitude(x: Double) -> Double:
    """erfcx of numbers from 0 to infinity."""
    is_large = x > 2.0**60
    # (x - 4) / (x + 4), with a small error where x is small and the polynomial steep.
    t = choose(is_large, 1.0, (x / (x + 4.0)).fma(2.0, -1.0))
    series = polynomial(t, ERFCX)
    # 1 + 2x may overflow.
    return choose(is_large, series * 0.5, series) / choose(is_large, x, x.fma(2.0, 1.0))


def _erfc_of_sum(x: dd.Sum, factor: float) -> Double:
    """`factor` * erfc of a sum of two numbers. Above 28 the result is zero."""
    magnitude = smaller(x.high.call("absf"), 40.0)
    square = dd.two_product(magnitude, magnitude)
    low = (x.high * x.low).fma(2.0, square.low)
    power = dd.exp(-square.high, -low)
    product = (power.value.high + power.value.low) * (_erfcx_of_magnitude(magnitude) * factor)
    tail = dd.scale(product, power.exponent)
    return choose(x.high < 0.0, 2.0 * factor - tail, tail)


def erfc(x: Double) -> Double:
    """1 - erf(x), accurate where it is small."""
    return _erfc_of_sum(dd.Sum(clamped(x, 40.0), x.like(0.0)), 1.0)


def normcdf(x: Double) -> Double:
    """The standard normal distribution function: erfc(-x / sqrt(2)) / 2."""
    root_half = dd.Sum(x.like(_ROOT_HALF[0]), x.like(_ROOT_HALF[1]))
    return _erfc_of_sum(dd.times(root_half, -clamped(x, 60.0)), 0.5)


def erfcx(x: Double) -> Double:
    """exp(x^2) erfc(x): for negative numbers 2 exp(x^2) - erfcx(-x)."""
    magnitude = x.call("absf")
    right = _erfcx_of_magnitude(magnitude)
    square = dd.two_product(smaller(magnitude, 40.0), smaller(magnitude, 40.0))
    power = dd.exp(square.high, square.low)
    doubled = dd.scale((power.value.high + power.value.low) * 2.0, power.exponent)
    return choose(x < 0.0, doubled - right, right)


def _inverse(minus_w: Double, factor: Double) -> Double:
    """The inverse error function of `factor`, where minus_w = log(1 - factor^2)."""
    w = -minus_w
    s = w.call("sqrt")
    is_low, is_middle = w < 6.25, s < 6.0
    v = 1.0 / s
    # Each table's variable is mapped to [-1, 1].
    middle = (v - 17 / 60) * (60 / 7)
    high = (v - 17 / 168) * (168 / 11)
    variable = choose(is_low, w * 0.32 - 1.0, choose(is_middle, middle, high))
    tables = (ERFINV_LOW, ERFINV_MIDDLE, ERFINV_HIGH)
    series = polynomial(variable, piecewise((is_low, is_middle), tables, w))
    return choose(is_low, series, series * s) * factor


def erfinv(x: Double) -> Double:
    """The number whose error function is x; infinite at -1 and 1, NaN beyond."""
    log = ((1.0 - x) * (1.0 + x)).call("log")
    is_end = x.call("absf").equals(1.0)
    return choose(is_end, x.like(float("inf")).copysign(x), _inverse(choose(is_end, 0.0, log), x))


def _erfcinv(x: Double, factor: float) -> Double:
    """`factor` times the inverse of erfc."""
    is_zero, is_two = x.equals(0.0), x.equals(2.0)
    log = choose(is_zero | is_two, 1.0, x * (2.0 - x)).call("log")
    found = _inverse(log, (1.0 - x) * factor)
    end = float("inf") * factor
    return choose(is_zero, end, choose(is_two, -end, found))


def erfcinv(x: Double) -> Double:
    """The number whose complementary error function is x, from 0 to 2; NaN beyond."""
    return _erfcinv(x, 1.0)


def normcdfinv(x: Double) -> Double:
    """The number whose normal distribution function is x, from 0 to 1; NaN beyond."""
    return 0.0 - _erfcinv(x * 2.0, _ROOT_2)
