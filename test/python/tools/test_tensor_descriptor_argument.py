"""TensorDescriptor: arguments of kernels, their checks, and their variants."""

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError
from tilewright.tools.tensor_descriptor import TensorDescriptor

TARGETS = ["cpu", "emulator:cuda:90a+checks"]


@tilewright.jit
def copied(source, result, row, column):
    result.store([0, 0], source.load([row, column]))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float32, torch.float64])
def test_a_kernel_loads_and_stores(dtype, target):
    x = (torch.randn(13, 40) * 9).to(dtype)[:, :32]
    x = x if x.stride(0) * x.itemsize % 16 == 0 else x.contiguous()
    out = torch.full((8, 32), 7).to(dtype)
    source = TensorDescriptor.from_tensor(x, [8, 16])
    copied[(1,)](source, TensorDescriptor.from_tensor(out, [8, 16]), 9, 20, target=target)
    assert torch.equal(out[:4, :12], x[9:, 20:])
    assert not out[4:, :16].any() and not out[:, 12:16].any()
    assert out[:, 16:].eq(7).all()


@pytest.mark.parametrize("target", TARGETS)
def test_padding_and_arrays_of_numpy(target):
    x, out = np.ones((4, 8), np.float32), np.zeros((8, 16), np.float32)
    source = TensorDescriptor.from_tensor(x, (8, 16), padding="nan")
    copied[(1,)](source, TensorDescriptor.from_tensor(out, (8, 16)), -2, 0, target=target)
    assert (out[2:6, :8] == 1).all() and np.isnan(out).sum() == 128 - 32


def test_another_block_shape_is_another_variant():
    x, out = torch.randn(16, 16), torch.zeros(16, 16)
    source, target = (TensorDescriptor.from_tensor(t, [4, 8]) for t in (x, out))
    first = copied[(1,)](source, target, 0, 0)
    assert torch.equal(out[:4, :8], x[:4, :8]) and not out[4:].any()
    source.block_shape = target.block_shape = [16, 16]
    assert copied[(1,)](source, target, 0, 0) is not first
    assert torch.equal(out, x)
    source.block_shape = target.block_shape = (4, 8)
    assert copied[(1,)](source, target, 0, 0) is first


def test_attributes():
    @tilewright.jit
    def attributes(d, out):
        tl.static_assert(d.dtype == tl.float32 and d.block_shape == (4, 8))
        tl.static_assert(d.block_type == tl.block_type(tl.float32, [4, 8]))
        tl.store(out, d.shape[0] * 1000 + d.shape[1] * 100 + d.strides[0] * 10 + d.strides[1])

    out = torch.zeros(1, dtype=torch.int64)
    attributes[(1,)](TensorDescriptor.from_tensor(torch.zeros(3, 12), [4, 8]), out)
    assert out.item() == 3000 + 1200 + 120 + 1


@tilewright.jit
def matmul(a, b, c, K, BK: tl.constexpr):
    m, n = tl.program_id(0) * c.block_shape[0], tl.program_id(1) * c.block_shape[1]
    acc = tl.zeros(c.block_shape, tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
    c.store([m, n], acc.to(c.dtype))


@pytest.mark.parametrize("target", TARGETS)
def test_matmul(target):
    rng = np.random.default_rng(1)
    a = torch.from_numpy(rng.integers(-4, 5, (50, 72))).half()
    b = torch.from_numpy(rng.integers(-4, 5, (40, 72))).half()
    c = torch.zeros(50, 40, dtype=torch.float16)
    arguments = [
        TensorDescriptor.from_tensor(x, block)
        for x, block in ((a, [32, 16]), (b, [16, 16]), (c, [32, 16]))
    ]
    matmul[(2, 3)](*arguments, 72, BK=16, target=target)
    assert torch.equal(c, (a.float() @ b.float().T).half())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((4, 8), (8, 2), (4, 8)), "needs 1 as the last stride, found 2"),
        (((4, 8), (6, 1), (4, 8)), "strides of a multiple of 16 bytes, found 6 elements of 4"),
        (((4, 8), (8, 1), (4, 0)), r"positive sizes as its block_shape, found \[4, 0\]"),
        (((4, 8), (8, 1), (8,)), "of 2 dimensions has a block_shape of 1"),
        (((4, 8), (1,), (4, 8)), "of 2 dimensions has 1 strides"),
        (((), (), ()), "has 1 to 5 dimensions, found 0"),
        (((1,) * 6, (4, 4, 4, 4, 4, 1), (1,) * 6), "has 1 to 5 dimensions, found 6"),
        (((4, 0), (8, 1), (4, 8)), r"needs positive sizes, found \[4, 0\]"),
        (((4, 8), (8, 1), (4, 8), "one"), "has the padding 'zero' or 'nan', found 'one'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        TensorDescriptor(torch.zeros(64), *arguments)


def test_bad_arrays():
    with pytest.raises(ArgumentError, match="needs an address that is a multiple of 16"):
        TensorDescriptor.from_tensor(torch.zeros(64)[1:], [8])
    with pytest.raises(ArgumentError, match=r"cannot pad elements of type torch\.int32 with NaN"):
        TensorDescriptor.from_tensor(torch.zeros(8, dtype=torch.int32), [8], padding="nan")
    with pytest.raises(ArgumentError, match="cannot pad elements of type int32 with NaN"):
        TensorDescriptor.from_tensor(np.zeros(8, np.int32), [8], padding="nan")


def test_a_bad_block_shape_is_found_at_the_launch():
    d = TensorDescriptor.from_tensor(torch.zeros(4, 4), [4, 4])
    d.block_shape = [4, -3]
    with pytest.raises(ArgumentError, match="positive sizes"):
        copied[(1,)](d, d, 0, 0)


@pytest.mark.parametrize("target", TARGETS)
def test_loads_round_to_tf32(target):
    bits = torch.tensor([0x3F800FFF, 0x3F801000, 0x3F801001, 0x3F803000, 0x7F800000, 0x7FC01234,
                         -0x407FEFFF, 0x7F7FFFFF])  # fmt: skip
    want = torch.tensor([0x3F800000, 0x3F800000, 0x3F802000, 0x3F804000, 0x7F800000, 0x7FC01234,
                         -0x407FE000, 0x7F800000])  # fmt: skip
    x, out = bits.int().view(torch.float32)[None], torch.zeros(1, 8)
    source = TensorDescriptor.from_tensor(x, [1, 8], round_f32_to_tf32=True)
    copied[(1,)](source, TensorDescriptor.from_tensor(out, [1, 8]), 0, 0, target=target)
    assert torch.equal(out.view(torch.int32)[0], want.int())
    with pytest.raises(ArgumentError, match="rounds float32 to TF32 only, found elements of type"):
        TensorDescriptor.from_tensor(x.double(), [1, 8], round_f32_to_tf32=True)


def test_the_type_of_a_descriptor():
    @tilewright.jit
    def of_type(d, out):
        tl.static_assert(d.type == tl.tensor_descriptor_type(d.block_type))
        tl.store(out, 1)

    out = torch.zeros(1)
    of_type[(1,)](TensorDescriptor.from_tensor(torch.zeros(3, 12), [4, 8]), out)
    assert out.item() == 1
