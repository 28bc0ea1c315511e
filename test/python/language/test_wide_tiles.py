"""Tiles with more elements per thread than are optimized as one vector."""

from __future__ import annotations

import numpy as np
import pytest
import seeds

import tilewright
import tilewright.language as tl

N = 8192  # 256 elements per thread of one warp


@tilewright.jit
def mix(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i, mask=i < n, other=1)
    b = tl.load(y + (N - 1 - i))
    c = tl.where(a > b, a - b, b + a)
    tl.store(out + i, c * 2 + a, mask=i != 5)


@tilewright.jit
def carry(x, out, trips, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for t in range(trips):
        total = total * 2 + tl.load(x + (i ^ t)).to(tl.float32)
    tl.store(out + i, total)
    tl.store(out + N, tl.max(total, 0))


@tilewright.jit
def product(a, b, c, M: tl.constexpr, K: tl.constexpr):
    m, k = tl.arange(0, M), tl.arange(0, K)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * M + m[None, :])
    tl.store(c + m[:, None] * M + m[None, :], tl.dot(left, right))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float16", "float32"])
def test_elementwise(dtype: str) -> None:
    x, y = (seeds.generator().integers(0, 6, N).astype(dtype) for _ in range(2))
    out = np.zeros(N, dtype)
    mix[1,](x, y, out, N - 100, N=N, num_warps=1)
    a, b = np.where(np.arange(N) < N - 100, x, 1).astype(dtype), y[::-1]
    want = np.where(a > b, a - b, b + a) * 2 + a
    want[5] = 0
    assert np.array_equal(out, want.astype(dtype))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
def test_values_that_a_loop_carries(dtype: str) -> None:
    x = seeds.generator().integers(-8, 8, N).astype(dtype)
    out = np.zeros(N + 1, np.float32)
    carry[1,](x, out, 3, N=N, num_warps=1)
    i = np.arange(N)
    want = (x[i] * 4.0 + x[i ^ 1] * 2.0 + x[i ^ 2]).astype(np.float32)
    assert np.array_equal(out[:N], want)
    assert out[N] == want.max()


@pytest.mark.parametrize("dtype", [np.float16, np.int8])
def test_a_dot(dtype: type) -> None:
    a, b = (
        seeds.generator().integers(-4, 4, shape).astype(dtype) for shape in ((128, 32), (32, 128))
    )
    wide = np.int32 if dtype is np.int8 else np.float32
    c = np.zeros((128, 128), wide)
    product[1,](a, b, c, M=128, K=32, num_warps=1)
    assert np.array_equal(c, a.astype(wide) @ b.astype(wide))
