"""Floats of 8 and 4 bits in NumPy, and dots of tiles in microscaling formats."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from tiles import DType, Tile, rounded, wide_error


class Format(NamedTuple):
    """`codes`: how many finite codes have no sign. `unsigned_zero`: the code of -0 is NaN."""

    mantissa: int
    bias: int
    codes: int
    unsigned_zero: bool = False
    ties_away: bool = False


FORMATS = {
    "float8e5": Format(2, 15, 0x7C),
    "float8e4nv": Format(3, 7, 0x7F),
    "float8e5b16": Format(2, 16, 0x80, unsigned_zero=True),
    "float8e4b8": Format(3, 8, 0x80, unsigned_zero=True),
    "float8e4b15": Format(3, 15, 0x7F, ties_away=True),
    "e2m1": Format(1, 1, 8),
}


def _sizes(format: Format, count: int) -> np.ndarray:
    codes = np.arange(count)
    exponent, fraction = codes >> format.mantissa, codes % (1 << format.mantissa)
    is_normal = exponent > 0
    significand = fraction / (1 << format.mantissa) + is_normal
    return np.ldexp(significand, np.maximum(exponent, 1) - format.bias)


def decode(codes: np.ndarray, name: str) -> np.ndarray:
    """The values of codes, as float64."""
    format = FORMATS[name]
    half = 8 if name == "e2m1" else 0x80
    code = codes.astype(int)
    size = _sizes(format, half)
    if name != "float8e4b15":  # has neither infinities nor NaNs, but no float becomes 1.875
        size[format.codes :] = np.nan
    if name == "float8e5":
        size[format.codes] = np.inf
    values = np.where(code & half, -size[code % half], size[code % half])
    return np.where(code == half, np.nan, values) if format.unsigned_zero else values


def encode(values: np.ndarray, name: str, toward_zero: bool = False) -> np.ndarray:
    """The codes of floats, rounded to nearest even or toward zero; large numbers saturate."""
    format = FORMATS[name]
    numbers = _sizes(format, format.codes)
    size = np.abs(values.astype(np.float64))
    lower = np.searchsorted(numbers, np.nan_to_num(size), side="right") - 1
    upper = np.minimum(lower + 1, format.codes - 1)
    below, above = size - numbers[lower], numbers[upper] - size
    ties = (below == above) & ((lower % 2 == 1) | format.ties_away)
    code = np.where(((above < below) | ties) & (not toward_zero), upper, lower)
    sign = np.signbit(values) & ~((code == 0) & format.unsigned_zero)
    code = code + 0x80 * sign
    if name == "float8e4b15":
        return np.where(np.isnan(values), 0x7E + 0x80 * np.signbit(values), code).astype(np.uint8)
    nan = 0x80 if format.unsigned_zero else 0x7F
    return np.where(np.isnan(values), nan, code).astype(np.uint8)


def convert(x: Tile, dtype: DType, bitcast: bool, toward_zero: bool) -> Tile:
    """A conversion from or to a float8; such a tile has its values, as float32."""
    values = x.exact()
    if bitcast:
        bits = encode(values, x.dtype) if x.dtype in FORMATS else values
        bits = np.ascontiguousarray(bits)
        is_narrow = dtype in FORMATS
        return Tile(
            dtype, decode(bits.view(np.uint8), dtype) if is_narrow else bits.view(dtype.stored)
        )
    if dtype in FORMATS:
        return Tile(dtype, decode(encode(values, dtype, toward_zero), dtype))
    return Tile("float32", values).to(dtype)


# Microscaling


def _elements(x: Tile, format: str, axis: int) -> np.ndarray:
    names = {"e4m3": "float8e4nv", "e5m2": "float8e5"}
    if format in names:
        return decode(x.value, names[format])
    if format != "e2m1":
        return x.value.astype(np.float64)
    halves = np.stack([decode(x.value & 15, format), decode(x.value >> 4, format)], axis + 1)
    shape = list(x.shape)
    shape[axis] *= 2
    return halves.reshape(shape)


def _operand(
    x: Tile, scales: Tile | None, format: str, packed_axis: int, is_right: bool, common: DType
) -> np.ndarray:
    values = _elements(x, format, packed_axis)
    if scales is not None:
        codes = scales.value.astype(int)
        factors = np.where(codes == 255, np.nan, np.ldexp(1.0, codes - 127))
        factors = np.repeat(factors, 32, -1)
        values = values * (factors.T if is_right else factors)
    return rounded(values, common).astype(np.float64)


def dot_scaled(
    lhs: Tile,
    lhs_scale: Tile | None,
    lhs_format: str,
    rhs: Tile,
    rhs_scale: Tile | None,
    rhs_format: str,
    acc: Tile | None = None,
    lhs_k_pack: bool = True,
    rhs_k_pack: bool = True,
) -> Tile:
    common = DType("float16" if "fp16" in (lhs_format, rhs_format) else "bfloat16")
    with np.errstate(all="ignore"):
        a = _operand(lhs, lhs_scale, lhs_format, int(lhs_k_pack), False, common)
        b = _operand(rhs, rhs_scale, rhs_format, int(not rhs_k_pack), True, common)
        start: Any = 0.0 if acc is None else acc.value.astype(np.float64)
        size = np.matmul(np.abs(a), np.abs(b)) + np.abs(start)
        blur = 2.0**-24 * (a.shape[1] + 2) * size + (0 if acc is None else wide_error(acc))
        return Tile("float32", np.matmul(a, b) + start, blur)
