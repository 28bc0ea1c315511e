"""Rotary position embeddings (Su et al., 2021), with their gradient, which rotates backwards.

A head's pairs are (x[i], x[i + dim / 2]) in the style of GPT-NeoX and Llama, or (x[2i], x[2i + 1])
in that of GPT-J. Dimensions beyond those that are rotated are copied.
"""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def rope_kernel(
    x_ptr, out_ptr, cos_ptr, sin_ptr, positions_ptr,
    stride_xb, stride_xs, stride_xh, stride_ob, stride_os, stride_oh, stride_pb,
    stride_cos, stride_sin, length, heads,
    HALF: tl.constexpr, DEPTH: tl.constexpr, BLOCK_HEADS: tl.constexpr, BLOCK_HALF: tl.constexpr,
    BLOCK_REST: tl.constexpr, INTERLEAVED: tl.constexpr, INVERSE: tl.constexpr,
):  # fmt: skip
    """Program (t, h): a tile of heads of one token. `positions_ptr` may be None."""
    token = tl.program_id(0)
    batch = (token // length).to(tl.int64)
    step = token % length
    position = step.to(tl.int64)
    if positions_ptr is not None:
        position = tl.load(positions_ptr + batch * stride_pb + step).to(tl.int64)
    half = tl.arange(0, BLOCK_HALF)
    cos = tl.load(cos_ptr + position * stride_cos + half, mask=half < HALF, other=0.0)
    sin = tl.load(sin_ptr + position * stride_sin + half, mask=half < HALF, other=0.0)
    cos = cos.to(tl.float32)[None, :]
    sin = sin.to(tl.float32)[None, :]
    if INVERSE:
        sin = -sin
    head = (tl.program_id(1) * BLOCK_HEADS + tl.arange(0, BLOCK_HEADS))[:, None]
    x_ptr += batch * stride_xb + step * stride_xs + head * stride_xh
    out_ptr += batch * stride_ob + step * stride_os + head * stride_oh
    if INTERLEAVED:
        pair = tl.arange(0, 2 * BLOCK_HALF)[None, :]
        mask = (head < heads) & (pair < 2 * HALF)
        x = tl.load(x_ptr + pair, mask=mask, other=0.0).to(tl.float32)
        first, second = tl.split(tl.reshape(x, [BLOCK_HEADS, BLOCK_HALF, 2]))
        rotated = tl.interleave(first * cos - second * sin, second * cos + first * sin)
        tl.store(out_ptr + pair, rotated, mask=mask)
    else:
        low = half[None, :]
        mask = (head < heads) & (low < HALF)
        first = tl.load(x_ptr + low, mask=mask, other=0.0).to(tl.float32)
        second = tl.load(x_ptr + HALF + low, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + low, first * cos - second * sin, mask=mask)
        tl.store(out_ptr + HALF + low, second * cos + first * sin, mask=mask)
    if DEPTH > 2 * HALF:
        rest = 2 * HALF + tl.arange(0, BLOCK_REST)[None, :]
        mask = (head < heads) & (rest < DEPTH)
        tl.store(out_ptr + rest, tl.load(x_ptr + rest, mask=mask), mask=mask)


def rotate(
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    positions: torch.Tensor | None,
    interleaved: bool,
    inverse: bool,
) -> torch.Tensor:
    """Rotates all heads of all tokens; see `rope`."""
    batch, length, heads, depth = x.shape
    half = cos.shape[1]
    if x.stride(-1) != 1:
        x = x.contiguous()
    if 2 * half > depth or sin.shape != cos.shape:
        raise ValueError(f"tables {tuple(cos.shape)} and {tuple(sin.shape)} for depth {depth}")
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block_heads = min(tilewright.next_power_of_2(heads), 8)
    rope_kernel[(batch * length, tilewright.cdiv(heads, block_heads))](
        x, out, cos, sin, positions,
        *x.stride()[:3], *out.stride()[:3], 0 if positions is None else positions.stride(0),
        cos.stride(0), sin.stride(0), length, heads,
        HALF=half, DEPTH=depth, BLOCK_HEADS=block_heads,
        BLOCK_HALF=tilewright.next_power_of_2(half),
        BLOCK_REST=tilewright.next_power_of_2(max(1, depth - 2 * half)),
        INTERLEAVED=interleaved, INVERSE=inverse,
    )  # fmt: skip
    return out


class _Rope(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, cos: Any, sin: Any, positions: Any, interleaved: bool) -> Any:
        ctx.save_for_backward(cos, sin, positions)
        ctx.interleaved = interleaved
        return rotate(x, cos, sin, positions, interleaved, inverse=False)

    @staticmethod
    def backward(ctx: Any, dout: Any) -> Any:
        dx = rotate(dout, *ctx.saved_tensors, ctx.interleaved, inverse=True)
        return dx, None, None, None, None


def rope(
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    positions: torch.Tensor | None = None,
    interleaved: bool = False,
) -> torch.Tensor:
    """Rotates pairs of dimensions by angles that depend on the token's position; differentiable.

    Args:
        x: [batch, length, heads, depth].
        cos, sin: [positions, dim / 2] of any float dtype; dim is at most depth.
        positions: Integers [batch, length]; None stands for 0, 1, 2, ...
        interleaved: Whether pairs are neighbors.
    """
    return _Rope.apply(x, cos, sin, positions, interleaved)


def reference(
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    positions: torch.Tensor | None = None,
    interleaved: bool = False,
) -> torch.Tensor:
    """`rope` in PyTorch."""
    half = cos.shape[1]
    if positions is None:
        positions = torch.arange(x.shape[1], device=x.device)[None, :]
    cos, sin = cos[positions][:, :, None, :], sin[positions][:, :, None, :]
    turned, rest = x[..., : 2 * half], x[..., 2 * half :]
    if interleaved:
        first, second = turned[..., 0::2], turned[..., 1::2]
    else:
        first, second = turned[..., :half], turned[..., half:]
    parts = (first * cos - second * sin, second * cos + first * sin)
    rotated = torch.stack(parts, dim=-1).flatten(-2) if interleaved else torch.cat(parts, dim=-1)
    return torch.cat((rotated.to(x.dtype), rest), dim=-1)


def tables(positions: int, half: int, base: float = 10000.0) -> tuple[torch.Tensor, torch.Tensor]:
    """The cosines and sines [positions, half], float32."""
    frequencies = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(positions, dtype=torch.float64)[:, None] * frequencies
    return angles.cos().float(), angles.sin().float()
