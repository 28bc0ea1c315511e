"""The gradient of fused attention, and attention as a differentiable function.

With the scores S = Q K^T * scale, the weights P = exp(S - lse) and D = rowsum(dO * O):

    dV = P^T dO    dP = dO V^T    dS = P * (dP - D)    dQ = scale dS K    dK = scale dS^T Q

One kernel holds a tile of keys and walks over the queries of all heads that share it; the other
holds a tile of queries and walks over the keys. Neither needs atomics.
"""

from __future__ import annotations

from typing import Any

import torch
from attention import LOG2_E, _load_tile, _visible, attention_forward, precision_of

import tilewright
import tilewright.language as tl


@tilewright.jit
def row_dot_kernel(
    out_ptr, dout_ptr, delta_ptr,
    stride_ob, stride_oh, stride_om, stride_od,
    stride_gb, stride_gh, stride_gm, stride_gd,
    heads, M,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    """D = rowsum(dO * O), float32."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = tl.program_id(1) % heads
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, BLOCK_D)
    out = _load_tile(
        out_ptr + batch * stride_ob + head * stride_oh, rows[:, None], depth[None, :],
        stride_om, stride_od, M, HEAD_DIM, BLOCK_D,
    )  # fmt: skip
    dout = _load_tile(
        dout_ptr + batch * stride_gb + head * stride_gh, rows[:, None], depth[None, :],
        stride_gm, stride_gd, M, HEAD_DIM, BLOCK_D,
    )  # fmt: skip
    delta = tl.sum(out.to(tl.float32) * dout.to(tl.float32), axis=1)
    tl.store(delta_ptr + tl.program_id(1).to(tl.int64) * M + rows, delta, mask=rows < M)


@tilewright.jit
def dk_dv_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, dk_ptr, dv_ptr, lse_ptr, delta_ptr,
    stride_qb, stride_qh, stride_qm, stride_qd,
    stride_kb, stride_kh, stride_kn, stride_kd,
    stride_vb, stride_vh, stride_vn, stride_vd,
    stride_gb, stride_gh, stride_gm, stride_gd,
    heads_kv, M, N, scale,
    GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    """Program (j, b): the j-th tile of keys of one head of K. dk and dv are contiguous."""
    batch = (tl.program_id(1) // heads_kv).to(tl.int64)
    head_kv = tl.program_id(1) % heads_kv
    start = tl.program_id(0) * BLOCK_N
    columns = start + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_D)
    k = _load_tile(
        k_ptr + batch * stride_kb + head_kv * stride_kh, columns[:, None], depth[None, :],
        stride_kn, stride_kd, N, HEAD_DIM, BLOCK_D,
    )  # fmt: skip
    v = _load_tile(
        v_ptr + batch * stride_vb + head_kv * stride_vh, columns[:, None], depth[None, :],
        stride_vn, stride_vd, N, HEAD_DIM, BLOCK_D,
    )  # fmt: skip
    dk = tl.zeros([BLOCK_N, BLOCK_D], dtype=tl.float32)
    dv = tl.zeros([BLOCK_N, BLOCK_D], dtype=tl.float32)
    first = 0
    if CAUSAL:  # the first query that sees a key of the tile
        first = max(start - (N - M), 0) // BLOCK_M * BLOCK_M
    for member in range(GROUP):
        head = head_kv * GROUP + member
        vectors = (batch * heads_kv * GROUP + head) * M
        for row in range(first, M, BLOCK_M):
            rows = row + tl.arange(0, BLOCK_M)
            q = _load_tile(
                q_ptr + batch * stride_qb + head * stride_qh, rows[:, None], depth[None, :],
                stride_qm, stride_qd, M, HEAD_DIM, BLOCK_D,
            )  # fmt: skip
            dout = _load_tile(
                dout_ptr + batch * stride_gb + head * stride_gh, rows[:, None], depth[None, :],
                stride_gm, stride_gd, M, HEAD_DIM, BLOCK_D,
            )  # fmt: skip
            lse = tl.load(lse_ptr + vectors + rows, mask=rows < M, other=0.0)
            delta = tl.load(delta_ptr + vectors + rows, mask=rows < M, other=0.0)
            scores = tl.dot(k, tl.trans(q), input_precision=PRECISION) * (scale * LOG2_E)
            weights = tl.math.exp2(scores - (lse * LOG2_E)[None, :])
            visible = _visible(rows[None, :], columns[:, None], M, N, CAUSAL)
            weights = tl.where(visible, weights, 0.0)
            dv = tl.dot(weights.to(dout.dtype), dout, dv, input_precision=PRECISION)
            dweights = tl.dot(v, tl.trans(dout), input_precision=PRECISION)
            dscores = weights * (dweights - delta[None, :])
            dk = tl.dot(dscores.to(q.dtype), q, dk, input_precision=PRECISION)
    at = tl.program_id(1).to(tl.int64) * N * HEAD_DIM
    at = at + columns[:, None] * HEAD_DIM + depth[None, :]
    mask = (columns[:, None] < N) & (depth[None, :] < HEAD_DIM)
    tl.store(dk_ptr + at, (dk * scale).to(dk_ptr.dtype.element_ty), mask=mask)
    tl.store(dv_ptr + at, dv.to(dv_ptr.dtype.element_ty), mask=mask)


@tilewright.jit
def dq_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, dq_ptr, lse_ptr, delta_ptr,
    stride_qb, stride_qh, stride_qm, stride_qd,
    stride_kb, stride_kh, stride_kn, stride_kd,
    stride_vb, stride_vh, stride_vn, stride_vd,
    stride_gb, stride_gh, stride_gm, stride_gd,
    heads, M, N, scale,
    GROUP: tl.constexpr, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr,
):  # fmt: skip
    """Program (i, b): the i-th tile of queries of one head of Q. dq is contiguous."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = tl.program_id(1) % heads
    k_ptr += batch * stride_kb + (head // GROUP) * stride_kh
    v_ptr += batch * stride_vb + (head // GROUP) * stride_vh
    start = tl.program_id(0) * BLOCK_M
    rows = start + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, BLOCK_D)
    q = _load_tile(
        q_ptr + batch * stride_qb + head * stride_qh, rows[:, None], depth[None, :],
        stride_qm, stride_qd, M, HEAD_DIM, BLOCK_D,
    )  # fmt: skip
    dout = _load_tile(
        dout_ptr + batch * stride_gb + head * stride_gh, rows[:, None], depth[None, :],
        stride_gm, stride_gd, M, HEAD_DIM, BLOCK_D,
    )  # fmt: skip
    vectors = tl.program_id(1).to(tl.int64) * M + rows
    lse = tl.load(lse_ptr + vectors, mask=rows < M, other=0.0) * LOG2_E
    delta = tl.load(delta_ptr + vectors, mask=rows < M, other=0.0)
    dq = tl.zeros([BLOCK_M, BLOCK_D], dtype=tl.float32)
    last = N
    if CAUSAL:
        last = min(N, start + BLOCK_M + N - M)
    for column in range(0, last, BLOCK_N):
        columns = column + tl.arange(0, BLOCK_N)
        k = _load_tile(
            k_ptr, columns[:, None], depth[None, :], stride_kn, stride_kd, N, HEAD_DIM, BLOCK_D
        )
        v = _load_tile(
            v_ptr, columns[:, None], depth[None, :], stride_vn, stride_vd, N, HEAD_DIM, BLOCK_D
        )
        scores = tl.dot(q, k.T, input_precision=PRECISION) * (scale * LOG2_E)
        visible = _visible(rows[:, None], columns[None, :], M, N, CAUSAL)
        weights = tl.where(visible, tl.math.exp2(scores - lse[:, None]), 0.0)
        dweights = tl.dot(dout, v.T, input_precision=PRECISION)
        dscores = weights * (dweights - delta[:, None])
        dq = tl.dot(dscores.to(k.dtype), k, dq, input_precision=PRECISION)
    at = tl.program_id(1).to(tl.int64) * M * HEAD_DIM
    at = at + rows[:, None] * HEAD_DIM + depth[None, :]
    mask = (rows[:, None] < M) & (depth[None, :] < HEAD_DIM)
    tl.store(dq_ptr + at, (dq * scale).to(dq_ptr.dtype.element_ty), mask=mask)


def attention_backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    dout: torch.Tensor,
    causal: bool,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of q, k and v, contiguous; `out` and `lse` are the forward kernel's results."""
    batch, heads, m, depth = q.shape
    heads_kv, n = k.shape[1:3]
    padded = max(16, tilewright.next_power_of_2(depth))
    delta = torch.empty_like(lse)
    row_dot_kernel[(tilewright.cdiv(m, 64), batch * heads)](
        out, dout, delta, *out.stride(), *dout.stride(), heads, m,
        HEAD_DIM=depth, BLOCK_M=64, BLOCK_D=padded,
    )  # fmt: skip
    dq, dk, dv = (torch.empty_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))
    strides = (*q.stride(), *k.stride(), *v.stride(), *dout.stride())
    constants: dict[str, Any] = {
        "GROUP": heads // heads_kv, "HEAD_DIM": depth, "CAUSAL": causal,
        "PRECISION": precision_of(q.dtype), "BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_D": padded,
    }  # fmt: skip
    dk_dv_kernel[(tilewright.cdiv(n, 32), batch * heads_kv)](
        q, k, v, dout, dk, dv, lse, delta, *strides, heads_kv, m, n, scale, **constants
    )
    dq_kernel[(tilewright.cdiv(m, 32), batch * heads)](
        q, k, v, dout, dq, lse, delta, *strides, heads, m, n, scale, **constants
    )
    return dq, dk, dv


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Any, k: Any, v: Any, causal: bool, scale: float) -> Any:
        out, lse = attention_forward(q, k, v, causal, scale)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.causal, ctx.scale = causal, scale
        return out

    @staticmethod
    def backward(ctx: Any, dout: Any) -> Any:
        return *attention_backward(*ctx.saved_tensors, dout, ctx.causal, ctx.scale), None, None


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Differentiable attention; the arguments are those of `attention.reference`.

    Args:
        scale: None stands for depth ** -0.5.
    """
    return _Attention.apply(q, k, v, causal, q.shape[-1] ** -0.5 if scale is None else scale)
