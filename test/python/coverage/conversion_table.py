"""Conversions and bitcasts between all dtypes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from number_formats import (
    ALL,
    BITS_ONLY,
    BOOL,
    DTYPES,
    FLOAT8S,
    FORMATS,
    INTS,
    Wide,
    array,
    bits,
    language_name,
    limits,
    rounded,
)
from operands import Operand
from operation import Operation, nearest

# float8e4b15 rounds unlike the other formats: test_float8e4b15.py.
CONVERTED = ALL


def _to(target: str) -> Callable[..., Wide]:
    def reference(source: str, a: Wide) -> Wide:
        if source == target:
            return a
        if target == "int1":
            return a != 0
        if source in FORMATS and target not in FORMATS:
            return np.frompyfunc(int, 1, 1)(np.trunc(a))
        if target in FLOAT8S and source not in FORMATS:
            return rounded(a.astype(np.longdouble), "fp32")
        return a if target not in FORMATS else a.astype(np.longdouble)

    return reference


def _result(target: str) -> Callable[[str], str]:
    return lambda source: target


def _convert(target: str, takes: tuple[str, ...], operand: Operand) -> Operation:
    name = f"a.to({language_name(target)})"
    bound = nearest if target in FORMATS else Operation.bound
    return Operation(
        name, name, takes, _to(target), _result(target), (operand,), bound, skips=DTYPES
    )


def _unchanged(target: str) -> Operation:
    name = f"a.to({language_name(target)})"
    return Operation(name, name, (target,), lambda t, a: a, skips=DTYPES)


def _conversions(target: str) -> list[Operation]:
    if target == "int1" or target in FORMATS:
        others = tuple(source for source in ALL if source != target)
        return [_convert(target, others, Operand()), _unchanged(target)]
    low, high = limits(target)
    narrow = Operand(low=max(low, -120), high=min(high, 240))
    far = Operand(low=low * 0.9, high=high * 0.9)
    return [
        _convert(target, (*BOOL, *INTS), Operand()),
        _convert(target, ("fp16", "bf16", *FLOAT8S), narrow),
        _convert(target, ("fp32", "fp64"), far),
    ]


def _bits(dtype: str, a: Wide) -> Wide:
    """The bits of numbers as a signed integer."""
    memory = array(a, dtype)
    width = np.dtype(f"int{bits(dtype)}")
    if dtype in FORMATS:
        import torch

        memory = memory.view(getattr(torch, width.name)).numpy()
    return memory.view(width).astype(object)


def _of_width(width: int) -> tuple[str, ...]:
    return tuple(t for t in DTYPES if bits(t) == width)


def _bitcast(width: int) -> Operation:
    integer = f"int{width}"
    return Operation(
        "a.to(bitcast=True)", f"a.to(tl.{integer}, bitcast=True)", _of_width(width), _bits,
        _result(integer),
    )  # fmt: skip


def _round_trip(width: int) -> list[Operation]:
    """From integers to each dtype of the width and back; no bits change, those of NaNs neither."""
    integer = f"int{width}"
    return [
        Operation(
            "a.to(bitcast=True)",
            f"a.to({language_name(t)}, bitcast=True).to(tl.{integer}, bitcast=True)", (integer,),
            lambda t, a: a, skips=DTYPES,
        )
        for t in _of_width(width)
        if t != integer
    ]  # fmt: skip


def _toward_zero(target: str) -> Callable[..., Wide]:
    def reference(source: str, a: Wide) -> Wide:
        near = rounded(a, target)
        with np.errstate(all="ignore"):
            cut = np.where(abs(near) > abs(a), _below(near, target), near)
        infinite = np.isinf(a)
        return np.where(infinite, a, cut)

    return reference


def _below(near: Wide, target: str) -> Wide:
    """The next number towards zero."""
    form = FORMATS[target]
    top = np.longdouble(form.greatest)
    exponent = np.frexp(near)[1]
    power = np.ldexp(np.longdouble(1), exponent - 1)
    is_power = abs(near) == power
    digits = np.where(is_power, form.digits + 1, form.digits)
    step = np.ldexp(np.longdouble(1), np.maximum(exponent, form.smallest + 1) - digits)
    step = np.maximum(step, np.ldexp(np.longdouble(1), form.smallest + 1 - form.digits))
    return np.where(np.isinf(near), np.copysign(top, near), near - np.copysign(step, near))


def _cut(target: str, takes: tuple[str, ...]) -> Operation:
    name = language_name(target)
    return Operation(
        "a.to(fp_downcast_rounding=)", f"a.to({name}, fp_downcast_rounding='rtz')", takes,
        _toward_zero(target), _result(target), skips=DTYPES,
    )  # fmt: skip


CONVERSIONS = [operation for target in CONVERTED for operation in _conversions(target)]
BITCASTS = [
    operation for width in (8, 16, 32, 64) for operation in (_bitcast(width), *_round_trip(width))
]
ROUNDING = [
    _cut("fp16", ("fp32", "fp64")), _cut("bf16", ("fp32", "fp64")), _cut("fp32", ("fp64",)),
]  # fmt: skip
CAST = Operation(
    "tl.cast", "tl.cast(a, tl.float32)", ALL, _to("fp32"), _result("fp32"), bound=nearest,
    skips=BITS_ONLY,
)  # fmt: skip
OPERATIONS = [*CONVERSIONS, *BITCASTS, *ROUNDING, CAST]
