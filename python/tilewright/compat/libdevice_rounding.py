"""Arithmetic of libdevice that rounds down, up or toward zero: exact on every target.

A result is first rounded to nearest. If the sign of its error shows that it lies on the wrong side,
the neighbor is taken. The names end in `_rd`, `_ru` and `_rz`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.compat.libdevice import FLOATS, add_rn, div_rn, fma_rn, mul_rn, operand, sqrt_rn
from tilewright.compat.special import double_double as dd
from tilewright.compat.special import residuals
from tilewright.compat.special.double import Double, choose
from tilewright.language import math
from tilewright.language._build import constant, emit
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.creation import where
from tilewright.language.dtypes import float32, int32, int64
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

__all__ = [
    "add_rd", "add_ru", "add_rz", "div_rd", "div_ru", "div_rz", "fma_rd", "fma_ru", "fma_rz",
    "mul_rd", "mul_ru", "mul_rz", "rcp_rd", "rcp_ru", "rcp_rz", "sqrt_rd", "sqrt_ru", "sqrt_rz",
    "sub_rd", "sub_ru", "sub_rz",
]  # fmt: skip

_INFINITY = float("inf")


# The step to a neighbor


def _neighbor(x: tensor, up: bool) -> tensor:
    """The next number above, or below, a number that is not NaN."""
    integer = int32 if x.dtype is float32 else int64
    bits = cast(x, integer, bitcast=True)
    step = where((x > 0) if up else (x < 0), bits + 1, bits - 1)
    smallest = cast(constant(1, bits.type), x.dtype, bitcast=True)
    return where(x == 0, smallest if up else -smallest, cast(step, x.dtype, bitcast=True))


def directed(nearest: tensor, is_above: tensor, is_below: tensor, mode: str) -> tensor:
    """The result rounded in a mode.

    Args:
        nearest: The result rounded to nearest.
        is_above, is_below: Whether the exact result is above or below it.
        mode: "rd", "ru" or "rz".
    """
    up, down = _neighbor(nearest, True), _neighbor(nearest, False)
    if mode == "ru":
        return where(is_above, up, nearest)
    if mode == "rd":
        return where(is_below, down, nearest)
    inward = where(is_below & (nearest > 0), down, nearest)
    return where(is_above & (nearest < 0), up, inward)


def round_residual(
    nearest: tensor, residual: Double, operands: Sequence[Double], mode: str
) -> tensor:
    """A float64 result; infinity from finite operands is beyond the exact result."""
    is_finite = nearest == nearest
    for x in operands:
        is_finite = is_finite & (x.call("absf") < _INFINITY)
    overflows = is_finite & (math.abs(nearest) == _INFINITY)
    is_ordinary = is_finite & (math.abs(nearest) < _INFINITY)
    above = (is_ordinary & (residual > 0.0)) | (overflows & (nearest < 0))
    below = (is_ordinary & (residual < 0.0)) | (overflows & (nearest > 0))
    return directed(nearest, above, below, mode)


def round_sum(nearest: tensor, exact: dd.Sum, mode: str) -> tensor:
    """A float32 result, whose exact value is a sum of two float64 numbers."""
    wide = Double(nearest)
    is_same = exact.high.equals(wide)
    above = (exact.high > wide) | (is_same & (exact.low > 0.0))
    below = (exact.high < wide) | (is_same & (exact.low < 0.0))
    return directed(nearest, above, below, mode)


def _signed_zero(result: tensor, opposite: tensor, mode: str) -> tensor:
    """An exact zero sum of unequal numbers is -0 if rounded down.

    `opposite` is the sum of the negated operands, rounded to nearest; it is not zero where a
    positive sum was rounded down to zero.
    """
    is_zero = (result == 0) & (opposite == 0)
    return where(is_zero, -opposite, result) if mode == "rd" else result


# The operations


def _add(a: tensor, b: tensor, mode: str) -> tensor:
    nearest = add_rn(a, b)
    x, y = Double(a), Double(b)
    if a.dtype is float32:
        result = round_sum(nearest, dd.two_sum(x, y), mode)
    else:
        residual = residuals.of_sum(x, y, Double(nearest))
        result = round_residual(nearest, residual, (x, y), mode)
    return _signed_zero(result, add_rn(-a, -b), mode)


def _sub(a: tensor, b: tensor, mode: str) -> tensor:
    return _add(a, -b, mode)


def _mul(a: tensor, b: tensor, mode: str) -> tensor:
    nearest = mul_rn(a, b)
    x, y = Double(a), Double(b)
    if a.dtype is float32:
        return round_sum(nearest, dd.Sum(x * y, x.like(0.0)), mode)
    residual = residuals.of_product(x, y, Double(nearest))
    return round_residual(nearest, residual, (x, y), mode)


def _div(a: tensor, b: tensor, mode: str) -> tensor:
    nearest = div_rn(a, b)
    x, y, rounded = Double(a), Double(b), Double(nearest)
    if a.dtype is float32:
        # The product is exact. It is NaN, and no neighbor is taken, if an operand is infinite or
        # the divisor is zero; it is infinite, with the right sign, if the quotient overflows.
        product = rounded * y
        residual = choose(y < 0.0, product - x, x - product)
        return directed(nearest, residual > 0.0, residual < 0.0, mode)
    residual = choose(y.equals(0.0), 0.0, residuals.of_quotient(x, y, rounded))
    # A quotient by zero is exactly infinite.
    divisor = choose(y.equals(0.0), _INFINITY, y)
    return round_residual(nearest, residual, (x, divisor), mode)


def _rcp(a: tensor, mode: str) -> tensor:
    return _div(constant(1.0, a.type), a, mode)


def _sqrt(a: tensor, mode: str) -> tensor:
    nearest = sqrt_rn(a)
    x, rounded = Double(a), Double(nearest)
    if a.dtype is float32:
        residual = x - rounded * rounded  # the product is exact
    else:
        residual = choose(x.equals(0.0), 0.0, residuals.of_root(x, rounded))
    return round_residual(nearest, residual, (x,), mode)


def _fma(a: tensor, b: tensor, c: tensor, mode: str) -> tensor:
    nearest = fma_rn(a, b, c)
    x, y, z = Double(a), Double(b), Double(c)
    if a.dtype is float32:
        result = round_sum(nearest, dd.two_sum(x * y, z), mode)
    else:
        residual = residuals.of_fma(x, y, z, Double(nearest))
        result = round_residual(nearest, residual, (x, y, z), mode)
    opposite = emit("math.fma", [-a, b, -c])
    return _signed_zero(result, opposite, mode)


# Their names


def _operands(values: Sequence[Any], name: str) -> list[tensor]:
    """The operands in their common type and shape, float32 or float64."""
    common = list(values)
    for _ in range(2):
        for i in range(1, len(common)):
            common[0], common[i] = promoted(common[0], common[i], f"libdevice.{name}")
    return [operand(x, FLOATS, name) for x in common]


def _modes(
    base: str, operation: Callable[..., tensor], count: int, text: str
) -> list[Callable[..., tensor]]:
    """The functions of an operation that round down, up and toward zero."""
    names = {"rd": "down", "ru": "up", "rz": "toward zero"}
    return [_rounded(f"{base}_{mode}", operation, count, text, names[mode]) for mode in names]


def _rounded(
    name: str, operation: Callable[..., tensor], count: int, text: str, direction: str
) -> Callable[..., tensor]:
    mode = name[-2:]

    def unary(x: Any) -> tensor:
        return operation(*_operands((x,), name), mode)

    def binary(x: Any, y: Any) -> tensor:
        return operation(*_operands((x, y), name), mode)

    def ternary(x: Any, y: Any, z: Any) -> tensor:
        return operation(*_operands((x, y, z), name), mode)

    by_count: dict[int, Callable[..., tensor]] = {1: unary, 2: binary, 3: ternary}
    function = by_count[count]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, rounded {direction}, of float32 or float64."
    return builtin(function)


add_rd, add_ru, add_rz = _modes("add", _add, 2, "The sum")
sub_rd, sub_ru, sub_rz = _modes("sub", _sub, 2, "The difference")
mul_rd, mul_ru, mul_rz = _modes("mul", _mul, 2, "The product")
div_rd, div_ru, div_rz = _modes("div", _div, 2, "The quotient")
fma_rd, fma_ru, fma_rz = _modes("fma", _fma, 3, "`x * y + z`")
rcp_rd, rcp_ru, rcp_rz = _modes("rcp", _rcp, 1, "The reciprocal")
sqrt_rd, sqrt_ru, sqrt_rz = _modes("sqrt", _sqrt, 1, "The square root")
