"""sin and cos of multiples of pi, of float64: the reduction of the argument is exact."""

from __future__ import annotations

from tilewright.compat.special.coefficients import COSPI, SINPI
from tilewright.compat.special.double import Double, choose, polynomial

_PI = (3.141592653589793, 1.2246467991473532e-16)


def sincospi(x: Double) -> tuple[Double, Double]:
    """sin(pi x) and cos(pi x); NaN for infinities.

    x = 2m + q / 2 + f with integers m and q, |q| <= 2 and |f| <= 1/4.
    """
    rest = x - (x * 0.5).call("roundeven") * 2.0
    q = (rest * 2.0).call("roundeven")
    f = q.fma(-0.5, rest)
    square = f * f
    sine = f.fma(_PI[0], f * square.fma(polynomial(square, SINPI), _PI[1]))
    cosine = square.fma(polynomial(square, COSPI), 1.0)
    magnitude = q.call("absf")
    is_odd, is_half_turn = magnitude.equals(1.0), magnitude.equals(2.0)
    # At q = 1 (-1) sin(pi x) is cos(pi f) (-cos(pi f)), and cos(pi x) is -sin(pi f) (sin(pi f)).
    sin = choose(is_odd, choose(q < 0.0, -cosine, cosine), choose(is_half_turn, -sine, sine))
    cos = choose(is_odd, choose(q > 0.0, -sine, sine), choose(is_half_turn, -cosine, cosine))
    # Zeros: sin has the sign of x at integers, cos is positive.
    return choose(sin.equals(0.0), x.like(0.0).copysign(x), sin), cos + 0.0


def sinpi(x: Double) -> Double:
    """sin(pi x)."""
    return sincospi(x)[0]


def cospi(x: Double) -> Double:
    """cos(pi x)."""
    return sincospi(x)[1]
