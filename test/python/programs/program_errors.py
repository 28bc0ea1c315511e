"""How far a program's result is from the exact one, which PyTorch computes in float64."""

from __future__ import annotations

import torch

# Bounds of `relative_error` for results that are sums of products of this dtype, accumulated in
# float32 and rounded once or twice to the dtype on the way.
TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def relative_error(result: torch.Tensor, exact: torch.Tensor, terms: float = 0.0) -> float:
    """The greatest |result - exact| / (|exact| + rms(exact)) of all elements; NaN if one is NaN.

    The root mean square keeps sums that cancel to almost nothing from counting as wrong; where all
    sums may cancel, `terms` is the size of their terms, which replaces a smaller one. Infinities
    must be at the same elements.
    """
    if result.shape != exact.shape:
        raise ValueError(f"the result is {tuple(result.shape)}, expected {tuple(exact.shape)}")
    if exact.numel() == 0:
        return 0.0
    result, exact = result.detach().double(), exact.detach().double()
    infinite = torch.isinf(exact) & (result == exact)
    result, exact = result.masked_fill(infinite, 0), exact.masked_fill(infinite, 0)
    scale = exact.abs() + exact.square().mean().sqrt().clamp(min=terms)
    difference = (result - exact).abs()
    return float(torch.where(difference == 0, 0.0, difference / scale).max())


def assert_exact(
    result: torch.Tensor, exact: torch.Tensor, factor: float = 1.0, terms: float = 0.0
) -> None:
    """Asserts that the relative error is within `factor` times the tolerance of the dtype."""
    error = relative_error(result, exact, terms)
    limit = factor * TOLERANCE[result.dtype]
    assert error <= limit, f"relative error {error:.2e} of {result.dtype}, expected {limit:.1e}"


def doubles(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Copies in float64 that record gradients; integers and booleans stay as they are."""
    return [
        x.detach().double().requires_grad_(x.requires_grad) if x.is_floating_point() else x
        for x in tensors
    ]
