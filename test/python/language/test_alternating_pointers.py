"""A pointer that a loop or a branch selects may alias any of its alternatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

N, STEPS = 64, 5


@tilewright.jit
def select_kernel(p, q, r, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a = p
    for k in range(steps):
        loaded = tl.load(a + i)
        tl.store(q + i, tl.full((N,), 100.0, tl.float32) + k)
        tl.store(out + k * N + i, loaded)
        a = tl.where(k % 2 == 0, q, p)


@tilewright.jit
def branch_kernel(p, q, r, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a = p
    for k in range(steps):
        loaded = tl.load(a + i)
        tl.store(q + i, tl.full((N,), 100.0, tl.float32) + k)
        tl.store(out + k * N + i, loaded)
        if k % 2 == 0:
            a = q
        if k % 2 == 1:
            a = p


@tilewright.jit
def swap_kernel(p, q, r, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = p, q
    for k in range(steps):
        loaded = tl.load(a + i)
        tl.store(q + i, tl.full((N,), 100.0, tl.float32) + k)
        tl.store(out + k * N + i, loaded)
        a, b = b, a


@tilewright.jit
def rotate_kernel(p, q, r, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = p, q, r
    for k in range(steps):
        loaded = tl.load(a + i)
        tl.store(q + i, tl.full((N,), 100.0, tl.float32) + k)
        tl.store(out + k * N + i, loaded)
        a, b, c = b, c, a


@tilewright.jit
def while_kernel(p, q, r, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, k = p, q, 0
    while k < steps:
        loaded = tl.load(a + i)
        tl.store(q + i, tl.full((N,), 100.0, tl.float32) + k)
        tl.store(out + k * N + i, loaded)
        a, b = b, a
        k += 1


@pytest.mark.parametrize(
    ("alternating", "period"),
    [
        (select_kernel, 2),
        (branch_kernel, 2),
        (swap_kernel, 2),
        (rotate_kernel, 3),
        (while_kernel, 2),
    ],
)
def test_a_load_through_alternating_pointers_sees_each_store(alternating: Any, period: int) -> None:
    arrays = [np.full(N, value, np.float32) for value in (1, 2, 3)]
    out = np.full((STEPS, N), np.nan, np.float32)
    first = [array.copy() for array in arrays]
    alternating[(1,)](*arrays, out, STEPS, N=N)
    for k in range(STEPS):
        expected = 100 + k - 1 if k % period == 1 else first[k % period]
        np.testing.assert_array_equal(out[k], expected)


@tilewright.jit
def dot_kernel(p, q, w, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    y = tl.load(w + i)
    a = p
    total = tl.zeros((N, N), tl.float32)
    for k in range(steps):
        total = tl.dot(tl.load(a + i), y, total)
        tl.store(q + i, (total * 0.25).to(tl.float16))
        a = tl.where(k % 2 == 0, q, p)
    tl.store(out + i, total)


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4])
def test_operands_of_a_dot_are_not_read_before_they_are_stored(num_stages: int) -> None:
    size = 32
    numbers: Callable[[], np.ndarray] = lambda: (  # noqa: E731
        np.random.default_rng(0).standard_normal((size, size)) * 0.2
    ).astype(np.float16)
    p, q, w = numbers(), numbers(), numbers()
    expected, source, stored = np.zeros((size, size)), p, q
    for k in range(6):
        expected = expected + source.astype(np.float64) @ w.astype(np.float64)
        stored = (expected * 0.25).astype(np.float16)
        source = stored if k % 2 == 0 else p
    out = np.zeros((size, size), np.float32)
    dot_kernel[(1,)](p, q, w, out, 6, N=size, num_stages=num_stages)
    np.testing.assert_allclose(out, expected, atol=2e-2)
