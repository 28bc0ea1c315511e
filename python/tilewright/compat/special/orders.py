"""Bessel functions of any order n, of float64: recurrences over the order.

Y is computed upward from orders 0 and 1, as is J for x >= n. For J of x < n, where that loses all
digits, Miller's algorithm goes downward from an order at which J is negligible, and divides by
J0 + 2 J2 + 2 J4 + ... = 1. All elements of a tile take as many steps as the one that needs most.
"""

from __future__ import annotations

from typing import Any

from tilewright import jit
from tilewright.compat.libdevice import FLOATS, operand
from tilewright.compat.special import bessel
from tilewright.compat.special.double import Double, choose
from tilewright.language import math
from tilewright.language._build import constant, same_shape, to_tensor
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constant_bool, constexpr
from tilewright.language.creation import where
from tilewright.language.dtypes import float64, int32, int64
from tilewright.language.extrema import max as largest
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor

# Below it J_n(x) is (x / 2)^n / n! with a relative error below 2^-54.
_SMALL = constexpr(1e-8)
_BIG = 2.0**500


# What the loops below are made of


@builtin
def _operands(n: Any, x: Any) -> tuple[tensor, tensor]:
    """The order, as int64 and at least 0, and the argument, as float64, in one shape."""
    order, value = operand(n, (int32,), "jn and yn"), operand(x, FLOATS, "jn and yn")
    first, second = broadcast_all(math.maximum(cast(order, int64), 0), cast(value, float64))
    return first, second


@builtin
def _result(n: Any, x: Any, value: Any) -> tensor:
    """The result in the type of the given argument: NaN for negative orders."""
    is_negative, found = broadcast_all(to_tensor(n) < 0, value)
    result = choose(is_negative, float("nan"), Double(found))
    return cast(result.value, to_tensor(x).dtype)


@builtin
def _most(steps: Any, is_needed: Any) -> tensor:
    """The largest of the elements' numbers of steps."""
    needed = where(is_needed, steps, 0)
    return largest(needed) if needed.type.is_block() else needed


@builtin
def _first(x: Any, second: Any) -> tuple[tensor, tensor]:
    """The functions of orders 0 and 1: J, or Y if `second`."""
    number = Double(x)
    if constant_bool(second, "second"):
        return bessel.y0(number).value, bessel.y1(number).value
    return bessel.j0(number).value, bessel.j1(number).value


def _recurrence(k: tensor, inverse: Double, current: Double, other: Double) -> Double:
    """2 k / x f_k - f_(k+1), which is f_(k-1); or with f_(k-1), which is f_(k+1)."""
    _, factor = broadcast_all(inverse.value, cast(k, float64) * constant(2.0, float64))
    return (inverse * Double(factor)).fma(current, -other)


@builtin
def _above(k: Any, inverse: Any, current: Any, previous: Any) -> tensor:
    """The function of order k + 1; minus infinity stays."""
    now = Double(current)
    following = _recurrence(k, Double(inverse), now, Double(previous))
    return choose(now.equals(-float("inf")), now, following).value


@builtin
def _below(
    k: Any, inverse: Any, current: Any, following: Any, total: Any
) -> tuple[tensor, tensor, tensor, tensor]:
    """One step down to order k - 1.

    Returns:
        The functions of orders k - 1 and k, the sum of those of even orders, and the factor by
        which all of them were scaled.
    """
    now = Double(current)
    below = _recurrence(k, Double(inverse), now, Double(following))
    factor = choose(below.call("absf") > _BIG, 1 / _BIG, 1.0)
    _, is_even = broadcast_all(inverse, (k & 1) == 1)
    scaled = below * factor
    summed = Double(total) * factor + choose(is_even, scaled, 0.0)
    return scaled.value, (now * factor).value, summed.value, factor.value


@builtin
def _start(order: Any) -> tensor:
    """An order from which J is negligible for arguments below `order`."""
    root = math.sqrt(cast(order, float64) * constant(40.0, same_shape(order, float64)))
    result: tensor = order + 20 + cast(root, int64)
    return result


# The recurrences


@jit
def _upward(order: Any, x: Any, count: Any, second: Any) -> Any:
    previous, current = _first(x, second)
    inverse = 1.0 / x
    result = where(order == 0, previous, current)
    for k in range(1, count):
        following = _above(k, inverse, current, previous)
        previous = current
        current = following
        result = where(order == k + 1, current, result)
    return result


@jit
def _downward(order: Any, x: Any, count: Any) -> Any:
    inverse = 1.0 / x
    following = x * 0.0
    current = following + 1.0
    total = following
    result = following
    for step in range(0, count):
        k = count - step
        current, following, total, factor = _below(k, inverse, current, following, total)
        result = where(order == k - 1, current, result * factor)
    # The sum has J0 once, the others twice.
    return result / (total + total - current)


@jit
def _leading_term(order: Any, x: Any, count: Any) -> Any:
    result = x * 0.0 + 1.0
    for k in range(1, count + 1):
        result = where(order >= k, result * (x * 0.5 / k), result)
    return result


@jit
def jn(n: Any, x: Any) -> Any:
    """The Bessel function of the first kind of order n, an int32; NaN for negative n.

    It takes a time proportional to n, and needs one of a tile of orders in all of its elements.
    """
    order, value = _operands(n, x)
    magnitude = math.abs(value)
    is_upward = (order <= 1) | ~(magnitude < order)
    is_tiny = (magnitude < _SMALL) & ~is_upward
    is_downward = ~(is_upward | is_tiny)
    up = _upward(order, where(is_upward, magnitude, 1.0), _most(order, is_upward), False)
    start = _start(order)
    down = _downward(order, where(is_downward, magnitude, 1.0), _most(start, is_downward))
    tiny = _leading_term(order, magnitude, _most(order, is_tiny))
    found = where(is_upward, up, where(is_tiny, tiny, down))
    found = where((value < 0) & (order % 2 == 1), -found, found)
    return _result(n, x, found)


@jit
def yn(n: Any, x: Any) -> Any:
    """The Bessel function of the second kind of order n, an int32; NaN for negative n or x."""
    order, value = _operands(n, x)
    found = _upward(order, value, _most(order, order >= 0), True)
    return _result(n, x, found)
