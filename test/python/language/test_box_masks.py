"""Masks and descriptors whose loads become copies of boxes (TMA), and those that just do not."""

from collections.abc import Callable

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl


@tilewright.jit
def described(x, y, out, K, rows, first, BK: tl.constexpr):
    """Both operands by descriptors made in the kernel, which also read outside of the arrays."""
    a = tl.make_tensor_descriptor(x, [64, K], [rows, 1], [64, BK])
    b = tl.make_tensor_descriptor(y, [K, 64], [64, 1], [BK, 64])
    total = tl.zeros((64, 64), tl.float32)
    for i in range(first, K, BK):
        total = tl.dot(a.load([first, i]), b.load([i, first]), total)
    m = tl.arange(0, 64)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


def shifted(tile: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    """The tile with zeros before its first element, or after its last."""
    moved = torch.zeros_like(tile)
    height, width = tile.shape[0] - abs(rows), tile.shape[1] - abs(columns)
    moved[max(-rows, 0) :, max(-columns, 0) :][:height, :width] = tile[
        max(rows, 0) :, max(columns, 0) :
    ][:height, :width]
    return moved


@pytest.mark.parametrize("first", [-48, -32, 0, 16, 32])
@pytest.mark.parametrize("K", [32, 160, 168])
def test_descriptors(K, first, launch_target) -> None:
    """Coordinates may be negative, where both ways read zeros."""
    x, y, out = torch.randn(64, 176).half(), torch.randn(K, 64).half(), torch.zeros(64, 64)
    made = described[(1,)](x, y, out, K, 176, first, 32, num_warps=4, num_stages=3)
    a = shifted(x[:, :K].double(), first, 0)[:, max(first, 0) :]
    b = shifted(y.double(), 0, first)[max(first, 0) :]
    torch.testing.assert_close(out.double(), a @ b, atol=1e-3, rtol=1e-3)
    assert not takes_boxes(launch_target) or made.tensor_maps


@tilewright.jit
def compared(x, y, out, K, low, FORM: tl.constexpr):
    """Masks that are nearly those of a box: bounds from below, or clamped in other ways."""
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, 32):
        if FORM == "at least":
            mask = m >= low
        elif FORM == "above":
            mask = m > low
        elif FORM == "at most":
            mask = m <= low
        elif FORM == "clamped, at most":
            mask = m <= tl.minimum(tl.maximum(low, 0), 64)
        elif FORM == "clamped, above":
            mask = m > tl.minimum(tl.maximum(low, 0), 64)
        elif FORM == "clamped, below":
            mask = m < tl.minimum(tl.maximum(low, 0), 64)
        elif FORM == "clamped at 1":
            mask = m < tl.minimum(tl.maximum(low, 1), 64)
        else:
            mask = m < tl.minimum(tl.maximum(low, 0), 16)
        a = tl.load(x + m[:, None] * 128 + (i + k)[None, :], mask=mask[:, None], other=0.0)
        b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


COMPARED: dict[str, Callable[[int, int], bool]] = {
    "at least": lambda m, low: m >= low,
    "above": lambda m, low: m > low,
    "at most": lambda m, low: m <= low,
    "clamped, at most": lambda m, low: m <= min(max(low, 0), 64),
    "clamped, above": lambda m, low: m > min(max(low, 0), 64),
    "clamped, below": lambda m, low: m < min(max(low, 0), 64),
    "clamped at 1": lambda m, low: m < min(max(low, 1), 64),
    "clamped early": lambda m, low: m < min(max(low, 0), 16),
}


@pytest.mark.parametrize("form", COMPARED)
def test_bounds_of_masks(form) -> None:
    x, y = torch.randn(64, 128).half(), torch.randn(128, 64).half()
    for low in (-7, -1, 0, 1, 15, 16, 40, 63, 64, 90):
        out = torch.zeros(64, 64)
        compared[(1,)](x, y, out, 128, low, form, num_warps=4, num_stages=3)
        kept = torch.tensor([[COMPARED[form](m, low)] for m in range(64)])
        wanted = (x.double() * kept) @ y.double()
        torch.testing.assert_close(out.double(), wanted, atol=1e-3, rtol=1e-3)
