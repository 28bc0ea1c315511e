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


@tilewright.jit
def rearrange(x, out, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    a = tl.load(x + i * C + j)
    even, odd = tl.split(tl.reshape(tl.trans(a), (R, C // 2, 2)))
    swapped = tl.reshape(tl.join(odd, even), (R, C))
    tl.store(out + i * C + j, swapped + tl.cumsum(a, axis=0) - tl.max(a, axis=1)[:, None])


@tilewright.jit
def functions(x, out, flag, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.exp(a) / (a + 9.0) + tl.sin(a * 100000.0)
    if flag > 0:
        b = b + a % 0.75
    step = 0
    while step < flag:
        b = b * 0.5
        step += 1
    tl.store(out + i, b + a.to(tl.float8e5).to(tl.float32) + tl.div_rn(a, 3.0))


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


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
@pytest.mark.parametrize("shape", [(64, 128), (512, 16)])
def test_rearranged_elements(dtype: type, shape: tuple[int, int]) -> None:
    x = seeds.generator().integers(-100, 100, shape).astype(dtype)
    out = np.zeros(shape, np.int32)
    rearrange[1,](x, out, R=shape[0], C=shape[1], num_warps=1)
    pairs = x.T.reshape(shape[0], -1, 2).astype(np.int32)
    want = pairs[:, :, ::-1].reshape(shape) + np.cumsum(x, axis=0, dtype=np.int32)
    want -= x.max(axis=1, keepdims=True)
    assert np.array_equal(out, want)


@pytest.mark.parametrize("flag", [0, 3])
def test_functions_have_the_values_of_narrow_tiles(flag: int) -> None:
    x = seeds.generator().uniform(-8, 8, N).astype(np.float32)
    out, want = np.full((2, N), np.nan, np.float32)
    functions[1,](x, out, flag, BLOCK=N, num_warps=1)
    functions[N // 128,](x, want, flag, BLOCK=128)
    assert np.isfinite(want).all()
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


@tilewright.jit
def wide_product(a, b, out, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), out.dtype.element_ty)
    for first in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (first + k)[None, :])
        y = tl.load(b + (first + k)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total, input_precision="ieee")
    tl.store(out + rows[:, None] * N + columns[None, :], total)


@pytest.mark.parametrize("dtype", ["int8", "float16"])
@pytest.mark.parametrize("steps", [1, 5])
def test_operands_of_many_values_in_a_pipeline(dtype: str, steps: int) -> None:
    # With one warp, each thread holds 256 values of the second operand, which loops carry as words.
    m, n, bk = 16, 128, 64
    generator = np.random.default_rng(steps)
    a, b = (
        generator.integers(-4, 4, size).astype(dtype) for size in ((m, steps * bk), (steps * bk, n))
    )
    exact = np.int32 if dtype == "int8" else np.float32
    out = np.zeros((m, n), exact)
    wide_product[1,](a, b, out, steps * bk, m, n, bk, num_warps=1, num_stages=3)
    np.testing.assert_array_equal(out, a.astype(exact) @ b.astype(exact))
