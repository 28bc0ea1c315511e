"""Loops like that of attention, whose sums are in flight until the next products are computed."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def chained(q, k, v, out, tiles, keys, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """For each tile of rows, the sums of (q k^T) v, which are halved in each step."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        rows = tile * M + m
        x = tl.load(q + rows[:, None] * D + d[None, :])
        total = tl.zeros((M, D), tl.float32)
        for start in tl.range(0, keys, N):
            y = tl.load(k + (start + n)[:, None] * D + d[None, :])
            product = tl.minimum(tl.dot(x, tl.trans(y)), 16.0).to(tl.float16)
            z = tl.load(v + (start + n)[:, None] * D + d[None, :])
            total = tl.dot(product, z, total * 0.5)
        tl.store(out + rows[:, None] * D + d[None, :], total)


@pytest.mark.parametrize("num_stages", [2, 3, 4, 5])
@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("keys", [0, 32, 64, 96, 160])
def test_tiles_in_a_loop(keys: int, num_warps: int, num_stages: int) -> None:
    tiles, m, n, d = 3, 128 if num_warps == 8 else 64, 32, 64
    rng = np.random.default_rng(keys)
    q = rng.integers(-2, 3, (tiles * m, d)).astype(np.float16)
    k, v = (rng.integers(-2, 3, (max(keys, n), d)).astype(np.float16) for _ in range(2))
    out = np.full((tiles * m, d), 7, np.float32)
    chained[(2,)](
        q, k, v, out, tiles, keys, M=m, N=n, D=d, num_warps=num_warps, num_stages=num_stages
    )
    want = np.zeros((tiles * m, d))
    for start in range(0, keys, n):
        part = slice(start, start + n)
        product = np.minimum(q.astype(np.float64) @ k[part].T.astype(np.float64), 16)
        want = want * 0.5 + product @ v[part].astype(np.float64)
    assert np.array_equal(out, want)
