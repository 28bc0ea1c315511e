"""Kernels in which an additional warp starts the copies of boxes, and the others compute."""

from __future__ import annotations

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl
from tilewright.tools.tensor_descriptor import TensorDescriptor


def random(*shape: int) -> torch.Tensor:
    """Products and short sums of these numbers are exact."""
    return (torch.randint(-4, 5, shape) / 4).half()


def is_specialized(kernel) -> bool:
    return "tilegpu" in kernel.asm and "tilegpu.specialize_warps" in kernel.asm["tilegpu"]


@tilewright.jit
def matmul(
    a, b, c, m, n, k, FORM: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c = a @ b.T; FORM says where the loop over K is, and what is around it."""
    tiles_n = tl.cdiv(n, BN)
    tiles = tl.cdiv(m, BM) * tiles_n
    first = tl.program_id(0)
    last = tiles if FORM == "persistent" else min(first + 1, tiles)
    for tile in tl.range(first, last, tl.num_programs(0), warp_specialize=FORM == "outer"):
        rows = tile // tiles_n * BM + tl.arange(0, BM)
        columns = tile % tiles_n * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), tl.float32)
        unused = tl.zeros((BM, BN), tl.float32)
        for start in tl.range(0, k, BK, warp_specialize=FORM == "inner"):
            ks = start + tl.arange(0, BK)
            x = tl.load(
                a + rows[:, None] * k + ks[None, :],
                mask=(rows[:, None] < m) & (ks[None, :] < k), other=0.0,
            )  # fmt: skip
            y = tl.load(
                b + columns[None, :] * k + ks[:, None],
                mask=(columns[None, :] < n) & (ks[:, None] < k), other=0.0,
            )  # fmt: skip
            if FORM == "unused sum":
                unused = tl.dot(x, y, unused)
            total = tl.dot(x, y, total)
        inside = (rows[:, None] < m) & (columns[None, :] < n)
        tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=inside)


@pytest.mark.parametrize("form", ["persistent", "outer", "inner", "unused sum"])
@pytest.mark.parametrize(
    ("shape", "blocks", "warps", "stages"),
    [
        ((128, 128, 256), (128, 128, 64), 8, 3),
        ((200, 136, 80), (64, 64, 32), 4, 4),
        ((256, 264, 16), (128, 64, 64), 8, 2),
        ((192, 64, 0), (64, 64, 64), 4, 3),
        ((512, 256, 128), (256, 64, 64), 16, 2),
    ],
)
def test_matmul(form, shape, blocks, warps, stages, launch_target) -> None:
    m, n, k = shape
    a, b = random(m, k), random(n, k)
    c = torch.full((m, n), -9.0).half()
    tiles = -(-m // blocks[0]) * -(-n // blocks[1])
    programs = max(tiles // 2, 1) if form == "persistent" else tiles
    made = matmul[(programs,)](
        a, b, c, m, n, k, form, *blocks, num_warps=warps, specialize_warps=True,
        num_stages=stages if takes_boxes(launch_target) else 2,
    )  # fmt: skip
    torch.testing.assert_close(c.double(), (a.double() @ b.double().T).half().double())
    if takes_boxes(launch_target) and k >= 16:
        assert is_specialized(made)


@tilewright.jit
def attend(q, k, v, out, length, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """The sum over keys of relu(Q K^T) V for a tile of queries."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    i, d = tl.arange(0, BN), tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :])
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        places = (start + i)[:, None] * D + d[None, :]
        scores = tl.dot(queries, tl.load(k + places).T)
        total = tl.dot(tl.maximum(scores, 0).to(tl.float16), tl.load(v + places), total)
    tl.store(out + rows[:, None] * D + d[None, :], total)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    ("depth", "rows", "columns", "warps", "stages"),
    [(64, 64, 64, 4, 2), (128, 128, 64, 8, 2), (128, 128, 64, 8, 3), (64, 128, 128, 8, 2)],
)
def test_attention(persistent, depth, rows, columns, warps, stages, launch_target) -> None:
    q, k, v = random(512, depth), random(384, depth), random(384, depth)
    out = torch.full((512, depth), -1.0)
    made = attend[(512 // rows,)](
        q, k, v, out, 384, depth, rows, columns, num_warps=warps, persistent=persistent,
        num_stages=stages if takes_boxes(launch_target) else 1, specialize_warps=True,
    )  # fmt: skip
    p = (q.double() @ k.double().T).clamp(min=0).half().double()
    torch.testing.assert_close(out.double(), p @ v.double(), atol=2e-3, rtol=1e-3)
    assert is_specialized(made) == takes_boxes(launch_target)


@tilewright.jit
def two_loops(a, b, first, second, n, skip, limits, B: tl.constexpr):
    """Two products whose operands share shared memory; the bounds of the loops are in memory."""
    i = tl.arange(0, B)
    program = tl.program_id(0)
    if program == skip:
        return
    limit = tl.load(limits + program)
    rows = program * B + i
    total = tl.zeros((B, B), tl.float32)
    for start in range(0, limit, B):
        ks = start + i
        total = tl.dot(
            tl.load(a + rows[:, None] * n + ks[None, :]),
            tl.load(b + i[None, :] * n + ks[:, None]), total,
        )  # fmt: skip
    tl.store(first + rows[:, None] * B + i[None, :], total)
    again = tl.zeros((B, B), tl.float32)
    for start in range(0, n, B):
        ks = start + i
        again = tl.dot(
            tl.load(b + i[:, None] * n + ks[None, :]),
            tl.load(a + rows[None, :] * n + ks[:, None]), again,
        )  # fmt: skip
    tl.store(second + rows[:, None] * B + i[None, :], again + tl.sum(total, 1)[:, None])


@pytest.mark.parametrize("skip", [-1, 1])
def test_two_loops(skip, launch_target) -> None:
    n, block, programs = 256, 64, 3
    a, b = random(programs * block, n), random(block, n)
    limits = torch.tensor([256, 64, 0], dtype=torch.int32)
    first, second = torch.full((2, programs * block, block), -1.0)
    made = two_loops[(programs,)](
        a, b, first, second, n, skip, limits, block, num_warps=4, num_stages=2,
        specialize_warps=True,
    )  # fmt: skip
    for program, limit in enumerate(limits.tolist()):
        x, y = a[program * block : (program + 1) * block].double(), b.double()
        product = x[:, :limit] @ y[:, :limit].T
        sums = y @ x.T + product.sum(1)[:, None]
        expected = (product, sums) if program != skip else torch.full((2, block, block), -1.0)
        for found, right in zip((first, second), expected, strict=True):
            found = found[program * block : (program + 1) * block]
            torch.testing.assert_close(found.double(), right.double(), atol=0, rtol=0)
    assert is_specialized(made) == takes_boxes(launch_target)


@tilewright.jit
def described(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * tiles_n, tl.num_programs(0)):
        row, column = tile // tiles_n * BM, tile % tiles_n * BN
        total = tl.zeros((BM, BN), tl.float32)
        for start in range(0, k, BK):
            total = tl.dot(a.load([row, start]), b.load([column, start]).T, total)
        c.store([row, column], total.to(tl.float16))


@pytest.mark.parametrize(
    ("shape", "blocks", "warps"),
    [((256, 256, 128), (128, 128, 64), 8), ((200, 80, 208), (64, 64, 64), 4)],
)
def test_descriptors(shape, blocks, warps, launch_target) -> None:
    m, n, k = shape
    a, b, c = random(m, k), random(n, k), torch.full((m, n), -9.0).half()
    describe = TensorDescriptor.from_tensor
    bm, bn, bk = blocks
    made = described[(2,)](
        describe(a, [bm, bk]), describe(b, [bn, bk]), describe(c, [bm, bn]), m, n, k, *blocks,
        num_warps=warps, num_stages=2, specialize_warps=True,
    )  # fmt: skip
    torch.testing.assert_close(c.double(), (a.double() @ b.double().T).half().double())
    assert is_specialized(made) == takes_boxes(launch_target)


HALF = torch.float16


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are", compiles=False)
@pytest.mark.parametrize(
    ("options", "specialized"),
    [
        ({}, True),
        ({"specialize_warps": True}, True),
        ({"specialize_warps": False}, False),
        ({"maxnreg": 168}, False),
        ({"tensor_maps": False}, False),
    ],
)
def test_options(options, specialized) -> None:
    """Of a persistent kernel for which the compiler chooses it."""
    made = matmul.warmup(
        HALF, HALF, HALF, 4096, 4096, 4096, "persistent", 128, 256, 64, num_warps=8,
        num_stages=3, target="emulator:cuda:90a", **options,
    )  # fmt: skip
    assert is_specialized(made) == specialized


@tilewright.jit
def plain(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j, ks = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + i[:, None] * k + start + ks[None, :])
        total = tl.dot(x, tl.load(b + j[None, :] * k + start + ks[:, None]), total)
    tl.store(c + i[:, None] * BN + j[None, :], total)


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are", compiles=False)
@pytest.mark.parametrize(
    ("kernel", "arguments", "blocks", "chosen"),
    [
        (attend, (HALF, HALF, HALF, torch.float32, 4096), (128, 128, 128), True),
        (attend, (HALF, HALF, HALF, torch.float32, 4096), (64, 128, 64), False),
        (plain, (HALF, HALF, torch.float32, 4096), (128, 256, 64), False),
    ],
)
def test_choice(kernel, arguments, blocks, chosen) -> None:
    """Without a request: attention that has a multiprocessor for itself, but no single loop."""
    made = kernel.warmup(*arguments, *blocks, num_warps=8, num_stages=3, target="emulator:cuda:90a")
    assert is_specialized(made) == chosen


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are", compiles=False)
@pytest.mark.parametrize("form", ["outer", "inner"])
@pytest.mark.parametrize(
    ("blocks", "options", "specialized"),
    [
        ((128, 256, 64), {}, True),
        ((64, 64, 64), {}, False),  # a multiprocessor has room for fewer programs
        ((64, 64, 64), {"specialize_warps": True}, True),
        ((128, 256, 64), {"specialize_warps": False}, False),
    ],
)
def test_hints(form, blocks, options, specialized) -> None:
    made = matmul.warmup(
        HALF, HALF, HALF, 4096, 4096, 4096, form, *blocks, num_warps=8, num_stages=3,
        target="emulator:cuda:90a", **options,
    )  # fmt: skip
    assert is_specialized(made) == specialized


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are", compiles=False)
def test_registers_that_stay(monkeypatch) -> None:
    """nvJitLink ignores instructions that move registers between warps: then one warp is added."""
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "0")
    options = {"num_warps": 8, "num_stages": 3, "specialize_warps": True}
    made = plain.warmup(HALF, HALF, torch.float32, 4096, 128, 256, 64, **options, target="cuda:90a")
    assert ".reqntid 288" in made.asm["ptx"] and "setmaxnreg" not in made.asm["ptx"]
    made = attend.warmup(
        HALF, HALF, HALF, torch.float32, 4096, 128, 128, 128, **options, target="cuda:90a"
    )
    assert ".reqntid 256" in made.asm["ptx"]  # its tiles need the registers


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are", compiles=False)
@pytest.mark.parametrize(("warps", "threads"), [(4, 160), (8, 384), (16, 640)])
def test_registers_that_move(warps, threads, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "0")
    made = plain.warmup(
        HALF, HALF, torch.float32, 4096, 16 * warps, 256 if warps == 8 else 128, 64,
        num_warps=warps, num_stages=3, specialize_warps=True, target="cuda:90a",
    )  # fmt: skip
    ptx = made.asm["ptx"]
    assert f".reqntid {threads}" in ptx
    moves = warps > 4  # a program of one warp group has enough registers for another warp
    assert ("setmaxnreg.dec" in ptx) == moves and ("setmaxnreg.inc" in ptx) == moves
