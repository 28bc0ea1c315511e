"""pow and exp10 of float64, from logarithms with about 68 bits."""

from __future__ import annotations

from tilewright.compat.special import double_double as dd
from tilewright.compat.special.double import Double, choose, clamped

_LN10 = (2.302585092994046, -2.1707562233822494e-16)
_LIMIT = 1500.0  # exp of this and of greater numbers overflows, whatever a factor near 1 does


def exp10(x: Double) -> Double:
    """10 to the power of x; the largest error is below 1 ulp."""
    x = clamped(x, 400.0)
    return _rounded(dd.times(dd.Sum(x.like(_LN10[0]), x.like(_LN10[1])), x))


def _rounded(exponent: dd.Sum) -> Double:
    result = dd.exp(exponent.high, exponent.low)
    return dd.scale(result.value.high + result.value.low, result.exponent)


def pow(x: Double, y: Double) -> Double:
    """x to the power of y, with the special values of C's Annex F."""
    magnitude = x.call("absf")
    result = _positive_power(magnitude, y)
    whole, half = y.equals(y.call("floor")), y * 0.5
    is_odd = whole & ~half.equals(half.call("floor"))
    result = result.copysign(choose(is_odd, x, 1.0))
    # A finite negative number to the power of a fraction. Infinities count as even integers.
    is_number = magnitude < float("inf")
    result = choose((x < 0.0) & is_number & ~whole, float("nan"), result)
    is_one = x.equals(1.0) | y.equals(0.0)
    is_one = is_one | (magnitude.equals(1.0) & y.call("absf").equals(float("inf")))
    return choose(is_one, 1.0, result)


def _positive_power(x: Double, y: Double) -> Double:
    """The power of zero, a positive number, infinity or NaN."""
    is_ordinary = (x > 0.0) & (x < float("inf"))
    log = dd.log(choose(is_ordinary, x, 1.0))
    infinite = choose(x > 1.0, float("inf"), -float("inf"))
    infinite = choose(x.is_nan(), x, infinite)
    high = choose(is_ordinary, log.high, infinite)
    product = dd.times(dd.Sum(high, log.low), y)
    # The low part is NaN if the high one overflows.
    is_small = product.high.call("absf") < _LIMIT
    exponent = dd.Sum(clamped(product.high, _LIMIT), choose(is_small, product.low, 0.0))
    return _rounded(exponent)
