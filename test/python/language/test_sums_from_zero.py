"""Loops of dots that begin with zeros, of which some have no iteration."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIDE, LONGEST = 64, 128


@tilewright.jit
def products(
    a, b, c, first, last, tiles, LONGEST: tl.constexpr, STEP: tl.constexpr, SIDE: tl.constexpr,
    TYPE: tl.constexpr,
):  # fmt: skip
    """c = a[:, first:last] @ b[first:last] for each tile, and the number of steps in its corner."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        begin, end = tl.multiple_of(tl.load(first + tile), 16), tl.load(last + tile)
        x_rows = a + (tile * SIDE + i[:, None]) * LONGEST
        y_columns = b + tile * LONGEST * SIDE + i[None, :]
        total = tl.zeros((SIDE, SIDE), TYPE)
        steps = 0
        for start in range(begin, end, STEP):
            x = tl.load(x_rows + start + k[None, :])
            y = tl.load(y_columns + (start + k[:, None]) * SIDE)
            total = tl.dot(x, y, total, out_dtype=TYPE)
            steps += 1
        total = tl.where((i[:, None] == 0) & (i[None, :] == 0), steps, total)
        tl.store(c + (tile * SIDE + i[:, None]) * SIDE + i[None, :], total)


# Where the products of each tile begin and end.
RANGES = [(0, 128), (0, 0), (64, 128), (128, 64), (32, 96), (96, 96), (0, 32)]


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("step", [32, 64])
@pytest.mark.parametrize("dtype", ["float16", "int8"])
@pytest.mark.parametrize("programs", [1, 3])
@pytest.mark.parametrize("bound", [np.int32, np.int64])
def test_tiles_without_products(
    stages: int, step: int, dtype: str, programs: int, bound: type
) -> None:
    rng = np.random.default_rng(step)
    tiles = len(RANGES)
    a = rng.integers(-4, 5, (tiles, SIDE, LONGEST)).astype(dtype)
    b = rng.integers(-4, 5, (tiles, LONGEST, SIDE)).astype(dtype)
    if dtype == "float16":
        a[4, :, 32:96] = np.nan  # the sums that registers hold before the next tile
    first, last = (np.array(ends, bound) for ends in zip(*RANGES, strict=True))
    c = np.full((tiles, SIDE, SIDE), 99, np.int32 if dtype == "int8" else np.float32)
    products[(programs,)](
        a, b, c, first, last, tiles, LONGEST, step, SIDE,
        tl.int32 if dtype == "int8" else tl.float32, num_stages=stages,
    )  # fmt: skip
    for tile, (begin, end) in enumerate(RANGES):
        steps = max(0, -(-(end - begin) // step))
        read = slice(begin, begin + steps * step)
        expected = a[tile, :, read].astype(np.float64) @ b[tile, read].astype(np.float64)
        expected[0, 0] = steps
        np.testing.assert_array_equal(c[tile], expected)


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are")
def test_instructions() -> None:
    """The first product of a tile does not read its sums."""
    half = np.empty(1, np.float16)
    made = products.warmup(
        half, half, np.empty(1, np.float32), *[np.empty(1, np.int32)] * 2, 7, LONGEST, 64, SIDE,
        tl.float32, num_stages=3, target="cuda:90a",
    )  # fmt: skip
    assert re.search(r"setp\.ne\.b32 p, %r\d+, 0;\s*wgmma\.mma_async", made.asm["ptx"])
