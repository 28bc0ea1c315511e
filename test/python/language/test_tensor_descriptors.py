"""Tensor descriptors in kernels: loads, stores, gathers, scatters and atomic reductions."""

import numpy as np
import pytest
import torch
from inputs import FLOATS, INTS, ROUNDOFF
from seeds import generator
from windows_of import FLOAT8, plain, put, random_offsets, random_shape, some, window

import tilewright
import tilewright.language as tl

BLOCKS = {1: (16,), 2: (4, 8), 3: (2, 4, 4), 4: (2, 1, 4, 4), 5: (2, 2, 1, 2, 4)}


@tilewright.jit(do_not_specialize=["shape", "strides", "offsets"])
def loaded(
    out, x, shape, strides, offsets, BLOCK: tl.constexpr, PADDING: tl.constexpr, N: tl.constexpr
):
    array = tl.make_tensor_descriptor(x, shape, (*strides, 1), BLOCK, padding_option=PADDING)
    tl.store(out + tl.arange(0, N), tl.reshape(array.load(offsets), (N,)))


@tilewright.jit(do_not_specialize=["shape", "strides", "offsets"])
def stored(x, values, shape, strides, offsets, BLOCK: tl.constexpr, N: tl.constexpr):
    array = tl.make_tensor_descriptor(x, shape, (*strides, 1), BLOCK)
    tile = tl.reshape(tl.load(values + tl.arange(0, N)), BLOCK)
    tl.store_tensor_descriptor(array, offsets, tile)


def padded(shape, dtype="fp32"):
    """A random array with gaps between its rows, planes and so on."""
    memory = some(dtype, tuple(size + 1 for size in shape))
    return memory[tuple(slice(0, size) for size in shape)]


@pytest.mark.parametrize("rank", BLOCKS)
def test_loads(rank):
    for _ in range(6):
        shape, block = random_shape(rank, 9), BLOCKS[rank]
        x, out = padded(shape), torch.zeros(block)
        offsets = random_offsets(shape, block)
        loaded[(1,)](
            out, x, shape, x.stride()[:-1], offsets, BLOCK=block, PADDING="nan", N=out.numel()
        )
        np.testing.assert_array_equal(out.numpy(), window(plain(x), offsets, block, np.nan))


@pytest.mark.parametrize("rank", BLOCKS)
def test_stores(rank):
    for _ in range(6):
        shape, block = random_shape(rank, 9), BLOCKS[rank]
        memory = some("fp32", tuple(size + 1 for size in shape))
        x, expected = memory[tuple(slice(0, size) for size in shape)], memory.clone()
        offsets, values = random_offsets(shape, block), some("fp32", block)
        put(expected[tuple(slice(0, n) for n in shape)].numpy(), offsets, values.numpy())
        stored[(1,)](x, values, shape, x.stride()[:-1], offsets, BLOCK=block, N=values.numel())
        assert torch.equal(memory, expected)


@tilewright.jit
def copied(x, out, rows, columns, row, column, PADDING: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [8, 16], PADDING)
    target = tl.make_tensor_descriptor(out, [8, 16], [16, 1], [8, 16])
    target.store([0, 0], tl.load_tensor_descriptor(source, [row, column]))


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize("dtype", ["int1", *INTS, *FLOATS, *FLOAT8])
def test_dtypes(dtype, padding):
    x, out = some(dtype, (12, 20)), some(dtype, (8, 16))
    if padding == "nan" and dtype not in [*FLOATS, *FLOAT8]:
        return
    for offsets in [(-3, -5), (6, 9), (20, 20)]:
        copied[(1,)](x, out, 12, 20, *offsets, PADDING=padding)
        if dtype in FLOAT8:  # compares numbers, as a NaN has several representations
            source, result = x.float().numpy(), out.float().numpy()
        else:
            source, result = plain(x), plain(out)
        pad = np.nan if padding == "nan" else 0
        np.testing.assert_array_equal(result, window(source, offsets, (8, 16), pad))


@tilewright.jit
def cast_to_the_dtype(out, scalar):
    array = tl.make_tensor_descriptor(out, [3, 5], [5, 1], [4, 8])
    array.store([0, 0], tl.full((4, 8), 2.75, tl.float32))
    array.store([2, 0], scalar)


def test_stored_values_are_cast():
    out = torch.zeros(3, 5, dtype=torch.int16)
    cast_to_the_dtype[(1,)](out, 9.5)
    assert out.tolist() == [[2] * 5, [2] * 5, [9] * 5]


ATOMICS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@tilewright.jit
def reduced(x, values, rows, columns, row, column, KIND: tl.constexpr):
    array = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [8, 4])
    tile = tl.make_tensor_descriptor(values, [8, 4], [4, 1], [8, 4]).load([0, 0])
    if KIND == "add":
        array.atomic_add([row, column], tile)
    elif KIND == "min":
        array.atomic_min([row, column], tile)
    elif KIND == "max":
        array.atomic_max([row, column], tile)
    elif KIND == "and":
        array.atomic_and([row, column], tile)
    elif KIND == "or":
        array.atomic_or([row, column], tile)
    elif KIND == "xor":
        array.atomic_xor([row, column], tile)


@pytest.mark.parametrize("kind", ATOMICS)
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "fp32", "fp16", "bf16"])
def test_atomic_reductions(kind, dtype):
    if dtype in FLOATS and kind in ("and", "or", "xor"):
        return
    for offsets in [(-3, -2), (4, 6)]:
        x, values = some(dtype, (10, 8)), some(dtype, (8, 4))
        expected = plain(x).copy()
        around = window(expected, offsets, (8, 4), 0)
        put(expected, offsets, ATOMICS[kind](around, plain(values)))
        reduced[(1,)](x, values, 10, 8, *offsets, KIND=kind)
        np.testing.assert_allclose(plain(x), expected, rtol=ROUNDOFF.get(dtype, 0) * 2)


def test_programs_reduce_the_same_tile():
    x, values = torch.zeros(8, 4), torch.ones(8, 4)
    reduced[(50,)](x, values, 8, 4, 2, 1, KIND="add")
    assert x[2:, 1:].eq(50).all() and not x[:2].any() and not x[:, 0].any()


@tilewright.jit
def some_rows(x, out, at, rows, columns, stride, first, N: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [stride, 1], [1, BN])
    target = tl.make_tensor_descriptor(out, [rows, columns], [stride, 1], [1, BN])
    chosen = tl.load(at + tl.arange(0, N))
    target.scatter(source.gather(chosen, first) * 2, chosen, first)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("first", [-3, 0, 5])
def test_gather_and_scatter_of_rows(dtype, first):
    x, out = some("fp32", (20, 24)), torch.full((20, 24), -1.0)
    at = generator().permutation(30)[:16] - (0 if dtype == "uint8" else 5)
    some_rows[(1,)](x[:, :20], out, at.astype(dtype), 20, 20, 24, first, N=16, BN=8)
    expected = torch.full((20, 24), -1.0)
    columns = slice(max(first, 0), first + 8)
    for row in at[(at >= 0) & (at < 20)]:
        expected[row, columns] = 2 * x[row, columns]
    assert torch.equal(out, expected)


@tilewright.jit
def rows_outside(x, out, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [4, 4], [4, 1], [1, BN], padding_option="nan")
    values = source.gather(tl.arange(0, 8) - 2, 2)
    tl.store(out + tl.arange(0, 8)[:, None] * BN + tl.arange(0, BN)[None, :], values)


def test_a_gather_pads_rows_and_columns():
    x, out = torch.randn(4, 4), torch.zeros(8, 4)
    rows_outside[(1,)](x, out, BN=4)
    np.testing.assert_array_equal(out.numpy(), window(x.numpy(), (-2, 2), (8, 4), np.nan))


@tilewright.jit
def attributes(x, out, rows, wide):
    d = tl.make_tensor_descriptor(x, [rows, wide], [7, 1], [2, 4])
    tl.static_assert(d.dtype == tl.float16)
    tl.static_assert(d.block_shape[0] == 2 and d.block_shape == (2, 4))
    tl.static_assert(d.block_type == tl.block_type(tl.float16, [2, 4]))
    tl.static_assert(d.shape[0].dtype == tl.int32 and d.shape[1].dtype == tl.int64)
    tl.store(out, d.shape[0] * 1000 + d.shape[1] * 100 + d.strides[0] * 10 + d.strides[1])


def test_attributes():
    out = torch.zeros(1, dtype=torch.int64)
    attributes[(1,)](torch.zeros(1, dtype=torch.float16), out, 2, 2**40)
    assert out.item() == 2000 + 2**40 * 100 + 70 + 1


@tilewright.jit
def far_away(x, out, rows, columns, stride, row, column):
    array = tl.make_tensor_descriptor(x, [rows, columns], [stride, 1], [1, 8])
    tile = array.load([row, column])
    tl.store(out + tl.arange(0, 8), tl.reshape(tile, (8,)))
    rows = tl.zeros((1,), tl.int64) + row
    tl.store(out + 8 + tl.arange(0, 8), tl.reshape(array.gather(rows, column), (8,)))


@pytest.mark.parametrize("row", [1, 3])
def test_addresses_of_64_bits(row):
    """The column compensates the row, as no array of this size fits into memory."""
    x, out = some("int32", (64,)), torch.empty(16, dtype=torch.int32)
    column = row * 2**33 + 3
    far_away[(1,)](x, out, 4, column + 5, -(2**33), row, column)
    assert out.tolist() == [*x[3:8].tolist(), 0, 0, 0] * 2
