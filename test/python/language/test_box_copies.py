"""Loads in loops that become copies of boxes (TMA) from sm_90 on, and loads that just do not."""

from typing import Any

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl

BLOCK = 64


@tilewright.jit
def plain(x, y, out, K, rows, BK: tl.constexpr):
    """Both operands by pointers, without masks."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(x + m[:, None] * rows + (i + k)[None, :])
        b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


@tilewright.jit
def masked(x, y, out, K, rows, BK: tl.constexpr):
    """Masks by the array's ends, in the form that counts down."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        left = K - i * BK
        a = tl.load(
            x + m[:, None] * rows + (i * BK + k)[None, :], mask=k[None, :] < left, other=0.0
        )
        b = tl.load(y + (i * BK + k)[:, None] * 64 + m[None, :], mask=k[:, None] < left, other=0.0)
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


@tilewright.jit
def advanced(x, y, out, K, rows, BK: tl.constexpr):
    """Pointers that the loop advances, and rows that wrap around."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    a_ptrs = x + (m % 64)[:, None] * rows + k[None, :]
    b_ptrs = y + k[:, None] * 64 + m[None, :]
    total = tl.zeros((64, 64), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), total)
        a_ptrs += BK
        b_ptrs += BK * 64
    tl.store(out + m[:, None] * 64 + m[None, :], total)


@tilewright.jit
def between(x, y, out, K, rows, BK: tl.constexpr):
    """The dot's result is used in its iteration, so that no dot is in flight across iterations."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(x + m[:, None] * rows + (i + k)[None, :])
        b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
        total += tl.maximum(tl.dot(a, b), -1000.0)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


@tilewright.jit
def twice(x, y, out, K, rows, BK: tl.constexpr):
    """Each iteration of an outer loop runs the loop again, which initializes its barriers again."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for _ in range(2):
        for i in range(0, K, BK):
            a = tl.load(x + m[:, None] * rows + (i + k)[None, :])
            b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
            total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total * 0.5)


@tilewright.jit
def holes(x, y, out, K, rows, BK: tl.constexpr):
    """A mask that is no box's."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(
            x + m[:, None] * rows + (i + k)[None, :],
            mask=(m < 64)[:, None] & (m != 3)[:, None],
            other=0.0,
        )
        b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


@tilewright.jit
def looked_up(x, y, out, K, rows, BK: tl.constexpr):
    """Rows at an offset that is loaded: nothing is known of it at launch."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    first = tl.load(out).to(tl.int32) * 16
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(x + (first + m)[:, None] * rows + (i + k)[None, :])
        b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


@tilewright.jit
def doubled(x, y, out, K, rows, BK: tl.constexpr):
    """Sums and masks that grow with every use: 2 to the power of 70, which 32 bits take for 0."""
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    far, all_rows = tl.program_id(0) + 1, (m < 64)[:, None]
    for _ in tl.static_range(70):
        far += far
        all_rows &= all_rows & (m < rows)[:, None]
    total = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(x + m[:, None] * rows + (far + i + k)[None, :], mask=all_rows, other=0.0)
        b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * 64 + m[None, :], total)


BOXES, OTHERS = [plain, masked, advanced, between, twice], [holes, looked_up, doubled]
DTYPES = [torch.float16, torch.bfloat16]


def run(kernel: Any, K: int, rows: int, dtype: torch.dtype = torch.float16, **options: Any) -> Any:
    """Launches the kernel on random operands, checks the product, and returns the kernel."""
    block = options.pop("block", 32)
    x = torch.randn(64 + 16, rows).to(dtype)
    y = torch.randn(max(K, 1), 64).to(dtype)
    out = torch.zeros(64, 64)
    compiled = kernel[(1,)](x, y, out, K, rows, block, num_warps=4, **options)
    a = x[:64, :K].double().cpu()
    if kernel is holes:
        a[3] = 0
    torch.testing.assert_close(out.double().cpu(), a @ y[:K].double().cpu(), atol=1e-3, rtol=1e-3)
    return compiled


@pytest.mark.parametrize("stages", [2, 3, 5])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", BOXES, ids=lambda kernel: kernel.__name__)
def test_boxes(kernel, dtype, stages, launch_target) -> None:
    compiled = run(kernel, 160, 176, dtype, num_stages=stages)
    assert not takes_boxes(launch_target) or compiled.tensor_maps


@pytest.mark.parametrize("kernel", OTHERS, ids=lambda kernel: kernel.__name__)
def test_what_is_no_box(kernel, launch_target) -> None:
    assert not getattr(run(kernel, 128, 128, num_stages=3), "tensor_maps", None)


@pytest.mark.parametrize("K", [0, 16, 32, 48, 112])
def test_ends(K) -> None:
    """Fewer iterations than stages, none, and a last one that is not full."""
    run(masked, K, 128, num_stages=4)


@pytest.mark.parametrize("block", [16, 32, 64, 128])
def test_blocks(block) -> None:
    """Lines of 32, 64 and 128 bytes, and boxes side by side."""
    run(plain, 256, 256, block=block, num_stages=2)


@pytest.mark.parametrize("rows", [136, 129, 132])
def test_strides_that_no_map_takes(rows) -> None:
    """The second launch has a stride that the map of the first does not take."""
    run(plain, 128, 128, num_stages=3)
    run(plain, 128, rows, num_stages=3)


@pytest.mark.parametrize("wait", [False, True])
def test_arrays_that_another_program_may_write(wait, launch_target) -> None:
    """What a program reads after it has waited for others is not copied by another path."""

    @tilewright.jit
    def handed_over(x, y, flag, out, WAIT: tl.constexpr):
        m, k = tl.arange(0, 64), tl.arange(0, 32)
        total = tl.zeros((64, 64), tl.float32)
        if WAIT:
            total += tl.load(flag, volatile=True)
        for i in range(0, 128, 32):
            a = tl.load(x + m[:, None] * 128 + (i + k)[None, :])
            b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
            total = tl.dot(a, b, total)
        tl.store(out + m[:, None] * 64 + m[None, :], total)
        tl.store(x + m[:, None] * 128 + m[None, :], total.to(tl.float16))

    x, y, flag = torch.randn(64, 128).half(), torch.randn(128, 64).half(), torch.zeros(1)
    out, wanted = torch.zeros(64, 64), x.double() @ y.double()
    made = handed_over[(1,)](x, y, flag, out, wait, num_warps=4, num_stages=3)
    torch.testing.assert_close(out.double(), wanted, atol=1e-3, rtol=1e-3)
    if takes_boxes(launch_target):
        assert ("tilegpu.box_copy" in made.ir("tilegpu")) != wait


def test_sizes_for_which_rows_wrap_around() -> None:
    """The code for whole tiles has maps, a launch with other sizes has not."""

    @tilewright.jit
    def wrapped(x, y, out, M, BK: tl.constexpr):
        m, k = tl.arange(0, 64), tl.arange(0, BK)
        total = tl.zeros((64, 64), tl.float32)
        for i in range(0, 128, BK):
            a = tl.load(x + (m % M)[:, None] * 128 + (i + k)[None, :])
            b = tl.load(y + (i + k)[:, None] * 64 + m[None, :])
            total = tl.dot(a, b, total)
        tl.store(out + m[:, None] * 64 + m[None, :], total)

    x, y = torch.randn(80, 128).half(), torch.randn(128, 64).half()
    for rows in [64, 48, 80, 16]:
        out = torch.zeros(64, 64)
        wrapped[(1,)](x, y, out, rows, 32, num_warps=4, num_stages=3)
        wanted = x.cpu().double()[torch.arange(64) % rows] @ y.cpu().double()
        torch.testing.assert_close(out.cpu().double(), wanted, atol=1e-3, rtol=1e-3)
