"""Rows that wrap around by a remainder: copies of boxes (TMA) may leave them out where nothing sees
them, and must not where something does."""

import numpy as np
import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl

BM, BN, BK = 64, 64, 32


@tilewright.jit
def _tail(kind: tl.constexpr, total, m, n, M, N):
    """What the epilogue stores, and where."""
    inside = (m[:, None] < M) & (n[None, :] < N)
    if kind == "scaled":
        total = tl.where(total > 0, total * 2.0, total - 1.0)
    if kind == "at most":
        inside = (m[:, None] <= M - 1) & (n[None, :] <= N - 1)
    if kind == "more than one":
        inside &= m[:, None] + n[None, :] < M + N - 5
    if kind == "not all rows":
        inside &= m[:, None] < M - 7
    if kind == "row beyond":
        inside = (m[:, None] < M + 1) & (n[None, :] < N)
    if kind == "remainders":
        inside = (m[:, None] % M < M) & (n[None, :] % N < N)
    if kind == "columns only":
        inside = (m[:, None] < 1024) & (n[None, :] < N)
    return total, inside


@tilewright.jit
def product(
    a, b, c, M, N, K, a_row, b_row, c_row, kind: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """The usual matmul: rows and columns beyond the last ones are read from the beginning."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a + (m % M)[:, None] * a_row + k[None, :]
    b_ptrs = b + k[:, None] * b_row + (n % N)[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = K - step * BK
        x = tl.load(a_ptrs, mask=k[None, :] < left, other=0.0)
        y = tl.load(b_ptrs, mask=k[:, None] < left, other=0.0)
        total = tl.dot(x, y, total)
        a_ptrs += BK
        b_ptrs += BK * b_row
    total, inside = _tail(kind, total, m, n, M, N)
    tl.store(c + m[:, None] * c_row + n[None, :], total.to(c.dtype.element_ty), mask=inside)


def wrapped(size: int, block: int) -> torch.Tensor:
    count = -(-size // block) * block
    return torch.arange(count) % size


def expected(a, b, M, N, c, kind):
    """What the program stores, from products of rows that wrap."""
    rows, columns = wrapped(M, BM), wrapped(N, BN)
    full = a.double().cpu()[rows] @ b.double().cpu()[:, columns]
    if kind == "scaled":
        full = torch.where(full > 0, full * 2, full - 1)
    m, n = torch.arange(len(rows))[:, None], torch.arange(len(columns))[None, :]
    inside = (m < M) & (n < N)
    if kind == "more than one":
        inside = inside & (m + n < M + N - 5)
    if kind == "not all rows":
        inside = inside & (m < M - 7)
    if kind == "row beyond":
        inside = (m < M + 1) & (n < N)
    if kind == "remainders":
        inside = (m >= 0) & (n >= 0)
    if kind == "columns only":
        inside = (m >= 0) & (n < N)
    wanted = c.double().cpu().clone()
    area = wanted[: len(rows), : len(columns)]
    area[inside.expand_as(area)] = full[inside.expand_as(full)]
    return wanted


UNSEEN = ["plain", "scaled", "at most", "more than one", "not all rows"]
SEEN = ["row beyond", "remainders", "columns only"]


def run(kind, sizes, dtype=torch.float16, pitch=None, **options):
    M, N, K = sizes
    torch.manual_seed(M * 31 + N * 7 + K)
    a_pitch, b_pitch, c_pitch = pitch or (K, N, N)
    c_pitch = max(c_pitch, -(-N // BN) * BN) if kind in SEEN else c_pitch
    a = torch.randn(M, a_pitch).to(dtype)[:, :K]
    b = torch.randn(K, b_pitch).to(dtype)[:, :N]
    c = torch.full((-(-M // BM) * BM, c_pitch), 7.0).to(dtype)
    grid = (-(-M // BM), -(-N // BN))
    made = product[grid](a, b, c, M, N, K, a_pitch, b_pitch, c_pitch, kind, BM, BN, BK, **options)
    wide = torch.full((c.shape[0], max(c_pitch, -(-N // BN) * BN)), 7.0).to(dtype)
    wanted = expected(a, b, M, N, wide, kind)[:, :c_pitch]
    torch.testing.assert_close(c.double().cpu(), wanted, atol=0.05, rtol=0.02)
    return made


@pytest.mark.parametrize("sizes", [(64, 64, 64), (65, 72, 64), (100, 104, 72), (16, 200, 40)])
@pytest.mark.parametrize("kind", UNSEEN)
def test_rows_that_nothing_sees(kind, sizes, launch_target) -> None:
    """Copies of boxes, whatever the sizes."""
    made = run(kind, sizes, num_warps=4, num_stages=3)
    assert not takes_boxes(launch_target) or made.tensor_maps


@pytest.mark.parametrize("sizes", [(64, 64, 64), (72, 72, 64), (104, 96, 72), (33, 200, 40)])
@pytest.mark.parametrize("kind", SEEN)
def test_rows_that_are_stored(kind, sizes) -> None:
    """The results of rows that wrap are right where they are stored."""
    run(kind, sizes, num_warps=4, num_stages=3)


# Sizes of rows in elements: multiples of 16 bytes, and not.
PITCHES = [(72, 104), (80, 112), (72, 105), (74, 104), (73, 101), (76, 108)]


@pytest.mark.parametrize("pitch", PITCHES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_lengths_of_rows(dtype, pitch, launch_target) -> None:
    """The launch finds out whether rows begin at multiples of 16 bytes."""
    K, N = pitch
    made = run("plain", (100, N, K), dtype, num_warps=4, num_stages=4)
    unit = 16 // dtype.itemsize
    if takes_boxes(launch_target) and dtype.itemsize == 2:
        assert bool(made.tensor_maps) == (K % unit == 0 and N % unit == 0)


@pytest.mark.parametrize("N", [104, 101])
def test_results_with_rows_that_no_map_takes(N, launch_target) -> None:
    """Operands are copied as boxes even if the results can't be."""

    @tilewright.jit
    def linear(x, w, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        m = tl.program_id(0) * BM + tl.arange(0, BM)
        n = tl.program_id(1) * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        total = tl.zeros((BM, BN), tl.float32)
        for i in range(0, K, BK):
            a = tl.load(x + (m % M)[:, None] * K + (i + k)[None, :])
            b = tl.load(w + (n % N)[None, :] * K + (i + k)[:, None])
            total = tl.dot(a, b, total)
        inside = (m[:, None] < M) & (n[None, :] < N)
        tl.store(out + m[:, None] * N + n[None, :], total.to(tl.float16), mask=inside)

    M, K = 100, 96
    x, w, out = torch.randn(M, K).half(), torch.randn(N, K).half(), torch.zeros(M, N).half()
    made = linear[(2, 2)](x, w, out, M, N, K, BM, BN, BK, num_warps=4, num_stages=3)
    wanted = x.double().cpu() @ w.double().cpu().T
    torch.testing.assert_close(out.double().cpu(), wanted, atol=0.05, rtol=0.02)
    assert not takes_boxes(launch_target) or made.tensor_maps


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_lengths_of_rows_in_any_order(order) -> None:
    """One specialization serves rows that maps take, and rows that they do not."""
    pitches = [(72, 104), (73, 105), (88, 136)]
    for i in order:
        K, N = pitches[i]
        run("plain", (100, N, K), num_warps=4, num_stages=3)


def test_compiled_for_other_lengths_of_rows(launch_target) -> None:
    """A program that keeps the kernel may launch it with rows that no map takes."""
    on = {"device": "cuda" if launch_target == "cuda" else "cpu", "dtype": torch.float16}
    a, b, c = torch.randn(64, 104, **on), torch.randn(104, 104, **on), torch.zeros(64, 104, **on)
    sizes = (64, 104, 104, 104, 104, 104)
    kept = product[(1, 2)](a, b, c, *sizes, "plain", BM, BN, BK, num_warps=4, num_stages=3)
    a, b, c = torch.randn(64, 99, **on), torch.randn(99, 101, **on), torch.zeros(64, 101, **on)
    kept[(1, 2, 1)](a, b, c, 64, 101, 99, 99, 101, 101, "plain", BM, BN, BK)
    torch.testing.assert_close(c.double(), a.double() @ b.double(), atol=0.05, rtol=0.02)


@tilewright.jit
def used_otherwise(
    a, b, c, d, M, K, FORM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """Other uses of a product of rows that wrap, of which each shows them."""
    first = tl.program_id(0) * BM
    m, n, k = first + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    rows = m % M
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (i + k)[None, :])
        y = tl.load(b + (i + k)[:, None] * BN + n[None, :])
        total = tl.dot(x, y, total)
    inside = m[:, None] < M
    at = c + m[:, None] * BN + n[None, :]
    if FORM == "sum of rows":
        tl.store(at, total + tl.sum(total, 0)[None, :], mask=inside)
    elif FORM == "sums along rows":
        tl.store(at, total + tl.sum(total, 1)[:, None], mask=inside)
    elif FORM == "transposed":
        tl.store(c + n[:, None] * 256 + m[None, :], tl.trans(total), mask=m[None, :] < M)
    elif FORM == "transposed mask":
        tl.store(at, tl.trans(total), mask=inside)
    elif FORM == "scan":
        tl.store(at, tl.cumsum(total, 0, reverse=True), mask=inside)
    elif FORM == "operand":
        half = total.to(tl.float16)
        tl.store(at, tl.dot(tl.trans(half), half), mask=inside)
    elif FORM == "two stores":
        tl.store(at, total, mask=inside)
        tl.store(d + m[:, None] * BN + n[None, :], total)
    elif FORM == "condition":
        if tl.max(tl.max(total, 1), 0) > 100.0:
            total += 1000.0
        tl.store(at, total, mask=inside)
    elif FORM == "atomic":
        tl.atomic_add(at, total, mask=inside)
        tl.atomic_add(d + n[None, :] + tl.zeros((BM, 1), tl.int32), total)
    elif FORM == "gathered":
        index = tl.broadcast_to((BM - 1 - tl.arange(0, BM))[:, None], (BM, BN))
        tl.store(at, tl.gather(total, index, 0), mask=inside)
    elif FORM == "reshaped":
        tl.store(at, tl.reshape(tl.reshape(total, (BM * BN,)), (BM, BN)), mask=inside)
    elif FORM == "flipped":
        tl.store(at, tl.flip(total, 0), mask=inside)
    elif FORM == "address":
        tl.atomic_add(c + rows[:, None] * BN + n[None, :], total)


FORMS = [
    "sum of rows", "sums along rows", "transposed", "transposed mask", "scan", "operand",
    "two stores", "condition", "atomic", "gathered", "reshaped", "flipped", "address",
]  # fmt: skip


@pytest.mark.parametrize("M", [64, 100, 9])
@pytest.mark.parametrize("form", FORMS)
def test_other_uses(form, M) -> None:
    K = 64
    generator = torch.Generator().manual_seed(M)
    a = torch.randint(-2, 3, (M, K), generator=generator).half()
    b = torch.randint(-2, 3, (K, BN), generator=generator).half()
    blocks = -(-M // BM)
    c, d = torch.zeros(256, BN), torch.zeros(256, BN)
    used_otherwise[(blocks,)](a, b, c, d, M, K, form, BM, BN, BK, num_warps=4, num_stages=3)
    wanted, other = np.zeros((256, BN)), np.zeros((256, BN))
    for block in range(blocks):
        m = np.arange(block * BM, block * BM + BM)
        total = a.double().cpu().numpy()[m % M] @ b.double().cpu().numpy()
        inside, row = m < M, slice(block * BM, block * BM + BM)
        stored = {
            "sum of rows": total + total.sum(0)[None, :],
            "sums along rows": total + total.sum(1)[:, None],
            "transposed mask": total.T,
            "scan": total[::-1].cumsum(0)[::-1],
            "operand": total.T @ total,
            "condition": total + (1000 if total.max() > 100 else 0),
            "gathered": total[::-1],
            "flipped": total[::-1],
        }.get(form, total)
        if form == "transposed":
            wanted.reshape(-1)[: BN * 256].reshape(BN, 256)[:, m[inside]] = total.T[:, inside]
        elif form == "address":
            np.add.at(wanted, m % M, total)
        else:
            wanted[row][inside] = stored[inside]
        if form == "two stores":
            other[row] = total
        if form == "atomic":
            other[0] += total.sum(0)
    torch.testing.assert_close(c.double().cpu().numpy(), wanted, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(d.double().cpu().numpy(), other, atol=1e-3, rtol=1e-3)


@tilewright.jit
def carried(a, b, c, M, K, tiles, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Results are stored in the next iteration, beside the masks of another tile."""
    n, k = tl.arange(0, BN), tl.arange(0, BK)
    before = tl.zeros((BM, BN), tl.float32)
    for tile in range(0, tiles):
        m = tile * BM + tl.arange(0, BM)
        tl.store(c + m[:, None] * BN + n[None, :], before, mask=m[:, None] < M)
        total = tl.zeros((BM, BN), tl.float32)
        for i in range(0, K, BK):
            x = tl.load(a + (m % M)[:, None] * K + (i + k)[None, :])
            y = tl.load(b + (i + k)[:, None] * BN + n[None, :])
            total = tl.dot(x, y, total)
        before = total


@pytest.mark.parametrize("M", [64, 40, 100, 130])
def test_results_that_are_stored_later(M) -> None:
    K, tiles = 64, 4
    a, b = torch.randn(M, K).half(), torch.randn(K, BN).half()
    c = torch.full((tiles * BM, BN), 7.0)
    carried[(1,)](a, b, c, M, K, tiles, BM, BN, BK, num_warps=4, num_stages=3)
    wanted, before = torch.full((tiles * BM, BN), 7.0).double(), torch.zeros(BM, BN).double()
    for tile in range(tiles):
        m = torch.arange(tile * BM, tile * BM + BM)
        wanted[m[m < M]] = before[m < M]
        before = a.double().cpu()[m % M] @ b.double().cpu()
    torch.testing.assert_close(c.double().cpu(), wanted, atol=1e-2, rtol=1e-2)


@tilewright.jit
def squared(a, c, M, BM: tl.constexpr):
    """One remainder along both dimensions."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    rows = m % M
    total = tl.zeros((BM, BM), tl.float32)
    for _ in range(0, 4):
        x = tl.load(a + rows[:, None] * M + rows[None, :])
        total = tl.dot(x, tl.trans(x), total)
    tl.store(c + m[:, None] * 256 + tl.arange(0, BM)[None, :], total, mask=m[:, None] < M)


@pytest.mark.parametrize("M", [64, 72, 104, 8])
def test_remainders_along_both_dimensions(M) -> None:
    """Columns of the last tile that wrap are summed up, rows are not stored."""
    a = torch.randn(M, M).half()
    blocks = -(-M // BM)
    c = torch.zeros(blocks * BM, 256)
    squared[(blocks,)](a, c, M, BM, num_warps=4, num_stages=3)
    wanted = torch.zeros(blocks * BM, 256).double()
    for block in range(blocks):
        m = torch.arange(block * BM, block * BM + BM)
        x = a.double().cpu()[m % M][:, m % M]
        wanted[m[m < M], :BM] = 4 * (x @ x.T)[m < M]
    torch.testing.assert_close(c.double().cpu(), wanted, atol=1e-2, rtol=1e-2)


@tilewright.jit
def masked_twice(a, b, c, M, K, L, FORM: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    """Two ends of rows, which are counted from different beginnings."""
    z = tl.program_id(0)
    m, n, k = tl.arange(0, BM), tl.arange(0, BM), tl.arange(0, BK)
    total = tl.zeros((BM, BM), tl.float32)
    for i in range(0, K, BK):
        if FORM == "stored":
            x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        else:
            rows = (z * L + m % M)[:, None]
            inside = (z * L + m)[:, None] < M
            x = tl.load(a + rows * K + (i + k)[None, :], mask=inside, other=0.0)
        total = tl.dot(x, tl.load(b + (i + k)[:, None] * BM + n[None, :]), total)
    if FORM == "stored":
        rows = (z * M + m)[:, None]
        tl.store(c + rows * BM + n[None, :], total, mask=(rows < M) & (m[:, None] < M))
    else:
        tl.store(c + (z * BM + m)[:, None] * BM + n[None, :], total, mask=m[:, None] < M)


@pytest.mark.parametrize("M", [64, 40])
@pytest.mark.parametrize("form", ["stored", "loaded"])
def test_two_ends(form, M) -> None:
    K, L = 64, 40
    a, b, c = torch.randn(256, K).half(), torch.randn(K, BN).half(), torch.full((128, BN), 7.0)
    masked_twice[(2,)](a, b, c, M, K, L, form, BM, BK, num_warps=4, num_stages=3)
    wanted, product = torch.full((128, BN), 7.0).double(), a.double().cpu() @ b.double().cpu()
    if form == "stored":
        wanted[:M] = product[:M]
    else:
        for z in range(2):
            row = torch.arange(M)
            found = product[z * L + row]
            found[z * L + row >= M] = 0
            wanted[z * BM + row] = found
    torch.testing.assert_close(c.double().cpu(), wanted, atol=1e-2, rtol=1e-2)
