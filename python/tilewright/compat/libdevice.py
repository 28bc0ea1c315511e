"""The functions of `triton.language.extra.libdevice` that Tilewright has.

They are exact where NVIDIA's are. The names `fast_*` promise little accuracy; they are at least as
accurate here. Operands are float32 or float64, or integers where NVIDIA's are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tilewright.language as tl
from tilewright.errors import TypeMismatchError
from tilewright.language import math
from tilewright.language._build import emit, to_tensor
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.dtypes import dtype, float32, float64, int32, int64
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

__all__ = [
    "abs",
    "add_rn",
    "ceil",
    "copysign",
    "cos",
    "div_rn",
    "erf",
    "exp",
    "exp2",
    "fast_cosf",
    "fast_dividef",
    "fast_exp10f",
    "fast_expf",
    "fast_log2f",
    "fast_log10f",
    "fast_logf",
    "fast_powf",
    "fast_sinf",
    "fast_tanf",
    "fast_tanhf",
    "fdim",
    "finitef",
    "floor",
    "fma",
    "fma_rn",
    "fmod",
    "isfinited",
    "isinf",
    "isnan",
    "log",
    "log2",
    "mul_rn",
    "nearbyint",
    "rcp_rn",
    "rint",
    "round",
    "rsqrt",
    "saturatef",
    "signbit",
    "sin",
    "sqrt",
    "sqrt_rn",
    "sub_rn",
    "tanh",
    "trunc",
]  # fmt: skip

abs, ceil, cos, erf, exp = math.abs, math.ceil, math.cos, math.erf, math.exp
exp2, floor, fma, log, log2 = math.exp2, math.floor, math.fma, math.log, math.log2
rsqrt, sin, sqrt, tanh = math.rsqrt, math.sin, math.sqrt, math.tanh

FLOATS = (float32, float64)


def operand(x: Any, kinds: tuple[dtype, ...], what: str) -> tensor:
    """The operand of the function `what` as a tensor.

    Raises:
        TypeMismatchError: Its dtype is none of `kinds`.
    """
    value = to_tensor(x)
    if value.dtype not in kinds:
        names = " or ".join(kind.name for kind in kinds)
        raise TypeMismatchError(f"libdevice.{what} takes {names}, found {value.type}")
    return value


def pair(x: Any, y: Any, what: str) -> tuple[tensor, tensor]:
    """Two operands in their common type, float32 or float64."""
    a, b = promoted(to_tensor(x), to_tensor(y), f"libdevice.{what}")
    return operand(a, FLOATS, what), operand(b, FLOATS, what)


def _is_negative(value: tensor) -> tensor:
    """Whether the sign bit of a float is set."""
    integer = int32 if value.dtype.primitive_bitwidth == 32 else int64
    return cast(value, integer, bitcast=True) < 0


# Fast functions: those of float32 only, by an accurate one


def _fast(name: str, function: Callable[[Any], tensor]) -> Callable[[Any], tensor]:
    def fast(x: Any) -> tensor:
        return function(operand(x, (float32,), name))

    fast.__name__ = fast.__qualname__ = name
    fast.__doc__ = f"`{name.removeprefix('fast_').removesuffix('f')}` of float32 values."
    return builtin(fast)


fast_cosf = _fast("fast_cosf", math.cos)
fast_expf = _fast("fast_expf", math.exp)
fast_log2f = _fast("fast_log2f", math.log2)
fast_logf = _fast("fast_logf", math.log)
fast_sinf = _fast("fast_sinf", math.sin)
fast_tanhf = _fast("fast_tanhf", math.tanh)
fast_tanf = _fast("fast_tanf", lambda x: math.sin(x) / math.cos(x))
# As in NVIDIA's library, by the functions to base 2.
fast_exp10f = _fast("fast_exp10f", lambda x: math.exp2(x * 3.3219280948873623))
fast_log10f = _fast("fast_log10f", lambda x: math.log2(x) * 0.3010299956639812)


@builtin
def fast_powf(x: Any, y: Any) -> tensor:
    """`x` to the power of `y`, as NVIDIA's library defines it: `exp2(y * log2(x))`."""
    a, b = pair(x, y, "fast_powf")
    return math.exp2(b * math.log2(operand(a, (float32,), "fast_powf")))


@builtin
def fast_dividef(x: Any, y: Any) -> tensor:
    """The quotient of float32 values."""
    a, b = pair(x, y, "fast_dividef")
    return operand(a, (float32,), "fast_dividef") / b


# Arithmetic with a fixed rounding, which is never contracted


@builtin
def fma_rn(x: Any, y: Any, z: Any) -> tensor:
    """`x * y + z`, rounded once to nearest even."""
    return math.fma(x, y, z)


@builtin
def mul_rn(x: Any, y: Any) -> tensor:
    """The product of floats, rounded to nearest even: it is not fused with a later addition."""
    a, b = pair(x, y, "mul_rn")
    # Adding negative zero changes no product, neither its sign.
    return math.fma(a, b, tl.full((), -0.0, a.dtype))


@builtin
def add_rn(x: Any, y: Any) -> tensor:
    """The sum of floats, rounded to nearest even: it is not fused with an earlier product."""
    a, b = pair(x, y, "add_rn")
    return math.fma(a, tl.full((), 1.0, a.dtype), b)


@builtin
def sub_rn(x: Any, y: Any) -> tensor:
    """The difference of floats, rounded to nearest even."""
    a, b = pair(x, y, "sub_rn")
    return math.fma(b, tl.full((), -1.0, a.dtype), a)


@builtin
def div_rn(x: Any, y: Any) -> tensor:
    """The quotient of floats, rounded to nearest even."""
    a, b = pair(x, y, "div_rn")
    return math.fdiv(a, b, ieee_rounding=True)


@builtin
def rcp_rn(x: Any) -> tensor:
    """The reciprocal, rounded to nearest even."""
    value = operand(x, FLOATS, "rcp_rn")
    return math.fdiv(tl.full((), 1.0, value.dtype), value, ieee_rounding=True)


@builtin
def sqrt_rn(x: Any) -> tensor:
    """The square root, rounded to nearest even."""
    value = operand(x, FLOATS, "sqrt_rn")
    return math.sqrt_rn(value) if value.dtype is float32 else math.sqrt(value)


# Rounding to integers


@builtin
def trunc(x: Any) -> tensor:
    """`x` without its fraction, as a float with the sign of `x`."""
    return emit("math.trunc", [operand(x, FLOATS, "trunc")])


#: The largest float below a half. Added to a number whose fraction is less than a half, it gives
#: less than the next integer also after rounding, as the half itself would not.
_BELOW_HALF = {float32: 0.5 - 2**-25, float64: 0.5 - 2**-54}


def rounded_from_zero(value: tensor) -> tensor:
    """The nearest integer, as a float; of two, the one farther from zero."""
    below = tl.full((), _BELOW_HALF[value.dtype], value.dtype)  # a cast would round to float32
    addend = copysign(below, value)
    return emit("math.trunc", [add_rn(value, addend)])  # not fused with a product in `value`


@builtin
def rint(x: Any) -> tensor:
    """The nearest integer, as a float; of two, the even one."""
    return emit("math.roundeven", [operand(x, FLOATS, "rint")])


@builtin
def nearbyint(x: Any) -> tensor:
    """The nearest integer, as a float; of two, the even one."""
    return emit("math.roundeven", [operand(x, FLOATS, "nearbyint")])


@builtin
def round(x: Any) -> tensor:
    """The nearest integer, as a float; of two, the one farther from zero."""
    return rounded_from_zero(operand(x, FLOATS, "round"))


# Classes of numbers, and signs


@builtin
def isnan(x: Any) -> tensor:
    """Whether `x` is not a number, as int1."""
    value = operand(x, FLOATS, "isnan")
    return value != value


@builtin
def isinf(x: Any) -> tensor:
    """Whether `x` is plus or minus infinity, as int1."""
    return math.abs(operand(x, FLOATS, "isinf")) == float("inf")


@builtin
def finitef(x: Any) -> tensor:
    """Whether a float32 is neither infinite nor a NaN, as int1."""
    return math.abs(operand(x, (float32,), "finitef")) < float("inf")


@builtin
def isfinited(x: Any) -> tensor:
    """Whether a float64 is neither infinite nor a NaN, as int1."""
    return math.abs(operand(x, (float64,), "isfinited")) < float("inf")


@builtin
def signbit(x: Any) -> tensor:
    """1 if the sign of `x` is negative, which zeros and NaNs have too; else 0, as int32."""
    value = operand(x, FLOATS, "signbit")
    return cast(_is_negative(value), int32)


@builtin
def copysign(x: Any, y: Any) -> tensor:
    """The absolute value of `x` with the sign of `y`."""
    a, b = pair(x, y, "copysign")
    magnitude = math.abs(a)
    return tl.where(_is_negative(b), -magnitude, magnitude)


@builtin
def fdim(x: Any, y: Any) -> tensor:
    """`x - y` if it is positive, else zero; NaN if an operand is."""
    a, b = pair(x, y, "fdim")
    return cast(tl.where(a <= b, 0.0, sub_rn(a, b)), a.dtype)


@builtin
def fmod(x: Any, y: Any) -> tensor:
    """The exact remainder of `x / y`, with the sign of `x`."""
    a, b = pair(x, y, "fmod")
    result: tensor = a % b
    return result


@builtin
def saturatef(x: Any) -> tensor:
    """A float32 clamped to the range from 0 to 1; NaN gives 0."""
    return math.clamp(operand(x, (float32,), "saturatef"), 0.0, 1.0)
