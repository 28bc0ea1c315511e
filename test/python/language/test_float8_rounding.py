"""Conversions of every code and half to 8-bit floats, toward zero, and between the formats."""

import math

import numpy as np
import pytest
import torch
from inputs import FLOAT8S, FLOATS, wide

import tilewright
import tilewright.language as tl

CODES = torch.arange(256).to(torch.uint8)
HALVES = torch.arange(65536).to(torch.uint16)


@tilewright.jit
def convert(x, out, ROUNDING: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + i, value.to(out.dtype.element_ty, fp_downcast_rounding=ROUNDING))


def converted(x, dtype, rounding=None, block=256):
    out = torch.full(x.shape, 85, dtype=torch.uint8 if dtype.itemsize == 1 else torch.int16)
    out = out.view(dtype)
    convert[(len(x) // block,)](x, out, ROUNDING=rounding, N=block)
    return wide(out)


def finite(dtype):
    """The numbers of the type that are not negative, in order."""
    bits = CODES[:128] if dtype.itemsize == 1 else HALVES[:32768]
    values = wide(bits.view(dtype))
    return values[np.isfinite(values)]


def toward_zero(values, dtype):
    """The next numbers toward zero. 8-bit floats saturate; wider ones keep infinities."""
    numbers = finite(dtype)
    size = np.nan_to_num(np.abs(values))
    result = np.copysign(numbers[np.searchsorted(numbers, size, side="right") - 1], values)
    if dtype.itemsize > 1:
        result = np.where(np.isinf(values), values, result)
    return np.where(np.isnan(values), math.nan, result)


@pytest.mark.parametrize("source", ["fp16", "bf16"])
@pytest.mark.parametrize("name", FLOAT8S)
def test_every_half_toward_zero(name, source):
    x = HALVES.view(FLOATS[source])
    found = converted(x, FLOAT8S[name], "rtz", block=4096)
    expected = toward_zero(wide(x), FLOAT8S[name])
    assert np.array_equal(found, expected, equal_nan=True)
    if not name.endswith(("b8", "b16")):  # those have no negative zero
        numbers = ~np.isnan(expected)
        assert np.array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("target", ["fp16", "bf16"])
def test_float32_toward_zero(target):
    """Every upper half of a float32, with lower halves at and next to ties."""
    upper = torch.arange(65536).to(torch.int64) << 16
    lower = torch.tensor([0, 1, 0x1000, 0x1FFF, 0x2000, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
    bits = (upper + lower[torch.arange(65536) % len(lower)]).to(torch.uint32)
    x = bits.view(torch.float32)
    found = converted(x, FLOATS[target], "rtz", block=4096)
    with np.errstate(invalid="ignore"):
        expected = toward_zero(wide(x), FLOATS[target])
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("source", FLOAT8S)
@pytest.mark.parametrize("target", FLOAT8S)
def test_every_code_between_the_formats(source, target):
    x = CODES.view(FLOAT8S[source])
    limit = torch.finfo(FLOAT8S[target]).max
    expected = x.float() if source == target else x.float().clamp(-limit, limit)
    found = converted(x, FLOAT8S[target])
    assert np.array_equal(found, wide(expected.to(FLOAT8S[target])), equal_nan=True)


@tilewright.jit
def element_type(x, out, TYPE: tl.constexpr):
    tl.static_assert(x.dtype.element_ty == TYPE)
    tl.store(out, tl.load(x))


@pytest.mark.parametrize("name", FLOAT8S)
def test_arrays_of_every_format(name):
    """Tensors of PyTorch, and bytes that are reinterpreted."""
    for bits in (3, 0x81):
        x = torch.tensor([bits], dtype=torch.uint8)
        for array in (x.view(FLOAT8S[name]), tilewright.reinterpret(x, tl.dtype(name))):
            out = torch.zeros(1, dtype=torch.uint8)
            element_type[(1,)](array, out.view(FLOAT8S[name]), TYPE=tl.dtype(name))
            assert out.item() == bits
