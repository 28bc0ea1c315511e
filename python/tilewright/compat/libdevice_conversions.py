"""Conversions of libdevice between floats and integers, in every direction of rounding.

A float that is out of range gives the nearest integer. NaN gives zero if a float32 becomes 32 bits,
and only the highest bit otherwise, as PTX defines it. Triton's results are signed also where the
name says `uint` or `ull`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.compat.libdevice import FLOATS, operand, rounded_from_zero
from tilewright.compat.libdevice_rounding import round_residual, round_sum
from tilewright.compat.special import double_double as dd
from tilewright.compat.special.double import Double, choose
from tilewright.language._build import constant, same_shape
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin
from tilewright.language.creation import where
from tilewright.language.dtypes import dtype, float32, float64, int32, int64, uint32, uint64
from tilewright.language.tensor import tensor

__all__ = [
    "double2float_rd",
    "double2float_rn",
    "double2float_ru",
    "double2float_rz",
    "double2hiint",
    "double2int_rd",
    "double2int_rn",
    "double2int_ru",
    "double2int_rz",
    "double2ll_rd",
    "double2ll_rn",
    "double2ll_ru",
    "double2ll_rz",
    "double2loint",
    "double2uint_rd",
    "double2uint_rn",
    "double2uint_ru",
    "double2uint_rz",
    "double2ull_rd",
    "double2ull_rn",
    "double2ull_ru",
    "double2ull_rz",
    "double_as_longlong",
    "float2int_rd",
    "float2int_rn",
    "float2int_ru",
    "float2int_rz",
    "float2ll_rd",
    "float2ll_rn",
    "float2ll_ru",
    "float2ll_rz",
    "float2uint_rd",
    "float2uint_rn",
    "float2uint_ru",
    "float2uint_rz",
    "float2ull_rd",
    "float2ull_rn",
    "float2ull_ru",
    "float2ull_rz",
    "float_as_int",
    "float_as_uint",
    "hiloint2double",
    "int2double_rn",
    "int2float_rd",
    "int2float_rn",
    "int2float_ru",
    "int2float_rz",
    "int_as_float",
    "ll2double_rd",
    "ll2double_rn",
    "ll2double_ru",
    "ll2double_rz",
    "ll2float_rd",
    "ll2float_rn",
    "ll2float_ru",
    "ll2float_rz",
    "llrint",
    "llround",
    "longlong_as_double",
    "uint2double_rn",
    "uint2float_rd",
    "uint2float_rn",
    "uint2float_ru",
    "uint2float_rz",
    "uint_as_float",
    "ull2double_rd",
    "ull2double_rn",
    "ull2double_ru",
    "ull2double_rz",
    "ull2float_rd",
    "ull2float_rn",
    "ull2float_ru",
    "ull2float_rz",
]  # fmt: skip

_MODES = {"rd": "down", "rn": "to nearest even", "ru": "up", "rz": "toward zero"}
_TO_WHOLE = {"rd": "floor", "rn": "roundeven", "ru": "ceil", "rz": "trunc"}
_SIGNED = {32: int32, 64: int64}

_Function = Callable[[Any], tensor]


def _named(name: str, text: str, function: _Function) -> _Function:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return builtin(function)


# Floats to integers


def _to_integer(x: tensor, target: dtype, mode: str) -> tensor:
    """A float as an integer, in the signed type of the target's width."""
    return _saturated(Double(x).call(_TO_WHOLE[mode]), x.dtype, target)


def _saturated(whole: Double, source: dtype, target: dtype) -> tensor:
    """A float without a fraction, which was of the type `source`, as an integer."""
    bits = target.primitive_bitwidth
    low, high = target.get_int_min_value(), target.get_int_max_value()
    # The greatest integer of 64 bits is no float64. From the power of two above it on, a number is
    # too large; the others are converted.
    is_too_large = whole >= float(high + 1)
    inside = choose(is_too_large | ~(whole >= float(low)), float(low), whole)
    found = cast(cast(inside.value, target), _SIGNED[bits])
    found = where(is_too_large, constant(_wrap(high, bits), found.type), found)
    not_a_number = 0 if source is float32 and bits == 32 else -(1 << (bits - 1))
    return where(whole.is_nan(), constant(not_a_number, found.type), found)


def _wrap(value: int, bits: int) -> int:
    """The signed integer with the bits of an unsigned one."""
    return value - (1 << bits) if value >> (bits - 1) else value


def _to_integers(base: str, source: dtype, target: dtype) -> list[_Function]:
    """The functions that round down, to nearest, up and toward zero."""

    def make(mode: str) -> _Function:
        name = f"{base}_{mode}"
        text = f"A {source.name} as a {target.name}, rounded {_MODES[mode]}."
        return _named(name, text, lambda x: _to_integer(operand(x, (source,), name), target, mode))

    return [make(mode) for mode in _MODES]


@builtin
def llrint(x: Any) -> tensor:
    """The nearest integer, as int64; of two, the even one."""
    return _to_integer(operand(x, FLOATS, "llrint"), int64, "rn")


@builtin
def llround(x: Any) -> tensor:
    """The nearest integer, as int64; of two, the one farther from zero."""
    value = operand(x, FLOATS, "llround")
    return _saturated(Double(rounded_from_zero(value)), value.dtype, int64)


# Integers and float64 to floats


def _exact(x: tensor) -> dd.Sum:
    """The value of an integer or float64 as a sum of two numbers."""
    if x.dtype is float64:
        return dd.Sum(Double(x), Double(x).like(0.0))
    if x.dtype.primitive_bitwidth == 32:
        return dd.Sum(Double(cast(x, float64)), Double(constant(0.0, same_shape(x, float64))))
    upper, lower = cast(x >> 32, float64), cast(x & 0xFFFFFFFF, float64)
    return dd.two_sum(Double(upper) * 2.0**32, Double(lower))


def _to_float(x: tensor, target: dtype, mode: str) -> tensor:
    nearest = cast(x, target)
    if mode == "rn":
        return nearest
    exact = _exact(x)
    if target is float32:
        return round_sum(nearest, exact, mode)
    return round_residual(nearest, exact.low, (exact.high,), mode)


def _to_floats(base: str, source: dtype, target: dtype) -> list[_Function]:
    """The functions that round down, to nearest, up and toward zero."""

    def make(mode: str) -> _Function:
        name = f"{base}_{mode}"
        text = f"A {source.name} as a {target.name}, rounded {_MODES[mode]}."
        return _named(name, text, lambda x: _to_float(operand(x, (source,), name), target, mode))

    return [make(mode) for mode in _MODES]


# Bits


def _bits(name: str, source: dtype, target: dtype) -> _Function:
    text = f"The bits of a {source.name} as a {target.name}."
    return _named(name, text, lambda x: cast(operand(x, (source,), name), target, bitcast=True))


@builtin
def hiloint2double(hi: Any, lo: Any) -> tensor:
    """The float64 whose upper and lower 32 bits are two int32."""
    upper = cast(operand(hi, (int32,), "hiloint2double"), int64)
    lower = cast(operand(lo, (int32,), "hiloint2double"), int64)
    return cast((upper << 32) | (lower & 0xFFFFFFFF), float64, bitcast=True)


@builtin
def double2hiint(x: Any) -> tensor:
    """The upper 32 bits of a float64, as int32."""
    return cast(cast(operand(x, (float64,), "double2hiint"), int64, bitcast=True) >> 32, int32)


@builtin
def double2loint(x: Any) -> tensor:
    """The lower 32 bits of a float64, as int32."""
    return cast(cast(operand(x, (float64,), "double2loint"), int64, bitcast=True), int32)


double2int_rd, double2int_rn, double2int_ru, double2int_rz = _to_integers(
    "double2int", float64, int32
)
double2uint_rd, double2uint_rn, double2uint_ru, double2uint_rz = _to_integers(
    "double2uint", float64, uint32
)
double2ll_rd, double2ll_rn, double2ll_ru, double2ll_rz = _to_integers("double2ll", float64, int64)
double2ull_rd, double2ull_rn, double2ull_ru, double2ull_rz = _to_integers(
    "double2ull", float64, uint64
)
float2int_rd, float2int_rn, float2int_ru, float2int_rz = _to_integers("float2int", float32, int32)
float2uint_rd, float2uint_rn, float2uint_ru, float2uint_rz = _to_integers(
    "float2uint", float32, uint32
)
float2ll_rd, float2ll_rn, float2ll_ru, float2ll_rz = _to_integers("float2ll", float32, int64)
float2ull_rd, float2ull_rn, float2ull_ru, float2ull_rz = _to_integers("float2ull", float32, uint64)

double2float_rd, double2float_rn, double2float_ru, double2float_rz = _to_floats(
    "double2float", float64, float32
)
int2float_rd, int2float_rn, int2float_ru, int2float_rz = _to_floats("int2float", int32, float32)
uint2float_rd, uint2float_rn, uint2float_ru, uint2float_rz = _to_floats(
    "uint2float", uint32, float32
)
ll2float_rd, ll2float_rn, ll2float_ru, ll2float_rz = _to_floats("ll2float", int64, float32)
ull2float_rd, ull2float_rn, ull2float_ru, ull2float_rz = _to_floats("ull2float", uint64, float32)
ll2double_rd, ll2double_rn, ll2double_ru, ll2double_rz = _to_floats("ll2double", int64, float64)
ull2double_rd, ull2double_rn, ull2double_ru, ull2double_rz = _to_floats(
    "ull2double", uint64, float64
)
int2double_rn = _to_floats("int2double", int32, float64)[1]
uint2double_rn = _to_floats("uint2double", uint32, float64)[1]

float_as_int = _bits("float_as_int", float32, int32)
float_as_uint = _bits("float_as_uint", float32, int32)
int_as_float = _bits("int_as_float", int32, float32)
uint_as_float = _bits("uint_as_float", uint32, float32)
double_as_longlong = _bits("double_as_longlong", float64, int64)
longlong_as_double = _bits("longlong_as_double", int64, float64)
