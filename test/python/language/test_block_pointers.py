"""Block pointers: what is loaded and stored, anywhere inside and outside of the array."""

import numpy as np
import pytest
import torch
from inputs import FLOATS, INTS, wide
from windows_of import (
    FLOAT8,
    inside,
    plain,
    put,
    random_offsets,
    random_shape,
    some,
    strided,
    window,
)

import tilewright
import tilewright.language as tl

BLOCKS = {1: (16,), 2: (8, 4), 3: (2, 4, 4), 4: (2, 1, 4, 2), 5: (2, 2, 1, 2, 4)}


@tilewright.jit(do_not_specialize=["shape", "strides", "offsets"])
def loaded(
    out, x, start, shape, strides, offsets, BLOCK: tl.constexpr, ORDER: tl.constexpr,
    CHECK: tl.constexpr, PADDING: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    p = tl.make_block_ptr(x + start, shape, strides, offsets, BLOCK, ORDER)
    values = tl.load(p, boundary_check=CHECK, padding_option=PADDING)
    tl.store(out + tl.arange(0, N), tl.reshape(values, (N,)))


@pytest.mark.parametrize("rank", BLOCKS)
def test_loads(rank):
    for _ in range(6):
        shape, block = random_shape(rank, 9), BLOCKS[rank]
        x, order = strided(rank, shape)
        offsets = random_offsets(shape, block)
        out = torch.zeros(block)
        loaded[(1,)](
            out, x, 0, shape, tuple(x.stride()), offsets, BLOCK=block, ORDER=order,
            CHECK=tuple(range(rank)), PADDING="nan", N=out.numel(),
        )  # fmt: skip
        np.testing.assert_array_equal(plain(out), window(plain(x), offsets, block, np.nan))


@tilewright.jit(do_not_specialize=["shape", "strides", "offsets"])
def stored(
    x, values, shape, strides, offsets, BLOCK: tl.constexpr, ORDER: tl.constexpr,
    CHECK: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    p = tl.make_block_ptr(x, shape, strides, offsets, BLOCK, ORDER)
    tile = tl.reshape(tl.load(values + tl.arange(0, N)), BLOCK)
    tl.store(p, tile, boundary_check=CHECK)


@pytest.mark.parametrize("rank", BLOCKS)
def test_stores(rank):
    for _ in range(6):
        shape, block = random_shape(rank, 9), BLOCKS[rank]
        x, order = strided(rank, shape)
        offsets, values = random_offsets(shape, block), some("fp32", block)
        expected = plain(x).copy()
        put(expected, offsets, plain(values))
        memory = x.storage_offset(), x.untyped_storage().nbytes()
        stored[(1,)](
            x, values, shape, tuple(x.stride()), offsets, BLOCK=block, ORDER=order,
            CHECK=tuple(range(rank)), N=int(np.prod(block)),
        )  # fmt: skip
        np.testing.assert_array_equal(plain(x), expected)
        assert memory == (0, x.untyped_storage().nbytes())


def test_a_store_does_not_write_outside_of_the_array():
    memory = torch.arange(24 * 24, dtype=torch.int32).reshape(24, 24)
    before, x = memory.clone(), memory[8:13, 8:15]
    for offsets in [(-3, -2), (2, 5), (-3, 5), (-8, 0), (5, 0), (0, 7), (0, -4)]:
        stored[(1,)](
            x, torch.full((8, 4), -1, dtype=torch.int32), (5, 7), (24, 1), offsets, BLOCK=(8, 4),
            ORDER=(1, 0), CHECK=(0, 1), N=32,
        )  # fmt: skip
        put(before[8:13, 8:15].numpy(), offsets, np.full((8, 4), -1))
        assert torch.equal(memory, before)


@tilewright.jit
def copied(x, out, rows, columns, row, column, PADDING: tl.constexpr, CHECK: tl.constexpr):
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (row, column), (8, 16), (1, 0))
    target = tl.make_block_ptr(out, (8, 16), (16, 1), (0, 0), (8, 16), (1, 0))
    tl.store(target, tl.load(source, boundary_check=CHECK, padding_option=PADDING))


@pytest.mark.parametrize("padding", ["", "zero", "nan"])
@pytest.mark.parametrize("dtype", ["int1", *INTS, *FLOATS, *FLOAT8])
def test_dtypes(dtype, padding):
    x, out = some(dtype, (12, 20)), some(dtype, (8, 16))
    if padding == "nan" and dtype not in [*FLOATS, *FLOAT8]:
        return
    padded = torch.tensor(float("nan") if padding == "nan" else 0.0).to(x.dtype)
    for offsets in [(-3, -5), (6, 9), (20, 20)]:
        copied[(1,)](x, out, 12, 20, *offsets, PADDING=padding, CHECK=(0, 1))
        expected = window(plain(x), offsets, (8, 16), plain(padded))
        if dtype in FLOAT8:  # a NaN has several representations
            floats = torch.from_numpy(expected.astype(np.uint8)).view(FLOAT8[dtype])
            np.testing.assert_array_equal(wide(out.float()), wide(floats.float()))
        else:
            np.testing.assert_array_equal(plain(out), expected)


@pytest.mark.parametrize("check", [(), (0,), (1,), (1, 0), (0, 1)])
def test_dimensions_that_are_not_checked_are_not_masked(check):
    memory, out = some("int32", (40, 40)), torch.empty(8, 16, dtype=torch.int32)
    for offsets in [(-3, -5), (6, 9), (7, -4), (2, 2)]:
        row, column = 12 + offsets[0], 12 + offsets[1]
        loaded[(1,)](
            out, memory, 12 * 40 + 12, (12, 20), (40, 1), offsets, BLOCK=(8, 16), ORDER=(1, 0),
            CHECK=check, PADDING="", N=128,
        )  # fmt: skip
        around = memory[row : row + 8, column : column + 16].numpy()
        mask = inside((12, 20), offsets, (8, 16), check)
        np.testing.assert_array_equal(out.numpy(), np.where(mask, around, 0))


@tilewright.jit
def with_one_dimension(x, out, n, offset, CHECK: tl.constexpr):
    p = tl.make_block_ptr(x, n, 1, offset, 16, 0)
    tl.store(out + tl.arange(0, 16), tl.load(p, boundary_check=CHECK, padding_option="zero"))


def test_a_single_dimension_needs_no_tuples():
    x, out = some("int32", (10,)), some("int32", (16,))
    with_one_dimension[(1,)](x, out, 10, -2, CHECK=0)
    np.testing.assert_array_equal(out.numpy(), window(x.numpy(), (-2,), (16,), 0))


@tilewright.jit
def far_away(x, out, size, stride, row, column):
    p = tl.make_block_ptr(x, (4, size), (stride, 1), (row, column), (1, 8), (1, 0))
    values = tl.load(p, boundary_check=(0, 1), padding_option="zero")
    tl.store(out + tl.arange(0, 8), tl.reshape(values, (8,)))


@pytest.mark.parametrize("row", [1, 2, 3])
def test_addresses_of_64_bits(row):
    """The column compensates the row; both, and the bound, exceed 32 bits."""
    x, out = some("int32", (64,)), torch.empty(8, dtype=torch.int32)
    column = row * 2**33 + 3
    far_away[(1,)](x, out, column + 5, -(2**33), row, column)
    assert out.tolist() == [*x[3:8].tolist(), 0, 0, 0]
