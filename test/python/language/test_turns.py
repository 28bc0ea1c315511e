"""Loops of products and sums in which two warp groups start matrix instructions in turns."""

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl


@tilewright.jit(do_not_specialize=["first", "last", "tiles"])
def sums(q, k, v, out, first, last, tiles, step, FORM: tl.constexpr, N: tl.constexpr):
    """For each tile of rows, the sum over blocks of relu(Q K^T) V."""
    i, d, n = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, N)
    for tile in range(tiles):
        rows = tile * 128 + i
        queries = tl.load(q + rows[:, None] * 128 + d[None, :])
        total = tl.zeros((128, 128), tl.float32)
        end = last if FORM != "lengths" else first + tile * step
        for start in range(first, end, N):
            places = (start + n)[:, None] * 128 + d[None, :]
            scores = tl.dot(queries, tl.load(k + places).T)
            p = tl.maximum(scores, 0).to(tl.float16)
            total = tl.dot(p, tl.load(v + places), total)
        if FORM == "two loops":
            for start in range(first, last, N):
                places = (start + n)[:, None] * 128 + d[None, :]
                scores = tl.dot(queries, tl.load(v + places).T)
                p = tl.minimum(scores, 0).to(tl.float16)
                total = tl.dot(p, tl.load(k + places), total)
        tl.store(out + rows[:, None] * 128 + d[None, :], total)


def expected(form, q, k, v, first, last, step, block) -> torch.Tensor:
    results = []
    for number, rows in enumerate(q.split(128)):
        end = last if form != "lengths" else first + number * step
        end = first + -(-max(end - first, 0) // block) * block
        keys, values = k[first:end].double(), v[first:end].double()
        total = (rows.double() @ keys.T).clamp(min=0).half().double() @ values
        if form == "two loops":
            total += (rows.double() @ values.T).clamp(max=0).half().double() @ keys
        results.append(total)
    return torch.cat(results)


@pytest.mark.parametrize("form", ["one loop", "two loops", "lengths"])
@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
def test_sums(form, blocks, launch_target) -> None:
    size = 64
    q, k, v = (torch.randint(-2, 3, (s, 128)).half() / 2 for s in (256, 512, 512))
    out = torch.full((256, 128), -1.0)
    first, last, step = 64, 64 + blocks * size, blocks * size
    stages = 3 if takes_boxes(launch_target) else 1  # others have too little memory for three
    made = sums[(1,)](
        q, k, v, out, first, last, 2, step, FORM=form, N=size, num_warps=8, num_stages=stages
    )
    torch.testing.assert_close(
        out.double(), expected(form, q, k, v, first, last, step, size), atol=0, rtol=0
    )
    if takes_boxes(launch_target):
        assert made.asm["tilegpu"].count("take_turn") == (4 if form == "two loops" else 2)


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are", compiles=False)
@pytest.mark.parametrize(
    ("size", "warps", "stages", "turns"),
    [(64, 8, 3, True), (64, 8, 2, False), (64, 4, 3, False)],
)
def test_turns_need_slots_and_groups(size, warps, stages, turns) -> None:
    """Not with rings of two slots, and not with one group."""
    half = torch.float16
    made = sums.warmup(
        half, half, half, torch.float32, 0, 512, 2, 64, FORM="one loop", N=size,
        num_warps=warps, num_stages=stages, target="cuda:90a",
    )  # fmt: skip
    assert ("bar.arrive" in made.assembly()) == turns
