"""A persistent GEMM with tensor descriptors, made by the host or in the kernel.

Each program computes every n-th tile of C = A B^T, in groups of rows that share columns of B. The
result leaves in two halves, which need half the shared memory.
"""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl
from tilewright.tools.tensor_descriptor import TensorDescriptor


@tilewright.jit
def _origin(
    tile, tiles_m, tiles_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr
):
    """The first row and column of a tile; consecutive tiles share GROUP rows of tiles."""
    per_group = GROUP * tiles_n
    first = tile // per_group * GROUP
    size = min(tiles_m - first, GROUP)
    row = first + tile % per_group % size
    column = tile % per_group // size
    return row * BLOCK_M, column * BLOCK_N


@tilewright.jit
def _persistent_gemm(
    a_desc, b_desc, c_desc, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    HALVES: tl.constexpr, PRECISION: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=FLATTEN):
        row, column = _origin(tile, tiles_m, tiles_n, BLOCK_M, BLOCK_N, GROUP)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([row, step * BLOCK_K])
            b = b_desc.load([column, step * BLOCK_K])
            acc = tl.dot(a, b.T, acc, input_precision=PRECISION)
        if HALVES:
            parts = tl.permute(tl.reshape(acc, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1))
            left, right = tl.split(parts)
            c_desc.store([row, column], left.to(c_desc.dtype))
            c_desc.store([row, column + BLOCK_N // 2], right.to(c_desc.dtype))
        else:
            c_desc.store([row, column], acc.to(c_desc.dtype))


@tilewright.jit
def host_descriptors_kernel(
    a_desc, b_desc, c_desc, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    HALVES: tl.constexpr, PRECISION: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    _persistent_gemm(
        a_desc, b_desc, c_desc, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP, HALVES, PRECISION,
        FLATTEN,
    )  # fmt: skip


@tilewright.jit
def device_descriptors_kernel(
    a_ptr, b_ptr, c_ptr, stride_a, stride_b, stride_c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    HALVES: tl.constexpr, PRECISION: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    a_desc = tl.make_tensor_descriptor(
        a_ptr, shape=[M, K], strides=[stride_a, 1], block_shape=[BLOCK_M, BLOCK_K]
    )
    b_desc = tl.make_tensor_descriptor(
        b_ptr, shape=[N, K], strides=[stride_b, 1], block_shape=[BLOCK_N, BLOCK_K]
    )
    c_desc = tl.make_tensor_descriptor(
        c_ptr,
        shape=[M, N],
        strides=[stride_c, 1],
        block_shape=[BLOCK_M, BLOCK_N // 2 if HALVES else BLOCK_N],
    )
    _persistent_gemm(
        a_desc, b_desc, c_desc, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP, HALVES, PRECISION,
        FLATTEN,
    )  # fmt: skip


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    programs: int = 4,
    host: bool = True,
    halves: bool = True,
    flatten: bool = True,
    blocks: tuple[int, int, int] = (64, 64, 32),
) -> torch.Tensor:
    """a @ b.T.

    Args:
        a: [M, K], float32, float16, bfloat16 or float8; rows are a multiple of 16 bytes apart.
        b: [N, K], of the same dtype.
        programs: On a GPU, as many as it has multiprocessors.
        host: Whether the host makes the descriptors, or the kernel.
        halves: Whether a tile of the result is stored in two halves.
        flatten: Whether the loop over tiles asks for being merged with that over K.
        blocks: Rows and columns of C in a tile, and a step along K.
    """
    (M, K), N = a.shape, b.shape[0]
    if b.shape[1] != K:
        raise ValueError(f"can't multiply {tuple(a.shape)} by the transpose of {tuple(b.shape)}")
    dtype = torch.float16 if a.itemsize == 1 else a.dtype
    # Rows of C, too, start at a multiple of 16 bytes.
    aligned = tilewright.cdiv(N * dtype.itemsize, 16) * 16 // dtype.itemsize
    c = torch.empty(M, aligned, dtype=dtype, device=a.device)[:, :N]
    m, n, k = blocks
    options: dict[str, Any] = {
        "BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 4, "HALVES": halves,
        "PRECISION": "ieee" if a.dtype == torch.float32 else "tf32", "FLATTEN": flatten,
    }  # fmt: skip
    if host:
        shapes = ((m, k), (n, k), (m, n // 2 if halves else n))
        descs = [TensorDescriptor.from_tensor(x, s) for x, s in zip((a, b, c), shapes, strict=True)]
        host_descriptors_kernel[(programs,)](*descs, M, N, K, **options)
    else:
        strides = (a.stride(0), b.stride(0), c.stride(0))
        device_descriptors_kernel[(programs,)](a, b, c, *strides, M, N, K, **options)
    return c


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """`matmul` in PyTorch."""
    return a @ b.T
