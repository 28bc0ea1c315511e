"""pow and exp10 of float64, with logarithms of about 68 bits, and cube roots."""

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


def cbrt(x: Double) -> Double:
    """The cube root: a power and a step of Newton's method; subnormal numbers are scaled."""
    magnitude = x.call("absf")
    is_small = magnitude < 2.0**-1000
    number = choose(is_small, magnitude * 2.0**54, magnitude)
    root = (number.call("log2") / 3.0).call("exp2")
    square = root * root
    root = root - square.fma(root, -number) / (square * 3.0)
    root = choose(is_small, root * 2.0**-18, root).copysign(x)
    is_number = (magnitude > 0.0) & (magnitude < float("inf"))
    return choose(is_number, root, x)


def rcbrt(x: Double) -> Double:
    """The reciprocal of the cube root, by a step of Newton's method on the root's reciprocal."""
    start = 1.0 / cbrt(x)
    is_ordinary = (start.call("absf") < float("inf")) & (start.call("absf") > 0.0)
    y = choose(is_ordinary, start, 1.0)
    # x y^3 - 1, from a product that is less than an ulp away from 1. y is scaled by 2^-k and x by
    # 2^3k without rounding, because a subnormal x has too few bits for its product's error.
    is_small = x.call("absf") < 2.0**-900
    scaled = choose(is_small, x * 2.0**150, x)
    root = choose(is_small, y * 2.0**-50, y)
    cube = dd.times(dd.two_product(root, root), root)
    excess = dd.times(cube, scaled)
    error = (excess.high - 1.0) + excess.low
    return choose(is_ordinary, (y * error).fma(-1 / 3, y), start)
