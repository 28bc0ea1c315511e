"""Atomic additions of rows of floats, to which several programs and launches add.

Sums of small integers are exact in any order.
"""

import threading

import pytest
import torch

import tilewright
import tilewright.language as tl

FLOATS = [torch.float32, torch.float64]


@tilewright.jit
def add_rows(x, rows, out, columns, pitch, SCOPE: tl.constexpr, BLOCK: tl.constexpr):
    """Each program adds its row of x to a row of out."""
    program = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    value = tl.load(x + program * columns + column, mask=mask, other=0).to(out.dtype.element_ty)
    place = out + tl.load(rows + program) * pitch + column
    tl.atomic_add(place, value, mask=mask, sem="relaxed", scope=SCOPE)


def summed(out: torch.Tensor, x: torch.Tensor, rows: torch.Tensor, columns: int) -> torch.Tensor:
    wanted = out.clone()
    wanted[:, :columns].index_add_(0, rows, x.to(out.dtype))
    return wanted


def random_rows(programs: int, count: int, columns: int, dtype: torch.dtype):
    x = torch.randint(-8, 9, (programs, columns)).to(dtype)
    return x, torch.randint(0, count, (programs,))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("columns", [1, 255, 256, 257, 700, 1024])
@pytest.mark.parametrize("scope", ["gpu", "sys"])
def test_rows_that_start_anywhere(dtype, columns, scope) -> None:
    x, rows = random_rows(64, 5, columns, dtype)
    memory = torch.zeros(5 * 1031 + 3).to(dtype)
    out = memory[3:].view(5, 1031)
    wanted = summed(out.cpu(), x.cpu(), rows.cpu(), columns)
    add_rows[(64,)](x, rows, out, columns, 1031, scope, 1024)
    assert torch.equal(out.cpu(), wanted)
    assert memory[:3].abs().sum() == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_converted(dtype) -> None:
    x, rows = random_rows(32, 3, 200, dtype)
    out = torch.zeros(3, 256)
    wanted = summed(out.cpu(), x.cpu(), rows.cpu(), 200)
    add_rows[(32,)](x, rows, out, 200, 256, "gpu", 256)
    assert torch.equal(out.cpu(), wanted)


@tilewright.jit
def add_in_loop(x, out, steps, pitch, N: tl.constexpr):
    """Adds a tile in each iteration, and one more below a condition."""
    i = tl.arange(0, N)
    for step in range(steps):
        tl.atomic_add(out + step * pitch + i, tl.load(x + step * N + i), sem="relaxed")
        if step % 2 == 1:
            tl.atomic_add(out + i, tl.load(x + step * N + i) * 2)


def test_control_flow() -> None:
    x = torch.randint(-8, 9, (6, 128)).float()
    out = torch.zeros(6, 131)
    wanted = out.cpu().clone()
    for step in range(6):
        wanted[step, :128] += 7 * x.cpu()[step]
        if step % 2 == 1:
            wanted[0, :128] += 14 * x.cpu()[step]
    add_in_loop[(7,)](x, out, 6, 131, 128)
    assert torch.equal(out.cpu(), wanted)


@tilewright.jit
def add_square(x, out, pitch, M: tl.constexpr, N: tl.constexpr):
    """The tile that is added is used again."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    value = tl.load(x + m * N + n)
    tl.atomic_add(out + m * pitch + n, value, sem="relaxed")
    tl.store(x + m * N + n, value + 1)


def test_value_with_other_uses() -> None:
    x = torch.randint(-8, 9, (8, 64)).float()
    out = torch.ones(8, 80)
    before = x.cpu().clone()
    add_square[(1,)](x, out, 80, 8, 64)
    assert torch.equal(x.cpu(), before + 1)
    assert torch.equal(out.cpu()[:, :64], before + 1)
    assert torch.equal(out.cpu()[:, 64:], torch.ones(8, 16))


@tilewright.jit
def overwrite_then_add(x, out, N: tl.constexpr):
    """What is added is read before the store, and the store may overlap it."""
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(x + i, tl.full((N,), 5.0, tl.float32))
    tl.atomic_add(out + i, value, sem="relaxed")


@pytest.mark.parametrize("shift", [None, 0, 1, 64])
def test_overlapping(shift) -> None:
    memory = torch.randint(-8, 9, (512,)).float()
    x = memory[:256]
    out = torch.zeros(256) if shift is None else memory[shift : shift + 256]
    value, wanted = x.cpu().clone(), memory.cpu().clone()
    wanted[:256] = 5
    if shift is None:
        overwrite_then_add[(1,)](x, out, 256)
        assert torch.equal(out.cpu(), value)
    else:
        wanted[shift : shift + 256] += value
        overwrite_then_add[(1,)](x, out, 256)
    assert torch.equal(memory.cpu(), wanted)


@tilewright.jit
def add_elements(x, places, out, N: tl.constexpr):
    """Additions to any addresses, one element at a time."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(out + tl.load(places + i), tl.load(x + i))


@pytest.mark.cpu_only("on a device, tests copy arrays there and back around each launch")
def test_launches_at_the_same_time() -> None:
    """Launches of two kernels on one array: one adds rows, the other elements."""
    x, rows = random_rows(256, 2, 512, torch.float32)
    out = torch.zeros(2, 512)
    elements = torch.randint(-8, 9, (256 * 128,)).float()
    places = torch.randint(0, 1024, elements.shape)
    wanted = summed(out.cpu(), x.cpu(), rows.cpu(), 512)
    wanted.view(-1).index_add_(0, places.cpu(), elements.cpu())

    def rows_often() -> None:
        for _ in range(20):
            add_rows[(256,)](x, rows, out, 512, 512, "gpu", 512)

    def elements_often() -> None:
        for _ in range(20):
            add_elements[(256,)](elements, places, out, 128)

    threads = [threading.Thread(target=f) for f in (rows_often, elements_often, rows_often)]
    wanted += summed(torch.zeros(2, 512).cpu(), x.cpu(), rows.cpu(), 512)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert torch.equal(out.cpu(), 20 * wanted)
