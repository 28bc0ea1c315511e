"""tl.dot of all pairs of 8-bit floats, and of batches with short sides, against float64."""

from itertools import product as pairs

import numpy as np
import pytest
import torch
from inputs import FLOAT8S, FLOATS, fresh, poisoned, wide
from seeds import generator

import tilewright
import tilewright.language as tl


@tilewright.jit
def product(a, b, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    d, i, j, k = tl.arange(0, B), tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    d = d[:, None, None]
    x = tl.load(a + (d * M + i[:, None]) * K + k[None, :])
    y = tl.load(b + (d * K + k[:, None]) * N + j[None, :])
    z = tl.dot(x, y, input_precision="ieee", out_dtype=out.dtype.element_ty)
    tl.store(out + (d * M + i[:, None]) * N + j[None, :], z)


def check(a, b, out, roundoff):
    """Compares a batch with float64; `roundoff` is that of one addition."""
    (batch, m, k), n = a.shape, b.shape[2]
    product[(1,)](a, b, out, B=batch, M=m, N=n, K=k)
    x, y = wide(a), wide(b)
    bound = (k + 2) * roundoff * (np.abs(x).astype(float) @ np.abs(y).astype(float))
    assert (np.abs(wide(out) - x @ y) <= bound).all()


@pytest.mark.parametrize("shape", [(16, 16, 32), (2, 8, 16)])
@pytest.mark.parametrize("kinds", list(pairs(FLOAT8S, FLOAT8S)), ids="-".join)
def test_pairs_of_8_bit_floats(kinds, shape):
    m, n, k = shape
    a, b = (
        torch.from_numpy(generator().standard_normal(size)).to(FLOAT8S[kind])
        for kind, size in zip(kinds, [(1, m, k), (1, k, n)], strict=True)
    )
    # Before Blackwell, tensor cores keep 13 bits below the largest summand of a float8 dot.
    check(a, b, poisoned("fp32", (1, m, n)), 2.0**-12)


@pytest.mark.parametrize("shape", [(2, 1, 1, 1), (4, 1, 8, 16), (2, 8, 1, 32), (8, 2, 2, 2)])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64", "int8"])
def test_batches_with_short_sides(dtype, shape):
    batch, m, n, k = shape
    result = {"fp64": "fp64", "int8": "int32"}.get(dtype, "fp32")
    a, b = fresh(dtype, (batch, m, k)), fresh(dtype, (batch, k, n))
    exact = result == "int32"
    check(a, b, poisoned(result, (batch, m, n)), 0 if exact else 2.0**-22)


@pytest.mark.parametrize("kind", ["fp16", "fp8e5"])
def test_float16_results(kind):
    dtype = {**FLOATS, **FLOAT8S}[kind]
    a, b = (torch.from_numpy(generator().standard_normal((2, 16, 16))).to(dtype) for _ in range(2))
    check(a, b, poisoned("fp16", (2, 16, 16)), 2.0**-10)
