"""Grouped GEMM: products of matrices of different sizes in one persistent kernel.

The kernel reads the addresses, sizes and strides of the matrices from memory. A fixed number of
programs walks over the tiles of all products, so that small products fill the device together.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

import tilewright
import tilewright.language as tl

ELEMENTS = {torch.float32: tl.float32, torch.float16: tl.float16, torch.bfloat16: tl.bfloat16}


@tilewright.jit
def grouped_gemm_kernel(
    addresses_ptr, sizes_ptr, strides_ptr, groups,
    ELEMENT: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Tile t of all products is computed by program t % num_programs.

    `addresses_ptr` has the addresses of A, B, C of each product, `sizes_ptr` M, N, K, `strides_ptr`
    the strides of their rows.
    """
    tile = tl.program_id(0)
    before = 0  # tiles of the previous products
    for group in range(groups):
        m = tl.load(sizes_ptr + 3 * group)
        n = tl.load(sizes_ptr + 3 * group + 1)
        k = tl.load(sizes_ptr + 3 * group + 2)
        tiles_n = tl.cdiv(n, BLOCK_N)
        tiles = tl.cdiv(m, BLOCK_M) * tiles_n
        while (tile >= before) & (tile < before + tiles):
            a_ptr = tl.load(addresses_ptr + 3 * group).to(tl.pointer_type(ELEMENT))
            b_ptr = tl.load(addresses_ptr + 3 * group + 1).to(tl.pointer_type(ELEMENT))
            c_ptr = tl.load(addresses_ptr + 3 * group + 2).to(tl.pointer_type(ELEMENT))
            stride_a = tl.load(strides_ptr + 3 * group)
            stride_b = tl.load(strides_ptr + 3 * group + 1)
            stride_c = tl.load(strides_ptr + 3 * group + 2)
            rows = (tile - before) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
            columns = (tile - before) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
            steps = tl.arange(0, BLOCK_K)
            a_ptrs = a_ptr + rows[:, None].to(tl.int64) * stride_a + steps[None, :]
            b_ptrs = b_ptr + steps[:, None].to(tl.int64) * stride_b + columns[None, :]
            acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for start in range(0, k, BLOCK_K):
                inside = steps < k - start
                a = tl.load(a_ptrs, mask=(rows < m)[:, None] & inside[None, :], other=0.0)
                b = tl.load(b_ptrs, mask=inside[:, None] & (columns < n)[None, :], other=0.0)
                acc = tl.dot(a, b, acc, input_precision=PRECISION)
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * stride_b
            c_ptrs = c_ptr + rows[:, None].to(tl.int64) * stride_c + columns[None, :]
            tl.store(c_ptrs, acc.to(ELEMENT), mask=(rows < m)[:, None] & (columns < n)[None, :])
            tile += tl.num_programs(0)
        before += tiles


def empty_products(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Matrices for the products a[i] @ b[i]."""
    for left, right in zip(a, b, strict=True):
        if left.shape[1] != right.shape[0] or left.stride(1) != 1 or right.stride(1) != 1:
            raise ValueError(f"can't multiply {tuple(left.shape)} by {tuple(right.shape)}")
    return [x.new_empty(x.shape[0], y.shape[1]) for x, y in zip(a, b, strict=True)]


def grouped_gemm(
    a: Sequence[torch.Tensor],
    b: Sequence[torch.Tensor],
    programs: int = 8,
    out: list[torch.Tensor] | None = None,
) -> list[torch.Tensor]:
    """The products a[i] @ b[i].

    Args:
        a: Matrices [M, K] with contiguous rows, all of one dtype and device.
        b: As many matrices [K, N].
        programs: On a GPU, as many as it has multiprocessors.
        out: Matrices for the products; None makes them.
    """
    c = empty_products(a, b) if out is None else out
    if not a:
        return c
    device, dtype = a[0].device, a[0].dtype
    each = list(zip(a, b, c, strict=True))
    addresses = torch.tensor([[x.data_ptr() for x in xs] for xs in each], device=device)
    sizes = [[x.shape[0], y.shape[1], x.shape[1]] for x, y, _ in each]
    strides = [[x.stride(0) for x in xs] for xs in each]
    grouped_gemm_kernel[(programs,)](
        addresses,
        torch.tensor(sizes, dtype=torch.int32, device=device),
        torch.tensor(strides, dtype=torch.int32, device=device),
        len(a), ELEMENT=ELEMENTS[dtype], PRECISION="ieee" if dtype == torch.float32 else "tf32",
        BLOCK_M=32, BLOCK_N=32, BLOCK_K=32,
    )  # fmt: skip
    return c


def reference(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """`grouped_gemm` in PyTorch."""
    return [x @ y for x, y in zip(a, b, strict=True)]
