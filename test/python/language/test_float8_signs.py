"""Negation, absolute value, maximum and minimum of float8 change no number: also not infinity."""

import pytest
import torch

import tilewright
import tilewright.language as tl

TYPES = [
    torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz,
]  # fmt: skip


@tilewright.jit
def signs_kernel(x, negative, magnitude, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(negative + i, -value)
    tl.store(magnitude + i, tl.abs(value))


def every(dtype):
    return torch.arange(256, dtype=torch.uint8).view(dtype)


def same(got, want):
    """The same numbers, of the same sign; NaN is any NaN."""
    assert torch.equal(got.isnan(), want.isnan())
    kept = ~want.isnan()
    assert torch.equal(got[kept], want[kept])
    assert torch.equal(got[kept].signbit(), want[kept].signbit())


@pytest.mark.parametrize("dtype", TYPES)
def test_signs_of_all_numbers(dtype):
    x = every(dtype)
    negative, magnitude = torch.zeros_like(x), torch.zeros_like(x)
    signs_kernel[(1,)](x, negative, magnitude, N=256)
    wide = x.double()
    minus = -wide
    if dtype in TYPES[2:]:
        minus[wide == 0] = 0.0  # there is no negative zero
    same(negative.double(), minus)
    same(magnitude.double(), wide.abs())


@tilewright.jit
def extrema_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.maximum(a, b))
    tl.store(out + N + i, tl.minimum(a, b))
    tl.store(out + 2 * N + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out + 3 * N + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("step", [1, 7, 128, 131])
def test_extrema_of_all_numbers(dtype, step):
    x = every(dtype)
    y = x.view(torch.uint8).roll(step).view(dtype)
    out = torch.zeros(1024, dtype=torch.uint8).view(dtype)
    extrema_kernel[(1,)](x, y, out, N=256)
    a, b = x.double(), y.double()
    functions = torch.fmax, torch.fmin, torch.maximum, torch.minimum
    want = torch.cat([function(a, b) for function in functions])
    got = out.double()
    torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)


@tilewright.jit
def chosen_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.float8e4b15, bitcast=True)
    b = tl.load(y + i).to(tl.float8e4b15, bitcast=True)
    tl.store(out + i, tl.where(i % 3 == 0, a, b).to(tl.uint8, bitcast=True))


def test_where_takes_float8e4b15():
    x, y = torch.arange(64, dtype=torch.uint8), torch.arange(64, 128, dtype=torch.uint8)
    out = torch.zeros(64, dtype=torch.uint8)
    chosen_kernel[(1,)](x, y, out, N=64)
    assert torch.equal(out, torch.where(torch.arange(64) % 3 == 0, x, y))
