"""Cross entropy of logits and its gradient in one kernel, which walks over the vocabulary twice.

With label smoothing, soft-capped logits (cap * tanh(x / cap)), a penalty on the squared log-sum-exp
and labels that don't count.
"""

from __future__ import annotations

from typing import Any

import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def _logits(ptrs, mask, cap, HAS_CAP: tl.constexpr):
    """Soft-capped logits in float32, -inf outside of the mask."""
    x = tl.load(ptrs, mask=mask, other=-float("inf")).to(tl.float32)
    if HAS_CAP:
        x = tl.where(mask, cap * tl.math.tanh(x / cap), -float("inf"))
    return x


@tilewright.jit
def cross_entropy_kernel(
    logits_ptr, labels_ptr, loss_ptr, dlogits_ptr, counted_ptr,
    stride_logits, stride_dlogits, vocabulary, ignored, smoothing, penalty, cap,
    MEAN: tl.constexpr, HAS_CAP: tl.constexpr, HAS_SMOOTHING: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One row per program; `counted_ptr` is the number of labels that count, for their mean."""
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * stride_logits
    dlogits_ptr += row * stride_dlogits
    label = tl.load(labels_ptr + row)
    if label == ignored:
        tl.store(loss_ptr + row, 0.0)
        for start in range(0, vocabulary, BLOCK):
            column = start + tl.arange(0, BLOCK)
            tl.store(dlogits_ptr + column, 0.0, mask=column < vocabulary)
        return

    peak = -float("inf")
    total = 0.0
    plain = 0.0
    for start in range(0, vocabulary, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < vocabulary
        x = _logits(logits_ptr + column, mask, cap, HAS_CAP)
        new_peak = tl.maximum(peak, tl.max(x, axis=0))
        # While all logits are -inf, so is the peak, and -inf - -inf is NaN.
        base = tl.where(new_peak == -float("inf"), 0.0, new_peak)
        total = total * tl.exp(peak - base) + tl.sum(tl.exp(x - base), axis=0)
        if HAS_SMOOTHING:
            plain += tl.sum(tl.where(mask, x, 0.0), axis=0)
        peak = new_peak
    lse = peak + tl.log(total)

    chosen = tl.load(logits_ptr + label).to(tl.float32)
    if HAS_CAP:
        chosen = cap * tl.math.tanh(chosen / cap)
    loss = lse - chosen
    if HAS_SMOOTHING:
        loss += smoothing * (chosen - plain / vocabulary)
    loss += penalty * lse * lse
    weight = 1.0
    if MEAN:
        weight = 1.0 / tl.load(counted_ptr)
    tl.store(loss_ptr + row, loss * weight)

    slope = 1 + 2 * penalty * lse
    for start in range(0, vocabulary, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < vocabulary
        x = _logits(logits_ptr + column, mask, cap, HAS_CAP)
        d = slope * tl.exp(x - lse) - smoothing / vocabulary
        d = tl.where(column == label, d - (1 - smoothing), d)
        if HAS_CAP:
            d *= 1 - (x / cap) * (x / cap)
        tl.store(dlogits_ptr + column, (d * weight).to(dlogits_ptr.dtype.element_ty), mask=mask)


@tilewright.jit
def scale_kernel(x_ptr, factor_ptr, n, BLOCK: tl.constexpr):
    """Multiplies an array in place by a number in memory."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    factor = tl.load(factor_ptr).to(tl.float32)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, (x * factor).to(x.dtype), mask=i < n)


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Any, labels: Any, options: dict[str, Any]) -> Any:
        rows, vocabulary = logits.shape
        if logits.stride(1) != 1:
            logits = logits.contiguous()
        losses = torch.empty(rows, dtype=torch.float32, device=logits.device)
        dlogits = torch.empty_like(logits, memory_format=torch.contiguous_format)
        counted = (labels != options["ignored"]).sum().to(torch.float32)
        cap = options["cap"]
        cross_entropy_kernel[(rows,)](
            logits, labels.contiguous(), losses, dlogits, counted,
            logits.stride(0), dlogits.stride(0), vocabulary, options["ignored"],
            options["smoothing"], options["penalty"], cap or 0.0,
            MEAN=options["mean"], HAS_CAP=cap is not None, HAS_SMOOTHING=options["smoothing"] > 0,
            BLOCK=min(1024, tilewright.next_power_of_2(vocabulary)),
        )  # fmt: skip
        ctx.save_for_backward(dlogits)
        return losses.sum()

    @staticmethod
    def backward(ctx: Any, dloss: Any) -> Any:
        (dlogits,) = ctx.saved_tensors
        n = dlogits.numel()
        scale_kernel[(tilewright.cdiv(n, 1024),)](dlogits, dloss, n, BLOCK=1024)
        return dlogits, None, None


def cross_entropy(
    logits: torch.Tensor,
    labels: torch.Tensor,
    ignored: int = -100,
    smoothing: float = 0.0,
    penalty: float = 0.0,
    cap: float | None = None,
    mean: bool = True,
) -> torch.Tensor:
    """The loss, a float32 scalar; its gradient can be computed once.

    Args:
        logits: [rows, vocabulary].
        labels: Integers [rows]; those equal to `ignored` don't count.
        smoothing: Label smoothing, from 0 to 1.
        penalty: Factor of the squared log-sum-exp, which is added to each row's loss.
        cap: None, or the bound of soft-capped logits.
        mean: Whether the loss is the mean of the rows that count, or their sum.
    """
    options = {
        "ignored": ignored, "smoothing": smoothing, "penalty": penalty, "cap": cap, "mean": mean,
    }  # fmt: skip
    return _CrossEntropy.apply(logits, labels, options)


def reference(
    logits: torch.Tensor,
    labels: torch.Tensor,
    ignored: int = -100,
    smoothing: float = 0.0,
    penalty: float = 0.0,
    cap: float | None = None,
    mean: bool = True,
) -> torch.Tensor:
    """`cross_entropy` in PyTorch."""
    if cap is not None:
        logits = cap * torch.tanh(logits / cap)
    counted = labels != ignored
    loss = torch.nn.functional.cross_entropy(
        logits, labels, ignore_index=ignored, label_smoothing=smoothing, reduction="sum"
    )
    loss = loss + penalty * torch.logsumexp(logits, dim=1)[counted].square().sum()
    return loss / counted.sum() if mean else loss
