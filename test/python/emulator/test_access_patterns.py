"""Performance properties that need no GPU: no bank conflicts, and no partly used sectors."""

from __future__ import annotations

import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.runtime.profile import KernelProfile

TARGETS = ["cuda:80", "cuda:90a"]
FLOATS = [torch.float32, torch.float16]
# Rows must begin at multiples of 32 bytes, which rows of a thousand halves do not.
ROWS = [(dtype, columns) for dtype in FLOATS for columns in (1024, 4096)] + [(FLOATS[0], 1000)]


@tilewright.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, numerator / tl.sum(numerator, axis=0), mask=inside)


@tilewright.jit
def layer_norm(out, x, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i).to(tl.float32)
    centered = values - tl.sum(values, axis=0) / columns
    scale = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / columns + eps)
    y = centered * scale * tl.load(weight + i) + tl.load(bias + i)
    tl.store(out + row * columns + i, y)


@tilewright.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        y = tl.load(b + (first + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty))


@tilewright.jit
def copy_columns(out, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """`x` is column-major and `out` row-major, so that one of the accesses is not coalesced."""
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tl.store(out + i[:, None] * COLUMNS + j[None, :], tl.load(x + i[:, None] + j[None, :] * ROWS))


def aligned(tensor: torch.Tensor) -> torch.Tensor:
    """A copy that begins at a multiple of 128 bytes, as the lines of AMD's caches do."""
    room = torch.empty(tensor.numel() + 128 // tensor.itemsize, dtype=tensor.dtype)
    skipped = -room.data_ptr() % 128 // tensor.itemsize
    return room[skipped : skipped + tensor.numel()].view_as(tensor).copy_(tensor)


def expect_ideal(profile: KernelProfile, copies_boxes: bool = False, conflicts: int = 0) -> None:
    """Copies of boxes make no requests."""
    memory = profile.totals.global_memory
    assert (memory.requests > 0) != copies_boxes
    found = (profile.shared_conflicts, memory.transfers - memory.ideal)
    assert found == (conflicts, 0), str(profile)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("dtype", "columns"), ROWS)
def test_softmax(dtype: torch.dtype, columns: int, target: str) -> None:
    x = torch.randn(8, columns, dtype=dtype)
    block = tilewright.next_power_of_2(columns)
    out = torch.empty_like(x)
    profile = softmax.profile(out, x, columns, BLOCK=block, grid=(8,), target=target)
    expect_ideal(profile)
    assert torch.allclose(out.float(), torch.softmax(x.float(), 1), atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(dtype: torch.dtype, target: str) -> None:
    x, weight, bias = (torch.randn(*shape, dtype=dtype) for shape in ((8, 2048), (2048,), (2048,)))
    out = torch.empty_like(x)
    arguments = (out, x, weight, bias, 2048, 1e-5)
    expect_ideal(layer_norm.profile(*arguments, BLOCK=2048, grid=(8,), target=target))


# The options of the matmul benchmark.
BLOCKS = [
    (torch.float16, {"BM": 64, "BN": 64, "BK": 64, "num_warps": 4, "num_stages": 4}),
    (torch.float16, {"BM": 128, "BN": 128, "BK": 32, "num_warps": 4, "num_stages": 4}),
    (torch.bfloat16, {"BM": 128, "BN": 128, "BK": 64, "num_warps": 8, "num_stages": 3}),
    (torch.float32, {"BM": 128, "BN": 128, "BK": 32, "num_warps": 8, "num_stages": 3}),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("dtype", "blocks"), BLOCKS)
def test_matmul(dtype: torch.dtype, blocks: dict[str, int], target: str) -> None:
    a, b = torch.randn(256, 256, dtype=dtype), torch.randn(256, 256, dtype=dtype)
    c = torch.empty_like(a)
    grid = (256 // blocks["BM"], 256 // blocks["BN"])
    profile = matmul.profile(a, b, c, 256, 256, 256, grid=grid, target=target, **blocks)
    # A tile of 32-bit elements is stored as it is in registers. Boxes arrive in a layout from
    # which threads read a B for tf32 in two steps, if it is stored along N.
    copies_boxes, is_tf32 = "90a" in target, dtype == torch.float32
    loads_b = copies_boxes and is_tf32
    expect_ideal(profile, copies_boxes and not is_tf32, conflicts=4096 if loads_b else 0)


def test_a_pattern_that_is_not_ideal_is_seen() -> None:
    x = torch.randn(64, 64)
    out = torch.empty_like(x)
    profile = copy_columns.profile(out, x, ROWS=64, COLUMNS=64, grid=(1,))
    memory = profile.totals.global_memory
    assert memory.transfers > 1.5 * memory.ideal or profile.shared_conflicts > 0, str(profile)


# On AMD's GPUs rows must begin at multiples of 128 bytes, and tiles have rows of as many.
AMD_TARGETS = ["hip:gfx942", "hip:gfx1100"]


@pytest.mark.parametrize("target", AMD_TARGETS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_on_amd(dtype: torch.dtype, target: str) -> None:
    x = aligned(torch.randn(4, 1024, dtype=dtype))
    out = aligned(torch.empty_like(x))
    expect_ideal(softmax.profile(out, x, 1024, BLOCK=1024, grid=(4,), target=target))
    assert torch.allclose(out.float(), torch.softmax(x.float(), 1), atol=1e-3)


@pytest.mark.parametrize("target", AMD_TARGETS)
def test_layer_norm_on_amd(target: str) -> None:
    x, weight, bias = (
        aligned(torch.randn(*shape, dtype=torch.float16)) for shape in ((4, 2048), (2048,), (2048,))
    )
    out = aligned(torch.empty_like(x))
    arguments = (out, x, weight, bias, 2048, 1e-5)
    expect_ideal(layer_norm.profile(*arguments, BLOCK=2048, grid=(4,), target=target))


# Not ideal yet: the most lines beyond the ideal, and the most phases of bank conflicts, as parts of
# the ideal. Stores have 2 bytes, and A is stored to LDS on gfx942 in 16 bytes but read in 8.
@pytest.mark.parametrize(
    ("target", "lines", "phases"), [("gfx942", 0.2, 0.29), ("gfx1100", 0.34, 0)]
)
def test_matmul_on_amd(target: str, lines: float, phases: float) -> None:
    a, b = (aligned(torch.randn(128, 128, dtype=torch.float16)) for _ in "ab")
    c = aligned(torch.empty_like(a))
    blocks = {"BM": 64, "BN": 64, "BK": 64}
    profile = matmul.profile(a, b, c, *a.shape, 128, grid=(2, 2), target=f"hip:{target}", **blocks)
    memory, shared = profile.totals.global_memory, profile.totals.shared_memory
    assert memory.ideal > 0
    assert shared.ideal > 0
    assert memory.excess <= lines * memory.ideal, str(profile)
    assert shared.excess <= phases * shared.ideal, str(profile)
    assert torch.allclose(c.float(), a.float() @ b.float(), atol=0.1, rtol=0.01)


def test_amds_rules_are_used() -> None:
    """A column of a row-major tile in lines of 128 bytes and, on gfx90a, 64."""
    x = aligned(torch.randn(64, 64))
    out = torch.empty_like(x)
    loads = {
        arch: copy_columns.profile(
            out, x, ROWS=64, COLUMNS=64, grid=(1,), target=f"hip:{arch}"
        ).totals.global_loads.ideal
        for arch in ("gfx90a", "gfx942")
    }
    assert loads == {"gfx90a": 64 * 64 * 4 // 64, "gfx942": 64 * 64 * 4 // 128}
