"""Atomics without a used result: reductions of boxes (TMA) on Hopper, or just not."""

from typing import Any

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl

KINDS = {
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "int32": torch.int32,
    "int64": torch.int64,
}


@tilewright.jit
def split(
    a, b, out, pitch, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, SPLITS: tl.constexpr, SEM: tl.constexpr,
    SCOPE: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    """Each program combines its share of the product along K with a tile of memory."""
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, 32)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(tl.program_id(2) * 32, K, 32 * SPLITS):
        at = start + k
        x = tl.load(
            a + i[:, None] * K + at[None, :], mask=(i[:, None] < M) & (at[None, :] < K), other=0
        )
        y = tl.load(
            b + at[:, None] * N + j[None, :], mask=(at[:, None] < K) & (j[None, :] < N), other=0
        )
        total = tl.dot(x, y, total)
    place = out + i[:, None] * pitch + j[None, :]
    inside = (i[:, None] < M) & (j[None, :] < N)
    value = total.to(out.dtype.element_ty)
    if KIND == "add":
        tl.atomic_add(place, value, mask=inside, sem=SEM, scope=SCOPE)
    elif KIND == "and":
        tl.atomic_and(place, value, mask=inside, sem=SEM, scope=SCOPE)
    elif KIND == "or":
        tl.atomic_or(place, value, mask=inside, sem=SEM, scope=SCOPE)
    elif KIND == "xor":
        tl.atomic_xor(place, value, mask=inside, sem=SEM, scope=SCOPE)
    else:
        tl.atomic_max(place, value, mask=inside, sem=SEM, scope=SCOPE)


def reduces_boxes(made: Any) -> bool:
    text: str = made.ir("tilegpu")
    return "tilegpu.box_store" in text and "reduce " in text


def shares(a: torch.Tensor, b: torch.Tensor, splits: int) -> list[torch.Tensor]:
    """The products of each program along K."""
    steps = [range(start, min(start + 32, a.shape[1])) for start in range(0, a.shape[1], 32)]
    found = []
    for number in range(splits):
        at = [k for step in steps[number::splits] for k in step]
        found.append(a[:, at].double() @ b[at].double())
    return found


def run_split(
    dtype: str = "fp32", sizes: Any = (128, 128, 128), blocks: Any = (64, 64), splits: int = 2,
    pitch: int = 0, sem: str = "relaxed", scope: str = "gpu", kind: str = "add", **options: Any,
) -> Any:  # fmt: skip
    M, N, K = sizes
    a, b = torch.randint(-3, 4, (M, K)).half(), torch.randint(-3, 4, (K, N)).half()
    pitch = pitch or N
    out = torch.randint(-9, 10, (M, pitch)).to(KINDS[dtype])
    wanted = out.clone()
    grid = (-(-M // blocks[0]), -(-N // blocks[1]), splits)
    made = split[grid](a, b, out, pitch, M, N, K, *blocks, splits, sem, scope, kind, **options)
    for share in shares(a, b, splits):
        old, new = wanted[:, :N], share.to(KINDS[dtype])
        combined = {
            "add": lambda old=old, new=new: old + new,
            "and": lambda old=old, new=new: old & new,
            "or": lambda old=old, new=new: old | new,
            "xor": lambda old=old, new=new: old ^ new,
            "max": lambda old=old, new=new: torch.maximum(old, new),
        }[kind]()
        wanted[:, :N] = combined
    assert torch.equal(out.cpu(), wanted.cpu())
    return made


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "int32"])
@pytest.mark.parametrize(
    ("warps", "blocks"), [(4, (64, 64)), (4, (128, 32)), (8, (128, 64)), (8, (64, 128))]
)
def test_split_products(dtype, warps, blocks, launch_target) -> None:
    # bfloat16 has 8 bits, so the sums are those of fewer products
    sizes = (128, 128, 16) if dtype == "bf16" else (128, 128, 128)
    made = run_split(dtype, sizes, blocks, num_warps=warps)
    assert not takes_boxes(launch_target) or reduces_boxes(made)


@pytest.mark.parametrize("sizes", [(100, 72, 40), (65, 136, 96), (1, 8, 33), (200, 64, 64)])
@pytest.mark.parametrize("dtype", ["fp32", "fp16"])
@pytest.mark.parametrize("warps", [4, 8])
def test_where_arrays_end(warps, dtype, sizes) -> None:
    run_split(dtype, sizes, num_warps=warps)


@pytest.mark.parametrize("columns", [63, 61, 57, 33, 5])
def test_columns_that_no_map_takes(columns) -> None:
    """The hardware combines 16 bytes at a time."""
    run_split("fp32", (96, columns, 64), pitch=80)


@pytest.mark.parametrize("pitch", [130, 129, 132, 192])
def test_strides(pitch) -> None:
    run_split("fp16", pitch=pitch)


@pytest.mark.parametrize("kind", ["and", "or", "xor", "max"])
def test_other_operations(kind, launch_target) -> None:
    made = run_split("int32", kind=kind)
    assert not takes_boxes(launch_target) or reduces_boxes(made) == (kind != "max")


@pytest.mark.parametrize(
    "options",
    [{"sem": "acq_rel"}, {"sem": "release"}, {"scope": "sys"}, {"dtype": "int64"}],
    ids=str,
)
def test_what_boxes_do_not_promise(options, launch_target) -> None:
    made = run_split(**options)
    assert not takes_boxes(launch_target) or not reduces_boxes(made)


@tilewright.jit
def scattered(x, y, out, steps, STRIDE: tl.constexpr, STAGED: tl.constexpr):
    """Each iteration of a pipelined loop adds a tile somewhere else, or to the same place."""
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    base = tl.program_id(0) * steps
    for step in tl.range(0, steps, num_stages=STAGED):
        a = tl.load(x + ((base + step) * 64 + m)[:, None] * 64 + k[None, :])
        b = tl.load(y + (step * 64 + k)[:, None] * 64 + n[None, :])
        place = out + (step * STRIDE + m)[:, None] * 64 + n[None, :]
        tl.atomic_add(place, tl.dot(a, b), sem="relaxed")


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("stride", [0, 16, 64, 128])
@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_in_pipelined_loops(steps, stages, stride, warps, launch_target) -> None:
    x = torch.randint(-3, 4, (max(steps, 1) * 3 * 64, 64)).half()
    y = torch.randint(-3, 4, (max(steps, 1) * 64, 64)).half()
    out = torch.randint(-3, 4, (steps * stride + 64, 64)).float()
    wanted = out.clone()
    made = scattered[(3,)](x, y, out, steps, stride, stages, num_warps=warps)
    for program in range(3):
        for step in range(steps):
            tile = x[(program * steps + step) * 64 :][:64].float() @ y[step * 64 :][:64].float()
            wanted[step * stride : step * stride + 64] += tile
    assert torch.equal(out.cpu(), wanted.cpu())
    assert not takes_boxes(launch_target) or reduces_boxes(made)


@tilewright.jit
def sometimes(x, y, out, steps, pitch, STAGED: tl.constexpr):
    """Under a condition, in a loop, with rows that may overlap."""
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    for step in tl.range(0, steps, num_stages=STAGED):
        a = tl.load(x + (step * 64 + m)[:, None] * 64 + k[None, :])
        b = tl.load(y + k[:, None] * 64 + n[None, :])
        total = tl.dot(a, b)
        if (step + tl.program_id(0)) % 2 == 0:
            tl.atomic_add(out + m[:, None] * pitch + n[None, :], total, sem="relaxed")


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("pitch", [0, 4, 16, 32, 64, 80])
def test_conditions_and_rows_that_overlap(pitch, stages, warps) -> None:
    steps = 4
    x, y = torch.randint(-3, 4, (steps * 64, 64)).half(), torch.randint(-3, 4, (64, 64)).half()
    out = torch.zeros(64 * 80)
    sometimes[(3,)](x, y, out, steps, pitch, stages, num_warps=warps)
    wanted = torch.zeros(64 * 80)
    for program in range(3):
        for step in range(program % 2, steps, 2):
            tile = x[step * 64 :][:64].float().cpu() @ y.float().cpu()
            for row in range(64):
                wanted[row * pitch : row * pitch + 64] += tile[row]
    assert torch.equal(out.cpu(), wanted)


@tilewright.jit
def twice(x, y, out, other, count, AFTER: tl.constexpr):
    """Two reductions, and what may have to be ordered with them."""
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    a = tl.load(x + m[:, None] * 64 + k[None, :])
    total = tl.dot(a, tl.load(y + k[:, None] * 64 + n[None, :]))
    place = out + m[:, None] * 64 + n[None, :]
    tl.atomic_add(place, total, sem="relaxed")
    if AFTER == "again":
        tl.atomic_add(place, total * 2, sem="relaxed")
    elif AFTER == "count":
        tl.atomic_add(count, 1, sem="relaxed")
    elif AFTER == "release":
        tl.atomic_add(count, 1, sem="release")
    elif AFTER == "read":
        tl.store(other + m[:, None] * 64 + n[None, :], tl.load(place))
    elif AFTER == "store":
        tl.store(place, total * 3)
    elif AFTER == "old":
        tl.store(other + m[:, None] * 64 + n[None, :], tl.atomic_add(place, total, sem="relaxed"))
    elif AFTER == "barrier":
        tl.debug_barrier()
        tl.store(other + m[:, None] * 64 + n[None, :], total)


AFTERS = {
    # what is added in all, what is read, and whether boxes may do it
    "nothing": (1, None, True),
    "again": (3, None, False),
    "count": (1, None, True),
    "release": (1, None, False),
    "read": (1, 1, False),
    "store": (3, None, False),
    "old": (2, 1, False),
}


@pytest.mark.parametrize("after", AFTERS)
@pytest.mark.parametrize("warps", [4, 8])
def test_order(warps, after, launch_target) -> None:
    x, y = torch.randint(-3, 4, (64, 64)).half(), torch.randint(-3, 4, (64, 64)).half()
    out, other = torch.zeros(64, 64), torch.zeros(64, 64)
    count = torch.zeros(1, dtype=torch.int32)
    made = twice[(1,)](x, y, out, other, count, after, num_warps=warps)
    total = (x.float() @ y.float()).cpu()
    factor, read, may_be = AFTERS[after]
    assert torch.equal(out.cpu(), total * factor)
    assert read is None or torch.equal(other.cpu(), total * read)
    assert not takes_boxes(launch_target) or reduces_boxes(made) == may_be


@tilewright.jit
def described(x, y, out, M, N, KIND: tl.constexpr, BM: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, 64), tl.arange(0, 64)
    row = tl.program_id(0) * BM
    a = tl.load(x + (row + m)[:, None] * 64 + k[None, :], mask=(row + m)[:, None] < M, other=0)
    total = tl.dot(a, tl.load(y + k[:, None] * 64 + n[None, :]))
    array = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, 64])
    if KIND == "add":
        array.atomic_add([row, 0], total.to(out.dtype.element_ty))
    else:
        array.atomic_xor([row, 0], total.to(out.dtype.element_ty))


@pytest.mark.parametrize(("kind", "dtype"), [("add", "fp32"), ("add", "fp16"), ("xor", "int32")])
@pytest.mark.parametrize("M", [64, 100, 192])
@pytest.mark.parametrize("N", [64, 40, 37])
def test_descriptors(N, M, kind, dtype, launch_target) -> None:
    x, y = torch.randint(-3, 4, (M, 64)).half(), torch.randint(-3, 4, (64, 64)).half()
    out = torch.randint(-3, 4, (M, N)).to(KINDS[dtype])
    total = (x.float() @ y.float())[:, :N].to(KINDS[dtype])
    wanted = out + total if kind == "add" else out ^ total
    made = described[(-(-M // 64),)](x, y, out, M, N, kind, 64)
    assert torch.equal(out.cpu(), wanted.cpu())
    # 40 and 37 are not known to be multiples of 16 bytes
    assert not takes_boxes(launch_target) or reduces_boxes(made) == (N == 64)


@tilewright.jit
def tiny(x, y, out):
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    a = tl.load(x + m[:, None] * 64 + k[None, :])
    total = tl.dot(a, tl.load(y + k[:, None] * 64 + n[None, :]))
    tl.atomic_add(out + m[:, None] * 64 + n[None, :], total * 1e-20 * 1e-20, sem="relaxed")


def test_subnormal_sums(launch_target) -> None:
    """A reduction of boxes keeps subnormal numbers, which atomics of a GPU flush to zero."""
    x, y = torch.randint(-3, 4, (64, 64)).half(), torch.eye(64).half()
    out = torch.zeros(64, 64)
    tiny[(1,)](x, y, out, num_warps=4)
    wanted = (x.float() @ y.float()).cpu() * 1e-20 * 1e-20
    if takes_boxes(launch_target):
        assert torch.equal(out.cpu(), wanted)
    else:
        assert torch.all((out.cpu() == wanted) | (out.cpu() == 0))
