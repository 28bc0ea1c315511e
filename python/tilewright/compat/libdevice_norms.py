"""Lengths of vectors and their reciprocals: functions of libdevice without overflow.

All operands are converted to float64, and scaled by a power of two before they are squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.compat.libdevice import FLOATS, operand
from tilewright.compat.special import double_double as dd
from tilewright.compat.special.double import Double, choose, from_bits
from tilewright.language import math
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.dtypes import float32
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

__all__ = ["hypot", "norm3d", "norm4d", "rhypot", "rnorm3d", "rnorm4d", "rsqrt_rn"]

_INFINITY = float("inf")


def _length(values: Sequence[Any], name: str, is_reciprocal: bool) -> tensor:
    common = list(values)
    for _ in range(2):
        for i in range(1, len(common)):
            common[0], common[i] = promoted(common[0], common[i], f"libdevice.{name}")
    result = _scaled_length(
        [Double(operand(x, FLOATS, name)).call("absf") for x in common], is_reciprocal
    )
    return cast(result.value, common[0].dtype)


def _scaled_length(magnitudes: Sequence[Double], is_reciprocal: bool) -> Double:
    """The length; infinite if a component is, even if another is NaN."""
    greatest = magnitudes[0]
    for x in magnitudes[1:]:
        greatest = choose(x > greatest, x, greatest)
    # The power of two of the greatest; subnormal numbers and zero have the smallest normal one's.
    exponent = math.minimum(math.maximum(greatest.bits() >> 52, 1), 2045)
    power, inverse = from_bits(exponent << 52), from_bits((2046 - exponent) << 52)
    total, is_infinite = _square(magnitudes[0] * inverse), magnitudes[0].equals(_INFINITY)
    for x in magnitudes[1:]:
        square = _square(x * inverse)
        high = dd.two_sum(total.high, square.high)
        total = dd.Sum(high.high, high.low + (total.low + square.low))
        is_infinite = is_infinite | x.equals(_INFINITY)
    root = total.high.call("sqrt")
    if is_reciprocal:
        return choose(is_infinite, 0.0, _reciprocal_root(1.0 / root, total) * inverse)
    return choose(is_infinite, _INFINITY, _root(root, total) * power)


def _root(root: Double, square: dd.Sum) -> Double:
    """A step of Newton's method for the square root; zero stays."""
    rest = root.fma(-root, square.high) + square.low
    return choose(root > 0.0, root + rest / (root * 2.0), root)


def _reciprocal_root(root: Double, square: dd.Sum) -> Double:
    """A step of Newton's method for the reciprocal square root; infinity stays."""
    product = dd.times(dd.two_product(root, root), square.high)
    rest = (1.0 - product.high) - (product.low + root * root * square.low)
    return choose(root < _INFINITY, (root * 0.5).fma(rest, root), root)


def _square(x: Double) -> dd.Sum:
    return dd.two_product(x, x)


@builtin
def hypot(x: Any, y: Any) -> tensor:
    """The length of the vector (x, y)."""
    return _length((x, y), "hypot", False)


@builtin
def rhypot(x: Any, y: Any) -> tensor:
    """The reciprocal of the length of the vector (x, y)."""
    return _length((x, y), "rhypot", True)


@builtin
def norm3d(x: Any, y: Any, z: Any) -> tensor:
    """The length of the vector (x, y, z)."""
    return _length((x, y, z), "norm3d", False)


@builtin
def rnorm3d(x: Any, y: Any, z: Any) -> tensor:
    """The reciprocal of the length of the vector (x, y, z)."""
    return _length((x, y, z), "rnorm3d", True)


@builtin
def norm4d(x: Any, y: Any, z: Any, w: Any) -> tensor:
    """The length of the vector (x, y, z, w)."""
    return _length((x, y, z, w), "norm4d", False)


@builtin
def rnorm4d(x: Any, y: Any, z: Any, w: Any) -> tensor:
    """The reciprocal of the length of the vector (x, y, z, w)."""
    return _length((x, y, z, w), "rnorm4d", True)


@builtin
def rsqrt_rn(x: Any) -> tensor:
    """The reciprocal square root of a float32, rounded to nearest even.

    The float64 result rounds correctly for every float32 (tested for all of them).
    """
    value = operand(x, (float32,), "rsqrt_rn")
    return cast((1.0 / Double(value).call("sqrt")).value, float32)
