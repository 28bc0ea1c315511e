"""RMS norm with its gradient (Zhang and Sennrich, 2019), optionally of a sum with a residual.

y = x / rms(x) * (offset + weight), where rms(x) = sqrt(mean(x^2) + eps). Programs of the backward
kernel take every n-th row and sum their part of the weight's gradient in registers.
"""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl

PROGRAMS = 8  # of the backward kernel; a GPU has one per multiprocessor


@tilewright.jit
def rms_norm_forward_kernel(
    x_ptr, residual_ptr, weight_ptr, y_ptr, sum_ptr, rstd_ptr,
    stride_x, stride_residual, stride_y, stride_sum, columns, eps, offset,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One row per program. `residual_ptr`, with `sum_ptr`, and `weight_ptr` may be None."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * stride_x + column, mask=mask, other=0.0).to(tl.float32)
    if residual_ptr is not None:
        x += tl.load(residual_ptr + row * stride_residual + column, mask=mask, other=0.0)
        total = x.to(sum_ptr.dtype.element_ty)
        tl.store(sum_ptr + row * stride_sum + column, total, mask=mask)
        x = total.to(tl.float32)  # what the backward kernel reads
    rstd = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    y = x * rstd
    if weight_ptr is not None:
        y *= offset + tl.load(weight_ptr + column, mask=mask, other=0.0).to(tl.float32)
    tl.store(rstd_ptr + row, rstd)
    tl.store(y_ptr + row * stride_y + column, y.to(y_ptr.dtype.element_ty), mask=mask)


@tilewright.jit
def rms_norm_backward_kernel(
    dy_ptr, dsum_ptr, x_ptr, weight_ptr, rstd_ptr, dx_ptr, dweight_ptr,
    stride_dy, stride_dsum, stride_x, stride_dx, stride_dweight, rows, columns, offset,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """dx = rstd * (g - x * rstd^2 * mean(g * x)) with g = dy * weight, plus the gradient dsum."""
    column = tl.arange(0, BLOCK)
    mask = column < columns
    if weight_ptr is not None:
        weight = offset + tl.load(weight_ptr + column, mask=mask, other=0.0).to(tl.float32)
        dweight = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        row = row.to(tl.int64)
        x = tl.load(x_ptr + row * stride_x + column, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * stride_dy + column, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        g = dy
        if weight_ptr is not None:
            dweight += dy * (x * rstd)
            g = dy * weight
        dx = rstd * (g - x * (rstd * rstd * (tl.sum(g * x, axis=0) / columns)))
        if dsum_ptr is not None:
            dx += tl.load(dsum_ptr + row * stride_dsum + column, mask=mask, other=0.0)
        tl.store(dx_ptr + row * stride_dx + column, dx.to(dx_ptr.dtype.element_ty), mask=mask)
    if weight_ptr is not None:
        tl.store(dweight_ptr + tl.program_id(0) * stride_dweight + column, dweight, mask=mask)


def _as_rows(x: torch.Tensor) -> torch.Tensor:
    """A matrix with contiguous rows."""
    x = x.reshape(-1, x.shape[-1])
    return x if x.stride(1) == 1 else x.contiguous()


class _RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, residual: Any, weight: Any, eps: float, offset: float) -> Any:
        shape, x = x.shape, _as_rows(x)
        rows, columns = x.shape
        y, rstd = torch.empty_like(x), torch.empty(rows, dtype=torch.float32, device=x.device)
        total = x
        if residual is not None:
            residual, total = _as_rows(residual), torch.empty_like(x)
        ctx.block = tilewright.next_power_of_2(columns)
        if rows:
            rms_norm_forward_kernel[(rows,)](
                x, residual, weight, y, total, rstd,
                x.stride(0), 0 if residual is None else residual.stride(0), y.stride(0),
                total.stride(0), columns, eps, offset, BLOCK=ctx.block,
            )  # fmt: skip
        ctx.save_for_backward(total, weight, rstd)
        ctx.offset, ctx.with_sum = offset, residual is not None
        if residual is None:
            return y.view(shape)
        return y.view(shape), total.view(shape)

    @staticmethod
    def backward(ctx: Any, dy: Any, dsum: Any = None) -> Any:
        x, weight, rstd = ctx.saved_tensors
        shape, dy = dy.shape, _as_rows(dy)
        dsum = None if dsum is None else _as_rows(dsum)
        rows, columns = x.shape
        dx = torch.empty_like(x)
        parts = torch.zeros(PROGRAMS, columns, dtype=torch.float32, device=x.device)
        rms_norm_backward_kernel[(PROGRAMS,)](
            dy, dsum, x, weight, rstd, dx, parts,
            dy.stride(0), 0 if dsum is None else dsum.stride(0), x.stride(0), dx.stride(0),
            parts.stride(0), rows, columns, ctx.offset, BLOCK=ctx.block,
        )  # fmt: skip
        dx = dx.view(shape)
        dweight = None if weight is None else parts.sum(0).to(weight.dtype)
        return dx, dx if ctx.with_sum else None, dweight, None, None


def rms_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-6,
    offset: float = 0.0,
) -> Any:
    """RMS norm of the last dimension; differentiable.

    Args:
        x: [..., columns].
        weight: [columns], or None.
        residual: Like x; the norm is that of x + residual, which is returned, too.
        offset: Added to the weight; Gemma's is 1.

    Returns:
        y, like x; with a residual (y, x + residual).
    """
    return _RMSNorm.apply(x, residual, weight, eps, offset)


def reference(
    x: torch.Tensor,
    weight: torch.Tensor | None = None,
    residual: torch.Tensor | None = None,
    eps: float = 1e-6,
    offset: float = 0.0,
) -> Any:
    """`rms_norm` in PyTorch."""
    total = x if residual is None else x + residual
    wide = total.to(torch.promote_types(x.dtype, torch.float32))
    y = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    if weight is not None:
        y = y * (offset + weight.to(wide.dtype))
    return y.to(x.dtype) if residual is None else (y.to(x.dtype), total)
