"""Fused attention with its gradient: softmax(Q K^T * scale) V without the matrix of scores.

The forward kernel keeps a running maximum and sum of each row (Milakov and Gimelshein, 2018; Dao et
al., 2022) and saves the rows' log-sum-exp. The backward kernels compute the scores a second time.
Several heads of Q may share one head of K and V (grouped-query attention).
"""

from __future__ import annotations

import torch

import tilewright
import tilewright.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@tilewright.jit
def _visible(rows, columns, M, N, CAUSAL: tl.constexpr):
    """Which keys the queries see: the last query sees all keys, the one before all but one, ..."""
    visible = (rows < M) & (columns < N)
    if CAUSAL:
        visible = visible & (columns <= rows + (N - M))
    return visible


@tilewright.jit
def _load_tile(
    ptr, rows, columns, stride_row, stride_column, n_rows,
    WIDTH: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Rows of a matrix [n_rows, WIDTH], zero beyond its ends. `rows` or `columns` is a column."""
    mask = rows < n_rows
    if WIDTH != BLOCK:
        mask = mask & (columns < WIDTH)
    return tl.load(ptr + rows * stride_row + columns * stride_column, mask=mask, other=0.0)


@tilewright.jit
def _attend(
    acc, total, peak, q, k_ptr, v_ptr, first, last, rows, M, N, scale_log2,
    stride_kn, stride_kd, stride_vn, stride_vd,
    BLOCK_N: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr,
    CAUSAL: tl.constexpr, MASKED: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Adds the keys from `first` to `last` to the accumulators of a tile of queries."""
    depth = tl.arange(0, BLOCK_D)
    for start in range(first, last, BLOCK_N):
        start = tl.multiple_of(start, BLOCK_N)
        columns = start + tl.arange(0, BLOCK_N)
        k = _load_tile(
            k_ptr, columns[None, :], depth[:, None], stride_kn, stride_kd, N, HEAD_DIM, BLOCK_D
        )
        scores = tl.dot(q, k, input_precision=PRECISION) * scale_log2
        if MASKED:
            visible = _visible(rows[:, None], columns[None, :], M, N, CAUSAL)
            scores = tl.where(visible, scores, -float("inf"))
        new_peak = tl.maximum(peak, tl.max(scores, axis=1))
        # A row that has seen no key yet has the peak -inf, and -inf - -inf is NaN.
        base = tl.where(new_peak == -float("inf"), 0.0, new_peak)
        weights = tl.math.exp2(scores - base[:, None])
        decay = tl.math.exp2(peak - base)
        total = total * decay + tl.sum(weights, axis=1)
        v = _load_tile(
            v_ptr, columns[:, None], depth[None, :], stride_vn, stride_vd, N, HEAD_DIM, BLOCK_D
        )
        acc = tl.dot(weights.to(v.dtype), v, acc * decay[:, None], input_precision=PRECISION)
        peak = new_peak
    return acc, total, peak


@tilewright.jit
def attention_forward_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr,
    stride_qb, stride_qh, stride_qm, stride_qd,
    stride_kb, stride_kh, stride_kn, stride_kd,
    stride_vb, stride_vh, stride_vn, stride_vd,
    stride_ob, stride_oh, stride_om, stride_od,
    heads, M, N, scale,
    GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    """Program (i, b): the i-th tile of queries of one head of one batch."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = tl.program_id(1) % heads
    q_ptr += batch * stride_qb + head * stride_qh
    k_ptr += batch * stride_kb + (head // GROUP) * stride_kh
    v_ptr += batch * stride_vb + (head // GROUP) * stride_vh
    out_ptr += batch * stride_ob + head * stride_oh
    start = tl.program_id(0) * BLOCK_M
    rows = start + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, BLOCK_D)
    q = _load_tile(q_ptr, rows[:, None], depth[None, :], stride_qm, stride_qd, M, HEAD_DIM, BLOCK_D)
    acc = tl.zeros([BLOCK_M, BLOCK_D], dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    peak = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    # All queries of the tile see the keys before `whole`, and none sees those from `last` on.
    whole = N
    last = N
    if CAUSAL:
        whole = max(min(N, start + 1 + N - M), 0)
        last = max(min(N, start + BLOCK_M + N - M), 0)
    whole = whole // BLOCK_N * BLOCK_N
    acc, total, peak = _attend(
        acc, total, peak, q, k_ptr, v_ptr, 0, whole, rows, M, N, scale * LOG2_E,
        stride_kn, stride_kd, stride_vn, stride_vd,
        BLOCK_N, HEAD_DIM, BLOCK_D, CAUSAL, False, PRECISION,
    )  # fmt: skip
    acc, total, peak = _attend(
        acc, total, peak, q, k_ptr, v_ptr, whole, last, rows, M, N, scale * LOG2_E,
        stride_kn, stride_kd, stride_vn, stride_vd,
        BLOCK_N, HEAD_DIM, BLOCK_D, CAUSAL, True, PRECISION,
    )  # fmt: skip
    lse_ptrs = lse_ptr + tl.program_id(1).to(tl.int64) * M + rows
    tl.store(lse_ptrs, peak / LOG2_E + tl.log(total), mask=rows < M)
    out = acc / tl.where(total == 0.0, 1.0, total)[:, None]
    mask = (rows[:, None] < M) & (depth[None, :] < HEAD_DIM)
    out_ptrs = out_ptr + rows[:, None] * stride_om + depth[None, :] * stride_od
    tl.store(out_ptrs, out.to(out_ptr.dtype.element_ty), mask=mask)


def precision_of(dtype: torch.dtype) -> str:
    """The precision of matrix products: without TF32, so that float32 results have its accuracy."""
    return "ieee" if dtype == torch.float32 else "tf32"


def check_shapes(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
    """Raises ValueError unless attention of these shapes exists."""
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or k.shape != v.shape:
        raise ValueError(f"attention of {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}")
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"{q.shape[1]} heads of Q can't share {k.shape[1]} heads of K")


def attention_forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The result of `reference`, with any strides of the arguments."""
    check_shapes(q, k, v)
    batch, heads, m, depth = q.shape
    n = k.shape[2]
    out = torch.empty_like(q)
    lse = torch.empty(batch, heads, m, dtype=torch.float32, device=q.device)
    block_m, block_n = (64, 64) if depth <= 64 else (64, 32)
    if q.dtype == torch.float32:  # a product without TF32 takes registers, not matrix units
        block_m = block_n = 32
    attention_forward_kernel[(tilewright.cdiv(m, block_m), batch * heads)](
        q, k, v, out, lse,
        *q.stride(), *k.stride(), *v.stride(), *out.stride(),
        heads, m, n, scale,
        GROUP=heads // k.shape[1], HEAD_DIM=depth, CAUSAL=causal,
        PRECISION=precision_of(q.dtype),
        BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_D=max(16, tilewright.next_power_of_2(depth)),
    )  # fmt: skip
    return out, lse


def reference(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention in PyTorch, and the log-sum-exp of each row of scores.

    Args:
        q: [batch, heads, M, depth].
        k: [batch, heads of K, N, depth]; heads is a multiple of the heads of K.
        v: Like k.
        causal: Query i sees keys up to i + N - M; a query that sees none gives zero.
        scale: Factor of the scores, such as depth ** -0.5.

    Returns:
        out, like q, and the log-sum-exp [batch, heads, M], float32 (of float64: float64).
    """
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    scores = (q @ k.transpose(-1, -2)).to(torch.promote_types(q.dtype, torch.float32)) * scale
    if causal:
        m, n = scores.shape[-2:]
        hidden = torch.ones(m, n, dtype=torch.bool, device=q.device).triu(1 + n - m)
        scores = scores.masked_fill(hidden, -float("inf"))
    lse = torch.logsumexp(scores, dim=-1)
    base = lse.masked_fill(lse == -float("inf"), 0.0)
    return torch.exp(scores - base[..., None]).to(v.dtype) @ v, lse
