"""Minima and maxima of narrow integers that are compared with their bound."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 1024


@tilewright.jit
def bounded(x, y, low, high, BOUND: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    value = tl.load(x + i)
    most, least = tl.maximum(value, BOUND), tl.minimum(value, BOUND)
    other = tl.load(y + i)
    tl.store(high + i, tl.where(most == BOUND, other, most))
    tl.store(low + i, tl.where(least != BOUND, least, other))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32])
@pytest.mark.parametrize("bound", [0, 5, 127])
def test_comparison_with_the_bound(dtype: type, bound: int) -> None:
    rng = np.random.default_rng(bound)
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, SIZE, dtype, endpoint=True)
    x[:256] = (
        np.arange(256).astype(np.uint8).view(np.int8 if limits.min else np.uint8).astype(dtype)
    )
    y = rng.integers(limits.min, limits.max, SIZE, dtype, endpoint=True)
    low, high = np.empty_like(x), np.empty_like(x)
    bounded[(1,)](x, y, low, high, bound, SIZE)
    bound = dtype(bound)
    np.testing.assert_array_equal(high, np.where(x <= bound, y, x))
    np.testing.assert_array_equal(low, np.where(x >= bound, y, x))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16])
def test_code_for_hopper(dtype: type) -> None:
    """The assembler takes the comparison of a 16-bit maximum for another one."""
    array = np.dtype(dtype)
    compiled = bounded.warmup(array, array, array, array, BOUND=5, SIZE=SIZE, target="cuda:90a")
    assert not re.search(r"\b(max|min)\.[su]16", compiled.assembly())
