"""Atomic minima and maxima of float16 and bfloat16, which no GPU has an instruction for."""

import numpy as np
import pytest
import torch
from inputs import FLOATS, fresh

import tilewright
import tilewright.language as tl
from tilewright.errors import TypeMismatchError

HALVES = ["fp16", "bf16"]


@tilewright.jit
def extreme(x, y, old, MAXIMUM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if MAXIMUM:
        before = tl.atomic_max(x + i, tl.load(y + i))
    else:
        before = tl.atomic_min(x + i, tl.load(y + i))
    tl.store(old + i, before)


def ordered(values):
    """Integers that are ordered as floats are by their bits: -0.0 is less than 0.0."""
    bits = values.view(torch.int16).to(torch.int32)
    return torch.where(bits < 0, -(bits & 0x7FFF) - 1, bits)


@pytest.mark.parametrize("maximum", [True, False])
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("warps", [1, 4, 16])
def test_any_value_in_memory(dtype, maximum, warps):
    tiny = torch.finfo(FLOATS[dtype]).tiny / 4
    values = [tiny, -tiny, 0.0, -0.0, 1.5, -1.5, float("inf"), float("-inf")]
    pairs = torch.cartesian_prod(torch.tensor(values), torch.tensor(values)).to(FLOATS[dtype])
    x, y = (column.contiguous() for column in pairs.T)
    before, old = x.clone(), torch.zeros_like(x)
    extreme[(1,)](x, y, old, maximum, N=64, num_warps=warps)
    is_chosen = (ordered(y) > ordered(before)) == maximum
    expected = torch.where(is_chosen, y, before)
    assert torch.equal(x.view(torch.int16), expected.view(torch.int16))
    assert torch.equal(old.view(torch.int16), before.view(torch.int16))


@tilewright.jit
def of_programs(x, out, columns, MAXIMUM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    tile = tl.make_tensor_descriptor(x, [512, columns], [columns, 1], [BM, BN]).load([row, 0])
    total = tl.make_tensor_descriptor(out, [3, columns], [columns, 1], [BM, BN])
    if MAXIMUM:
        total.atomic_max([-2, 1], tile)
    else:
        total.atomic_min([-2, 1], tile)


@pytest.mark.parametrize("maximum", [True, False])
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("columns", [8, 9])
def test_programs_share_words_of_32_bits(dtype, maximum, columns):
    """The last row and the first column are outside of the array, or keep their values."""
    x = fresh(dtype, (512, columns))
    out = torch.zeros(4, columns, dtype=FLOATS[dtype])
    of_programs[(64,)](x, out, columns, maximum, BM=8, BN=16)
    tiles = x.view(64, 8, columns)[:, 2:5, : columns - 1]
    expected = torch.zeros_like(out)
    found = tiles.amax(0) if maximum else tiles.amin(0)
    expected[:3, 1:] = found.clamp(min=0) if maximum else found.clamp(max=0)
    assert torch.equal(out, expected)


@tilewright.jit
def masked(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_max(out + i // 4, tl.load(x + i), mask=i % 3 > 0, sem="relaxed", scope="sys")
    tl.atomic_min(out + N // 4, tl.load(x + N - 1) - 8)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("size", [48, 64])
def test_masks_scalars_and_equal_addresses(dtype, size):
    x, out = fresh(dtype, (size,)), torch.full((size // 4 + 1,), -3.0, dtype=FLOATS[dtype])
    masked[(1,)](x, out, N=size)
    kept = torch.where(torch.arange(size) % 3 > 0, x, float("-inf")).view(-1, 4)
    assert torch.equal(out[:-1], kept.amax(1).clamp(min=-3))
    assert out[-1] == x[-1] - 8


def test_16_bit_integers_are_not_combined():
    x = np.zeros(64, np.int16)
    with pytest.raises(TypeMismatchError, match=r"atomic_max does not take .* type int16"):
        extreme[(1,)](x, x.copy(), x.copy(), True, N=64)
