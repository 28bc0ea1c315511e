"""The option `persistent`: programs that execute several of the grid, one after the other."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl

GRIDS = [(1,), (5,), (97,), (3, 7), (2, 3, 5), (1, 1, 11), (1, 40), (300, 2)]


@tilewright.jit
def store_positions(out, counts, WIDTH: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    place = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    i = tl.arange(0, WIDTH)
    value = tl.where(i == 0, x, tl.where(i == 1, y, tl.where(i == 2, z, tl.num_programs(2))))
    tl.store(out + place * WIDTH + i, value)
    tl.atomic_add(counts + place, 1)


@pytest.mark.parametrize("grid", GRIDS)
def test_every_program_is_executed_once(grid: tuple[int, ...]) -> None:
    nx, ny, nz = (*grid, 1, 1)[:3]
    out = np.full((nz, ny, nx, 4), -1, np.int32)
    counts = np.zeros((nz, ny, nx), np.int32)
    store_positions[grid](out, counts, 4, persistent=True)
    z, y, x = np.indices((nz, ny, nx))
    np.testing.assert_array_equal(out, np.stack([x, y, z, np.full_like(x, nz)], axis=-1))
    assert (counts == 1).all()


@tilewright.jit(noinline=True)
def own_number(scale):
    return tl.program_id(0) * scale


@tilewright.jit
def sum_rows(x, out, n, columns, WIDTH: tl.constexpr):
    """Every third row is left out; functions see the program's own position."""
    row = own_number(1)
    if row % 3 == 2:
        return
    total = tl.zeros((WIDTH,), tl.float32)
    for start in range(0, columns, WIDTH):
        i = start + tl.arange(0, WIDTH)
        total += tl.load(x + row * columns + i, mask=(i < columns) & (row < n), other=0.0)
    if row < n:
        tl.store(out + row, tl.sum(total, axis=0))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("n", [1, 6, 7, 50])
def test_rows(n: int, warps: int) -> None:
    x = np.random.default_rng(1).integers(-9, 9, (n, 200)).astype(np.float32)
    out = np.full(n, -1, np.float32)
    sum_rows[(n + 3,)](x, out, n, 200, 64, num_warps=warps, persistent=True)
    wanted = np.where(np.arange(n) % 3 == 2, -1, x.sum(axis=1))
    np.testing.assert_array_equal(out, wanted)


@tilewright.jit
def matmul(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TWO_AXES: tl.constexpr
):
    if TWO_AXES:
        row, column = tl.program_id(0), tl.program_id(1)
    else:
        row, column = tl.program_id(0) // tl.cdiv(N, BN), tl.program_id(0) % tl.cdiv(N, BN)
    rows, columns, k = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + start + k[None, :],
                    mask=(rows < M)[:, None] & (start + k < K)[None, :], other=0)  # fmt: skip
        y = tl.load(b + (start + k)[:, None] * N + columns[None, :],
                    mask=(start + k < K)[:, None] & (columns < N)[None, :], other=0)  # fmt: skip
        total = tl.dot(x, y, total)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16), mask=inside)


@pytest.mark.parametrize("K", [0, 40, 64, 200])
@pytest.mark.parametrize("two_axes", [False, True])
@pytest.mark.parametrize(
    ("warps", "bm", "bn", "bk", "stages"),
    [(4, 64, 64, 64, 3), (8, 128, 64, 32, 2), (4, 64, 32, 64, 4), (1, 16, 16, 16, 2)],
)
def test_products(K, two_axes, warps, bm, bn, bk, stages) -> None:
    """By copies of boxes on Hopper, which go on with the next program, and by cp.async."""
    M, N = 200, 264
    a = torch.randint(-3, 4, (M, max(K, 1))).half()
    b = torch.randint(-3, 4, (max(K, 1), N)).half()
    c = torch.full((M, N), 7.0).half()
    rows, columns = -(-M // bm), -(-N // bn)
    grid = (rows, columns) if two_axes else (rows * columns,)
    matmul[grid](
        a, b, c, M, N, K, bm, bn, bk, two_axes, num_warps=warps, num_stages=stages, persistent=True
    )
    assert torch.equal(c.cpu().float(), a[:, :K].float().cpu() @ b[:K].float().cpu())


@tilewright.jit
def print_position(out):
    tl.device_print("at", tl.program_id(0))
    tl.store(out + tl.program_id(0), 1)


def test_kernels_that_name_their_program_stay(launch_target: str) -> None:
    out = np.zeros(9, np.int32)
    if launch_target == "cpu":
        print_position[(9,)](out, persistent=True)
    else:
        with pytest.warns(tilewright.errors.CompileWarning, match="not persistent: it has assert"):
            print_position[(9,)](out, persistent=True)
    assert (out == 1).all()


@tilewright.jit
def write_to_address(address, WIDTH: tl.constexpr):
    out = address.to(tl.pointer_type(tl.int32))
    tl.store(out + tl.program_id(0) * WIDTH + tl.arange(0, WIDTH), tl.program_id(0))


@pytest.mark.filterwarnings("ignore::tilewright.errors.CompileWarning")
def test_checks_without_an_array(launch_target: str) -> None:
    """Code with checks of bounds has hidden arguments of its own, even if it checks nothing."""
    if launch_target.startswith("emulator"):
        out = np.full(9 * 16, -1, np.int32)
        with tilewright.emulate(launch_target.split(":", 1)[1], memory=[out]):
            write_to_address[(9,)](out.ctypes.data, 16, checks="bounds", persistent=True)
        np.testing.assert_array_equal(out, np.repeat(np.arange(9), 16))


@tilewright.jit
def scale(x, out, a, b, WIDTH: tl.constexpr):
    i = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(out + i, a * b + tl.load(x + i))


def test_rounding_does_not_depend_on_the_option() -> None:
    """A product of arguments is the same in all programs."""
    x = -np.full(160, 1 + 2.0**-11, np.float32)
    results = []
    for persistent in (False, True):
        out = np.empty_like(x)
        scale[(10,)](x, out, 1 + 2.0**-12, 1 + 2.0**-12, 16, persistent=persistent)
        results.append(out)
    np.testing.assert_array_equal(*results)


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are")
@pytest.mark.parametrize("two_axes", [False, True])
def test_copies_of_boxes(two_axes: bool) -> None:
    """The coordinates of boxes depend on the program's position, whose range is known."""
    arrays = [np.empty(2**20, np.float16) for _ in range(3)]
    made = matmul.warmup(
        *arrays, 1024, 1024, 1024, 128, 128, 64, two_axes, num_warps=8, target="cuda:90a",
        persistent=True,
    )  # fmt: skip
    assert made.metadata.persistent
    ptx = made.asm["ptx"]
    assert "cp.async.bulk.tensor.2d.shared" in ptx
    assert "cp.async.bulk.tensor.2d.global" in ptx


def _compile(c: torch.Tensor, target: str = "cuda:90a", size: int = 1024, **options):
    a = torch.empty(size, size, dtype=torch.float16)
    made = matmul.warmup(
        a, a.clone(), c, size, size, size, 128, 128, 64, False, num_warps=8, target=target,
        **options,
    )  # fmt: skip
    return made.metadata.persistent


@pytest.mark.cpu_only("compiles for GPUs whatever the targets are")
def test_the_compiler_chooses() -> None:
    """Products whose operands and results are copied as boxes, unless the user decides."""
    half, single = torch.empty(1024, 1024).half(), torch.empty(1024, 1024)
    assert _compile(half)
    assert not _compile(half, persistent=False)
    assert not _compile(half, tensor_maps=False)
    assert not _compile(half, "cuda:80")
    assert not _compile(single)
    odd = torch.empty(1001, 1001).half()
    assert _compile(
        odd, size=1001
    )  # a launch runs a variant if rows do not begin at multiples of 16 bytes


@pytest.mark.parametrize("two_axes", [False, True])
@pytest.mark.parametrize(("M", "N", "K"), [(128, 128, 64), (520, 384, 0), (520, 392, 72)])
@pytest.mark.parametrize(("warps", "bn", "stages"), [(8, 128, 3), (4, 128, 2), (8, 256, 4)])
def test_chosen_products(warps, bn, stages, M: int, N: int, K: int, two_axes: bool) -> None:
    """With one program, and with more than run at once."""
    a = torch.randint(-3, 4, (M, max(K, 1))).half()
    b = torch.randint(-3, 4, (max(K, 1), N)).half()
    c = torch.full((M, N), 7.0).half()
    rows, columns = -(-M // 128), -(-N // bn)
    grid = (rows, columns) if two_axes else (rows * columns,)
    bk = 64 if bn == 128 else 32
    matmul[grid](
        a, b, c, M, N, K, 128, bn, bk, two_axes, num_warps=warps, num_stages=stages
    )  # fmt: skip
    assert torch.equal(c.cpu().float(), a[:, :K].float().cpu() @ b[:K].float().cpu())


@tilewright.jit
def add_product(a, b, c, other, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """In place; batches are an axis of the grid, and other gets twice the result."""
    batch = tl.program_id(0)
    rows, columns = (
        tl.program_id(2) * BM + tl.arange(0, BM),
        tl.program_id(1) * BN + tl.arange(0, BN),
    )
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + batch * M * K + rows[:, None] * K + start + k[None, :],
                    mask=(rows < M)[:, None] & (start + k < K)[None, :], other=0)  # fmt: skip
        y = tl.load(b + batch * K * N + (start + k)[:, None] * N + columns[None, :],
                    mask=(start + k < K)[:, None] & (columns < N)[None, :], other=0)  # fmt: skip
        total = tl.dot(x, y, total)
    inside = (rows < M)[:, None] & (columns < N)[None, :]
    at = batch * M * N + rows[:, None] * N + columns[None, :]
    total += tl.load(c + at, mask=inside, other=0).to(tl.float32)
    tl.store(c + at, total.to(tl.bfloat16), mask=inside)
    if tl.program_id(1) != 1:
        tl.store(other + at, (2 * total).to(tl.bfloat16), mask=inside)


@pytest.mark.parametrize("K", [16, 144])
@pytest.mark.parametrize("warps", [4, 8])
def test_chosen_products_in_place(K: int, warps: int) -> None:
    batches, M, N = 3, 200, 272
    a = torch.randint(-2, 3, (batches, M, K)).bfloat16()
    b = torch.randint(-2, 3, (batches, K, N)).bfloat16()
    c = torch.randint(-2, 3, (batches, M, N)).bfloat16()
    other = torch.full((batches, M, N), 7.0).bfloat16()
    sums = a.float() @ b.float() + c.float()
    twice = torch.full_like(other, 7.0).float()
    for first in (0, 256):
        twice[:, :, first : first + 128] = 2 * sums[:, :, first : first + 128]
    add_product[(batches, 3, 2)](a, b, c, other, M, N, K, 128, 128, 64, num_warps=warps)
    assert torch.equal(c.cpu(), sums.cpu().bfloat16())
    assert torch.equal(other.cpu(), twice.cpu().bfloat16())
