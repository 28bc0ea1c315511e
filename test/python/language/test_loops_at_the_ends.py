"""Loops of products with indices at the ends of their type: no copy is for another iteration."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIDE = 32
LEAST, GREATEST = -(2**31), 2**31 - 1


@tilewright.jit
def products(a, b, c, first, last, STEP: tl.constexpr, SIDE: tl.constexpr):
    """The sum of the products of one pair of matrices for each iteration."""
    i = tl.arange(0, SIDE)
    begin, end = tl.load(first), tl.load(last)
    places = i[:, None] * SIDE + i[None, :]
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for index in range(begin, end, STEP):
        matrix = (index.to(tl.int64) - begin) // STEP * (SIDE * SIDE)
        total = tl.dot(tl.load(a + matrix + places), tl.load(b + matrix + places), total)
    tl.store(c + places, total)


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize(
    ("begin", "end", "step"),
    [
        (GREATEST, 0, 1),
        (GREATEST, LEAST, 1),
        (GREATEST - 1, GREATEST, 1),
        (GREATEST - 2, GREATEST, 1),
        (LEAST, LEAST + 1, 1),
        (LEAST, LEAST + 3, 1),
        (LEAST, LEAST, 1),
        (0, LEAST, 1),
        (GREATEST - 5, GREATEST, 4),
        (GREATEST - 1, GREATEST, 2**30),
        (LEAST, GREATEST, 2**30),
        (LEAST, GREATEST, 2**31 - 1),
    ],
)
def test_products(begin: int, end: int, step: int, stages: int) -> None:
    count = len(range(begin, end, step))
    rng = np.random.default_rng(count)
    # No larger than what the iterations read.
    a, b = (rng.integers(-4, 5, (max(count, 1), SIDE, SIDE)).astype(np.float16) for _ in range(2))
    c = np.full((SIDE, SIDE), np.nan, np.float32)
    first, last = (np.array([value], np.int32) for value in (begin, end))
    products[(1,)](a, b, c, first, last, step, SIDE, num_stages=stages)
    expected = np.einsum("nij,njk->ik", a[:count].astype(np.float64), b[:count].astype(np.float64))
    np.testing.assert_array_equal(c, expected)
