"""Valid hints in pipelined loops: all passes use the same width of an access."""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

STRIDE, SIDE, STEP = 256, 32, 32
START = 24  # divisible by 8 and not by 16


@tilewright.jit
def scalar_hint(a, b, c, start, K, STRIDE: tl.constexpr, SIDE: tl.constexpr, STEP: tl.constexpr):
    i = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k0 in range(0, K, STEP):
        k = tl.multiple_of(k0 + start, 8) + tl.arange(0, STEP)
        x = tl.load(a + i[:, None] * STRIDE + k[None, :])
        y = tl.load(b + k[:, None] * SIDE + i[None, :])
        total = tl.dot(x.to(tl.float16), y.to(tl.float16), total)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


@tilewright.jit
def tile_hint(a, b, c, start, K, STRIDE: tl.constexpr, SIDE: tl.constexpr, STEP: tl.constexpr):
    i = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k0 in range(0, K, STEP):
        k = (k0 + start + tl.arange(0, STEP)) % STRIDE
        k = tl.max_contiguous(tl.multiple_of(k, 8), 8)
        x = tl.load(a + i[:, None] * STRIDE + k[None, :])
        y = tl.load(b + k[:, None] * SIDE + i[None, :])
        total = tl.dot(x.to(tl.float16), y.to(tl.float16), total)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


@tilewright.jit
def pointer_hint(a, b, c, start, K, STRIDE: tl.constexpr, SIDE: tl.constexpr, STEP: tl.constexpr):
    """A hint in each iteration about a loop-carried value: the alignment of a row's start."""
    i = tl.arange(0, SIDE)
    k = tl.arange(0, STEP)
    aligned: tl.constexpr = min(16, a.dtype.element_ty.primitive_bitwidth)
    xs = a + start + i[:, None] * STRIDE + k[None, :]
    at = start
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for _ in range(0, K, STEP):
        xs = tl.multiple_of(xs, (1, aligned))
        at = tl.multiple_of(at, 8)
        y = tl.load(b + (at + k)[:, None] * SIDE + i[None, :])
        total = tl.dot(tl.load(xs).to(tl.float16), y.to(tl.float16), total)
        xs += STEP
        at += STEP
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


@tilewright.jit
def mask_hint(a, b, c, start, K, STRIDE: tl.constexpr, SIDE: tl.constexpr, STEP: tl.constexpr):
    """A bound that is divisible by 8 makes masks uniform."""
    i = tl.arange(0, SIDE)
    end = tl.multiple_of(K + start, 8)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for k0 in range(0, K, STEP):
        k = tl.multiple_of(k0 + start, 8) + tl.arange(0, STEP)
        x = tl.load(a + i[:, None] * STRIDE + k[None, :], mask=k[None, :] < end, other=0)
        y = tl.load(b + k[:, None] * SIDE + i[None, :], mask=k[:, None] < end, other=0)
        total = tl.dot(x.to(tl.float16), y.to(tl.float16), total)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


KERNELS = {"scalar": scalar_hint, "tile": tile_hint, "pointer": pointer_hint, "mask": mask_hint}


def check(kernel: Any, dtype: type, trips: int, stages: int) -> None:
    rng = np.random.default_rng(trips)
    a = rng.integers(-3, 4, (SIDE, STRIDE)).astype(dtype)
    b = rng.integers(-3, 4, (STRIDE, SIDE)).astype(dtype)
    c = np.full((SIDE, SIDE), 77, np.float32)
    K = trips * STEP
    kernel[(1,)](a, b, c, START, K, STRIDE, SIDE, STEP, num_stages=stages)
    x, y = a[:, START : START + K], b[START : START + K]
    np.testing.assert_array_equal(c, x.astype(np.float32) @ y.astype(np.float32))


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("trips", [0, 1, 3])
@pytest.mark.parametrize("name", KERNELS)
def test_stages_and_trip_counts(name: str, trips: int, stages: int) -> None:
    check(KERNELS[name], np.float16, trips, stages)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.int64, np.float64])
@pytest.mark.parametrize("name", KERNELS)
def test_widths_of_elements(name: str, dtype: type) -> None:
    check(KERNELS[name], dtype, 3, 3)


@tilewright.jit
def branch_kernel(x, out, n, N: tl.constexpr):
    """A hint in one branch does not apply to the other one."""
    i = tl.arange(0, N)
    if n % 16 == 0:
        at = tl.multiple_of(n, 16)
        value = tl.load(x + at + i)
    else:
        value = tl.load(x + n + i) + 1
    tl.store(out + i, value)


@pytest.mark.parametrize("n", [0, 3, 8, 16])
def test_hint_in_a_branch(n: int) -> None:
    x, out = np.arange(256, dtype=np.float32), np.zeros(128, np.float32)
    branch_kernel[(1,)](x, out, n, 128)
    np.testing.assert_array_equal(out, x[n : n + 128] + (n % 16 != 0))


@tilewright.jit
def statement_kernel(x, out, n, N: tl.constexpr):
    """The result of a hint may be discarded: it applies to later uses."""
    i = tl.arange(0, N)
    start = n * 8
    tl.multiple_of(start, 8)
    for k in range(3):
        tl.multiple_of(start, 8)
        tl.store(out + k * N + i, tl.load(x + start + i))
        start += 8


def test_hint_as_a_statement() -> None:
    x, out = np.arange(512, dtype=np.float16), np.zeros((3, 128), np.float16)
    statement_kernel[(1,)](x, out, 3, 128)
    np.testing.assert_array_equal(out, [x[at : at + 128] for at in (24, 32, 40)])
