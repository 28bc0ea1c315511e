"""Elementwise math functions, available as `tl.exp` and as `tl.math.exp`."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from tilewright.errors import ConstantError, TypeMismatchError
from tilewright.language import float8_signs
from tilewright.language._build import emit, emit_pair, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import convert
from tilewright.language.constexpr import constant_bool, constexpr_value
from tilewright.language.dtypes import float32
from tilewright.language.promotion import promoted
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor


class PropagateNan(Enum):
    """The result of maximum, minimum and clamp if one operand is NaN."""

    NONE = 0  # the other operand
    ALL = 0xFFFF  # NaN


Family.MATH.add("PropagateNan", PropagateNan)


def _wide_float(x: Any, what: str) -> tensor:
    value = to_tensor(x)
    if not (value.dtype.is_fp32() or value.dtype.is_fp64()):
        raise TypeMismatchError(
            f"{what} takes float32 or float64, found {value.type}",
            hint="cast the operand with .to(tl.float32)",
        )
    return value


def _unary(name: str, op: str, text: str, shown: str) -> Callable[[Any], tensor]:
    """A function of one operation; `shown` is what its example gives."""

    def function(x: Any) -> tensor:
        value = _wide_float(x, name)
        return emit(op, [value])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{text}, elementwise.

    Args:
        x: A scalar or tile of float32 or float64.

    Returns:
        A value of the same type.

    Raises:
        TypeMismatchError: `x` has another dtype.

    Example:
        >>> tl.{name}(tl.load(q + tl.arange(1, 5)))
        {shown}
    """
    return Family.MATH(member(function))


exp = _unary("exp", "math.exp", "e to the power of `x`", "[1.6487 2.7183 4.4817 7.3891]")
exp2 = _unary("exp2", "math.exp2", "2 to the power of `x`", "[1.4142 2.     2.8284 4.    ]")
log = _unary("log", "math.log", "The natural logarithm", "[-0.6931  0.      0.4055  0.6931]")
log2 = _unary("log2", "math.log2", "The logarithm to base 2", "[-1.     0.     0.585  1.   ]")
sin = _unary("sin", "math.sin", "The sine of `x` in radians", "[0.4794 0.8415 0.9975 0.9093]")
cos = _unary("cos", "math.cos", "The cosine of `x` in radians", "[ 0.8776  0.5403  0.0707 -0.4161]")
tanh = _unary("tanh", "math.tanh", "The hyperbolic tangent", "[0.4621 0.7616 0.9051 0.964 ]")
erf = _unary("erf", "math.erf", "The error function", "[0.5205 0.8427 0.9661 0.9953]")
sqrt = _unary("sqrt", "math.sqrt", "The square root", "[0.7071 1.     1.2247 1.4142]")
rsqrt = _unary(
    "rsqrt", "math.rsqrt", "The reciprocal of the square root", "[1.4142 1.     0.8165 0.7071]"
)
floor = _unary(
    "floor", "math.floor", "The largest integer not greater than `x`, as a float", "[0. 1. 1. 2.]"
)
ceil = _unary(
    "ceil", "math.ceil", "The smallest integer not less than `x`, as a float", "[1. 1. 2. 2.]"
)


def _precise() -> dict[str, Any]:
    # Targets may approximate division and square root unless the operation has this attribute.
    return {"tile.precise": current().ctx.unit_attr()}


@Family.MATH
@member
def sqrt_rn(x: Any) -> tensor:
    """The square root of float32 values, rounded to nearest even on every target.

    Raises:
        TypeMismatchError: `x` is not float32.

    Example:
        >>> tl.sqrt_rn(tl.load(q + 4))
        1.4142
    """
    value = to_tensor(x)
    if not value.dtype.is_fp32():
        raise TypeMismatchError(f"sqrt_rn takes float32, found {value.type}")
    return emit("math.sqrt", [value], _precise())


@Family.MATH
def div_rn(x: Any, y: Any) -> tensor:
    """The quotient of float32 values, rounded to nearest even on every target.

    Raises:
        TypeMismatchError: The operands' common type is not float32.

    Example:
        >>> tl.div_rn(tl.load(q + 2), tl.load(q + 6))
        0.3333
    """
    a, b = promoted(to_tensor(x), to_tensor(y), "div_rn")
    if not a.dtype.is_fp32():
        raise TypeMismatchError(f"div_rn takes float32, found {a.type}")
    return emit("arith.divf", [a, b], _precise())


@Family.MATH
def fdiv(x: Any, y: Any, ieee_rounding: Any = False, approx: Any = False) -> tensor:
    """The quotient of two floats in their common type, rounded to nearest if `ieee_rounding`.

    `approx` permits an error of 2 ulp for float32; the quotient is the one without it.

    Raises:
        TypeMismatchError: An operand is not a float, or with `approx` not a float32.
        ConstantError: Both `ieee_rounding` and `approx` are set.

    Example:
        >>> tl.fdiv(tl.load(q + 2), 4.0)
        0.25
    """
    lhs, rhs = to_tensor(x), to_tensor(y)
    for value in (lhs, rhs):
        if not value.dtype.is_floating():
            raise TypeMismatchError(f"fdiv takes floats, found {value.type}", hint="use /")
    a, b = promoted(lhs, rhs, "fdiv")
    precise = constant_bool(ieee_rounding, "ieee_rounding")
    if constant_bool(approx, "approx"):
        if precise:
            raise ConstantError("fdiv: approx and ieee_rounding cannot both be True")
        if not a.dtype.is_fp32():
            raise TypeMismatchError(
                f"fdiv: approx division requires float32 operands, found {a.type}"
            )
    return emit("arith.divf", [a, b], _precise() if precise else None)


@Family.MATH
@member
def abs(x: Any) -> tensor:
    """The absolute value of integers or floats; the smallest signed integer is unchanged.

    Example:
        >>> tl.abs(tl.arange(0, 4) - 2)
        [2 1 0 1]
    """
    value = to_tensor(x)
    if value.dtype.is_fp8():
        return float8_signs.magnitude(value)
    if value.dtype.is_floating():
        return emit("math.absf", [value])
    if value.dtype.is_int_signed():
        return emit("math.absi", [value])
    if value.dtype.is_int_unsigned():
        return value
    raise TypeMismatchError(f"abs takes integers or floats, found {value.type}")


@Family.MATH
def fma(x: Any, y: Any, z: Any) -> tensor:
    """Fused multiply-add: `x * y + z` with a single rounding, in the operands' common type.

    Raises:
        TypeMismatchError: The common type is not a float.

    Example:
        >>> x = tl.load(q + tl.arange(0, 4))
        >>> tl.fma(x, x, 1.0)
        [1.   1.25 2.   3.25]
    """
    a, b = promoted(to_tensor(x), to_tensor(y), "fma")
    c, a = promoted(to_tensor(z), a, "fma")
    c, b = promoted(c, b, "fma")
    if not a.dtype.is_floating():
        raise TypeMismatchError(f"fma takes floats, found {a.type}")
    return emit("math.fma", [a, b, c])


@Family.MATH
def umulhi(x: Any, y: Any) -> tensor:
    """The upper half of the unsigned product of two integers of 32 or 64 bits.

    Raises:
        TypeMismatchError: The operands are not integers of 32 or 64 bits.

    Example:
        >>> tl.umulhi(tl.full((), 0x80000000, tl.uint32), 6)
        3
    """
    a, b = promoted(to_tensor(x), to_tensor(y), "umulhi")
    if not a.dtype.is_int() or a.dtype.int_bitwidth < 32:
        raise TypeMismatchError(f"umulhi takes integers of 32 or 64 bits, found {a.type}")
    return emit_pair("arith.mului_extended", [a, b])[1]


def _propagates(mode: Any) -> bool:
    mode = constexpr_value(mode)
    if not isinstance(mode, PropagateNan):
        raise ConstantError(f"propagate_nan must be a tl.PropagateNan, found {mode!r}")
    return mode is PropagateNan.ALL


def _extremum(a: tensor, b: tensor, which: str, propagate: bool) -> tensor:
    if a.dtype.is_fp8():
        return float8_signs.extremum(a, b, which == "max", propagate)
    if a.dtype.is_floating():
        # arith.maximumf propagates NaN, arith.maxnumf does not.
        op = f"arith.{which}imumf" if propagate else f"arith.{which}numf"
    else:
        op = f"arith.{which}{'si' if a.dtype.is_int_signed() else 'ui'}"
    return emit(op, [a, b])


def _widened(x: Any) -> tensor:
    """As in Triton, bfloat16 is computed in float32, and a Python number has its own type."""
    value = to_tensor(x)
    return convert(value, float32) if value.dtype.is_bf16() else value


@Family.MATH
def maximum(x: Any, y: Any, propagate_nan: Any = PropagateNan.NONE) -> tensor:
    """The elementwise maximum of two values.

    Args:
        x, y: Values or numbers. A Python number has its own type (float32, int32) and bfloat16
            is converted to float32, so `maximum(float16, 0.0)` is float32.
        propagate_nan: Whether the result is NaN if only one operand is NaN.

    Raises:
        TypeMismatchError: The operands have no common type.
        ConstantError: `propagate_nan` is not a `tl.PropagateNan`.

    Example:
        >>> tl.maximum(tl.arange(0, 4), 2)
        [2 2 2 3]
    """
    a, b = promoted(_widened(x), _widened(y), "maximum")
    return _extremum(a, b, "max", _propagates(propagate_nan))


@Family.MATH
def minimum(x: Any, y: Any, propagate_nan: Any = PropagateNan.NONE) -> tensor:
    """The elementwise minimum of two values; see `maximum`.

    Example:
        >>> tl.minimum(tl.arange(0, 4), 2)
        [0 1 2 2]
    """
    a, b = promoted(_widened(x), _widened(y), "minimum")
    return _extremum(a, b, "min", _propagates(propagate_nan))


@Family.MATH
def clamp(x: Any, min: Any, max: Any, propagate_nan: Any = PropagateNan.NONE) -> tensor:
    """Clamps the floats `x` to the range from `min` to `max`.

    If `x` is NaN, the result is NaN with `PropagateNan.ALL`, and `min` otherwise. If `min` is
    greater than `max`, the result is `max`.

    Raises:
        TypeMismatchError: The common type is not a float.

    Example:
        >>> tl.clamp(tl.load(q + tl.arange(0, 6)), 0.5, 2.0)
        [0.5 0.5 1.  1.5 2.  2. ]
    """
    low, high = promoted(_widened(min), _widened(max), "clamp")
    value, low = promoted(_widened(x), low, "clamp")
    value, high = promoted(value, high, "clamp")
    value, low = promoted(value, low, "clamp")
    if not value.dtype.is_floating():
        raise TypeMismatchError(
            f"clamp takes floats, found {value.type}", hint="use tl.minimum and tl.maximum"
        )
    propagate = _propagates(propagate_nan)
    return _extremum(_extremum(value, low, "max", propagate), high, "min", propagate)
