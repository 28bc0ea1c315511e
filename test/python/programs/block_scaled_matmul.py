"""Products of matrices in microscaling formats (Open Compute Project, 2023) with tl.dot_scaled.

32 elements along K share a scale, a power of two with the bits of its exponent in a byte. Elements
are float8, or e2m1 in pairs in a byte; one operand may be bfloat16 or float16 without scales.

Scales may be stored in the order of NVIDIA's block-scaled instructions: of 128 rows by 4 scales,
that of row r and column c is at position 16 (r % 32) + 4 (r // 32) + c.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

import tilewright
import tilewright.language as tl
from tilewright.tools.mxfp import MXFP4Tensor, MXScaleTensor

GROUP = 32


@tilewright.jit
def _load_scales(
    ptr, rows, row_tile, step, n_rows, scales,
    stride, SWIZZLED: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_S: tl.constexpr,
):  # fmt: skip
    """A tile [BLOCK_ROWS, BLOCK_S] of scales; swizzled, a row of `ptr` has those of 128 rows."""
    if SWIZZLED:
        REP_ROWS: tl.constexpr = BLOCK_ROWS // 128
        REP_S: tl.constexpr = BLOCK_S // 4
        i = row_tile * REP_ROWS + tl.arange(0, REP_ROWS)
        j = step * REP_S * 512 + tl.arange(0, REP_S * 512)
        mask = (i * 128 < n_rows)[:, None] & (j // 512 * 4 < scales)[None, :]
        packed = tl.load(ptr + i.to(tl.int64)[:, None] * stride + j[None, :], mask=mask, other=0)
        packed = tl.reshape(packed, [REP_ROWS, REP_S, 32, 4, 4])
        result = tl.reshape(tl.permute(packed, (0, 3, 2, 1, 4)), [BLOCK_ROWS, BLOCK_S])
    else:
        s = step * BLOCK_S + tl.arange(0, BLOCK_S)
        mask = (rows < n_rows)[:, None] & (s < scales)[None, :]
        ptrs = ptr + rows.to(tl.int64)[:, None] * stride + s[None, :]
        result = tl.load(ptrs, mask=mask, other=0)
    return result


@tilewright.jit
def block_scaled_matmul_kernel(
    a_ptr, b_ptr, c_ptr, a_scales_ptr, b_scales_ptr, M, N, K,
    stride_am, stride_bn, stride_cm, stride_as, stride_bs,
    A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr, A_PACKED: tl.constexpr,
    B_PACKED: tl.constexpr, SWIZZLED: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Program (i, j): a tile of C = A B^T. A_PACKED elements of A are in one of its bytes."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    a_steps = tl.arange(0, BLOCK_K // A_PACKED)
    b_steps = tl.arange(0, BLOCK_K // B_PACKED)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        a_k = step * (BLOCK_K // A_PACKED) + a_steps
        b_k = step * (BLOCK_K // B_PACKED) + b_steps
        a_mask = (rows < M)[:, None] & (a_k < K // A_PACKED)[None, :]
        b_mask = (columns < N)[None, :] & (b_k < K // B_PACKED)[:, None]
        a = tl.load(a_ptr + rows.to(tl.int64)[:, None] * stride_am + a_k[None, :], a_mask, 0)
        b = tl.load(b_ptr + columns.to(tl.int64)[None, :] * stride_bn + b_k[:, None], b_mask, 0)
        a_scale = None
        b_scale = None
        if a_scales_ptr is not None:
            a_scale = _load_scales(
                a_scales_ptr, rows, tl.program_id(0), step, M, K // 32, stride_as,
                SWIZZLED, BLOCK_M, BLOCK_K // 32,
            )  # fmt: skip
        if b_scales_ptr is not None:
            b_scale = _load_scales(
                b_scales_ptr, columns, tl.program_id(1), step, N, K // 32, stride_bs,
                SWIZZLED, BLOCK_N, BLOCK_K // 32,
            )  # fmt: skip
        acc = tl.dot_scaled(a, a_scale, A_FORMAT, b, b_scale, B_FORMAT, acc)
    c_ptrs = c_ptr + rows.to(tl.int64)[:, None] * stride_cm + columns[None, :]
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


class Scaled(NamedTuple):
    """A matrix [rows, K] in a microscaling format.

    Attributes:
        values: Contiguous float8, bfloat16 or float16; "e2m1": uint8 [rows, K / 2].
        scales: uint8 [rows, K / 32], or what `swizzle` makes of them; None for 1.
        format: "e2m1", "e4m3", "e5m2", "bf16" or "fp16".
    """

    values: torch.Tensor
    scales: torch.Tensor | None
    format: str

    @property
    def per_byte(self) -> int:
        return 2 if self.format == "e2m1" else 1


def swizzle(scales: torch.Tensor) -> torch.Tensor:
    """Scales [rows, S] in the order of NVIDIA's instructions: [rows / 128, S / 4 * 512]."""
    rows, count = scales.shape
    scales = torch.nn.functional.pad(scales, (0, -count % 4, 0, -rows % 128))
    tiles = scales.view(-1, 4, 32, scales.shape[1] // 4, 4).permute(0, 3, 2, 1, 4)
    return tiles.reshape(tiles.shape[0], -1)


def block_scaled_matmul(
    a: Scaled, b: Scaled, dtype: torch.dtype = torch.float32, swizzled: bool = False
) -> torch.Tensor:
    """a @ b.T, accumulated in float32.

    Args:
        a, b: Matrices [M, K] and [N, K]; K is a multiple of 32.
        dtype: That of the result.
        swizzled: Whether the scales are.
    """
    M, N = a.values.shape[0], b.values.shape[0]
    K = a.values.shape[1] * a.per_byte
    if b.values.shape[1] * b.per_byte != K or K % GROUP:
        raise ValueError(
            f"K is {K} and {b.values.shape[1] * b.per_byte}, expected equal multiples of {GROUP}"
        )
    c = torch.empty(M, N, dtype=dtype, device=a.values.device)
    block = 128 if swizzled else 32
    block_scaled_matmul_kernel[(tilewright.cdiv(M, block), tilewright.cdiv(N, block))](
        a.values, b.values, c, a.scales, b.scales, M, N, K,
        a.values.stride(0), b.values.stride(0), c.stride(0),
        0 if a.scales is None else a.scales.stride(0),
        0 if b.scales is None else b.scales.stride(0),
        A_FORMAT=a.format, B_FORMAT=b.format, A_PACKED=a.per_byte, B_PACKED=b.per_byte,
        SWIZZLED=swizzled, BLOCK_M=block, BLOCK_N=block, BLOCK_K=128 if swizzled else 64,
    )  # fmt: skip
    return c


def decode(matrix: Scaled, dtype: torch.dtype) -> torch.Tensor:
    """The numbers [rows, K] of a matrix whose scales are not swizzled."""
    values = matrix.values
    if matrix.format == "e2m1":
        codes = torch.stack((values & 15, values >> 4), dim=-1).flatten(-2)
        decoded = MXFP4Tensor(size=codes.shape, device=codes.device)
        decoded.data = codes
        numbers = decoded.to(torch.float32).to(dtype)
    else:
        numbers = values.to(dtype)
    if matrix.scales is None:
        return numbers
    scales = MXScaleTensor(size=matrix.scales.shape, device=values.device)
    scales.data = matrix.scales
    return numbers * scales.to(torch.float32).to(dtype).repeat_interleave(GROUP, dim=1)


def reference(a: Scaled, b: Scaled, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """`block_scaled_matmul` in PyTorch."""
    return decode(a, dtype) @ decode(b, dtype).T


def random_matrix(rows: int, k: int, format: str) -> Scaled:
    """Random elements, with scales from 1/16 to 16 if the format has them."""
    if format in ("bf16", "fp16"):
        dtype = torch.bfloat16 if format == "bf16" else torch.float16
        return Scaled(torch.randn(rows, k).to(dtype), None, format)
    scales = torch.randint(123, 132, (rows, k // GROUP), dtype=torch.uint8)
    if format == "e2m1":
        return Scaled(torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8), scales, format)
    dtype = torch.float8_e4m3fn if format == "e4m3" else torch.float8_e5m2
    return Scaled(torch.randn(rows, k).to(dtype), scales, format)
