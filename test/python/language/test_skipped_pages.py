"""Products of pages whose numbers are invalid where a loop skips them, of any size, up and down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def kernel(
    a, b, c, table, n, SIZE: tl.constexpr, STEP: tl.constexpr, DESCENDS: tl.constexpr
):  # fmt: skip
    i, k = tl.arange(0, SIZE), tl.arange(0, STEP)
    total = tl.zeros((SIZE, SIZE), tl.float32)
    for at in tl.range(n - 1, -1, -1) if DESCENDS else tl.range(0, n):
        page = tl.load(table + at)
        if page < 0:
            continue
        x = tl.load(a + i[:, None] * (n * STEP) + at * STEP + k[None, :])
        y = tl.load(b + (page * STEP + k[:, None]) * SIZE + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * SIZE + i[None, :], total)


@pytest.mark.parametrize("options", [{}, {"checks": "bounds"}], ids=["plain", "bounds"])
@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize(("size", "step"), [(48, 32), (64, 48), (64, 64)])
def test_values(size: int, step: int, n: int, descends: bool, options: Any) -> None:
    rng = np.random.default_rng(7)
    a = rng.integers(-3, 4, (size, n * step)).astype(np.float16)
    b = rng.integers(-3, 4, (n * step, size)).astype(np.float16)
    table = rng.integers(-1, n, n).astype(np.int32)
    expected = np.zeros((size, size))
    for at, page in enumerate(table):
        if page >= 0:
            x, y = a[:, at * step : (at + 1) * step], b[page * step : (page + 1) * step]
            expected += x.astype(np.float64) @ y.astype(np.float64)
    table[table < 0] = -(2**30)
    c = np.full((size, size), np.nan, np.float32)
    kernel[(1,)](a, b, c, table, n, size, step, descends, num_warps=4, num_stages=3, **options)
    np.testing.assert_array_equal(c, expected)
