"""Attention of one new token per sequence to keys and values in pages (Kwon et al., 2023).

Programs share a sequence: each attends to a part of its tokens, and a second kernel combines the
parts by their log-sum-exps. All heads that share a head of K are the rows of one tile.
"""

from __future__ import annotations

import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def paged_attention_kernel(
    q_ptr, k_ptr, v_ptr, tables_ptr, lengths_ptr, parts_ptr, lse_ptr, scale, cap,
    stride_qb, stride_qh, stride_kp, stride_kt, stride_kh, stride_vp, stride_vt, stride_vh,
    stride_tb,
    GROUP: tl.constexpr, BLOCK_G: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr,
    PAGE: tl.constexpr, BLOCK_N: tl.constexpr, HAS_CAP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Program (b, h, s): part s of sequence b for the heads of Q that share head h of K."""
    sequence, head_kv, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    member = tl.arange(0, BLOCK_G)
    head = head_kv * GROUP + member
    depth = tl.arange(0, BLOCK_D)
    length = tl.load(lengths_ptr + sequence)
    share = tl.cdiv(tl.cdiv(length, tl.num_programs(2)), BLOCK_N) * BLOCK_N
    q_mask = (member < GROUP)[:, None] & (depth < HEAD_DIM)[None, :]
    q_ptrs = q_ptr + sequence.to(tl.int64) * stride_qb + head[:, None] * stride_qh + depth[None, :]
    q = tl.load(q_ptrs, mask=q_mask, other=0.0)
    acc = tl.zeros((BLOCK_G, BLOCK_D), dtype=tl.float32)
    total = tl.zeros((BLOCK_G,), dtype=tl.float32)
    peak = tl.full((BLOCK_G,), -float("inf"), dtype=tl.float32)
    for start in range(split * share, min(length, (split + 1) * share), BLOCK_N):
        token = start + tl.arange(0, BLOCK_N)
        present = token < length
        page_ptrs = tables_ptr + sequence.to(tl.int64) * stride_tb + token // PAGE
        page = tl.load(page_ptrs, mask=present, other=0).to(tl.int64)
        mask = present[:, None] & (depth < HEAD_DIM)[None, :]
        k_rows = page * stride_kp + token % PAGE * stride_kt + head_kv * stride_kh
        k = tl.load(k_ptr + k_rows[:, None] + depth[None, :], mask=mask, other=0.0).to(q.dtype)
        scores = tl.dot(q, k.T, input_precision=PRECISION) * scale
        if HAS_CAP:
            scores = cap * tl.math.tanh(scores / cap)
        scores = tl.where(present[None, :], scores, -float("inf"))
        new_peak = tl.maximum(peak, tl.max(scores, axis=1))
        decay = tl.exp(peak - new_peak)
        weights = tl.exp(scores - new_peak[:, None])
        total = total * decay + tl.sum(weights, axis=1)
        v_rows = page * stride_vp + token % PAGE * stride_vt + head_kv * stride_vh
        v = tl.load(v_ptr + v_rows[:, None] + depth[None, :], mask=mask, other=0.0).to(q.dtype)
        acc = acc * decay[:, None]
        acc = tl.dot(weights.to(v.dtype), v, acc, input_precision=PRECISION)
        peak = new_peak
    heads = tl.num_programs(1) * GROUP
    at = (sequence.to(tl.int64) * heads + head) * tl.num_programs(2) + split
    out = acc / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(parts_ptr + at[:, None] * HEAD_DIM + depth[None, :], out, mask=q_mask)
    tl.store(lse_ptr + at, peak + tl.log(total), mask=member < GROUP)


@tilewright.jit
def combine_kernel(
    parts_ptr, lse_ptr, out_ptr, splits,
    HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_S: tl.constexpr,
):  # fmt: skip
    """Program i: head i of all sequences; parts of no tokens have the log-sum-exp -inf."""
    at = tl.program_id(0).to(tl.int64) * splits
    split = tl.arange(0, BLOCK_S)
    depth = tl.arange(0, BLOCK_D)
    lse = tl.load(lse_ptr + at + split, mask=split < splits, other=-float("inf"))
    peak = tl.max(lse, axis=0)
    weights = tl.exp(lse - tl.where(peak == -float("inf"), 0.0, peak))
    total = tl.sum(weights, axis=0)
    weights = weights / tl.where(total == 0.0, 1.0, total)
    ptrs = parts_ptr + (at + split)[:, None] * HEAD_DIM + depth[None, :]
    mask = (split < splits)[:, None] & (depth < HEAD_DIM)[None, :]
    out = tl.sum(tl.load(ptrs, mask=mask, other=0.0) * weights[:, None], axis=0)
    out_ptrs = out_ptr + tl.program_id(0).to(tl.int64) * HEAD_DIM + depth
    tl.store(out_ptrs, out.to(out_ptr.dtype.element_ty), mask=depth < HEAD_DIM)


def paged_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    tables: torch.Tensor,
    lengths: torch.Tensor,
    scale: float,
    cap: float | None = None,
    splits: int = 4,
) -> torch.Tensor:
    """Attention of one query per sequence; a sequence of no tokens gives zero.

    Args:
        q: [sequences, heads, depth].
        k, v: [pages, tokens of a page, heads of K, depth], of q's dtype or float8.
        tables: int32 [sequences, pages of the longest], the pages of each sequence.
        lengths: int32 [sequences], tokens.
        scale: Factor of the scores.
        cap: None, or the bound of soft-capped scores.
        splits: The number of programs that share a sequence.

    Returns:
        [sequences, heads, depth].
    """
    sequences, heads, depth = q.shape
    page, heads_kv = k.shape[1:3]
    group = heads // heads_kv
    parts = torch.empty(sequences, heads, splits, depth, dtype=torch.float32, device=q.device)
    lse = torch.empty(sequences, heads, splits, dtype=torch.float32, device=q.device)
    padded = max(16, tilewright.next_power_of_2(depth))
    paged_attention_kernel[(sequences, heads_kv, splits)](
        q, k, v, tables, lengths, parts, lse, scale, cap or 0.0,
        *q.stride()[:2], *k.stride()[:3], *v.stride()[:3], tables.stride(0),
        GROUP=group, BLOCK_G=max(16, tilewright.next_power_of_2(group)), HEAD_DIM=depth,
        BLOCK_D=padded, PAGE=page, BLOCK_N=32, HAS_CAP=cap is not None,
        PRECISION="ieee" if q.dtype == torch.float32 else "tf32",
    )  # fmt: skip
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    combine_kernel[(sequences * heads,)](
        parts, lse, out, splits,
        HEAD_DIM=depth, BLOCK_D=padded, BLOCK_S=tilewright.next_power_of_2(splits),
    )  # fmt: skip
    return out


def reference(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    tables: torch.Tensor,
    lengths: torch.Tensor,
    scale: float,
    cap: float | None = None,
) -> torch.Tensor:
    """`paged_attention` in PyTorch, sequence by sequence."""
    out = torch.zeros_like(q)
    group = q.shape[1] // k.shape[2]
    for i, length in enumerate(lengths.tolist()):
        if length:
            pages = tables[i, : -(-length // k.shape[1])].long()
            keys, values = (
                x[pages].to(q.dtype).flatten(0, 1)[:length].repeat_interleave(group, dim=1)
                for x in (k, v)
            )
            scores = torch.einsum("hd,nhd->hn", q[i], keys) * scale
            if cap is not None:
                scores = cap * torch.tanh(scores / cap)
            out[i] = torch.einsum("hn,nhd->hd", torch.softmax(scores, dim=1), values)
    return out
