"""Accesses to arrays become buffer accesses, whose masked lanes have an offset out of range."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import target_kinds
from tilewright.errors import CheckError

ARCHITECTURES = target_kinds()["hip"].architectures
WITH_BUFFERS = tuple(arch for arch in ARCHITECTURES if arch != "gfx1250")
TARGETS = ("hip:gfx942", "hip:gfx1100")


def uses_buffers(kernel: Any) -> bool:
    """Whether loads are buffer accesses; stores at constant offsets are in all variants."""
    return "@llvm.amdgcn.raw.ptr.buffer.load" in kernel.asm["llvm"]


@tilewright.jit
def scaled(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=3) * 2, mask=i < n)


@tilewright.jit
def streamed(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, cache_modifier=".cs")
    tl.store(y + i, value, mask=i < n, eviction_policy="evict_first")


def assembly(kernel: Any, arch: str, **options: Any) -> str:
    types = (np.float32, np.float32, 32)
    made = kernel.warmup(*types, BLOCK=1024, target=f"hip:{arch}", num_warps=4, **options)
    text: str = made.asm["amdgcn"]
    return text


@pytest.mark.parametrize("arch", WITH_BUFFERS)
def test_masks_need_no_branches(arch: str) -> None:
    text = assembly(scaled, arch)
    accesses = re.findall(r"(?:buffer|global)_(?:load|store)_.*", text)
    assert len(accesses) >= 2
    # The resource is in scalar registers: in others, it would take a loop over the lanes.
    assert all(re.match(r"buffer_.* s\[\d+:\d+\], (0|null) offen", access) for access in accesses)
    assert not re.search(r"s_c?branch|saveexec", text)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_accesses_without_buffers_have_branches(arch: str) -> None:
    options = {} if arch == "gfx1250" else {"buffer_ops": False}
    text = assembly(scaled, arch, **options)
    assert "s_cbranch" in text
    assert "buffer_load" not in text and "global_load" in text


@pytest.mark.parametrize("arch", WITH_BUFFERS)
def test_hints_are_those_of_other_accesses(arch: str) -> None:
    def hints(text: str, operation: str) -> set[str]:
        lines = re.findall(rf"(?:buffer|global)_{operation}_\w+ .*", text)
        return {re.sub(r".*?\b(offen|off)\b( offset:\d+)?", "", line).strip() for line in lines}

    buffers, others = assembly(streamed, arch), assembly(streamed, arch, buffer_ops=False)
    for operation in ("load", "store"):
        assert hints(buffers, operation) == hints(others, operation) != {""}


@pytest.mark.parametrize(
    "dtype", (np.int8, np.uint16, np.float16, np.int32, np.float32, np.float64)
)
@pytest.mark.parametrize("n", (0, 1, 255, 256, 1000))
@pytest.mark.parametrize("target", TARGETS)
def test_masked_elements(dtype: Any, n: int, target: str) -> None:
    x = (np.arange(1, n + 1) % 60).astype(dtype)
    y = np.zeros(n, dtype)
    with tilewright.emulate(target, checks=True):
        made = scaled[(4,)](x, y, n, BLOCK=256)
    assert uses_buffers(made)
    np.testing.assert_array_equal(y, x * 2)


@tilewright.jit
def others(x, out, n, other, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=other))
    tl.store(out + BLOCK + i, tl.load(x + i, mask=i < n, other=0))
    tl.store(out + 2 * BLOCK + i, tl.load(x + i, mask=i < n, other=-0.0))
    tl.store(out + 3 * BLOCK + i, tl.load(x + i, mask=i < n, other=float("nan")))


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
@pytest.mark.parametrize("target", TARGETS)
def test_values_of_masked_elements(dtype: Any, target: str) -> None:
    n, block = 77, 128
    x = np.arange(1, n + 1).astype(dtype)
    out = np.full(4 * block, 9, dtype)
    with tilewright.emulate(target, checks=True):
        others[(1,)](x, out, n, 7.5, BLOCK=block)
    expected = np.zeros((4, block), dtype)
    expected[:, :n] = x
    expected[:, n:] = np.array([7.5, 0, -0.0, np.nan], dtype)[:, None]
    assert out.tobytes() == expected.tobytes()


@tilewright.jit
def wild_when_masked(x, out, n, BLOCK: tl.constexpr):
    """Masked elements have offsets that wrap to any others, and some of arrays of other threads."""
    i = tl.arange(0, BLOCK)
    wild = tl.where(i < n, i, i * 0x1234567)
    value = tl.load(x + wild, mask=i < n, other=-1)
    tl.store(out + tl.where(i < n, i, i - n), value, mask=i < n)


@pytest.mark.parametrize("target", TARGETS)
def test_offsets_of_masked_elements_do_not_count(target: str) -> None:
    x, out = np.arange(100, dtype=np.int32), np.zeros(100, np.int32)
    with tilewright.emulate(target, checks=True):
        wild_when_masked[(1,)](x, out, 100, BLOCK=256)
    np.testing.assert_array_equal(out, x)


@tilewright.jit
def before_and_behind(x, out, n, BLOCK: tl.constexpr):
    """The middle of an array as base; its first half has negative offsets."""
    i = tl.arange(0, BLOCK)
    middle = x + n // 2
    tl.store(out + i, tl.load(middle + (i - n // 2), mask=i < n), mask=i < n)


@tilewright.jit
def from_the_middle(x, whole, out, n, back, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + back + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("target", TARGETS)
def test_offsets_before_the_argument(target: str) -> None:
    whole, out = np.arange(200, dtype=np.float32), np.zeros(200, np.float32)
    with tilewright.emulate(target, checks=True):
        before_and_behind[(1,)](whole, out, 200, BLOCK=256)
    np.testing.assert_array_equal(out, whole)
    out[:] = 0
    with tilewright.emulate(target, checks=True):  # which must know the whole array
        ahead = from_the_middle[(1,)](whole[:100], whole, out[:100], 100, 0, BLOCK=128)
        behind = from_the_middle[(1,)](whole[100:], whole, out[100:], 100, -100, BLOCK=128)
    assert uses_buffers(ahead)
    assert not uses_buffers(behind)
    np.testing.assert_array_equal(out[100:], whole[:100])


@tilewright.jit
def advanced(x, y, out, rows, columns, take_y, BLOCK: tl.constexpr):
    """Pointers that loops carry: a scalar, a tile, one of two arguments, and one that varies."""
    i = tl.arange(0, BLOCK)
    row, tile = x, x + i
    either = y if take_y else x
    skewed = x + i
    total = tl.zeros((BLOCK,), tl.float32)
    for r in range(rows):
        total += tl.load(row + i, mask=i < columns, other=1.0)
        total += tl.load(tile, mask=i < columns, other=2.0)
        total += tl.load(either + i, mask=i < columns, other=4.0)
        total += tl.load(skewed, mask=(i < columns) & (r < 2), other=8.0)
        row += columns
        tile += columns
        either += columns
        skewed += columns * (r + 1)
    tl.store(out + i, total)


@pytest.mark.parametrize("take_y", (False, True))
@pytest.mark.parametrize("rows", (0, 1, 5))
@pytest.mark.parametrize("target", TARGETS)
def test_pointers_in_loops(rows: int, take_y: bool, target: str) -> None:
    columns, block = 77, 128
    random = np.random.default_rng(1)
    x, y = random.integers(0, 9, (2, max(rows, 2), columns)).astype(np.float32)
    out = np.zeros(block, np.float32)
    with tilewright.emulate(target, checks=True):
        made = advanced[(1,)](x, y, out, rows, columns, take_y, BLOCK=block)
    assert uses_buffers(made)
    expected = np.full(block, 7.0 * rows + 8.0 * rows, np.float32)
    either = y if take_y else x
    expected[:columns] = 2 * x[:rows].sum(0) + either[:rows].sum(0)
    expected[:columns] += x[: min(rows, 2)].sum(0) + 8.0 * max(rows - 2, 0)
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def chosen(x, y, out, n, take_y, BLOCK: tl.constexpr):
    """Stores to one of two arguments, and the same access to either in two branches."""
    i = tl.arange(0, BLOCK)
    if take_y:  # noqa: SIM108
        value = tl.load(y + i, mask=i < n, other=0)
    else:
        value = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, value, mask=i < n)
    to = y if take_y else x
    tl.store(to + i, value + 1, mask=i < n)


@pytest.mark.parametrize("take_y", (False, True))
@pytest.mark.parametrize("target", TARGETS)
def test_one_of_two_arguments(take_y: bool, target: str) -> None:
    x, y = np.arange(100, dtype=np.int32), np.arange(1000, 1100, dtype=np.int32)
    before, out = [x.copy(), y.copy()], np.zeros(100, np.int32)
    with tilewright.emulate(target, checks=True):
        chosen[(1,)](x, y, out, 100, take_y, BLOCK=128)
    np.testing.assert_array_equal(out, before[take_y])
    np.testing.assert_array_equal([x, y][take_y], before[take_y] + 1)
    np.testing.assert_array_equal([x, y][not take_y], before[not take_y])


@tilewright.jit
def row_of(x, out, row, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + i, mask=i < n, other=0)
    tl.store(out + i, value, mask=i < n)
    tl.store(x + row * stride + i, value + 1, mask=i < n)


@pytest.mark.parametrize("target", TARGETS)
def test_offsets_near_2_gib(target: str) -> None:
    """The code with buffers runs as long as all elements, also masked ones, are below 2 GiB."""
    block, stride = 64, 1 << 10
    x = np.zeros((1 << 31) + (1 << 22), np.uint8).view(np.uint16)  # only touched pages exist
    last = ((1 << 30) - block) // stride
    for row, fits in ((last - 1, True), (last, True), (last + 1, False), (last + 2, False)):
        at = row * stride
        x[at : at + block] = np.arange(1, block + 1)
        out = np.zeros(block, np.uint16)
        with tilewright.emulate(target):
            made = row_of[(1,)](x, out, row, stride, 50, BLOCK=block)
        assert uses_buffers(made) == fits
        np.testing.assert_array_equal(out[:50], np.arange(1, 51))
        np.testing.assert_array_equal(x[at : at + 50], np.arange(2, 52))
        np.testing.assert_array_equal(x[at + 50 : at + block], np.arange(51, block + 1))


@pytest.mark.parametrize("target", TARGETS)
def test_checked_bounds(target: str) -> None:
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    with tilewright.emulate(target):
        made = scaled[(1,)](x, y, 100, BLOCK=256, checks="bounds")
        assert uses_buffers(made)
        np.testing.assert_array_equal(y, 2 * x)
        with pytest.raises(CheckError, match="reads 4 bytes outside of the arrays") as raised:
            scaled[(1,)](x, y, 101, BLOCK=256, checks="bounds")
    assert "tl.load(x + i, mask=i < n, other=3)" in str(raised.value)


@tilewright.jit
def row_maximum(x, out, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * columns + i, mask=i < columns, other=-float("inf"))
    tl.store(out + tl.program_id(0) + i, tl.max(values, axis=0), mask=i < 1)


@pytest.mark.parametrize("target", TARGETS)
def test_profiles_count_buffer_accesses(target: str) -> None:
    x, out = np.ones((2, 512), np.float32), np.zeros(2, np.float32)
    found = []
    for buffers in (True, False):
        # Without conditions, nothing is known about offsets.
        options = {"target": target, "num_warps": 1, "specialize_ranges": buffers}
        profile = row_maximum.profile(x, out, 500, BLOCK=512, grid=(2,), **options)
        found.append(profile.totals)
    assert found[0].global_loads == found[1].global_loads
    assert found[0].global_stores == found[1].global_stores
    assert found[0].global_loads.bytes == 2 * 500 * 4
    assert found[0].instructions["global"] >= found[1].instructions["global"] > 0


@tilewright.jit
def columns_by_rows(
    x, y, rows, columns, first, step: tl.constexpr, H: tl.constexpr, W: tl.constexpr
):
    """A loop advances tiles, down or up, by the same distance for all elements."""
    i, j = tl.arange(0, H), tl.arange(0, W)
    start = first * columns + i[:, None] * columns + j[None, :]
    from_, to = x + start, y + start
    for r in range(first, first + rows * step, step):
        inside = (i[:, None] + r < rows) & (i[:, None] + r >= 0) & (j[None, :] < columns)
        value = tl.load(from_, mask=inside, other=0)
        tl.store(to, value + 1, mask=inside & (i[:, None] == 0))
        from_ += step * columns
        to += step * columns


@pytest.mark.parametrize("rows", (0, 1, 7))
@pytest.mark.parametrize("step", (1, -1))
@pytest.mark.parametrize("dtype", (np.float16, np.int32))
@pytest.mark.parametrize("target", TARGETS)
def test_tiles_that_loops_advance(dtype: Any, step: int, rows: int, target: str) -> None:
    columns = 45
    x = np.arange(max(rows, 1) * columns).reshape(-1, columns).astype(dtype)
    y, first = np.zeros_like(x), 0 if step == 1 else max(rows - 1, 0)
    with tilewright.emulate(target, checks=True):
        columns_by_rows[(1,)](x, y, rows, columns, first, step=step, H=4, W=64)
    np.testing.assert_array_equal(y, (x + 1 if rows else 0 * x).astype(dtype))


@tilewright.jit
def sum_of_blocks(x, out, blocks, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = x + i * 2
    total = tl.zeros((BLOCK,), tl.float32)
    for b in range(blocks):
        total += tl.load(at, mask=i * 2 + b * 2 * BLOCK < n, other=3.0)
        at += 2 * BLOCK
    tl.store(out + i, total)


@pytest.mark.parametrize("target", TARGETS)
def test_the_advance_of_a_loop_moves_the_resource(target: str) -> None:
    x = np.random.default_rng(3).integers(0, 9, 1000).astype(np.float32)
    out = np.zeros(64, np.float32)
    with tilewright.emulate(target, checks=True):
        made = sum_of_blocks[(1,)](x, out, 10, 900, BLOCK=64)
    padded = np.full(1280, 3, np.float32)
    padded[:900] = x[:900]
    np.testing.assert_array_equal(out, padded.reshape(10, 128)[:, ::2].sum(0))
    code = made.asm["llvm"]
    assert re.search(
        r"getelementptr (inbounds )?(nuw )?(float|i8), ptr addrspace\(1\) %\w+, i64", code
    )
    loop = code[: code.rindex("raw.ptr.buffer.load")]
    assert "make.buffer.rsrc" in loop.rsplit("phi ", 1)[1], "the resource is made in the loop"


@tilewright.jit
def from_before(x, out, steps, n, step, BLOCK: tl.constexpr):
    """The loop's first step moves pointers to the array from before it."""
    i = tl.arange(0, BLOCK)
    at = x + (i - n)
    total = tl.zeros((BLOCK,), tl.int32)
    for _ in range(steps):
        at += step
        total += tl.load(at, mask=i < n, other=0)
    tl.store(out + i, total)


@pytest.mark.parametrize("target", TARGETS)
def test_loops_that_start_before_the_argument(target: str) -> None:
    x, out = np.arange(500, dtype=np.int32), np.zeros(128, np.int32)
    with tilewright.emulate(target, checks=True):
        from_before[(1,)](x, out, 5, 100, 100, BLOCK=128)
    np.testing.assert_array_equal(out[:100], x.reshape(5, 100).sum(0))
    assert not out[100:].any()


@tilewright.jit
def strided_sum(x, out, steps, step, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = x + i
    total = tl.zeros((BLOCK,), tl.int32)
    for _ in range(steps):
        total += tl.load(at)
        at += step
    tl.store(out + i, total)


@pytest.mark.parametrize("target", TARGETS)
def test_loops_that_reach_2_gib(target: str) -> None:
    """The last address decides, so that the resource's base moves far but not beyond."""
    block, step = 64, (1 << 29) - 64
    x = np.zeros((1 << 31) + (1 << 28), np.uint8).view(np.int32)  # only touched pages exist
    for steps in (1, 2):
        for k in range(steps):
            x[k * step : k * step + block] = np.arange(block) + k
        out = np.zeros(block, np.int32)
        with tilewright.emulate(target):
            made = strided_sum[(1,)](x, out, steps, step, BLOCK=block)
        assert uses_buffers(made) == (steps == 1)
        expected = sum(np.arange(block) + k for k in range(steps))
        np.testing.assert_array_equal(out, expected)
