"""`%` of floats is exact like C's fmod, for quotients of any size."""

import numpy as np
import pytest
import torch
from seeds import generator

import tilewright
import tilewright.language as tl

SIZE = 1024


@tilewright.jit
def remainders(x, y, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.load(x + i) % tl.load(y + i))


def anything(dtype, rng):
    """Random bit patterns, so any quotient; includes zeros, infinities, NaN and subnormals."""
    bits = rng.integers(0, 256, SIZE * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5], dtype)
    bits[:: SIZE // 32] = rng.choice(special, 32)
    bits[1 :: SIZE // 32] = np.finfo(dtype).smallest_subnormal * rng.integers(1, 9, 32)
    return bits


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_any_numbers(dtype):
    rng = generator()
    x, y, out = anything(dtype, rng), anything(dtype, rng), np.empty(SIZE, dtype)
    remainders[(1,)](x, y, out, SIZE=SIZE)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    assert np.array_equal(out, expected, equal_nan=True)
    zero = out == 0
    assert np.array_equal(np.signbit(out[zero]), np.signbit(expected[zero]))


def test_bfloat16():
    x = torch.randn(SIZE).mul(1e6).bfloat16()
    y = torch.rand(SIZE).add(0.1).bfloat16()
    out = torch.empty_like(x)
    remainders[(1,)](x, y, out, SIZE=SIZE)
    assert torch.equal(out.double(), torch.fmod(x.double(), y.double()))
