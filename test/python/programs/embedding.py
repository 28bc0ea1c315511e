"""An embedding's lookup and its gradient, which atomics sum where a token occurs repeatedly."""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def lookup_kernel(
    table_ptr, tokens_ptr, out_ptr, stride_table, stride_out, tokens, columns,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Program (i, j): a tile of the rows table[tokens]."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    token = tl.load(tokens_ptr + row, mask=row < tokens, other=0).to(tl.int64)
    mask = (row < tokens)[:, None] & (column < columns)[None, :]
    values = tl.load(table_ptr + token[:, None] * stride_table + column[None, :], mask=mask)
    out_ptrs = out_ptr + row.to(tl.int64)[:, None] * stride_out + column[None, :]
    tl.store(out_ptrs, values, mask=mask)


@tilewright.jit
def accumulate_kernel(
    dout_ptr, tokens_ptr, dtable_ptr, stride_dout, stride_dtable, tokens, columns, padding,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """dtable[tokens] += dout; the token `padding` gets no gradient."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    token = tl.load(tokens_ptr + row, mask=row < tokens, other=0).to(tl.int64)
    counts = (row < tokens) & (token != padding)
    mask = counts[:, None] & (column < columns)[None, :]
    dout_ptrs = dout_ptr + row.to(tl.int64)[:, None] * stride_dout + column[None, :]
    d = tl.load(dout_ptrs, mask=mask, other=0.0).to(dtable_ptr.dtype.element_ty)
    dtable_ptrs = dtable_ptr + token[:, None] * stride_dtable + column[None, :]
    tl.atomic_add(dtable_ptrs, d, mask=mask, sem="relaxed")


def _grid(tokens: int, columns: int) -> tuple[tuple[int, int], dict[str, int]]:
    blocks = {"BLOCK_M": 16, "BLOCK_N": min(128, tilewright.next_power_of_2(columns))}
    return (
        tilewright.cdiv(tokens, blocks["BLOCK_M"]),
        tilewright.cdiv(columns, blocks["BLOCK_N"]),
    ), blocks


class _Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, table: Any, tokens: Any, padding: int, accumulator: Any) -> Any:
        flat, columns = tokens.reshape(-1), table.shape[1]
        out = torch.empty(flat.numel(), columns, dtype=table.dtype, device=table.device)
        grid, blocks = _grid(flat.numel(), columns)
        lookup_kernel[grid](
            table, flat, out, table.stride(0), out.stride(0), flat.numel(), columns, **blocks
        )
        ctx.save_for_backward(flat)
        ctx.table, ctx.padding, ctx.accumulator = table.shape, padding, accumulator or table.dtype
        return out.view(*tokens.shape, columns)

    @staticmethod
    def backward(ctx: Any, dout: Any) -> Any:
        (flat,) = ctx.saved_tensors
        columns = ctx.table[1]
        dout = dout.reshape(-1, columns)
        dtable = torch.zeros(ctx.table, dtype=ctx.accumulator, device=dout.device)
        grid, blocks = _grid(flat.numel(), columns)
        accumulate_kernel[grid](
            dout, flat, dtable, dout.stride(0), dtable.stride(0), flat.numel(), columns,
            ctx.padding, **blocks,
        )  # fmt: skip
        return dtable.to(dout.dtype), None, None, None


def embedding(
    table: torch.Tensor,
    tokens: torch.Tensor,
    padding: int = -1,
    accumulator: torch.dtype | None = torch.float32,
) -> torch.Tensor:
    """table[tokens]; differentiable.

    Args:
        table: [vocabulary, columns], with contiguous rows.
        tokens: Integers of any shape.
        padding: A token whose row gets no gradient.
        accumulator: The dtype in which gradients are summed; None stands for the table's.

    Returns:
        [*tokens.shape, columns].
    """
    return _Embedding.apply(table, tokens, padding, accumulator)


def reference(table: torch.Tensor, tokens: torch.Tensor, padding: int = -1) -> torch.Tensor:
    """`embedding` in PyTorch."""
    return torch.nn.functional.embedding(
        tokens, table, padding_idx=padding if padding >= 0 else None
    )
