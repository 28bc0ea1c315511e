"""The dtypes of the language: their arrays, their values, and rounding to them.

A value is computed in a wider type: Python's integers for integers, extended precision for floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

Wide = Any  # an array of Python's integers, of bools or of np.longdouble


@dataclass(frozen=True)
class FloatFormat:
    """A binary format: the bits of its significand, with the hidden one; the exponent of its
    smallest normal number; its greatest number; whether larger ones become that number."""

    storage: torch.dtype
    digits: int
    smallest: int
    greatest: float
    saturates: bool = False
    has_infinity: bool = True
    has_negative_zero: bool = True


FORMATS = {
    "fp8e5": FloatFormat(torch.float8_e5m2, 3, -14, 57344, saturates=True),
    "fp8e4nv": FloatFormat(
        torch.float8_e4m3fn, 4, -6, 448, saturates=True, has_infinity=False
    ),
    "fp8e5b16": FloatFormat(torch.float8_e5m2fnuz, 3, -15, 57344, True, False, False),
    "fp8e4b8": FloatFormat(torch.float8_e4m3fnuz, 4, -7, 240, True, False, False),
    "fp16": FloatFormat(torch.float16, 11, -14, 65504),
    "bf16": FloatFormat(torch.bfloat16, 8, -126, float(torch.finfo(torch.bfloat16).max)),
    "fp32": FloatFormat(torch.float32, 24, -126, float(np.finfo(np.float32).max)),
    "fp64": FloatFormat(torch.float64, 53, -1022, float(np.finfo(np.float64).max)),
}  # fmt: skip

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = (*SIGNED, *UNSIGNED)
FLOATS = ("fp16", "bf16", "fp32", "fp64")
FLOAT8S = ("fp8e5", "fp8e4nv", "fp8e5b16", "fp8e4b8")
BOOL = ("int1",)
NUMBERS = (*INTS, *FLOATS, *FLOAT8S)
ALL = (*BOOL, *NUMBERS)
# Without arithmetic: its values are the bytes, and arrays of it are arrays of bytes.
BITS_ONLY = ("fp8e4b15",)
DTYPES = (*ALL, *BITS_ONLY)
LANGUAGE_NAMES = {
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
    **{name: name.replace("fp8", "float8") for name in (*FLOAT8S, *BITS_ONLY)},
}  # fmt: skip


def language_name(dtype: str) -> str:
    """`tl.float32` for "fp32"."""
    return f"tl.{LANGUAGE_NAMES.get(dtype, dtype)}"


def bits(dtype: str) -> int:
    if dtype in FORMATS:
        return FORMATS[dtype].storage.itemsize * 8
    return 1 if dtype == "int1" else int(dtype.removeprefix("u")[3:]) if "int" in dtype else 8


def limits(dtype: str) -> tuple[int, int]:
    """The least and the greatest integer."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def array(values: Wide, dtype: str) -> Any:
    """Memory with these values, which the dtype can represent: NumPy's, or PyTorch's of floats."""
    if dtype in FORMATS:
        doubles = np.ascontiguousarray(np.asarray(values).astype(np.float64))
        return torch.from_numpy(doubles).to(FORMATS[dtype].storage)
    return np.ascontiguousarray(np.asarray(values).astype(storage(dtype)))


def storage(dtype: str) -> np.dtype:
    """The type of an array of integers, of int1 or of bits only."""
    return np.dtype({"int1": "bool", "fp8e4b15": "uint8"}.get(dtype, dtype))


def wide(memory: Any) -> Wide:
    """The exact values of an array."""
    if isinstance(memory, torch.Tensor):
        return memory.to(torch.float64).numpy().astype(np.longdouble)
    return memory.copy() if memory.dtype == bool else memory.astype(object)


def spacing(values: Wide, dtype: str) -> Wide:
    """The ulp at each value; denormal numbers have that of the smallest normal number."""
    form = FORMATS[dtype]
    largest = np.frexp(np.longdouble(form.greatest))[1]
    with np.errstate(all="ignore"):
        exponent = np.frexp(values)[1]
    exponent = np.where(values == 0, form.smallest + 1, exponent)
    exponent = np.clip(exponent, form.smallest + 1, largest)
    return np.ldexp(np.longdouble(1), exponent - form.digits)


def rounded(values: Wide, dtype: str) -> Wide:
    """The nearest value of the dtype, of two the even one; integers wrap."""
    values = np.asarray(values)
    if dtype == "int1":
        return (values.astype(object) % 2).astype(bool) if values.dtype != bool else values
    if dtype not in FORMATS:
        return wrapped(values, dtype)
    form = FORMATS[dtype]
    values = values.astype(np.longdouble)
    with np.errstate(all="ignore"):
        step = spacing(values, dtype)
        near = np.rint(values / step) * step
        beyond = form.greatest if form.saturates else np.inf
        near = np.where(np.abs(near) > form.greatest, np.copysign(beyond, values), near)
        near = np.where(np.isnan(values), np.nan, near)
        near = np.where(near == 0, np.copysign(0, values), near)
    return near if form.has_negative_zero else near + 0.0


def plain_zeros(values: Wide, dtype: str) -> Wide:
    """The values with zeros of the signs that the dtype has."""
    if dtype in FORMATS and not FORMATS[dtype].has_negative_zero:
        return values + 0.0
    return values


def wrapped(values: Wide, dtype: str) -> Wide:
    low, high = limits(dtype)
    return (values.astype(object) - low) % (high - low + 1) + low
