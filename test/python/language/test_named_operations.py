"""Operations that are also written otherwise: tl.add, tl.squeeze, x.item(), tl.reduce_or."""

import numpy as np
import pytest
from inputs import INTS, fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError


@tilewright.jit
def arithmetic(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(tl.add(y, i))
    tl.store(out + i, tl.add(a, b, sanitize_overflow=False))
    tl.store(out + N + i, tl.sub(a, b))
    tl.store(out + 2 * N + i, tl.core.mul(a, b, True))
    tl.store(out + 3 * N + i, tl.sub(tl.add(a, 3), 5))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_arithmetic_wraps(dtype):
    x, y, out = fresh(dtype, (64,)), fresh(dtype, (64,)), poisoned(dtype, (4, 64))
    arithmetic[(1,)](x, y, out, N=64)
    three, five = np.asarray(3, x.dtype), np.asarray(5, x.dtype)
    assert np.array_equal(out, np.stack([x + y, x - y, x * y, x + three - five]))


def test_types_of_arithmetic(values):
    i, x, half, flag = values("int8[16]", "fp32[16]", "fp16", "int1")
    assert tl.add(i, x).dtype is tl.float32
    assert tl.mul(i, 2).dtype is tl.int8
    assert tl.sub(half, i).type.shape == (16,)
    with pytest.raises(ConstantError, match="sanitize_overflow must be known at compile time"):
        tl.add(i, i, sanitize_overflow=flag)
    with pytest.raises(TypeMismatchError, match="does not take two pointers"):
        tl.add(*values("*fp32", "*fp32"))


@tilewright.jit
def squeezed(x, out, single, N: tl.constexpr):
    row = tl.load(x + tl.arange(0, N))
    column = tl.unsqueeze(row, -1)
    tl.static_assert(column.shape[0] == N and column.shape[1] == 1)
    tl.store(out + tl.arange(0, N), tl.squeeze(column.unsqueeze(0), 2).squeeze(-2) * 2)
    one = tl.sum(row, 0, keep_dims=True)
    tl.store(single, tl.squeeze(one, 0))
    tl.store(single + 1, one.unsqueeze(1).item())
    tl.store(single + 2, tl.sum(row).item())


@pytest.mark.parametrize("size", [1, 32])
def test_squeeze_and_item(size):
    x, out, single = fresh("int32", (size,), -9, 9), *(poisoned("int32", (n,)) for n in (size, 3))
    squeezed[(1,)](x, out, single, N=size)
    assert np.array_equal(out, x * 2)
    assert single.tolist() == [x.sum()] * 3


def test_bad_shapes(values):
    x, square, one = values("fp32[16]", "fp32[4,4]", "fp32[1,1]")
    with pytest.raises(ShapeMismatchError, match=r"size 1, found dimension 1 of \[4, 4\]"):
        tl.squeeze(square, -1)
    with pytest.raises(ShapeMismatchError, match="axis 2 is out of range"):
        tl.squeeze(square, 2)
    with pytest.raises(ShapeMismatchError, match="axis 0 is out of range for 0 dimensions"):
        tl.squeeze(one.item(), 0)
    with pytest.raises(ShapeMismatchError, match="axis 3 is out of range"):
        tl.unsqueeze(square, 3)
    with pytest.raises(ConstantError, match="dim of unsqueeze"):
        tl.unsqueeze(square, (0, 1))
    with pytest.raises(ShapeMismatchError, match=r"one element, found shape \[16\]"):
        x.item()


@tilewright.jit
def ors(x, rows, columns, M: tl.constexpr, N: tl.constexpr):
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(rows + tl.arange(0, M), tl.reduce_or(tile, 1))
    tl.store(columns + tl.arange(0, N)[None, :], tile.reduce_or(axis=0, keep_dims=True))


@pytest.mark.parametrize("dtype", ["int1", *INTS])
def test_reduce_or(dtype):
    x = fresh(dtype, (8, 16)) & fresh(dtype, (8, 16))
    rows, columns = poisoned(dtype, (8,)), poisoned(dtype, (16,))
    ors[(1,)](x, rows, columns, M=8, N=16)
    assert np.array_equal(rows, np.bitwise_or.reduce(x, axis=1))
    assert np.array_equal(columns, np.bitwise_or.reduce(x, axis=0))


def test_reduce_or_of_floats(values):
    with pytest.raises(TypeMismatchError, match="reduce_or takes integers, found fp32"):
        tl.reduce_or(values("fp32[16]")[0], 0)
