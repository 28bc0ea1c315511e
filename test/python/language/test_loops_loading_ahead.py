"""Loops with dots whose operands are loaded ahead.

They have few iterations, masked elements that are not zero, or other accesses to the same memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIDE, STEP = 32, 16


@tilewright.jit
def others(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """Masked elements are a value of the iteration."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, n * STEP, STEP):
        inside = start + k < depth
        other = (start + 3).to(tl.float16)
        x = tl.load(a + i[:, None] * depth + start + k[None, :], inside[None, :], other)
        y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], inside[:, None], 2.0)
        total = tl.dot(x, y, total)
    tl.store(out + i[:, None] * SIDE + i[None, :], total)


def expect_others(a, b, extra, n, depth) -> np.ndarray:
    k = np.arange(n * STEP)
    x = np.where(k < depth, np.pad(a, ((0, 0), (0, n * STEP)))[:, : len(k)], 3 + k // STEP * STEP)
    y = np.where(k[:, None] < depth, np.pad(b, ((0, n * STEP), (0, 0)))[: len(k)], 2)
    return x @ y


@tilewright.jit
def shared_values(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The dot and sums of rows and columns use the same loads."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    rows, columns = tl.zeros((SIDE,), tl.float32), tl.zeros((SIDE,), tl.float32)
    for start in range(0, n * STEP, STEP):
        x = tl.load(a + i[:, None] * depth + start + k[None, :], (start + k < depth)[None, :], 0.0)
        y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], start + k[:, None] < depth, 0.0)
        total = tl.dot(x, y, total)
        rows += tl.sum(x.to(tl.float32), axis=1)
        columns = columns * 0.5 + tl.max(y.to(tl.float32), axis=0)
    total += rows[:, None] + columns[None, :]
    tl.store(out + i[:, None] * SIDE + i[None, :], total)


def expect_shared_values(a, b, extra, n, depth) -> np.ndarray:
    x = np.pad(a, ((0, 0), (0, n * STEP)))[:, : n * STEP]
    y = np.pad(b, ((0, n * STEP), (0, 0)))[: n * STEP]
    columns = np.zeros(SIDE)
    for part in y.reshape(n, STEP, SIDE):
        columns = columns * 0.5 + part.max(axis=0)
    return x @ y + x.sum(axis=1)[:, None] + columns


@tilewright.jit
def writes_operand(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """Each iteration writes the rows of B that the next one reads."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, n * STEP, STEP):
        x = tl.load(a + i[:, None] * depth + start + k[None, :], (start + k < depth)[None, :], 0.0)
        here = b + (start + k[:, None]) * SIDE + i[None, :]
        y = tl.load(here, start + k[:, None] < depth, 0.0)
        total = tl.dot(x, y, total)
        tl.store(here + STEP * SIDE, y + 1, start + STEP + k[:, None] < depth)
    tl.store(out + i[:, None] * SIDE + i[None, :], total)


def expect_writes_operand(a, b, extra, n, depth) -> np.ndarray:
    y = np.pad(b, ((0, n * STEP), (0, 0)))[: n * STEP]
    for start in range(STEP, n * STEP, STEP):
        y[start : start + STEP] = y[start - STEP : start] + 1
    y[depth:] = 0
    return np.pad(a, ((0, 0), (0, n * STEP)))[:, : n * STEP] @ y


@tilewright.jit
def counts(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """An atomic of each iteration tells the rows of B, and another one adds up results."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, n * STEP, STEP):
        at = tl.atomic_add(extra, STEP)
        x = tl.load(a + i[:, None] * depth + start + k[None, :], (start + k < depth)[None, :], 0.0)
        y = tl.load(b + (at + k[:, None]) * SIDE + i[None, :], at + k[:, None] < depth, 0.0)
        total = tl.dot(x, y, total)
        tl.atomic_add(out + i[:, None] * SIDE + i[None, :], total)


def expect_counts(a, b, extra, n, depth) -> np.ndarray:
    x = np.pad(a, ((0, 0), (0, n * STEP)))[:, : n * STEP].reshape(SIDE, n, STEP)
    y = np.pad(b, ((0, n * STEP), (0, 0)))[: n * STEP].reshape(n, STEP, SIDE)
    return np.cumsum(np.einsum("mnk,nkj->nmj", x, y), axis=0).sum(axis=0)


@tilewright.jit
def two_dots(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The second dot reads the first one's result, and B again."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    left = tl.load(a + i[:, None] * depth + i[None, :], i[None, :] < depth, 0.0)
    for start in range(0, n * STEP, STEP):
        rows = start + k[:, None]
        y = tl.load(b + rows * SIDE + i[None, :], rows < depth, 0.0)
        scores = tl.dot(left, y.T) - 1
        total = tl.dot(tl.maximum(scores, 0.0).to(tl.float16), y, total * 0.5)
    tl.store(out + i[:, None] * SIDE + i[None, :], total)


def expect_two_dots(a, b, extra, n, depth) -> np.ndarray:
    left = np.pad(a, ((0, 0), (0, SIDE)))[:, :SIDE]
    total = np.zeros((SIDE, SIDE))
    for y in np.pad(b, ((0, n * STEP), (0, 0)))[: n * STEP].reshape(n, STEP, SIDE):
        total = total * 0.5 + np.maximum(left @ y.T - 1, 0) @ y
    return total


@tilewright.jit
def early(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The loop ends before the last iteration, and leaves out every third one."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    start = 0
    while start < n * STEP:
        at = start
        start += STEP
        if at + STEP > depth:
            break
        if at // STEP % 3 == 1:
            continue
        x = tl.load(a + i[:, None] * depth + at + k[None, :])
        y = tl.load(b + (at + k[:, None]) * SIDE + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(out + i[:, None] * SIDE + i[None, :], total)


def expect_early(a, b, extra, n, depth) -> np.ndarray:
    k = np.arange(min(n, depth // STEP) * STEP)
    k = k[k // STEP % 3 != 1]
    return a[:, k] @ b[k]


@tilewright.jit
def nested(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """A matmul for each of several tiles, with pointers that advance."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    for tile in range(2):
        total = tl.zeros((SIDE, SIDE), tl.float32)
        x_at = a + i[:, None] * depth + k[None, :]
        y_at = b + k[:, None] * SIDE + i[None, :]
        for start in range(tile * STEP, n * STEP, STEP):
            x = tl.load(x_at, (start + k < depth)[None, :], 0.0)
            y = tl.load(y_at, start + k[:, None] < depth, 1.0)
            total = tl.dot(x, y, total)
            x_at += STEP
            y_at += STEP * SIDE
        here = out + i[:, None] * SIDE + i[None, :]
        tl.store(here, tl.load(here) * 0.5 + total)


def expect_nested(a, b, extra, n, depth) -> np.ndarray:
    total = np.zeros((SIDE, SIDE))
    for tile in range(2):
        inside = np.arange(max(n - tile, 0) * STEP)
        inside = inside[inside + tile * STEP < depth]
        total = total * 0.5 + a[:, inside] @ b[inside]
    return total


@tilewright.jit
def previous(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The loop carries what it has loaded, and the program uses the last tile after it."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    last = tl.full((STEP, SIDE), 3.0, tl.float16)
    for start in range(0, n * STEP, STEP):
        x = tl.load(a + i[:, None] * depth + start + k[None, :], (start + k < depth)[None, :], 0.0)
        y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], start + k[:, None] < depth, 1.0)
        total = tl.dot(x, y, total)
        total = tl.dot(x, last, total)
        last = y
    total += tl.sum(last.to(tl.float32), axis=0)[None, :]
    tl.store(out + i[:, None] * SIDE + i[None, :], total)


def expect_previous(a, b, extra, n, depth) -> np.ndarray:
    total, last = np.zeros((SIDE, SIDE)), np.full((STEP, SIDE), 3.0)
    x = np.pad(a, ((0, 0), (0, n * STEP)))
    y = np.pad(b, ((0, n * STEP), (0, 0)), constant_values=1)
    for at in range(0, n * STEP, STEP):
        rows = y[at : at + STEP]
        total += x[:, at : at + STEP] @ (rows + last)
        last = rows
    return total + last.sum(axis=0)


@tilewright.jit
def exchanged(a, b, out, extra, n, depth, SIDE: tl.constexpr, STEP: tl.constexpr):
    """Threads read from global memory what others have just stored, in the loop and after it."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    here, there = i[:, None] * SIDE + i[None, :], i[None, :] * SIDE + i[:, None]
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, n * STEP, STEP):
        x = tl.load(a + i[:, None] * depth + start + k[None, :], (start + k < depth)[None, :], 0.0)
        y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], start + k[:, None] < depth, 0.0)
        tl.store(out + here, tl.dot(x, y))
        total = total * 0.5 + tl.load(out + there)
    total += tl.load(out + there)
    tl.store(out + here, total)


def expect_exchanged(a, b, extra, n, depth) -> np.ndarray:
    total, product = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    x, y = np.pad(a, ((0, 0), (0, n * STEP))), np.pad(b, ((0, n * STEP), (0, 0)))
    for at in range(0, n * STEP, STEP):
        product = x[:, at : at + STEP] @ y[at : at + STEP]
        total = total * 0.5 + product.T
    return total + product.T


CASES: dict[str, tuple[Any, Any]] = {
    "others": (others, expect_others),
    "shared values": (shared_values, expect_shared_values),
    "writes operand": (writes_operand, expect_writes_operand),
    "counts": (counts, expect_counts),
    "two dots": (two_dots, expect_two_dots),
    "early": (early, expect_early),
    "nested": (nested, expect_nested),
    "previous": (previous, expect_previous),
    "exchanged": (exchanged, expect_exchanged),
}


def check(name: str, n: int, depth: int, **options: int) -> None:
    kernel, expect = CASES[name]
    generator = np.random.default_rng(n * 100 + depth)
    a = generator.integers(-2, 3, (SIDE, depth)).astype(np.float16)
    b = generator.integers(-2, 3, (depth, SIDE)).astype(np.float16)
    expected = expect(a.astype(float), b.astype(float), None, n, depth)
    out, extra = np.zeros((SIDE, SIDE), np.float32), np.zeros(1, np.int32)
    kernel[(1,)](a, b, out, extra, n, depth, SIDE, STEP, **options)
    np.testing.assert_allclose(out, expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("n", (0, 1, 2, 3, 6))
@pytest.mark.parametrize("name", CASES)
def test_trip_counts(name: str, n: int) -> None:
    check(name, n, max(n * STEP - 5, 1))
    check(name, n, n * STEP + STEP)


@pytest.mark.parametrize("num_warps", (1, 2, 8))
@pytest.mark.parametrize("num_stages", (1, 2, 3, 4))
@pytest.mark.parametrize("name", CASES)
def test_stages_and_warps(name: str, num_stages: int, num_warps: int) -> None:
    check(name, 5, 5 * STEP - 3, num_stages=num_stages, num_warps=num_warps)
