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
from tilewright.language._build import to_tensor
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.dtypes import dtype, float32, float64, int32, int64, uint32, uint64
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

__all__ = [
    "abs", "add_rn", "brev", "ceil", "clz", "copysign", "cos", "div_rn", "double2float_rn",
    "double_as_longlong", "erf", "exp", "exp2", "fast_cosf", "fast_dividef", "fast_exp10f",
    "fast_expf", "fast_log2f", "fast_log10f", "fast_logf", "fast_powf", "fast_sinf", "fast_tanf",
    "fast_tanhf", "fdim", "ffs", "finitef", "float_as_int", "float_as_uint", "floor", "fma",
    "fma_rn", "int2double_rn", "int2float_rn", "int_as_float", "isfinited", "isinf", "isnan",
    "ll2double_rn", "ll2float_rn", "llrint", "llround", "log", "log2", "longlong_as_double",
    "mul_rn", "nearbyint", "popc", "rcp_rn", "rint", "round", "rsqrt", "saturatef", "signbit",
    "sin", "sqrt", "sqrt_rn", "sub_rn", "tanh", "trunc", "uint_as_float",
]  # fmt: skip

abs, ceil, cos, erf, exp = math.abs, math.ceil, math.cos, math.erf, math.exp
exp2, floor, fma, log, log2 = math.exp2, math.floor, math.fma, math.log, math.log2
rsqrt, sin, sqrt, tanh = math.rsqrt, math.sin, math.sqrt, math.tanh

_FLOATS = (float32, float64)


def _operand(x: Any, kinds: tuple[dtype, ...], what: str) -> tensor:
    value = to_tensor(x)
    if value.dtype not in kinds:
        names = " or ".join(kind.name for kind in kinds)
        raise TypeMismatchError(f"libdevice.{what} takes {names}, found {value.type}")
    return value


def _pair(x: Any, y: Any, what: str) -> tuple[tensor, tensor]:
    """Two operands in their common type, float32 or float64."""
    a, b = promoted(to_tensor(x), to_tensor(y), f"libdevice.{what}")
    return _operand(a, _FLOATS, what), _operand(b, _FLOATS, what)


def _is_negative(value: tensor) -> tensor:
    """Whether the sign bit of a float is set."""
    integer = int32 if value.dtype.primitive_bitwidth == 32 else int64
    return cast(value, integer, bitcast=True) < 0


# Fast functions: those of float32 only, by an accurate one


def _fast(name: str, function: Callable[[Any], tensor]) -> Callable[[Any], tensor]:
    def fast(x: Any) -> tensor:
        return function(_operand(x, (float32,), name))

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
    a, b = _pair(x, y, "fast_powf")
    return math.exp2(b * math.log2(_operand(a, (float32,), "fast_powf")))


@builtin
def fast_dividef(x: Any, y: Any) -> tensor:
    """The quotient of float32 values."""
    a, b = _pair(x, y, "fast_dividef")
    return _operand(a, (float32,), "fast_dividef") / b


# Arithmetic with a fixed rounding, which is never contracted


@builtin
def fma_rn(x: Any, y: Any, z: Any) -> tensor:
    """`x * y + z`, rounded once to nearest even."""
    return math.fma(x, y, z)


@builtin
def mul_rn(x: Any, y: Any) -> tensor:
    """The product of floats, rounded to nearest even: it is not fused with a later addition."""
    a, b = _pair(x, y, "mul_rn")
    # Adding negative zero changes no product, neither its sign.
    return math.fma(a, b, tl.full((), -0.0, a.dtype))


@builtin
def add_rn(x: Any, y: Any) -> tensor:
    """The sum of floats, rounded to nearest even: it is not fused with an earlier product."""
    a, b = _pair(x, y, "add_rn")
    return math.fma(a, tl.full((), 1.0, a.dtype), b)


@builtin
def sub_rn(x: Any, y: Any) -> tensor:
    """The difference of floats, rounded to nearest even."""
    a, b = _pair(x, y, "sub_rn")
    return math.fma(b, tl.full((), -1.0, a.dtype), a)


@builtin
def div_rn(x: Any, y: Any) -> tensor:
    """The quotient of floats, rounded to nearest even."""
    a, b = _pair(x, y, "div_rn")
    return math.fdiv(a, b, ieee_rounding=True)


@builtin
def rcp_rn(x: Any) -> tensor:
    """The reciprocal, rounded to nearest even."""
    value = _operand(x, _FLOATS, "rcp_rn")
    return math.fdiv(tl.full((), 1.0, value.dtype), value, ieee_rounding=True)


@builtin
def sqrt_rn(x: Any) -> tensor:
    """The square root, rounded to nearest even."""
    value = _operand(x, _FLOATS, "sqrt_rn")
    return math.sqrt_rn(value) if value.dtype is float32 else math.sqrt(value)


# Rounding to integers


@builtin
def trunc(x: Any) -> tensor:
    """`x` without its fraction, as a float with the sign of `x`."""
    value = _operand(x, _FLOATS, "trunc")
    return tl.where(value < 0, math.ceil(value), math.floor(value))


def _rounded(value: tensor, to_even: bool) -> tensor:
    """`value` rounded to the nearest integer; ties to even, or away from zero."""
    whole = trunc(value)
    fraction = math.abs(sub_rn(value, whole))  # exact; not fused with a product in `value`
    half = whole * 0.5
    is_odd = half != math.floor(half)
    up = (fraction > 0.5) | ((fraction == 0.5) & is_odd) if to_even else fraction >= 0.5
    one = cast(tl.where(value < 0, -1.0, 1.0), value.dtype)
    return tl.where(up, whole + one, whole)


@builtin
def rint(x: Any) -> tensor:
    """The nearest integer, as a float; of two, the even one."""
    return _rounded(_operand(x, _FLOATS, "rint"), to_even=True)


@builtin
def nearbyint(x: Any) -> tensor:
    """The nearest integer, as a float; of two, the even one."""
    return _rounded(_operand(x, _FLOATS, "nearbyint"), to_even=True)


@builtin
def round(x: Any) -> tensor:
    """The nearest integer, as a float; of two, the one farther from zero."""
    return _rounded(_operand(x, _FLOATS, "round"), to_even=False)


@builtin
def llrint(x: Any) -> tensor:
    """The nearest integer, as int64; of two, the even one."""
    return cast(_rounded(_operand(x, _FLOATS, "llrint"), to_even=True), int64)


@builtin
def llround(x: Any) -> tensor:
    """The nearest integer, as int64; of two, the one farther from zero."""
    return cast(_rounded(_operand(x, _FLOATS, "llround"), to_even=False), int64)


# Classes of numbers, and signs


@builtin
def isnan(x: Any) -> tensor:
    """Whether `x` is not a number, as int1."""
    value = _operand(x, _FLOATS, "isnan")
    return value != value


@builtin
def isinf(x: Any) -> tensor:
    """Whether `x` is plus or minus infinity, as int1."""
    return math.abs(_operand(x, _FLOATS, "isinf")) == float("inf")


@builtin
def finitef(x: Any) -> tensor:
    """Whether a float32 is neither infinite nor a NaN, as int1."""
    return math.abs(_operand(x, (float32,), "finitef")) < float("inf")


@builtin
def isfinited(x: Any) -> tensor:
    """Whether a float64 is neither infinite nor a NaN, as int1."""
    return math.abs(_operand(x, (float64,), "isfinited")) < float("inf")


@builtin
def signbit(x: Any) -> tensor:
    """1 if the sign of `x` is negative, which zeros and NaNs have too; else 0, as int32."""
    value = _operand(x, _FLOATS, "signbit")
    return cast(_is_negative(value), int32)


@builtin
def copysign(x: Any, y: Any) -> tensor:
    """The absolute value of `x` with the sign of `y`."""
    a, b = _pair(x, y, "copysign")
    magnitude = math.abs(a)
    return tl.where(_is_negative(b), -magnitude, magnitude)


@builtin
def fdim(x: Any, y: Any) -> tensor:
    """`x - y` if it is positive, else zero; NaN if an operand is."""
    a, b = _pair(x, y, "fdim")
    return cast(tl.where(a <= b, 0.0, sub_rn(a, b)), a.dtype)


@builtin
def saturatef(x: Any) -> tensor:
    """A float32 clamped to the range from 0 to 1; NaN gives 0."""
    return math.clamp(_operand(x, (float32,), "saturatef"), 0.0, 1.0)


# Bits


def _unsigned(x: Any, what: str) -> tensor:
    value = _operand(x, (int32, uint32, int64, uint64), what)
    unsigned = uint32 if value.dtype.primitive_bitwidth == 32 else uint64
    return cast(value, unsigned, bitcast=True)


def _mask(value: tensor, pattern: int) -> tensor:
    """A byte that is repeated over the bits of an integer's type."""
    count = value.dtype.primitive_bitwidth // 8
    return tl.full((), int.from_bytes(bytes([pattern] * count), "little"), value.dtype)


def _count_bits(value: tensor) -> tensor:
    value = value - ((value >> 1) & _mask(value, 0x55))
    value = (value & _mask(value, 0x33)) + ((value >> 2) & _mask(value, 0x33))
    value = (value + (value >> 4)) & _mask(value, 0x0F)
    bits = value.dtype.primitive_bitwidth
    return cast((value * _mask(value, 0x01)) >> (bits - 8), int32)


@builtin
def popc(x: Any) -> tensor:
    """The number of ones in an integer of 32 or 64 bits, as int32."""
    return _count_bits(_unsigned(x, "popc"))


@builtin
def clz(x: Any) -> tensor:
    """The number of zeros above the highest one of an integer, as int32; all bits for 0."""
    value = _unsigned(x, "clz")
    bits = value.dtype.primitive_bitwidth
    shift = 1
    while shift < bits:
        value = value | (value >> shift)
        shift *= 2
    count: tensor = bits - _count_bits(value)
    return count


@builtin
def ffs(x: Any) -> tensor:
    """The position of the lowest one of an integer, counted from 1, as int32; 0 for 0."""
    value = _unsigned(x, "ffs")
    below = _count_bits((value - 1) & ~value)
    return cast(tl.where(value == 0, 0, below + 1), int32)


@builtin
def brev(x: Any) -> tensor:
    """The bits of an integer in reverse order, in its type."""
    given = _operand(x, (int32, uint32, int64, uint64), "brev")
    value = _unsigned(given, "brev")
    for shift, pattern in ((1, 0x55), (2, 0x33), (4, 0x0F)):
        mask = _mask(value, pattern)
        value = ((value >> shift) & mask) | ((value & mask) << shift)
    bits = value.dtype.primitive_bitwidth
    byte = tl.full((), 255, value.dtype)
    swapped = value & 0
    for position in range(0, bits, 8):
        swapped = swapped | (((value >> position) & byte) << (bits - 8 - position))
    return cast(swapped, given.dtype, bitcast=True)


# Conversions


def _conversion(name: str, source: dtype, result: dtype, bitcast: bool) -> Callable[[Any], tensor]:
    def convert(x: Any) -> tensor:
        return cast(_operand(x, (source,), name), result, bitcast=bitcast)

    convert.__name__ = convert.__qualname__ = name
    what = "The bits" if bitcast else "The value, rounded to nearest even,"
    convert.__doc__ = f"{what} of a {source.name} as a {result.name}."
    return builtin(convert)


float_as_int = _conversion("float_as_int", float32, int32, True)
float_as_uint = _conversion("float_as_uint", float32, uint32, True)
int_as_float = _conversion("int_as_float", int32, float32, True)
uint_as_float = _conversion("uint_as_float", uint32, float32, True)
double_as_longlong = _conversion("double_as_longlong", float64, int64, True)
longlong_as_double = _conversion("longlong_as_double", int64, float64, True)
double2float_rn = _conversion("double2float_rn", float64, float32, False)
int2float_rn = _conversion("int2float_rn", int32, float32, False)
int2double_rn = _conversion("int2double_rn", int32, float64, False)
ll2float_rn = _conversion("ll2float_rn", int64, float32, False)
ll2double_rn = _conversion("ll2double_rn", int64, float64, False)
