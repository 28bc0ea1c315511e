"""Tiles that loops carry and branches yield."""

import numpy as np
import pytest
from seeds import generator

import tilewright
import tilewright.language as tl

N = 256
TF32 = 2.0**-10  # relative error of a product if tl.dot rounds both factors to 11 bits


def numbers(*shape: int) -> np.ndarray:
    return generator().standard_normal(shape).astype(np.float32)


@tilewright.jit
def exchange_kernel(x, y, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    for _ in range(steps):
        a, b = b, a + 1.0
    tl.store(x + i, a)
    tl.store(y + i, b)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_loop_exchanging_two_tiles(steps: int) -> None:
    x, y = numbers(N), numbers(N)
    a, b = x.copy(), y.copy()
    for _ in range(steps):
        a, b = b, a + np.float32(1)
    exchange_kernel[(1,)](x, y, steps, N=N)
    np.testing.assert_array_equal(x, a)
    np.testing.assert_array_equal(y, b)


@tilewright.jit
def previous_kernel(x, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    previous = a
    total = tl.zeros((N,), tl.float32)
    for _ in range(steps):
        total += previous
        previous = a
        a = a * 0.5
    tl.store(out + i, total)


def test_loop_carrying_the_previous_value() -> None:
    x, out = numbers(N), np.full(N, np.nan, np.float32)
    a, previous, total = x.copy(), x.copy(), np.zeros(N, np.float32)
    for _ in range(4):
        total += previous
        previous = a
        a = a * np.float32(0.5)
    previous_kernel[(1,)](x, out, 4, N=N)
    np.testing.assert_array_equal(out, total)


@tilewright.jit
def choose_kernel(x, y, out, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    if flag > 0:
        c = a * 2.0
        d = b
    else:
        c = b
        d = tl.zeros((N,), tl.float32)
    tl.store(out + i, c + d)


@pytest.mark.parametrize("flag", [-1, 1])
def test_branch_yielding_tiles(flag: int) -> None:
    x, y, out = numbers(N), numbers(N), np.full(N, np.nan, np.float32)
    choose_kernel[(1,)](x, y, out, flag, N=N)
    np.testing.assert_array_equal(out, x * 2 + y if flag > 0 else y)


@tilewright.jit
def while_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    steps = 0
    while tl.sum(a, axis=0) < 1000.0:
        a = a * 2.0
        steps += 1
    tl.store(out + i, a)


def test_while_over_a_tile() -> None:
    x, out = np.abs(numbers(N)) + np.float32(0.01), np.full(N, np.nan, np.float32)
    while_kernel[(1,)](x, out, N=N)
    scale = out[0] / x[0]
    np.testing.assert_array_equal(out, x * scale)
    assert out.sum(dtype=np.float64) >= 999.9
    assert (out.sum(dtype=np.float64) / 2 if scale > 1 else 0) <= 1000.1


@tilewright.jit
def nested_kernel(a, b, out, M: tl.constexpr, K: tl.constexpr, outer, inner):
    m = tl.arange(0, M)[:, None]
    k = tl.arange(0, K)[None, :]
    total = tl.zeros((M, M), tl.float32)
    for _ in range(outer):
        part = tl.zeros((M, M), tl.float32)
        for _ in range(inner):
            left = tl.load(a + m * K + k)
            part = tl.dot(left, tl.trans(tl.load(b + m * K + k)), part)
        total = total * 0.5 + part
    tl.store(out + m * M + tl.arange(0, M)[None, :], total)


def test_nested_loops_with_products() -> None:
    a, b, out = numbers(16, 32), numbers(16, 32), np.full((16, 16), np.nan, np.float32)
    nested_kernel[(1,)](a, b, out, M=16, K=32, outer=3, inner=2)
    exact = 3.5 * (a.astype(np.float64) @ b.T.astype(np.float64))
    assert (np.abs(out - exact) <= 1.1 * TF32 * 3.5 * (np.abs(a) @ np.abs(b.T))).all()


@tilewright.jit
def shared_zero_kernel(a, out, M: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    k = tl.arange(0, M)[None, :]
    x = tl.load(a + m * M + k)
    zero = tl.zeros((M, M), tl.float32)
    first = tl.dot(x, x, zero)
    second = tl.dot(first, x, zero)
    tl.store(out + m * M + k, first + second + zero)


def test_one_accumulator_used_twice() -> None:
    a, out = numbers(16, 16), np.full((16, 16), np.nan, np.float32)
    shared_zero_kernel[(1,)](a, out, M=16)
    x, size = a.astype(np.float64), np.abs(a)
    limit = 1.1 * TF32 * (size @ size + 2 * size @ size @ size)
    assert (np.abs(out - x @ x - x @ x @ x) <= limit).all()


@tilewright.jit
def online_softmax_kernel(x, out, n, N: tl.constexpr, B: tl.constexpr):
    m = -float("inf")
    s = 0.0
    for start in range(0, n, B):
        v = tl.load(
            x + start + tl.arange(0, B), mask=start + tl.arange(0, B) < n, other=-float("inf")
        )
        new = tl.maximum(m, tl.max(v, axis=0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(v - new), axis=0)
        m = new
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n)
        tl.store(out + i, tl.exp(v - m) / s, mask=i < n)


def test_scalars_carried_beside_tiles() -> None:
    x, out = numbers(1000), np.full(1000, np.nan, np.float32)
    online_softmax_kernel[(1,)](x, out, 1000, N=1024, B=128)
    e = np.exp(x.astype(np.float64) - x.max())
    np.testing.assert_allclose(out, e / e.sum(), rtol=1e-5)


@tilewright.jit
def exchange_remainder_kernel(x, y, divisor, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    for _ in range(3):
        remainder = a.to(tl.int8) % tl.load(divisor + i)
        a, b = b, remainder.to(tl.int64)
    tl.store(out + i, b)


def test_what_is_computed_from_an_overwritten_tile() -> None:
    x, y = (generator().integers(-100, 100, 64) for _ in range(2))
    divisor = generator().integers(1, 9, 64).astype(np.int8)
    a, b = x, y
    for _ in range(3):
        a, b = b, np.fmod(a, divisor)
    out = np.zeros_like(x)
    exchange_remainder_kernel[(1,)](x, y, divisor, out, N=64)
    np.testing.assert_array_equal(out, b)
