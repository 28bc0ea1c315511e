"""Stores of results of dots that become copies of boxes (TMA) on Hopper, or just do not."""

from typing import Any

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl


@tilewright.jit
def product(x, y, rows):
    """Rows of x times y, both of 64 columns."""
    k = tl.arange(0, 64)
    a = tl.load(x + rows[:, None] * 64 + k[None, :])
    return tl.dot(a, tl.load(y + k[:, None] * 64 + k[None, :]))


@tilewright.jit
def plain(x, y, out, tiles, pitch, limit, SIDE: tl.constexpr):
    """A program stores every second tile of rows."""
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, 2):
        rows = tile * SIDE + m
        total = product(x, y, rows)
        tl.store(out + rows[:, None] * pitch + k[None, :], total.to(tl.float16))


@tilewright.jit
def masked(x, y, out, tiles, pitch, limit, SIDE: tl.constexpr):
    """Rows and columns end at integers that are known at launch."""
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, 2):
        rows = tile * SIDE + m
        total = product(x, y, rows)
        inside = (rows[:, None] < tiles * SIDE - 3) & (k[None, :] < limit)
        tl.store(out + rows[:, None] * pitch + k[None, :], total.to(tl.float16), mask=inside)


@tilewright.jit
def overwritten(x, y, out, tiles, pitch, limit, SIDE: tl.constexpr):
    """Each tile is stored over the next one first: of two copies, the later one counts."""
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for step in range(0, tiles * 2):
        tile = (step + 1) // 2 if tl.program_id(0) == 0 else tiles
        if tile < tiles:
            rows = step // 2 * SIDE + m
            total = product(x, y, rows)
            place = out + (tile * SIDE + m)[:, None] * pitch + k[None, :]
            tl.store(place, total.to(tl.float16))


@tilewright.jit
def read_again(x, y, out, tiles, pitch, limit, SIDE: tl.constexpr):
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, 2):
        rows = tile * SIDE + m
        total = product(x, y, rows)
        place = out + rows[:, None] * pitch + k[None, :]
        tl.store(place, (total - 1).to(tl.float16))
        tl.store(place, tl.load(place) + 1)


@tilewright.jit
def added(x, y, out, tiles, pitch, limit, SIDE: tl.constexpr):
    """What the array had before is read, and stored elsewhere after the tile."""
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, 2):
        rows = tile * SIDE + m
        place = out + rows[:, None] * pitch + k[None, :]
        before = tl.load(place)
        total = product(x, y, rows)
        tl.store(place, total.to(tl.float16))
        tl.store(limit + rows[:, None] * 64 + k[None, :], before)


@tilewright.jit
def counted(x, y, out, tiles, pitch, limit, SIDE: tl.constexpr):
    """Another program might take the atomic for a sign that the tile is stored."""
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for tile in range(tl.program_id(0), tiles, 2):
        rows = tile * SIDE + m
        total = product(x, y, rows)
        tl.store(out + rows[:, None] * pitch + k[None, :], total.to(tl.float16))
        tl.atomic_add(limit, 1)


def run(
    kernel: Any, side: int, tiles: int, limit: Any = 64, pitch: int = 80, **options: Any
) -> Any:
    """Compares what two programs store with the product of small integers."""
    x = torch.randint(-3, 4, (side * tiles, 64)).half()
    y = torch.randint(-3, 4, (64, 64)).half()
    out = torch.full((side * tiles, pitch), 7.0).half()
    made = kernel[(2,)](x, y, out, tiles, pitch, limit, side, **options)
    wanted = torch.full((side * tiles, pitch), 7.0).half()
    rows = side * tiles - 3 if kernel is masked else side * tiles
    columns = limit if kernel is masked else 64
    wanted[:rows, :columns] = (x.float() @ y.float()).half()[:rows, :columns].cpu()
    assert torch.equal(out.cpu(), wanted.cpu())
    return made


def stores_boxes(made: Any) -> bool:
    return "tilegpu.box_store" in made.ir("tilegpu")


@pytest.mark.parametrize(("side", "warps"), [(64, 4), (128, 4), (128, 8), (256, 8)])
@pytest.mark.parametrize("tiles", [1, 2, 5])
@pytest.mark.parametrize("kernel", [plain, masked], ids=lambda kernel: kernel.__name__)
def test_boxes(kernel, tiles, side, warps, launch_target) -> None:
    stages = 1 if side == 256 else 3  # older GPUs have less shared memory
    made = run(kernel, side, tiles, num_warps=warps, num_stages=stages)
    assert not takes_boxes(launch_target) or stores_boxes(made)


def test_that_the_last_store_counts(launch_target) -> None:
    made = run(overwritten, 64, 3, num_warps=4)
    assert not takes_boxes(launch_target) or stores_boxes(made)


@pytest.mark.parametrize("limit", [0, 1, 3, 8, 16, 24, 48, 61, 63])
def test_where_columns_end(limit) -> None:
    """The hardware writes 16 bytes at a time."""
    run(masked, 64, 3, limit, num_warps=4)


@pytest.mark.parametrize("pitch", [64, 65, 68, 72])
def test_strides_that_no_map_takes(pitch) -> None:
    run(plain, 64, 3, pitch=80, num_warps=4)
    run(plain, 64, 3, pitch=pitch, num_warps=4)


@pytest.mark.parametrize("kernel", [read_again, counted], ids=lambda kernel: kernel.__name__)
def test_what_is_seen_later(kernel, launch_target) -> None:
    limit = torch.zeros(1, dtype=torch.int32) if kernel is counted else 64
    made = run(kernel, 64, 3, limit, num_warps=4)
    assert not takes_boxes(launch_target) or not stores_boxes(made)


def test_what_was_there_before(launch_target) -> None:
    before = torch.zeros(64 * 3, 64).half()
    made = run(added, 64, 3, before, num_warps=4)
    assert torch.equal(before.cpu(), torch.full((64 * 3, 64), 7.0).half())
    assert not takes_boxes(launch_target) or not stores_boxes(made)


@tilewright.jit
def shifted(x, y, out, first, SIDE: tl.constexpr):
    m, n, k = tl.arange(0, SIDE), tl.arange(0, 32), tl.arange(0, 64)
    a = tl.load(x + m[:, None] * 64 + k[None, :])
    total = tl.dot(a, tl.load(y + k[:, None] * 64 + n[None, :])).to(tl.float16)
    column = n[None, :] + first * 8
    tl.store(out + m[:, None] * 32 + column, total, mask=column >= 0)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("first", [-1, -3, 0])
def test_tiles_that_begin_before_the_array(first, warps) -> None:
    x, y = torch.randint(-3, 4, (64, 64)).half(), torch.randint(-3, 4, (64, 64)).half()
    out = torch.full((64, 32), 7.0).half()
    shifted[(1,)](x, y, out, first, 64, num_warps=warps)
    wanted = torch.full((64, 32), 7.0)
    wanted[:, : 32 + first * 8] = (x.float() @ y.float()).cpu()[:, -first * 8 : 32]
    assert torch.equal(out.cpu().float(), wanted)


@tilewright.jit
def persistent(
    a, b, c, M, N, K, tiles, EPILOGUES: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """Each program computes every third tile of a matmul; its copies go on with the next tile."""
    i, j, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, 64)
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tiles, 3):
        rows, columns = tile // across * BM + i, tile % across * BN + j
        total = tl.zeros((BM, BN), tl.float32)
        for start in range(0, K, 64):
            at = start + k
            x = tl.load(a + rows[:, None] * K + at[None, :],
                        mask=(rows < M)[:, None] & (at < K)[None, :], other=0)  # fmt: skip
            y = tl.load(b + at[:, None] * N + columns[None, :],
                        mask=(at < K)[:, None] & (columns < N)[None, :], other=0)  # fmt: skip
            total = tl.dot(x, y, total)
        inside = (rows < M)[:, None] & (columns < N)[None, :]
        for number in tl.static_range(EPILOGUES):
            value = (total + number).to(tl.float16)
            tl.store(c + number * M * N + rows[:, None] * N + columns[None, :], value, mask=inside)


@pytest.mark.parametrize("epilogues", [1, 2])
@pytest.mark.parametrize(
    ("warps", "bm", "bn", "stages"), [(4, 64, 64, 3), (8, 128, 64, 2), (4, 64, 32, 5)]
)
@pytest.mark.parametrize("K", [0, 48, 64, 128, 200, 320])
def test_persistent(K, warps, bm, bn, stages, epilogues) -> None:
    M, N = 200, 136
    a, b = torch.randint(-3, 4, (M, max(K, 1))).half(), torch.randint(-3, 4, (max(K, 1), N)).half()
    c = torch.full((2, M, N), 7.0).half()
    tiles = -(-M // bm) * -(-N // bn)
    persistent[(3,)](a, b, c, M, N, K, tiles, epilogues, bm, bn, num_warps=warps, num_stages=stages)
    product = a[:, :K].float().cpu() @ b[:K].float().cpu()
    for number in range(2):
        wanted = product + number if number < epilogues else torch.full((M, N), 7.0)
        assert torch.equal(c[number].cpu().float(), wanted)


@tilewright.jit
def overlapping(x, y, out, count, pitch, end, ALONG: tl.constexpr, SIDE: tl.constexpr):
    """`count` tiles beside each other, whose rows overlap if `pitch` is below `end`."""
    m, k = tl.arange(0, SIDE), tl.arange(0, 64)
    for step in range(0, count):
        total = product(x, y, step * SIDE + m).to(tl.float16)
        columns = step * 64 + k
        if ALONG == 1:
            place = out + m[:, None] * pitch + columns[None, :]
            tl.store(place, total, mask=columns[None, :] < end)
        else:  # the same in memory by columns
            place = out + m[None, :] * pitch + columns[:, None]
            tl.store(place, total.T, mask=columns[:, None] < end)


@tilewright.jit
def shifted_tiles(x, y, out, count, shift):
    m, k = tl.arange(0, 128), tl.arange(0, 64)
    for tile in range(0, count):
        total = product(x, y, tile * 128 + m)
        tl.store(out + tile * shift + m[:, None] * 64 + k[None, :], total.to(tl.float16))


@pytest.mark.parametrize("along", [0, 1])
@pytest.mark.parametrize("pitch", [64, 128, 256])
def test_rows_that_overlap(pitch, along, launch_target) -> None:
    """The last of several stores to an element counts, also if other warp groups make them."""
    side, count = 128, 4
    x = (torch.randint(-4, 5, (count * side, 64)) / 4).half()
    y = torch.eye(64).half()
    out = torch.full((side * pitch + count * 64,), -9.0).half()
    expected = out.clone()
    for step in range(count):
        for row in range(side):
            first = row * pitch + step * 64
            expected[first : first + 64] = x[step * side + row]
    overlapping[(1,)](x, y, out, count, pitch, count * 64, along, side, num_warps=8)
    torch.testing.assert_close(out, expected, atol=0, rtol=0)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("step", [1, 32, 64, 128])
def test_tiles_that_overlap(step, warps, launch_target) -> None:
    """Each tile begins `step` rows after the previous one; the loop has other barriers, too."""
    count = 4
    x = (torch.randint(-4, 5, (count * 128, 64)) / 4).half()
    y = torch.eye(64).half()
    out = torch.full((count * 128, 64), -9.0).half()
    expected = out.clone()
    for tile in range(count):
        expected[tile * step : tile * step + 128] = x[tile * 128 : (tile + 1) * 128]
    shifted_tiles[(1,)](x, y, out, count, step * 64, num_warps=warps, num_stages=1)
    torch.testing.assert_close(out, expected, atol=0, rtol=0)
