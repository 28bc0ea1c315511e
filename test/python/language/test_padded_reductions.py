"""Reductions of tiles that are larger than what their masks let through.

The CPU ends the loop where the mask does, if combining the value of the padding many times is as
good as once.
"""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 1024
ENDS = [-5, 0, 65, 781, SIZE, SIZE + 9]
OTHERS = [0.0, 1.0, 2.0, float("inf"), -float("inf"), float("nan")]


def rounded(values: Any) -> np.ndarray:
    return np.asarray(values, np.float32)


@tilewright.jit
def product(a, b):
    return a * b


@tilewright.jit
def reduced(x, out, n, other, SIZE: tl.constexpr):
    lane = tl.arange(0, SIZE)
    v = tl.load(x + lane, lane < n, other=other)
    tl.store(out, tl.sum(v, 0))
    tl.store(out + 1, tl.max(v, 0))
    tl.store(out + 2, tl.min(v, 0))
    tl.store(out + 3, tl.reduce(v, 0, product))
    tl.store(out + 4, tl.sum(tl.exp(v - tl.max(v, 0)), 0))


@pytest.mark.parametrize("other", OTHERS, ids=str)
@pytest.mark.parametrize("n", [0, 781, SIZE])
def test_values_of_the_padding(n: int, other: float) -> None:
    x = np.random.default_rng(n).choice(rounded([-1, 1]), SIZE)
    out = np.zeros(5, np.float32)
    reduced[(1,)](x, out, n, other, SIZE=SIZE)
    v = np.where(np.arange(SIZE) < n, x, rounded(other))
    with np.errstate(all="ignore"):
        shifted = np.exp(v - np.fmax.reduce(v)).sum()
        expected = [v.sum(), np.fmax.reduce(v), np.fmin.reduce(v), np.prod(v), shifted]
    np.testing.assert_allclose(out, expected, rtol=1e-5)


@tilewright.jit
def rows(x, out, sums, most, n, m, ROWS: tl.constexpr, SIZE: tl.constexpr, AXIS: tl.constexpr):
    """The padding of `m` rows is the same; that of the others is, too, but of other values."""
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, SIZE)[None, :]
    inside = (row < m) & (column < n)
    at = row * SIZE + column
    v = tl.load(x + at, inside, other=0)
    w = tl.where(column < n, v + 1, -row)
    tl.store(sums + tl.arange(0, SIZE if AXIS == 0 else ROWS), tl.sum(w, AXIS))
    tl.store(most + tl.arange(0, SIZE if AXIS == 0 else ROWS), tl.max(v, AXIS))
    tl.store(out + at, w)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("n", ENDS)
def test_rows(n: int, axis: int) -> None:
    x = np.random.default_rng(3).integers(-9, 9, (4, SIZE), dtype=np.int32)
    out = np.zeros_like(x)
    sums, most = np.zeros((2, 4 if axis else SIZE), np.int32)
    rows[(1,)](x, out, sums, most, n, 3, ROWS=4, SIZE=SIZE, AXIS=axis)
    row, column = np.ogrid[:4, :SIZE]
    v = np.where((row < 3) & (column < n), x, 0)
    w = np.where(column < n, v + 1, -row)
    np.testing.assert_array_equal(out, w)
    np.testing.assert_array_equal(sums, w.sum(axis))
    np.testing.assert_array_equal(most, v.max(axis))


@tilewright.jit
def columns(x, out, m, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + row * COLUMNS + column, row < m, other=2)
    tl.store(out + tl.arange(0, COLUMNS), tl.sum(v, 0))
    tl.store(out + COLUMNS + tl.arange(0, COLUMNS), tl.min(v, 0))


@pytest.mark.parametrize("m", [0, 1, 5, 63, 64])
def test_rows_beyond_the_end(m: int) -> None:
    x = np.random.default_rng(4).integers(-9, 9, (64, 32), dtype=np.int32)
    out = np.zeros((2, 32), np.int32)
    columns[(1,)](x, out, m, ROWS=64, COLUMNS=32)
    v = np.where(np.arange(64)[:, None] < m, x, 2)
    np.testing.assert_array_equal(out, [v.sum(0), v.min(0)])


@tilewright.jit
def used_again(x, out, scanned, n, SIZE: tl.constexpr):
    """The row is overwritten, and elements of the padding are scanned and stored."""
    lane = tl.arange(0, SIZE)
    inside = lane < n
    v = tl.load(x + lane, inside, other=3)
    total = tl.sum(v, 0)
    w = tl.where(inside, v - total, 5)
    least = tl.min(w, 0)
    tl.store(x + lane, w, inside)
    tl.store(scanned + lane, tl.cumsum(w, 0))
    tl.store(out + lane, w - least)


@pytest.mark.parametrize("n", ENDS)
def test_a_tile_that_is_used_again(n: int) -> None:
    x = np.random.default_rng(5).integers(-9, 9, SIZE, dtype=np.int32)
    original = x.copy()
    out, scanned = np.zeros((2, SIZE), np.int32)
    used_again[(1,)](x, out, scanned, n, SIZE=SIZE)
    inside = np.arange(SIZE) < n
    v = np.where(inside, original, 3)
    w = np.where(inside, v - v.sum(), 5)
    np.testing.assert_array_equal(x, np.where(inside, w, original))
    np.testing.assert_array_equal(scanned, np.cumsum(w))
    np.testing.assert_array_equal(out, w - w.min())


@tilewright.jit
def larger(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@tilewright.jit
def places(x, out, n, SIZE: tl.constexpr):
    """The padding's places differ in one reduction, and are all the same in the other."""
    lane = tl.arange(0, SIZE)
    v = tl.load(x + lane, lane < n, other=-100)
    tl.store(out, tl.argmax(v, 0))
    most, at = tl.reduce((v, tl.where(lane < n, lane, SIZE)), 0, larger)
    tl.store(out + 1, most)
    tl.store(out + 2, at)


@pytest.mark.parametrize("n", ENDS)
def test_places(n: int) -> None:
    x = np.random.default_rng(6).integers(-9, 9, SIZE, dtype=np.int32)
    out = np.zeros(3, np.int32)
    places[(1,)](x, out, n, SIZE=SIZE)
    v = np.where(np.arange(SIZE) < n, x, -100)
    expected = [v.argmax(), v.max(), v.argmax() if n > 0 else SIZE]
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def masked_often(x, flags, out, n, k, SIZE: tl.constexpr, TIMES: tl.constexpr):
    """A mask that uses itself twice each time, and does not say where the second load ends."""
    lane = tl.arange(0, SIZE)
    mask = lane < n
    for t in tl.static_range(TIMES):
        first = tl.load(flags + t * SIZE + lane) > 0
        second = tl.load(flags + t * SIZE + SIZE + lane) < 3
        mask = (mask & first) & (second & mask)
    v = tl.load(x + lane, mask, other=0)
    w = tl.load(x + lane, lane < k, other=1)
    tl.store(out, tl.sum(v * w, 0))


@pytest.mark.cpu_only("takes long to compile if each path through the mask is followed")
def test_a_mask_that_is_used_often() -> None:
    times = 40
    rng = np.random.default_rng(7)
    x = rng.integers(-9, 9, SIZE, dtype=np.int32)
    flags = rng.integers(-1, 90, (times + 1, SIZE), dtype=np.int32) % 3
    flags[flags == 0] = 1
    flags[3, :400] = 0
    out = np.zeros(1, np.int32)
    masked_often[(1,)](x, flags, out, 900, 700, SIZE=SIZE, TIMES=times)
    lane = np.arange(SIZE)
    mask = (lane < 900) & (flags[:-1] > 0).all(0) & (flags[1:] < 3).all(0)
    assert out[0] == (np.where(mask, x, 0) * np.where(lane < 700, x, 1)).sum()
