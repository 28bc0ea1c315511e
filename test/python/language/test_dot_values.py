"""tl.dot against float64."""

import numpy as np
import pytest
from inputs import ROUNDOFF, error, fresh, poisoned, wide

import tilewright
import tilewright.language as tl


@tilewright.jit
def product(a, b, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ADD: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + j[None, :])
    at = i[:, None] * N + j[None, :]
    if ADD:
        z = tl.dot(x, y, tl.load(c + at), input_precision="ieee")
    else:
        z = tl.dot(x, y, input_precision="ieee")
    tl.store(out + at, z)


SHAPES = [(16, 16, 16), (32, 64, 16), (128, 32, 64), (1, 16, 8), (4, 2, 128), (8, 8, 1)]


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64"])
@pytest.mark.parametrize("m, n, k", SHAPES)
@pytest.mark.parametrize("add", [False, True])
def test_floats(add, m, n, k, dtype):
    result = "fp64" if dtype == "fp64" else "fp32"
    a, b, c = fresh(dtype, (m, k)), fresh(dtype, (k, n)), fresh(result, (m, n))
    out = poisoned(result, (m, n))
    product[(1,)](a, b, c, out, M=m, N=n, K=k, ADD=add)
    exact = wide(a) @ wide(b) + (wide(c) if add else 0)
    scale = np.linalg.norm(np.abs(wide(a)) @ np.abs(wide(b))) / np.linalg.norm(exact)
    assert error(out, exact) < (k + 2) * ROUNDOFF[result] * max(scale, 1)


def test_integers():
    a, b, c = fresh("int8", (16, 32)), fresh("int8", (32, 16)), fresh("int32", (16, 16), -9, 9)
    out = poisoned("int32", (16, 16))
    product[(1,)](a, b, c, out, M=16, N=16, K=32, ADD=True)
    assert np.array_equal(out, a.astype(np.int32) @ b.astype(np.int32) + c)


@tilewright.jit
def batched(a, b, out, B: tl.constexpr, M: tl.constexpr):
    at = tl.arange(0, B * M * M)
    x = tl.reshape(tl.load(a + at), (B, M, M))
    y = tl.reshape(tl.load(b + at), (B, M, M))
    tl.store(out + at, tl.reshape(tl.dot(x, y, input_precision="ieee"), B * M * M))


def test_batches():
    a, b, out = (
        fresh("fp32", (4, 16, 16)),
        fresh("fp32", (4, 16, 16)),
        poisoned("fp32", (4, 16, 16)),
    )
    batched[(1,)](a, b, out, B=4, M=16)
    assert error(out, wide(a) @ wide(b)) < 1e-5
