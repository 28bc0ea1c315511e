"""The selective scan of state-space models (Gu and Dao, 2023), with an associative scan.

    h[t] = exp(dt[t] A) h[t-1] + dt[t] B[t] x[t]        y[t] = C[t] . h[t] + D x[t]

Each channel has a state of N numbers. A step is the pair (a, b) of h -> a h + b, and composing two
steps is associative; so a tile of steps is one scan, and only tiles come one after another.
"""

from __future__ import annotations

import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def _compose(a1, b1, a2, b2):
    """First h -> a1 h + b1, then h -> a2 h + b2."""
    return a2 * a1, a2 * b1 + b2


@tilewright.jit
def _softplus(x):
    return tl.where(x > 20.0, x, tl.log(1.0 + tl.exp(tl.minimum(x, 20.0))))


@tilewright.jit
def selective_scan_kernel(
    x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, d_ptr, z_ptr, bias_ptr, y_ptr, state_ptr, L, channels,
    stride_xb, stride_xl, stride_tb, stride_tl, stride_bb, stride_bl, stride_cb, stride_cl,
    stride_zb, stride_zl, stride_yb, stride_yl,
    N: tl.constexpr, BLOCK_L: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_N: tl.constexpr,
    SOFTPLUS: tl.constexpr,
):  # fmt: skip
    """Program (i, b): a tile of channels. D, z, bias may be None; state is [batch, channels, N]."""
    batch = tl.program_id(1).to(tl.int64)
    channel = tl.program_id(0) * BLOCK_D + tl.arange(0, BLOCK_D)
    n = tl.arange(0, BLOCK_N)
    inside = channel < channels
    state_mask = inside[:, None] & (n < N)[None, :]
    a = tl.load(a_ptr + channel[:, None] * N + n[None, :], mask=state_mask, other=0.0)
    a = a.to(tl.float32)
    state_ptrs = state_ptr + (batch * channels + channel)[:, None] * N + n[None, :]
    h = tl.load(state_ptrs, mask=state_mask, other=0.0)
    step = tl.arange(0, BLOCK_L)
    for start in range(0, L, BLOCK_L):
        t = start + step
        mask = (t < L)[:, None] & inside[None, :]
        x_ptrs = x_ptr + batch * stride_xb + t[:, None] * stride_xl + channel[None, :]
        x = tl.load(x_ptrs, mask=mask, other=0.0).to(tl.float32)
        dt_ptrs = dt_ptr + batch * stride_tb + t[:, None] * stride_tl + channel[None, :]
        dt = tl.load(dt_ptrs, mask=mask, other=0.0).to(tl.float32)
        if bias_ptr is not None:
            dt += tl.load(bias_ptr + channel, mask=inside, other=0.0).to(tl.float32)[None, :]
        if SOFTPLUS:
            dt = _softplus(dt)
        dt = tl.where(mask, dt, 0.0)  # steps after the last one change nothing
        row_mask = (t < L)[:, None] & (n < N)[None, :]
        b_ptrs = b_ptr + batch * stride_bb + t[:, None] * stride_bl + n[None, :]
        b = tl.load(b_ptrs, mask=row_mask, other=0.0).to(tl.float32)
        c_ptrs = c_ptr + batch * stride_cb + t[:, None] * stride_cl + n[None, :]
        c = tl.load(c_ptrs, mask=row_mask, other=0.0).to(tl.float32)
        decay = tl.exp(dt[:, :, None] * a[None, :, :])
        added = (dt * x)[:, :, None] * b[:, None, :]
        factor, sums = tl.associative_scan((decay, added), 0, _compose)
        states = factor * h[None, :, :] + sums
        y = tl.sum(states * c[:, None, :], axis=2)
        last = (step == BLOCK_L - 1)[:, None, None]
        h = tl.sum(tl.where(last, states, 0.0), axis=0)
        if d_ptr is not None:
            y += x * tl.load(d_ptr + channel, mask=inside, other=0.0).to(tl.float32)[None, :]
        if z_ptr is not None:
            z_ptrs = z_ptr + batch * stride_zb + t[:, None] * stride_zl + channel[None, :]
            z = tl.load(z_ptrs, mask=mask, other=0.0).to(tl.float32)
            y *= z * tl.sigmoid(z)
        y_ptrs = y_ptr + batch * stride_yb + t[:, None] * stride_yl + channel[None, :]
        tl.store(y_ptrs, y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(state_ptrs, h, mask=state_mask)


def selective_scan(
    x: torch.Tensor,
    dt: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor,
    d: torch.Tensor | None = None,
    z: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    softplus: bool = False,
    initial: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs of a state-space model.

    Args:
        x, dt: [batch, L, channels], with contiguous channels.
        a: Contiguous [channels, N], negative.
        b, c: [batch, L, N], with contiguous rows.
        d: [channels], or None.
        z: Like x, or None; the result is multiplied by silu(z).
        bias: [channels], or None; added to dt.
        softplus: Whether dt is replaced by log(1 + exp(dt)).
        initial: float32 [batch, channels, N], the state before the first step; None for zero.

    Returns:
        y, like x, and the state after the last step.
    """
    batch, L, channels = x.shape
    N = a.shape[1]
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if initial is None:
        state = torch.zeros(batch, channels, N, dtype=torch.float32, device=x.device)
    else:
        state = initial.clone()
    gate = y if z is None else z
    selective_scan_kernel[(tilewright.cdiv(channels, 8), batch)](
        x, dt, a, b, c, d, z, bias, y, state, L, channels,
        *(stride for given in (x, dt, b, c, gate, y) for stride in given.stride()[:2]),
        N=N, BLOCK_L=16, BLOCK_D=8, BLOCK_N=tilewright.next_power_of_2(N), SOFTPLUS=softplus,
    )  # fmt: skip
    return y, state


def reference(
    x: torch.Tensor,
    dt: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor,
    d: torch.Tensor | None = None,
    z: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    softplus: bool = False,
    initial: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`selective_scan` in PyTorch, step by step."""
    dt = dt if bias is None else dt + bias
    dt = torch.nn.functional.softplus(dt) if softplus else dt
    h = x.new_zeros(x.shape[0], *a.shape) if initial is None else initial.to(x.dtype)
    ys = []
    for t in range(x.shape[1]):
        decay = torch.exp(dt[:, t, :, None] * a)
        h = decay * h + (dt[:, t] * x[:, t])[..., None] * b[:, t, None, :]
        ys.append((h * c[:, t, None, :]).sum(-1))
    y = torch.stack(ys, dim=1)
    y = y if d is None else y + x * d
    return (y if z is None else y * torch.nn.functional.silu(z)), h
