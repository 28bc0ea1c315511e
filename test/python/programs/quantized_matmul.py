"""Products with quantized weights, which the kernels dequantize tile by tile.

int4: eight weights of a column are packed along K into an int32; groups of rows share a scale and a
zero (Frantar et al., 2022). Programs that split K add up their parts with atomics.

float8: both operands are float8 with a scale for 128 values of a row of A and for 128 x 128 values
of B (DeepSeek-AI, 2024).
"""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl


def _configs() -> list[tilewright.Config]:
    return [
        tilewright.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": 32}, num_warps=4, num_stages=3)
        for m, n in ((16, 32), (16, 64), (32, 64))
    ]


def _fits(configs: list[Any], arguments: dict[str, Any], **constants: Any) -> list[Any]:
    """Drops tiles of more rows than the product has."""
    kept = [config for config in configs if config.kwargs["BLOCK_M"] < 2 * arguments["M"]]
    return kept or configs[:1]


@tilewright.autotune(
    configs=_configs(),
    key=["M", "N", "K"],
    prune_configs_by={"early_config_prune": _fits},
    reset_to_zero=["out_ptr"],
)
@tilewright.heuristics(
    {"EVEN_K": lambda args: args["K"] % (args["BLOCK_K"] * args["SPLIT_K"]) == 0}
)
@tilewright.jit
def int4_matmul_kernel(
    x_ptr, packed_ptr, scales_ptr, zeros_ptr, out_ptr, M, N, K, group,
    stride_xm, stride_xk, stride_pk, stride_pn, stride_sg, stride_sn, stride_om, stride_on,
    SPLIT_K: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr,
):  # fmt: skip
    """Program (i, j, s): a tile of x @ w, of every SPLIT_K-th step along K."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    shifts = 4 * tl.arange(0, 8)
    for start in range(tl.program_id(2) * BLOCK_K, K, BLOCK_K * SPLIT_K):
        start = tl.multiple_of(start, BLOCK_K)
        k = start + tl.arange(0, BLOCK_K)
        words = start // 8 + tl.arange(0, BLOCK_K // 8)
        x_mask = (rows < M)[:, None]
        word_mask = (columns < N)[None, :]
        if not EVEN_K:
            x_mask = x_mask & (k < K)[None, :]
            word_mask = word_mask & (words < K // 8)[:, None]
        x_ptrs = x_ptr + rows[:, None] * stride_xm + k[None, :] * stride_xk
        x = tl.load(x_ptrs, mask=x_mask, other=0.0)
        packed_ptrs = packed_ptr + words[:, None] * stride_pk + columns[None, :] * stride_pn
        packed = tl.load(packed_ptrs, mask=word_mask, other=0)
        nibbles = (packed[:, None, :] >> shifts[None, :, None]) & 15
        q = tl.reshape(nibbles, (BLOCK_K, BLOCK_N))
        at = start // group * stride_sg + columns * stride_sn
        scale = tl.load(scales_ptr + at, mask=columns < N, other=0.0).to(tl.float32)
        zero = tl.load(zeros_ptr + at, mask=columns < N, other=0.0).to(tl.float32)
        w = (q.to(tl.float32) - zero[None, :]) * scale[None, :]
        acc = tl.dot(x, w.to(x.dtype), acc, input_precision=PRECISION)
    out_ptrs = out_ptr + rows[:, None] * stride_om + columns[None, :] * stride_on
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    if SPLIT_K == 1:
        tl.store(out_ptrs, acc, mask=mask)
    else:
        tl.atomic_add(out_ptrs, acc, mask=mask, sem="relaxed")


def int4_matmul(
    x: torch.Tensor,
    packed: torch.Tensor,
    scales: torch.Tensor,
    zeros: torch.Tensor,
    group: int,
    split_k: int = 1,
) -> torch.Tensor:
    """x @ ((q - zeros) * scales), in float32 and then in the dtype of x.

    Args:
        x: [M, K], K a multiple of 8.
        packed: int32 [K / 8, N]; bits 4 i to 4 i + 3 are row 8 k + i of q.
        scales, zeros: [ceil(K / group), N], of x's dtype.
        group: Rows of q that share a scale, a multiple of 32.
        split_k: The number of programs that share a tile of the result.
    """
    M, K = x.shape
    N = packed.shape[1]
    if packed.shape[0] * 8 != K or packed.dtype != torch.int32 or group % 32:
        raise ValueError(f"packed {packed.dtype} {tuple(packed.shape)}, group {group} for K = {K}")
    out = torch.zeros(M, N, dtype=torch.float32, device=x.device)

    def grid(meta: dict[str, Any]) -> tuple[int, int, int]:
        return tilewright.cdiv(M, meta["BLOCK_M"]), tilewright.cdiv(N, meta["BLOCK_N"]), split_k

    int4_matmul_kernel[grid](
        x, packed, scales, zeros, out, M, N, K, group,
        *x.stride(), *packed.stride(), *scales.stride(), *out.stride(),
        SPLIT_K=split_k, PRECISION="ieee" if x.dtype == torch.float32 else "tf32",
    )  # fmt: skip
    return out.to(x.dtype)


def pack_int4(q: torch.Tensor) -> torch.Tensor:
    """Packs integers [K, N] from 0 to 15 into int32 [K / 8, N]."""
    nibbles = q.to(torch.int64).view(-1, 8, q.shape[1])
    words = (nibbles << (4 * torch.arange(8, device=q.device))[None, :, None]).sum(1)
    return words.to(torch.uint32).view(torch.int32)


def int4_reference(
    x: torch.Tensor, q: torch.Tensor, scales: torch.Tensor, zeros: torch.Tensor, group: int
) -> torch.Tensor:
    """`int4_matmul` in PyTorch, of weights that are not packed."""
    at = torch.arange(q.shape[0], device=x.device) // group
    return x @ ((q.to(x.dtype) - zeros.to(x.dtype)[at]) * scales.to(x.dtype)[at])


@tilewright.jit
def float8_matmul_kernel(
    a_ptr, b_ptr, c_ptr, a_scales_ptr, b_scales_ptr, M, N, K,
    stride_am, stride_ak, stride_bn, stride_bk, stride_cm, stride_cn,
    stride_asm, stride_ask, stride_bsn, stride_bsk,
    SCALED: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Program (i, j): a tile of C = A B^T; SCALED values of K share a scale."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * stride_am + steps[None, :] * stride_ak
    b_ptrs = b_ptr + columns[None, :] * stride_bn + steps[:, None] * stride_bk
    a_scale_ptrs = a_scales_ptr + rows * stride_asm
    b_scale_ptrs = b_scales_ptr + columns // SCALED * stride_bsn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inside = steps < K - start
        a = tl.load(a_ptrs, mask=(rows < M)[:, None] & inside[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None] & (columns < N)[None, :], other=0.0)
        a_scale = tl.load(a_scale_ptrs + start // SCALED * stride_ask, mask=rows < M, other=0.0)
        b_scale = tl.load(b_scale_ptrs + start // SCALED * stride_bsk, mask=columns < N, other=0.0)
        acc += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


def float8_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    a_scales: torch.Tensor,
    b_scales: torch.Tensor,
    dtype: torch.dtype,
    scaled: int = 128,
) -> torch.Tensor:
    """(a * a_scales) @ (b * b_scales).T, where a scale holds for several values.

    Args:
        a: float8 [M, K].
        b: float8 [N, K].
        a_scales: float32 [M, ceil(K / scaled)].
        b_scales: float32 [ceil(N / scaled), ceil(K / scaled)].
        dtype: That of the result.
        scaled: A power of two, at least 64.
    """
    (M, K), N = a.shape, b.shape[0]
    c = torch.empty(M, N, dtype=dtype, device=a.device)
    grid = (tilewright.cdiv(M, 32), tilewright.cdiv(N, 32))
    float8_matmul_kernel[grid](
        a, b, c, a_scales, b_scales, M, N, K,
        *a.stride(), *b.stride(), *c.stride(), *a_scales.stride(), *b_scales.stride(),
        SCALED=scaled, BLOCK_M=32, BLOCK_N=32, BLOCK_K=64,
    )  # fmt: skip
    return c


def float8_reference(
    a: torch.Tensor,
    b: torch.Tensor,
    a_scales: torch.Tensor,
    b_scales: torch.Tensor,
    dtype: torch.dtype,
    scaled: int = 128,
) -> torch.Tensor:
    """`float8_matmul` in PyTorch, computed in `dtype`."""
    k = torch.arange(a.shape[1], device=a.device) // scaled
    n = torch.arange(b.shape[0], device=a.device) // scaled
    wide_a = a.to(dtype) * a_scales.to(dtype)[:, k]
    return wide_a @ (b.to(dtype) * b_scales.to(dtype)[n][:, k]).T
