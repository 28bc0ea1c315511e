"""Matrix multiplication: tiles of two dimensions, a loop over K, and tl.dot.

Run it:  .venv/bin/python docs/tutorials/05_matmul.py
"""

import torch

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

# Each program computes one tile [BM, BN] of C = A @ B. It iterates over K and accumulates the dots
# of a tile [BM, BK] of A and a tile [BK, BN] of B:
#
#                      ┌──── N ────┐
#                      │   ┌──┐    │
#                      K   │ B│    │          acc += dot(A tile, B tile)
#                      │   └──┘    │
#     ┌─── K ───┐      ├───────────┤
#     │  ┌──┐   │      │   ┌──┐    │
#     M  │A │   │      M   │ C│    │
#     │  └──┘   │      │   └──┘    │
#
# All pointer arithmetic is on tiles: a column of row numbers, a row of column numbers, and strides,
# the distances between adjacent elements. A transposed input only has other strides.


@tilewright.jit
def matmul_kernel(
    a, b, c, M, N, K,
    a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    # Programs run roughly in the order of their numbers. If they were numbered row by row,
    # consecutive programs would share a row of tiles of A but read all of B. Numbered in groups of
    # GROUP tile rows, column by column within a group, they read few tiles of each, which stay in
    # the cache.
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = program // (GROUP * tiles_n)
    height = min(tiles_m - group * GROUP, GROUP)
    inner = program % (GROUP * tiles_n)
    tile_m = group * GROUP + inner % height
    tile_n = inner // height

    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_tile = a + m[:, None] * a_row + k[None, :] * a_column
    b_tile = b + k[:, None] * b_row + n[None, :] * b_column
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        remaining = K - first
        x = tl.load(a_tile, mask=(m[:, None] < M) & (k[None, :] < remaining), other=0.0)
        y = tl.load(b_tile, mask=(k[:, None] < remaining) & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        a_tile += BK * a_column
        b_tile += BK * b_row
    c_tile = c + m[:, None] * c_row + n[None, :] * c_column
    tl.store(c_tile, acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


# The sum is accumulated in float32 for all input types: bfloat16 has eight bits of precision, and a
# sum of a thousand terms would lose most of them.


# The block sizes depend on the closest memory: on a CPU the second-level cache, on a GPU shared
# memory, which also holds the next tiles of A and B while the loop runs.


def blocks(device: str, itemsize: int) -> dict[str, int]:
    if device == "cpu":
        return {"BM": 128, "BN": 256, "BK": 64}
    return {"BM": 128, "BN": 128, "BK": 64 // itemsize, "num_warps": 8}


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=a.dtype, device=a.device)

    # The grid may be a function of the kernel's constexpr arguments.
    def grid(meta):
        return (tilewright.cdiv(m, meta["BM"]) * tilewright.cdiv(n, meta["BN"]),)

    matmul_kernel[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(),
        **blocks(a.device.type, a.itemsize), GROUP=8,
    )  # fmt: skip
    return c


def check(m: int, n: int, k: int, dtype: torch.dtype, limit: float) -> None:
    a, b = torch.randn(m, k, dtype=dtype), torch.randn(n, k, dtype=dtype).T
    exact = a.double() @ b.double()
    error = ((matmul(a, b).double() - exact).norm() / exact.norm()).item()
    assert error < limit, f"{dtype}: {error}"


def main() -> None:
    for shape in ((64, 64, 64), (130, 77, 200)):
        check(*shape, torch.float32, 1e-6)
        check(*shape, torch.bfloat16, 4e-3)
    print("matmul agrees with PyTorch, for any shape and for a transposed input")

    for dtype, sizes in ((torch.float32, (512, 1024)), (torch.bfloat16, (512,))):
        for size in sizes:
            a, b = torch.randn(size, size).to(dtype), torch.randn(size, size).to(dtype)
            functions = {
                "tilewright": lambda a=a, b=b: matmul(a, b),
                "torch": lambda a=a, b=b: a @ b,
            }
            for name, seconds in compare(functions, rounds=15).items():
                speed = 2 * size**3 / seconds / 1e9
                print(f"{str(dtype)[6:]:9s} {size:5d}^3  {name:12s} {speed:7.1f} GFLOP/s")


if __name__ == "__main__":
    main()
