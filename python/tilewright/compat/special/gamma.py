"""The gamma function and the logarithm of its absolute value, of float64.

Small arguments are moved to the interval around 2 by gamma(x + 1) = x gamma(x), where a polynomial
is used; large ones go into Stirling's formula, and negative ones into the reflection
gamma(x) gamma(-x) = -pi / (x sin(pi x)). (Abramowitz and Stegun, chapter 6.)
"""

from __future__ import annotations

from tilewright.compat.special import double_double as dd
from tilewright.compat.special.angles import sincospi
from tilewright.compat.special.coefficients import GAMMA, LGAMMA, STIRLING
from tilewright.compat.special.double import Double, choose, polynomial, smaller
from tilewright.language.creation import where

_PI = 3.141592653589793
_CONSTANT = (0.4189385332046727, 1.6728209650585413e-17)  # (log(2 pi) - 1) / 2
_LARGE = 8.0


def _stirling(x: Double, log: dd.Sum) -> dd.Sum:
    """log(gamma(x)) = (x - 1/2) (log(x) - 1) + (log(2 pi) - 1) / 2 + series, for x >= 8."""
    inverse = 1.0 / x
    series = inverse * polynomial(inverse * inverse, STIRLING)
    less_one = dd.two_sum(log.high, x.like(-1.0))
    main = dd.times(dd.Sum(less_one.high, less_one.low + log.low), x - 0.5)
    total = dd.two_sum(main.high, x.like(_CONSTANT[0]))
    return dd.fast_two_sum(total.high, main.low + total.low + _CONSTANT[1] + series)


def _lowered(x: Double, end: float) -> tuple[Double, Double]:
    """Subtracts 1 from numbers below 8 until they are at most `end`.

    Returns:
        The reduced number, and the product of the numbers from it up to x - 1. The
        subtractions are exact.
    """
    factor = x.like(1.0)
    for _ in range(6):
        is_above = x > end
        x = choose(is_above, x - 1.0, x)
        factor = choose(is_above, factor * x, factor)
    return x, factor


# The gamma function


def _near_two(x: Double) -> Double:
    """gamma(x) for -1/2 < x < 8 by the polynomial of x - 2, which is exact here."""
    reduced, factor = _lowered(x, 2.5)
    is_tiny, is_low = x < 0.5, x < 1.5
    t = choose(is_tiny, x, choose(is_low, x - 1.0, reduced - 2.0))
    value = t.fma(polynomial(t, GAMMA), 1.0)
    divisor = choose(is_tiny, x * (x + 1.0), choose(is_low, x, 1.0))
    return value * factor / divisor


def tgamma(x: Double) -> Double:
    """The gamma function: NaN at negative integers, infinite at zeros with their sign."""
    magnitude = x.call("absf")
    is_large = magnitude >= _LARGE
    ordinary = choose(is_large, smaller(magnitude, 400.0), _LARGE)
    power = dd.exp(*_stirling(ordinary, dd.log(ordinary)))
    is_reflected = x <= -0.5
    small = _near_two(choose(is_large, 2.0, choose(is_reflected, magnitude, x)))
    value = choose(is_large, power.value.high + power.value.low, small)
    exponent = where(is_large, power.exponent, 0)
    sine = sincospi(x)[0]
    # The product of x and the sine underflows only where it is not used.
    reflected = -_PI / (x * sine * value)
    result = choose(is_reflected, reflected, value)
    result = dd.scale(result, where(is_reflected, -exponent, exponent))
    is_pole = is_reflected & x.equals(x.call("floor"))
    return choose(is_pole, float("nan"), result)


# Its logarithm


def lgamma(x: Double) -> Double:
    """log |gamma(x)|: infinite at zero and at negative integers."""
    magnitude = x.call("absf")
    is_large, is_reflected = magnitude >= _LARGE, x <= -0.5
    positive = choose(is_reflected, magnitude, x)
    reduced, factor = _lowered(choose(is_large, 2.0, positive), 2.5)
    is_low = positive < 0.5
    # lgamma(x) = lgamma(x + 1) - log |x| below 1/2, and lgamma(x - n) + log(factor) above 5/2.
    near = choose(is_low, reduced + 1.0, reduced)
    below, above = choose(is_low, reduced, near - 1.0), choose(is_low, reduced - 1.0, near - 2.0)
    series = below * above * polynomial(near - 1.5, LGAMMA)
    is_number = (magnitude > 0.0) & (magnitude < float("inf"))
    operand = choose(is_large, magnitude, choose(is_low, magnitude, factor))
    log = dd.log(choose(is_number, operand, 1.0))
    small = dd.two_sum(choose(is_low, -log.high, log.high), series)
    small_low = choose(is_low, -log.low, log.low) + small.low
    large = _stirling(choose(is_large, magnitude, _LARGE), log)
    value = choose(is_large, large.high, small.high + small_low)
    return _special_logarithms(x, magnitude, choose(is_reflected, _reflected(x, value), value))


def _reflected(x: Double, value: Double) -> Double:
    """lgamma of a negative number from that of its absolute value."""
    product = x.call("absf") * sincospi(x)[0].call("absf")
    return (_PI / product).call("log") - value


def _special_logarithms(x: Double, magnitude: Double, value: Double) -> Double:
    # The logarithm of a large number overflows to NaN in sums of two numbers.
    is_infinite = x.equals(0.0) | magnitude.equals(float("inf")) | value.is_nan()
    is_infinite = is_infinite | ((x < 0.0) & x.equals(x.call("floor")))
    return choose(x.is_nan(), x, choose(is_infinite, float("inf"), value))
