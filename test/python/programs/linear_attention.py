"""Gated linear attention by chunks: a recurrence whose state is a matrix (Yang et al., 2024).

    S[t] = exp(g[t]) S[t-1] + k[t]^T v[t]        o[t] = scale * q[t] S[t]

One kernel walks over chunks and stores the state before each; the other computes all chunks at the
same time: what the state before the chunk gives, plus attention within the chunk. With G, the
cumulative sum of g in a chunk, the step from s to t decays by exp(G[t] - G[s]).
"""

from __future__ import annotations

import torch

import tilewright
import tilewright.language as tl

CHUNK = 32


@tilewright.heuristics(
    {
        "HAS_INITIAL": lambda args: args["initial_ptr"] is not None,
        "STORES_FINAL": lambda args: args["final_ptr"] is not None,
    }
)
@tilewright.jit
def states_kernel(
    k_ptr, v_ptr, g_ptr, initial_ptr, states_ptr, final_ptr, T, H,
    K: tl.constexpr, V: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr,
    BLOCK_V: tl.constexpr, HAS_INITIAL: tl.constexpr, STORES_FINAL: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Program (i, j, b * h): a tile of the states [K, V] of a head. k, v are [B, T, H, depth]."""
    i, j, bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    batch, head = (bh // H).to(tl.int64), bh % H
    k_ptr += batch * T * H * K + head * K
    v_ptr += batch * T * H * V + head * V
    g_ptr += batch * T * H + head
    chunks = tl.cdiv(T, BLOCK_T)
    state = tl.zeros([BLOCK_K, BLOCK_V], dtype=tl.float32)
    if HAS_INITIAL:
        p_initial = tl.make_block_ptr(
            initial_ptr + bh.to(tl.int64) * K * V, (K, V), (V, 1), (i * BLOCK_K, j * BLOCK_V),
            (BLOCK_K, BLOCK_V), (1, 0),
        )  # fmt: skip
        state = tl.load(p_initial, boundary_check=(0, 1)).to(tl.float32)
    for chunk in range(chunks):
        p_state = tl.make_block_ptr(
            states_ptr + (bh * chunks + chunk).to(tl.int64) * K * V, (K, V), (V, 1),
            (i * BLOCK_K, j * BLOCK_V), (BLOCK_K, BLOCK_V), (1, 0),
        )  # fmt: skip
        tl.store(p_state, state.to(p_state.dtype.element_ty), boundary_check=(0, 1))
        p_k = tl.make_block_ptr(
            k_ptr, (K, T), (1, H * K), (i * BLOCK_K, chunk * BLOCK_T), (BLOCK_K, BLOCK_T), (0, 1)
        )
        p_v = tl.make_block_ptr(
            v_ptr, (T, V), (H * V, 1), (chunk * BLOCK_T, j * BLOCK_V), (BLOCK_T, BLOCK_V), (1, 0)
        )
        p_g = tl.make_block_ptr(g_ptr, (T,), (H,), (chunk * BLOCK_T,), (BLOCK_T,), (0,))
        k = tl.load(p_k, boundary_check=(0, 1))
        v = tl.load(p_v, boundary_check=(0, 1))
        g = tl.load(p_g, boundary_check=(0,)).to(tl.float32)
        total = tl.sum(g, axis=0)
        left = tl.exp(total - tl.cumsum(g, axis=0))
        state *= tl.exp(total)
        state += tl.dot(k, (v * left[:, None]).to(k.dtype), input_precision=PRECISION)
    if STORES_FINAL:
        p_final = tl.make_block_ptr(
            final_ptr + bh.to(tl.int64) * K * V, (K, V), (V, 1), (i * BLOCK_K, j * BLOCK_V),
            (BLOCK_K, BLOCK_V), (1, 0),
        )  # fmt: skip
        tl.store(p_final, state.to(p_final.dtype.element_ty), boundary_check=(0, 1))


@tilewright.jit
def outputs_kernel(
    q_ptr, k_ptr, v_ptr, g_ptr, states_ptr, out_ptr, scale, T, H,
    K: tl.constexpr, V: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr,
    BLOCK_V: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Program (j, c, b * h): columns j of the outputs of chunk c."""
    j, chunk, bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    batch, head = (bh // H).to(tl.int64), bh % H
    q_ptr += batch * T * H * K + head * K
    k_ptr += batch * T * H * K + head * K
    v_ptr += batch * T * H * V + head * V
    out_ptr += batch * T * H * V + head * V
    start = chunk * BLOCK_T
    states_ptr += (bh * tl.num_programs(1) + chunk).to(tl.int64) * K * V
    p_q = tl.make_block_ptr(q_ptr, (T, K), (H * K, 1), (start, 0), (BLOCK_T, BLOCK_K), (1, 0))
    p_k = tl.make_block_ptr(k_ptr, (K, T), (1, H * K), (0, start), (BLOCK_K, BLOCK_T), (0, 1))
    p_s = tl.make_block_ptr(
        states_ptr, (K, V), (V, 1), (0, j * BLOCK_V), (BLOCK_K, BLOCK_V), (1, 0)
    )
    p_g = tl.make_block_ptr(g_ptr + batch * T * H + head, (T,), (H,), (start,), (BLOCK_T,), (0,))
    scores = tl.zeros([BLOCK_T, BLOCK_T], dtype=tl.float32)
    out = tl.zeros([BLOCK_T, BLOCK_V], dtype=tl.float32)
    for _ in range(tl.cdiv(K, BLOCK_K)):
        q = tl.load(p_q, boundary_check=(0, 1))
        k = tl.load(p_k, boundary_check=(0, 1))
        state = tl.load(p_s, boundary_check=(0, 1))
        scores = tl.dot(q, k, scores, input_precision=PRECISION)
        out = tl.dot(q, state.to(q.dtype), out, input_precision=PRECISION)
        p_q = tl.advance(p_q, (0, BLOCK_K))
        p_k = tl.advance(p_k, (BLOCK_K, 0))
        p_s = tl.advance(p_s, (BLOCK_K, 0))
    decay = tl.cumsum(tl.load(p_g, boundary_check=(0,)).to(tl.float32), axis=0)
    step = tl.arange(0, BLOCK_T)
    # Above the diagonal the difference is positive and its exponential may be infinite.
    earlier = step[:, None] >= step[None, :]
    ratio = tl.exp(tl.where(earlier, decay[:, None] - decay[None, :], -float("inf")))
    p_v = tl.make_block_ptr(
        v_ptr, (T, V), (H * V, 1), (start, j * BLOCK_V), (BLOCK_T, BLOCK_V), (1, 0)
    )
    v = tl.load(p_v, boundary_check=(0, 1))
    out = out * tl.exp(decay)[:, None]
    out = tl.dot((scores * ratio).to(v.dtype), v, out, input_precision=PRECISION) * scale
    p_out = tl.make_block_ptr(
        out_ptr, (T, V), (H * V, 1), (start, j * BLOCK_V), (BLOCK_T, BLOCK_V), (1, 0)
    )
    tl.store(p_out, out.to(p_out.dtype.element_ty), boundary_check=(0, 1))


def linear_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    scale: float,
    initial: torch.Tensor | None = None,
    final: bool = False,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Linear attention with a decay for each token and head.

    Args:
        q, k: Contiguous [batch, T, heads, K].
        v: Contiguous [batch, T, heads, V].
        g: Contiguous [batch, T, heads], the logarithm of the decay, at most 0.
        scale: Factor of the result.
        initial: float32 [batch, heads, K, V], the state before the first token; None for zero.
        final: Whether to return the state after the last token.

    Returns:
        The outputs, like v, and the last state or None.
    """
    B, T, H, K = k.shape
    V = v.shape[-1]
    states = torch.empty(
        B * H, tilewright.cdiv(T, CHUNK), K, V, dtype=torch.float32, device=q.device
    )
    last = torch.empty(B, H, K, V, dtype=torch.float32, device=q.device) if final else None
    block_k, block_v = (max(16, min(32, tilewright.next_power_of_2(n))) for n in (K, V))
    precision = "ieee" if q.dtype == torch.float32 else "tf32"
    states_kernel[(tilewright.cdiv(K, block_k), tilewright.cdiv(V, block_v), B * H)](
        k, v, g, initial, states, last, T, H,
        K=K, V=V, BLOCK_T=CHUNK, BLOCK_K=block_k, BLOCK_V=block_v, PRECISION=precision,
    )  # fmt: skip
    out = torch.empty_like(v)
    outputs_kernel[(tilewright.cdiv(V, block_v), tilewright.cdiv(T, CHUNK), B * H)](
        q, k, v, g, states, out, scale, T, H,
        K=K, V=V, BLOCK_T=CHUNK, BLOCK_K=block_k, BLOCK_V=block_v, PRECISION=precision,
    )  # fmt: skip
    return out, last


def reference(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    scale: float,
    initial: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`linear_attention` in PyTorch, token by token."""
    B, T, H, K = k.shape
    state = k.new_zeros(B, H, K, v.shape[-1]) if initial is None else initial.to(k.dtype)
    outs = []
    for t in range(T):
        decay = g[:, t, :, None, None].exp()
        state = state * decay + k[:, t, :, :, None] * v[:, t, :, None, :]
        outs.append(torch.einsum("bhk,bhkv->bhv", q[:, t], state) * scale)
    return torch.stack(outs, dim=1), state
