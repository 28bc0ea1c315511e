"""The precisions of tl.dot for float32, against float64, and infinities and NaNs in them."""

import math

import numpy as np
import pytest
import torch
from inputs import fresh, poisoned, wide
from seeds import generator

import tilewright
import tilewright.language as tl

# The error of a product of two elements, in units of the product.
ERRORS = {
    "ieee": 0,
    "tf32": 2.0**-9,
    "tf32x3": 2.0**-19,
    "bf16x3": 2.0**-14,
    "bf16x6": 2.0**-22,
}


@tilewright.jit
def product(a, b, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, MODE: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + j[None, :])
    at = i[:, None] * N + j[None, :]
    tl.store(out + at, tl.dot(x, y, tl.load(c + at), input_precision=MODE))


def run(a, b, c, mode):
    (m, k), n = a.shape, b.shape[1]
    out = poisoned("fp32", (m, n))
    product[(1,)](a, b, c, out, M=m, N=n, K=k, MODE=mode)
    return wide(out)


def check(a, b, mode):
    """Compares with float64: the precision limits products, and float32 sums."""
    c = fresh("fp32", (a.shape[0], b.shape[1]))
    x, y, start = wide(a), wide(b), wide(c)
    sizes = np.abs(x) @ np.abs(y)
    roundings = (6 * a.shape[1] + 8) * 2.0**-24
    bound = sizes * (ERRORS[mode] + roundings) + np.abs(start) * roundings
    assert (np.abs(run(a, b, c, mode) - (x @ y + start)) <= bound).all()


@pytest.mark.parametrize("shape", [(16, 16, 32), (64, 32, 16), (4, 8, 16), (16, 16, 4)])
@pytest.mark.parametrize("mode", ERRORS)
def test_precision(mode, shape):
    m, n, k = shape
    check(fresh("fp32", (m, k)), fresh("fp32", (k, n)), mode)


@pytest.mark.parametrize("mode", ERRORS)
def test_products_of_very_different_sizes(mode):
    scales = torch.from_numpy(np.ldexp(1.0, generator().integers(-30, 30, (32, 32)))).float()
    check(fresh("fp32", (32, 32)) * scales, fresh("fp32", (32, 32)), mode)


@pytest.mark.parametrize("mode", ["ieee", "tf32x3", "bf16x3", "bf16x6"])
def test_infinities_and_nans(mode):
    a, b = fresh("fp32", (16, 16), 0.5, 1.5), fresh("fp32", (16, 16), 0.5, 1.5)
    a[1, 3], a[2, 5], a[4, 0] = math.inf, -math.inf, math.nan
    b[3, 7], b[0, 9] = 0, -math.inf
    a.view(torch.int32)[7, 1] = 0x7F800001  # a NaN with only the last bit of the fraction
    with np.errstate(invalid="ignore"):
        expected = wide(a) @ wide(b)
    found = run(a, b, torch.zeros(16, 16), mode)
    special = ~np.isfinite(expected)
    assert np.array_equal(found[special], expected[special], equal_nan=True)
    assert np.isfinite(found[~special]).all()


@pytest.mark.parametrize("mode", ["ieee", "tf32x3", "bf16x3", "bf16x6"])
def test_largest_numbers_do_not_overflow(mode):
    # Greater than the numbers that round to the largest bfloat16.
    large = torch.finfo(torch.float32).max * 0.999
    a, b = torch.eye(16) * large, torch.eye(16) * -1.0
    found = run(a, b, torch.zeros(16, 16), mode)
    assert np.allclose(found, wide(a) @ wide(b), rtol=ERRORS[mode])


@pytest.mark.parametrize("mode", ["bf16x6"])
def test_six_products_are_as_precise_as_float32(mode):
    a, b = fresh("fp32", (32, 32)), fresh("fp32", (32, 32))
    exact = wide(a) @ wide(b)
    errors = [
        np.linalg.norm(run(a, b, torch.zeros(32, 32), m) - exact) for m in (mode, "ieee", "bf16x3")
    ]
    assert errors[0] < 4 * errors[1] and errors[0] < errors[2] / 8
