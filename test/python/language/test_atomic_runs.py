"""Atomic additions of floats to consecutive addresses, whose old values nothing uses.

The CPU exchanges 16 bytes at a time where the address is a multiple of 16.
"""

import pytest
import torch

import tilewright
import tilewright.language as tl

FLOATS = [torch.float32, torch.float64]


@tilewright.jit
def add_rows(x, out, rows, columns, pitch, SEM: tl.constexpr, BLOCK: tl.constexpr):
    """Each program adds its row of x to row `program % rows`."""
    column = tl.arange(0, BLOCK)
    program = tl.program_id(0)
    value = tl.load(x + program * columns + column, mask=column < columns, other=0)
    place = out + (program % rows) * pitch + column
    tl.atomic_add(place, value, mask=column < columns, sem=SEM)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 15, 16, 17, 63, 64])
@pytest.mark.parametrize("shift", [0, 1, 2, 3])
def test_shapes(dtype, columns, shift) -> None:
    """Addresses that are aligned or not; nothing next to the rows changes."""
    programs, rows, pitch = 40, 3, 68
    x = torch.randint(-8, 9, (programs, columns)).to(dtype)
    memory = torch.arange(rows * pitch + 8).to(dtype)
    wanted = memory.clone()
    add_rows[(programs,)](x, memory[shift:], rows, columns, pitch, "relaxed", 64)
    for program in range(programs):
        at = shift + program % rows * pitch
        wanted[at : at + columns] += x[program].cpu()
    assert torch.equal(memory.cpu(), wanted)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release", "acq_rel"])
def test_programs_at_the_same_addresses(dtype, sem) -> None:
    """Integers, whose sums are exact in any order."""
    x = torch.randint(-4, 5, (512, 48)).to(dtype)
    out = torch.zeros(1, 48).to(dtype)
    add_rows[(512,)](x, out, 1, 48, 48, sem, 64)
    assert torch.equal(out.cpu()[0], x.cpu().sum(0))


@tilewright.jit
def add_masked(out, mask, value, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + i, tl.load(value + i), mask=tl.load(mask + i) != 0)


@pytest.mark.parametrize("dtype", FLOATS)
def test_masks(dtype) -> None:
    """Any lanes of a group may be off; bits of others stay, also those of NaN and -0."""
    for seed in range(20):
        random = torch.Generator().manual_seed(seed)
        mask = torch.randint(0, 2, (64,), generator=random).to(torch.int8)
        mask[:16] *= seed % 2
        out = torch.randint(-9, 9, (64,), generator=random).to(dtype)
        out[mask == 0] = torch.tensor([float("nan"), -0.0, float("inf"), 1e-40])[seed % 4].to(dtype)
        value = torch.randint(-9, 9, (64,), generator=random).to(dtype)
        bits = torch.int32 if dtype == torch.float32 else torch.int64
        wanted = torch.where(mask != 0, out + value, out).view(bits)
        add_masked[(1,)](out, mask, value, 64)
        assert torch.equal(out.cpu().view(bits), wanted)


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype) -> None:
    numbers = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-30, -1e-30, 1])
    out = numbers.repeat_interleave(8).to(dtype)
    value = numbers.repeat(8).to(dtype)
    wanted = out + value
    add_masked[(1,)](out, torch.ones(64, dtype=torch.int8), value, 64)
    assert torch.equal(out.cpu().isnan(), wanted.isnan())
    assert torch.equal(out.cpu().nan_to_num(7), wanted.nan_to_num(7))
    assert torch.equal(out.cpu().nan_to_num(7).signbit(), wanted.nan_to_num(7).signbit())


@tilewright.jit
def add_columns(out, value, pitch, M: tl.constexpr, N: tl.constexpr):
    """Memory is contiguous along the rows of the tile, not along its columns."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.atomic_add(out + n * pitch + m, tl.load(value + m * N + n))


@tilewright.jit
def add_to_one_place(out, value, N: tl.constexpr):
    """Groups of lanes with one address."""
    i = tl.arange(0, N)
    tl.atomic_add(out + i // 4, tl.load(value + i))


@pytest.mark.parametrize("dtype", FLOATS)
def test_addresses(dtype) -> None:
    value = torch.randint(-9, 9, (16, 8)).to(dtype)
    out = torch.ones(8, 20).to(dtype)
    add_columns[(1,)](out, value, 20, 16, 8)
    assert torch.equal(out.cpu()[:, :16], value.cpu().T + 1)
    assert torch.equal(out.cpu()[:, 16:], torch.ones(8, 4).to(dtype))
    sums = torch.zeros(32).to(dtype)
    add_to_one_place[(1,)](sums, value, 128)
    assert torch.equal(sums.cpu(), value.cpu().reshape(32, 4).sum(1))


@tilewright.jit
def add_twice(x, N: tl.constexpr):
    """What is added was read before any of it is added."""
    i = tl.arange(0, N)
    tl.atomic_add(x + i + 1, tl.load(x + i))


def test_what_is_read_before() -> None:
    x = torch.randint(-9, 9, (65,)).float()
    wanted = x.clone()
    wanted[1:] += x[:-1]
    add_twice[(1,)](x, 64)
    assert torch.equal(x.cpu(), wanted.cpu())
