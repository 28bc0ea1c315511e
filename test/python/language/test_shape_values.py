"""The elements of the results of shape operations, against NumPy."""

import numpy as np
import pytest
from inputs import fresh, poisoned

import tilewright
import tilewright.language as tl

M, N = 8, 32


@tilewright.jit
def permuted(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, ORDER: tl.constexpr):
    cube = tl.reshape(tl.load(x + tl.arange(0, A * B * C)), (A, B, C))
    tl.store(out + tl.arange(0, A * B * C), tl.reshape(tl.permute(cube, ORDER), A * B * C))


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
def test_permute(order):
    x, out = fresh("int32", (2, 8, 16)), poisoned("int32", (256,))
    permuted[(1,)](x, out, A=2, B=8, C=16, ORDER=order)
    assert np.array_equal(out, x.transpose(order).ravel())


@tilewright.jit
def pairs(x, y, joined, first, second, mixed, both, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    j = tl.join(a, b)
    tl.store(joined + i[:, None] * 2 + tl.arange(0, 2)[None, :], j)
    c, d = tl.split(j * 2)
    tl.store(first + i, c)
    tl.store(second + i, d)
    k = tl.arange(0, 2 * N)
    tl.store(mixed + k, tl.interleave(a, b))
    tl.store(both + k, tl.cat(a, b, can_reorder=True))


def test_pairs():
    x, y = fresh("int32", (N,), -99, 99), fresh("int32", (N,), -99, 99)
    joined, first, second = poisoned("int32", (N, 2)), *(poisoned("int32", (N,)) for _ in "xy")
    mixed, both = poisoned("int32", (2 * N,)), poisoned("int32", (2 * N,))
    pairs[(1,)](x, y, joined, first, second, mixed, both, N=N)
    expected = np.stack([x, y], axis=1)
    assert np.array_equal(joined, expected)
    assert np.array_equal(first, 2 * x) and np.array_equal(second, 2 * y)
    assert np.array_equal(mixed, expected.ravel())
    assert np.array_equal(np.sort(both), np.sort(np.concatenate([x, y])))


@tilewright.jit
def outer(x, y, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a, b = tl.broadcast(tl.load(x + i)[:, None], tl.load(y + j)[None, :])
    tl.store(out + i[:, None] * N + j[None, :], tl.where(a > b, a - b, a * b))


def test_broadcast_and_where():
    x, y, out = fresh("int32", (M,), -9, 9), fresh("int32", (N,), -9, 9), poisoned("int32", (M, N))
    outer[(1,)](x, y, out, M=M, N=N)
    a, b = x[:, None], y[None, :]
    assert np.array_equal(out, np.where(a > b, a - b, a * b))


@tilewright.jit
def picked(x, at, out, M: tl.constexpr, N: tl.constexpr):
    cell = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + cell, tl.gather(tl.load(x + cell), tl.load(at + cell), axis=1))


def test_gather():
    x, at, out = fresh("int32", (M, N)), fresh("int32", (M, N), 0, N - 1), poisoned("int32", (M, N))
    picked[(1,)](x, at, out, M=M, N=N)
    assert np.array_equal(out, np.take_along_axis(x, at, 1))


@tilewright.jit
def flipped(x, out, DIM: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    cell = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + cell, tl.flip(tl.load(x + cell), DIM))


@pytest.mark.parametrize("dim", [0, 1])
def test_flip(dim):
    x, out = fresh("int32", (M, N)), poisoned("int32", (M, N))
    flipped[(1,)](x, out, DIM=dim, M=M, N=N)
    assert np.array_equal(out, np.flip(x, dim))


@tilewright.jit
def softmax_rows(x, out, M: tl.constexpr, N: tl.constexpr):
    cell = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + cell, tl.softmax(tl.load(x + cell), dim=1))


def test_softmax():
    x, out = fresh("fp32", (M, N)), poisoned("fp32", (M, N))
    softmax_rows[(1,)](x, out, M=M, N=N)
    e = np.exp(x.double().numpy())
    assert np.abs(out.numpy() - e / e.sum(1, keepdims=True)).max() < 1e-6


@tilewright.jit
def swizzled(rows, columns, SIZE: tl.constexpr, GROUP: tl.constexpr):
    p = tl.program_id(0)
    i, j = tl.swizzle2d(p // SIZE, p % SIZE, SIZE, SIZE, GROUP)
    tl.store(rows + p, i)
    tl.store(columns + p, j)


def test_swizzle2d():
    rows, columns = poisoned("int32", (16,)), poisoned("int32", (16,))
    swizzled[(16,)](rows, columns, SIZE=4, GROUP=2)
    numbers = np.empty((4, 4), int)
    numbers[rows, columns] = np.arange(16)
    assert numbers.tolist() == [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]]


@tilewright.jit
def concatenated(x, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    both = tl.cat(a, -a, dim=1)
    (out + tl.arange(0, M)[:, None] * 2 * N + tl.arange(0, 2 * N)[None, :]).store(both)


@pytest.mark.parametrize("shape", [(4, 8), (3, 5)])
def test_cat_along_columns(shape):
    x = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    out = np.zeros((shape[0], 2 * shape[1]), np.float32)
    concatenated[(1,)](x, out, M=shape[0], N=shape[1])
    assert np.array_equal(out, np.concatenate([x, -x], 1))
