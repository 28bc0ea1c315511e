"""Scans along rows, whose elements are combined in the lanes of vectors."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def compose(a_slope, a_offset, b_slope, b_offset):
    """x -> a(x), then b: associative, but not commutative."""
    return a_slope * b_slope, a_offset * b_slope + b_offset


@tilewright.jit
def composed(slopes, offsets, out, ROWS: tl.constexpr, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    slope, offset = tl.load(slopes + at), tl.load(offsets + at)
    slope, offset = tl.associative_scan((slope, offset), 1, compose, reverse=REVERSE)
    tl.store(out + at, slope)
    tl.store(out + ROWS * N + at, offset)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (1, 4), (2, 8), (4, 16), (2, 64), (1, 256)])
def test_order(dtype: str, reverse: bool, shape: tuple[int, int]) -> None:
    rows, n = 4 if shape[0] == 3 else shape[0], shape[1]
    random = np.random.default_rng(n)
    slopes = random.choice([-1, 1], (rows, n)).astype(dtype)
    offsets = random.integers(-3, 4, (rows, n)).astype(dtype)
    out = np.zeros((2, rows, n), dtype)
    composed[(1,)](slopes, offsets, out, rows, n, reverse)
    expected = np.zeros((2, rows, n), dtype)
    order = range(n - 1, -1, -1) if reverse else range(n)
    with np.errstate(over="ignore"):
        slope, offset = np.ones(rows, dtype), np.zeros(rows, dtype)
        for i in order:
            slope, offset = slope * slopes[:, i], offset * slopes[:, i] + offsets[:, i]
            expected[:, :, i] = slope, offset
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def running(x, out, n, N: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i, i < n, other=1)
    if KIND == "sum":
        value = tl.cumsum(value, 0)
    elif KIND == "product":
        value = tl.cumprod(value, 0)
    else:
        value = tl.cumsum((value > 0).to(tl.int32), 0).to(value.dtype)
    tl.store(out + i, value, i < n)


@pytest.mark.parametrize("kind", ["sum", "product", "count"])
@pytest.mark.parametrize("n", [1, 15, 16, 17, 100, 1000])
def test_lengths(kind: str, n: int) -> None:
    x = np.random.default_rng(n).choice([-1, 1, 2] if kind != "product" else [-1, 1], n)
    x, out = x.astype(np.float32), np.zeros(n + 1, np.float32)
    running[(1,)](x, out, n, tilewright.next_power_of_2(n), kind)
    expected = x.cumprod() if kind == "product" else (x if kind == "sum" else x > 0).cumsum()
    np.testing.assert_array_equal(out, np.append(expected, 0).astype(np.float32))
