"""Operands of dots that a loop masks and rounds, and whose sums programs add atomically.

The host's code for some of these kernels had addresses of which one half was another index.
"""

import pytest
import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def products_and_sums(a, b, c, sums, n, ROUND: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, n, 32):
        y = tl.load(b + j[None, :] * 192 + (k + start)[:, None])
        x = tl.load(a + i[:, None] * 384 + (k + start)[None, :])
        if ROUND:
            x = tl.where((k + start)[None, :] < 50, x.to(tl.float32), 0).to(tl.float16)
        total = tl.dot(x, y, total)
        tl.atomic_add(sums + i, tl.sum(x.to(tl.float32), 1))
    tl.store(c + i[:, None] * N + j[None, :], total)


@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize("warps", [1, 2])
@pytest.mark.parametrize(("M", "N"), [(64, 32), (32, 64), (128, 16)])
def test_products_and_sums(M: int, N: int, warps: int, rounds: bool) -> None:
    generator = torch.Generator().manual_seed(M)
    a = torch.randint(-2, 3, (M, 384), generator=generator).half()
    b = torch.randint(-2, 3, (N, 192), generator=generator).half()
    c, sums = torch.zeros(M, N), torch.zeros(M)
    products_and_sums[(1,)](a, b, c, sums, 64, ROUND=rounds, M=M, N=N, num_warps=warps)
    x, y = a[:, :64].float(), b[:, :64].float()
    if rounds:
        x[:, 50:] = 0
    torch.testing.assert_close(c, x @ y.T, rtol=0, atol=0)
    torch.testing.assert_close(sums, x.sum(1), rtol=0, atol=0)
