"""Products whose sizes are in memory, in `for` and `while` loops within a `while` loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIDE, LONGEST = 64, 256


@tilewright.jit
def in_for(a, b, depth, LONGEST: tl.constexpr, STEP: tl.constexpr, SIDE: tl.constexpr):
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, depth, STEP):
        inside = start + k < depth
        x = tl.load(a + i[:, None] * LONGEST + start + k[None, :], inside[None, :], other=0.0)
        y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], inside[:, None], other=0.0)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def in_while(a, b, depth, LONGEST: tl.constexpr, STEP: tl.constexpr, SIDE: tl.constexpr):
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    start = 0
    while start < depth and tl.max(total) < 1e9:
        inside = start + k < depth
        x = tl.load(a + i[:, None] * LONGEST + start + k[None, :], inside[None, :], other=0.0)
        y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], inside[:, None], other=0.0)
        total = tl.dot(x, y, total * 0.5)
        start += STEP
    return total


@tilewright.jit
def products(
    a, b, c, depths, PRODUCT: tl.constexpr, LONGEST: tl.constexpr, STEP: tl.constexpr,
    SIDE: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, SIDE)
    group = 0
    depth = tl.load(depths)
    while depth >= 0:
        matrix = group * SIDE * LONGEST
        total = PRODUCT(a + matrix, b + matrix, depth, LONGEST, STEP, SIDE)
        tl.store(c + (group * SIDE + i[:, None]) * SIDE + i[None, :], total)
        group += 1
        depth = tl.load(depths + group)


def halved(a: Any, b: Any, step: int) -> Any:
    total = np.zeros((SIDE, SIDE))
    for start in range(0, a.shape[1], step):
        total = total / 2 + a[:, start : start + step] @ b[start : start + step]
    return total


DEPTHS = [64, 0, 40, 200, 1]


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("step", [16, 32, 64])
@pytest.mark.parametrize("product", [in_for, in_while])
def test_products(product: Any, step: int, warps: int) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(-3, 4, (len(DEPTHS), SIDE, LONGEST)).astype(np.float16)
    b = rng.integers(-3, 4, (len(DEPTHS), LONGEST, SIDE)).astype(np.float16)
    c = np.full((len(DEPTHS), SIDE, SIDE), np.nan, np.float32)
    depths = np.array([*DEPTHS, -1], np.int32)
    products[(1,)](a, b, c, depths, product, LONGEST, step, SIDE, num_warps=warps, num_stages=3)
    for depth, left, right, found in zip(DEPTHS, a, b, c, strict=True):
        left, right = left[:, :depth].astype(np.float64), right[:depth].astype(np.float64)
        expected = left @ right if product is in_for else halved(left, right, step)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are")
@pytest.mark.parametrize("product", [in_for, in_while])
def test_instructions(product: Any) -> None:
    """Both use wgmma, and copy ahead where the number of iterations is known before the loop."""
    arrays = [np.empty(1, np.float16)] * 2 + [np.empty(1, np.float32), np.empty(1, np.int32)]
    made = products.warmup(
        *arrays, product, LONGEST, 64, SIDE, num_warps=4, num_stages=3, target="cuda:90a"
    )
    ptx = made.asm["ptx"]
    assert "wgmma.mma_async" in ptx
    assert "mma.sync" not in ptx
    assert ("cp.async" in ptx) == (product is in_for)
    assert '.pragma "nounroll"' in ptx
