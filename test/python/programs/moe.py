"""A mixture of experts: top-k routing, tokens sorted by expert, and grouped matrix products.

    routing    the k greatest logits of each token and their weights       one program per token
    sorting    counts per expert, and a slot for each pair of token and expert
    products   a tile of slots of one expert times that expert's matrix

The slots of an expert start at a multiple of the tile's rows, so that a tile has a single expert.
"""

from __future__ import annotations

import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def _sortable(x):
    """uint32 keys in the order of the float32 values."""
    bits = x.to(tl.uint32, bitcast=True)
    return tl.where(bits >> 31 != 0, ~bits, bits | 0x80000000)


@tilewright.jit
def route_kernel(
    logits_ptr, experts_ptr, weights_ptr, counts_ptr, stride_logits, E,
    TOP_K: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_E: tl.constexpr,
):  # fmt: skip
    """The greatest logits of a token, of equal ones those of the first experts; their softmax."""
    token = tl.program_id(0).to(tl.int64)
    expert = tl.arange(0, BLOCK_E)
    ptrs = logits_ptr + token * stride_logits + expert
    logits = tl.load(ptrs, mask=expert < E, other=-float("inf")).to(tl.float32)
    # The logit above the inverted index: one key for each expert, all different. Elements beyond
    # the last expert are below the experts whose logits are -inf, too.
    keys = (_sortable(logits).to(tl.uint64) << 32) | (0xFFFFFFFF - expert.to(tl.uint64))
    keys = tl.where(expert < E, keys, 0)
    best = tl.topk(keys, BLOCK_K)
    chosen = (0xFFFFFFFF - (best & 0xFFFFFFFF)).to(tl.int32)
    rank = tl.arange(0, BLOCK_K)
    among = rank < TOP_K
    high = (best >> 32).to(tl.uint32)
    bits = tl.where(high >> 31 != 0, high ^ 0x80000000, ~high)
    best_logits = tl.where(among, bits.to(tl.float32, bitcast=True), -float("inf"))
    numerator = tl.exp(best_logits - tl.max(best_logits, axis=0))
    tl.store(weights_ptr + token * TOP_K + rank, numerator / tl.sum(numerator, axis=0), mask=among)
    tl.store(experts_ptr + token * TOP_K + rank, chosen, mask=among)
    tl.atomic_add(counts_ptr + chosen, 1, mask=among, sem="relaxed")


@tilewright.jit
def offsets_kernel(
    counts_ptr, starts_ptr, tile_experts_ptr, E,
    BLOCK_M: tl.constexpr, BLOCK_E: tl.constexpr,
):  # fmt: skip
    """Where the slots of each expert start, and the expert of each tile."""
    expert = tl.arange(0, BLOCK_E)
    counts = tl.load(counts_ptr + expert, mask=expert < E, other=0)
    tiles = tl.cdiv(counts, BLOCK_M)
    ends = tl.cumsum(tiles, axis=0)
    tl.store(starts_ptr + expert, (ends - tiles) * BLOCK_M, mask=expert < E)
    for i in range(tl.max(tiles, axis=0)):
        tl.store(tile_experts_ptr + (ends - tiles) + i, expert, mask=i < tiles)


@tilewright.jit
def place_kernel(experts_ptr, starts_ptr, slots_ptr, n, BLOCK: tl.constexpr):
    """Gives each pair of token and expert a slot; `starts_ptr` moves on."""
    pair = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    expert = tl.load(experts_ptr + pair, mask=pair < n, other=0)
    slot = tl.atomic_add(starts_ptr + expert, 1, mask=pair < n, sem="relaxed")
    tl.store(slots_ptr + slot, pair, mask=pair < n)


@tilewright.jit
def expert_matmul_kernel(
    x_ptr, w_ptr, out_ptr, slots_ptr, tile_experts_ptr, weights_ptr, pairs, N, K,
    stride_xm, stride_xk, stride_we, stride_wn, stride_wk, stride_om, stride_on,
    PER_ROW: tl.constexpr, WEIGHTED: tl.constexpr, PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """out[pair] = x[pair // PER_ROW] @ w[expert].T, times the routing weight if WEIGHTED."""
    expert = tl.load(tile_experts_ptr + tl.program_id(0)).to(tl.int64)
    if expert < 0:
        return
    slot = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    pair = tl.load(slots_ptr + slot).to(tl.int64)
    filled = pair < pairs
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + (pair // PER_ROW)[:, None] * stride_xm + steps[None, :] * stride_xk
    w_ptrs = w_ptr + expert * stride_we
    w_ptrs += columns[None, :] * stride_wn + steps[:, None] * stride_wk
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        inside = steps < K - start
        x = tl.load(x_ptrs, mask=filled[:, None] & inside[None, :], other=0.0)
        w = tl.load(w_ptrs, mask=inside[:, None] & (columns < N)[None, :], other=0.0)
        acc = tl.dot(x, w, acc, input_precision=PRECISION)
        x_ptrs += BLOCK_K * stride_xk
        w_ptrs += BLOCK_K * stride_wk
    if WEIGHTED:
        acc *= tl.load(weights_ptr + pair, mask=filled, other=0.0)[:, None]
    out_ptrs = out_ptr + pair[:, None] * stride_om + columns[None, :] * stride_on
    mask = filled[:, None] & (columns < N)[None, :]
    tl.store(out_ptrs, acc.to(out_ptr.dtype.element_ty), mask=mask)


@tilewright.jit
def silu_mul_kernel(x_ptr, out_ptr, stride_x, stride_out, columns, BLOCK: tl.constexpr):
    """silu(x[:, :columns]) * x[:, columns:]; program (i, j) has a part of row i."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    gate = tl.load(x_ptr + row * stride_x + column, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(x_ptr + row * stride_x + columns + column, mask=mask, other=0.0)
    tl.store(out_ptr + row * stride_out + column, gate * tl.sigmoid(gate) * up, mask=mask)


def route(logits: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The k greatest logits [tokens, E] of each token.

    Returns:
        experts int32 [tokens, k], by falling logits; weights float32 [tokens, k], the softmax of
        these logits; counts int32 [E], how many tokens each expert has.
    """
    tokens, count = logits.shape
    if not 0 < k <= count:
        raise ValueError(f"can't choose {k} of {count} experts")
    experts = torch.empty(tokens, k, dtype=torch.int32, device=logits.device)
    weights = torch.empty(tokens, k, dtype=torch.float32, device=logits.device)
    counts = torch.zeros(count, dtype=torch.int32, device=logits.device)
    padded = tilewright.next_power_of_2(k)
    route_kernel[(tokens,)](
        logits, experts, weights, counts, logits.stride(0), count,
        TOP_K=k, BLOCK_K=padded, BLOCK_E=max(2, tilewright.next_power_of_2(count)),
    )  # fmt: skip
    return experts, weights, counts


def sort_by_expert(
    experts: torch.Tensor, counts: torch.Tensor, block: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Slots for pairs of token and expert, so that every `block` slots have one expert.

    Returns:
        slots: int32, the pair in each slot, or the number of pairs where there is none.
        tile_experts: int32, the expert of each `block` slots, or -1.
    """
    pairs, count = experts.numel(), counts.numel()
    tiles = min(pairs, tilewright.cdiv(pairs, block) + count)  # at least as many as are needed
    slots = torch.full((tiles * block,), pairs, dtype=torch.int32, device=experts.device)
    tile_experts = torch.full((tiles,), -1, dtype=torch.int32, device=experts.device)
    starts = torch.empty_like(counts)
    padded = tilewright.next_power_of_2(count)
    offsets_kernel[(1,)](counts, starts, tile_experts, count, BLOCK_M=block, BLOCK_E=padded)
    place_kernel[(tilewright.cdiv(pairs, 128),)](experts, starts, slots, pairs, BLOCK=128)
    return slots, tile_experts


def moe(
    x: torch.Tensor, logits: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor, k: int
) -> torch.Tensor:
    """Experts with gated SiLU: the weighted sum of w2[e] (silu(gate) * up), gate, up = w1[e] x.

    Args:
        x: [tokens, D].
        logits: [tokens, E], of any float dtype.
        w1: [E, 2 F, D], the rows of the gate before those of up.
        w2: [E, D, F].
        k: How many experts a token has.
    """
    (tokens, depth), inner = x.shape, w2.shape[2]
    experts, weights, counts = route(logits, k)
    slots, tile_experts = sort_by_expert(experts, counts, 16)
    hidden = x.new_empty(tokens * k, 2 * inner)
    active = x.new_empty(tokens * k, inner)
    parts = x.new_empty(tokens * k, depth, dtype=torch.float32)
    precision = "ieee" if x.dtype == torch.float32 else "tf32"
    for given, w, out, last in ((x, w1, hidden, False), (active, w2, parts, True)):
        n = w.shape[1]
        expert_matmul_kernel[(tile_experts.numel(), tilewright.cdiv(n, 32))](
            given, w, out, slots, tile_experts, weights, tokens * k, n, w.shape[2],
            *given.stride(), *w.stride(), *out.stride(),
            PER_ROW=1 if last else k, WEIGHTED=last, PRECISION=precision,
            BLOCK_M=16, BLOCK_N=32, BLOCK_K=32,
        )  # fmt: skip
        if not last:
            silu_mul_kernel[(tokens * k, tilewright.cdiv(inner, 128))](
                hidden, active, hidden.stride(0), active.stride(0), inner, BLOCK=128
            )
    return parts.view(tokens, k, depth).sum(1).to(x.dtype)


def reference(
    x: torch.Tensor, logits: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor, k: int
) -> torch.Tensor:
    """`moe` in PyTorch, expert by expert."""
    best, experts = torch.sort(logits, dim=1, descending=True, stable=True)
    best, experts = best[:, :k], experts[:, :k]
    weights = torch.softmax(best.to(torch.promote_types(x.dtype, torch.float32)), dim=1)
    out = torch.zeros_like(x)
    for expert in range(logits.shape[1]):
        token, rank = (experts == expert).nonzero(as_tuple=True)
        gate, up = (x[token] @ w1[expert].T).chunk(2, dim=1)
        part = (torch.nn.functional.silu(gate) * up) @ w2[expert].T
        out.index_add_(0, token, (part * weights[token, rank][:, None]).to(x.dtype))
    return out
