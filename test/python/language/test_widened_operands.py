"""Dots of operands converted from fewer bits, which warp groups of Hopper have in registers.

The tile of fewer bits is copied ahead; threads read their part of it from shared memory and convert
it. If only the right operand is converted, the product is transposed.
"""

from __future__ import annotations

import pytest
import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def matmul_kernel(
    a, b, c, M, N, K, TILES: tl.constexpr, ALONG_M: tl.constexpr, ALONG_K: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """A is stored along M or K, B along K or N; programs are dealt the tiles in turn."""
    for tile in range(tl.program_id(0), TILES, tl.num_programs(0)):
        i = tile // tl.cdiv(N, BLOCK_N) * BLOCK_M + tl.arange(0, BLOCK_M)
        j = tile % tl.cdiv(N, BLOCK_N) * BLOCK_N + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for first in tl.range(0, K, BLOCK_K, num_stages=STAGES):
            k = first + tl.arange(0, BLOCK_K)
            left = k[None, :] * M + i[:, None] if ALONG_M else i[:, None] * K + k[None, :]
            right = k[:, None] + j[None, :] * K if ALONG_K else k[:, None] * N + j[None, :]
            x = tl.load(a + left, mask=(i[:, None] < M) & (k[None, :] < K), other=0)
            y = tl.load(b + right, mask=(k[:, None] < K) & (j[None, :] < N), other=0)
            total = tl.dot(x.to(tl.float16), y.to(tl.float16), total)
        tl.store(c + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


SIZES = [
    # m, n, k, blocks, warps, stages, programs
    (64, 32, 96, (64, 32, 32), 4, 3, 1),  # too few columns to be rows
    (128, 128, 128, (64, 64, 32), 4, 3, 2),
    (256, 64, 192, (128, 64, 64), 8, 3, 1),
    (144, 80, 112, (64, 64, 32), 4, 4, 2),
    (128, 128, 32, (128, 128, 32), 8, 2, 1),
]
PAIRS = [
    (torch.float16, torch.int8),
    (torch.int8, torch.float16),
    (torch.float16, torch.uint8),
    (torch.float16, torch.float8_e5m2),
    (torch.float8_e4m3fn, torch.float16),
    (torch.int8, torch.int8),
]


def integers(shape: tuple[int, int], dtype: torch.dtype) -> torch.Tensor:
    return torch.randint(0 if dtype == torch.uint8 else -4, 5, shape).to(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pair", PAIRS)
def test_products(pair, size) -> None:
    m, n, k, (block_m, block_n, block_k), warps, stages, programs = size
    left, right = integers((m, k), pair[0]), integers((k, n), pair[1])
    expected = left.float() @ right.float()
    same_orders = (PAIRS.index(pair) + SIZES.index(size)) % 2 == 0
    for along_m in (False, True):
        along_k = along_m == same_orders
        a = left.T.contiguous() if along_m else left
        b = right.T.contiguous() if along_k else right
        c = torch.full((m, n), -1.0, dtype=torch.float16 if along_k else torch.float32)
        matmul_kernel[(programs,)](
            a, b, c, m, n, k, TILES=-(-m // block_m) * -(-n // block_n), ALONG_M=along_m,
            ALONG_K=along_k, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, STAGES=stages,
            num_warps=warps, specialize_warps=along_m,
        )  # fmt: skip
        torch.testing.assert_close(c.float(), expected, rtol=0, atol=0)


@tilewright.jit
def constant_depth_kernel(
    a, b, c, N, K: tl.constexpr, TILES: tl.constexpr, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """Tiles whose loops have a known number of iterations, so that none of them needs a guard."""
    for tile in range(tl.program_id(0), TILES, tl.num_programs(0)):
        i = tile // tl.cdiv(N, BLOCK) * BLOCK + tl.arange(0, BLOCK)
        j = tile % tl.cdiv(N, BLOCK) * BLOCK + tl.arange(0, BLOCK)
        total = tl.zeros((BLOCK, BLOCK), tl.float32)
        for first in tl.range(0, K, 32, num_stages=STAGES):
            k = first + tl.arange(0, 32)
            x = tl.load(a + i[:, None] * K + k[None, :])
            y = tl.load(b + k[:, None] * N + j[None, :])
            total = tl.dot(x, y.to(x.dtype), total)
        tl.store(c + i[:, None] * N + j[None, :], total)


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("depth", [32, 96])
@pytest.mark.parametrize(
    "pair", [(torch.float32, torch.float32), (torch.float16, torch.int8)], ids=["tf32", "int8"]
)
def test_several_tiles_of_constant_depth(pair, depth, stages) -> None:
    a, b = integers((192, depth), pair[0]), integers((depth, 128), pair[1])
    for programs, specializes in ((1, False), (2, True)):
        c = torch.full((192, 128), -1.0)
        constant_depth_kernel[(programs,)](
            a, b, c, 128, K=depth, TILES=6, BLOCK=64, STAGES=stages, num_warps=4,
            specialize_warps=specializes,
        )  # fmt: skip
        torch.testing.assert_close(c, a.float() @ b.float(), rtol=0, atol=0)
