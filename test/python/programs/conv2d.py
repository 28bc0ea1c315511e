"""A 2D convolution as an implicit GEMM: rows are pixels of the output, columns its channels.

The third dimension of the GEMM runs over the channels of the input and the filter's taps, whose
pixels are addressed directly: the matrix of patches is never stored.
"""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl


def _configs() -> list[tilewright.Config]:
    return [
        tilewright.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": 32}, num_warps=4, num_stages=2)
        for m, n in ((64, 16), (32, 32))
    ]


@tilewright.autotune(configs=_configs(), key=["pixels", "C_OUT", "C_IN", "R", "S"])
@tilewright.jit
def conv2d_kernel(
    x_ptr, w_ptr, bias_ptr, out_ptr, pixels, H, W, P, Q, C_OUT, C_IN,
    stride_xn, stride_xc, stride_xh, stride_xw, stride_wo, stride_wc, stride_wr, stride_ws,
    stride_on, stride_oc, stride_oh, stride_ow,
    R: tl.constexpr, S: tl.constexpr, STRIDE_H: tl.constexpr, STRIDE_W: tl.constexpr,
    PAD_H: tl.constexpr, PAD_W: tl.constexpr, DILATION_H: tl.constexpr, DILATION_W: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Program (i, j, g): a tile of pixels and channels of group g, which has C_IN and C_OUT."""
    group = tl.program_id(2)
    x_ptr += group * C_IN * stride_xc
    w_ptr += group * C_OUT * stride_wo
    out_ptr += group * C_OUT * stride_oc
    pixel = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    image = (pixel // (P * Q)).to(tl.int64)
    row, column = pixel // Q % P, pixel % Q
    top, left = row * STRIDE_H - PAD_H, column * STRIDE_W - PAD_W
    channel = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, C_IN * R * S, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        c, r, s = k // (R * S), k // S % R, k % S
        h = top[:, None] + (r * DILATION_H)[None, :]
        w = left[:, None] + (s * DILATION_W)[None, :]
        inside = (h >= 0) & (h < H) & (w >= 0) & (w < W)
        x_mask = inside & (pixel < pixels)[:, None] & (c < C_IN)[None, :]
        x_ptrs = x_ptr + image[:, None] * stride_xn + c[None, :] * stride_xc
        x = tl.load(x_ptrs + h * stride_xh + w * stride_xw, mask=x_mask, other=0.0)
        w_ptrs = w_ptr + (c * stride_wc + r * stride_wr + s * stride_ws)[:, None]
        w_ptrs += channel[None, :] * stride_wo
        weights = tl.load(w_ptrs, mask=(c < C_IN)[:, None] & (channel < C_OUT)[None, :], other=0.0)
        acc = tl.dot(x, weights, acc, input_precision=PRECISION)
    if bias_ptr is not None:
        bias = tl.load(bias_ptr + group * C_OUT + channel, mask=channel < C_OUT, other=0.0)
        acc += bias.to(tl.float32)[None, :]
    out_rows = image * stride_on + row * stride_oh + column * stride_ow
    out_ptrs = out_ptr + out_rows[:, None] + channel[None, :] * stride_oc
    mask = (pixel < pixels)[:, None] & (channel < C_OUT)[None, :]
    tl.store(out_ptrs, acc.to(out_ptr.dtype.element_ty), mask=mask)


def conv2d(
    x: torch.Tensor,
    w: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (0, 0),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> torch.Tensor:
    """The convolution that torch.nn.functional.conv2d computes, of any strides in memory.

    Args:
        x: [images, channels, H, W], contiguous or channels last.
        w: [channels of the output, channels / groups, R, S].
        bias: [channels of the output], or None.

    Returns:
        [images, channels of the output, P, Q], channels last if x is.
    """
    images, channels, H, W = x.shape
    c_out, c_in, R, S = w.shape
    if c_in * groups != channels or c_out % groups:
        raise ValueError(f"{groups} groups of {tuple(w.shape)} for {channels} channels")
    P = (H + 2 * padding[0] - dilation[0] * (R - 1) - 1) // stride[0] + 1
    Q = (W + 2 * padding[1] - dilation[1] * (S - 1) - 1) // stride[1] + 1
    if P < 1 or Q < 1:
        raise ValueError(f"a filter of {R} x {S} does not fit into {H} x {W} pixels")
    last = x.is_contiguous(memory_format=torch.channels_last) and not x.is_contiguous()
    out = torch.empty(
        (images, c_out, P, Q), dtype=x.dtype, device=x.device,
        memory_format=torch.channels_last if last else torch.contiguous_format,
    )  # fmt: skip
    pixels, per_group = images * P * Q, c_out // groups

    def grid(meta: dict[str, Any]) -> tuple[int, int, int]:
        tiles = tilewright.cdiv(pixels, meta["BLOCK_M"])
        return tiles, tilewright.cdiv(per_group, meta["BLOCK_N"]), groups

    conv2d_kernel[grid](
        x, w, bias, out, pixels, H, W, P, Q, per_group, c_in,
        *x.stride(), *w.stride(), *out.stride(),
        R=R, S=S, STRIDE_H=stride[0], STRIDE_W=stride[1], PAD_H=padding[0], PAD_W=padding[1],
        DILATION_H=dilation[0], DILATION_W=dilation[1],
        PRECISION="ieee" if x.dtype == torch.float32 else "tf32",
    )  # fmt: skip
    return out


reference = torch.nn.functional.conv2d
