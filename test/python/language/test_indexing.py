"""Indices of tiles: slices, integers, None and `...`, against NumPy's."""

import numpy as np
import pytest
from inputs import FLOATS, INTS, fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import (
    CompileError,
    ConstantError,
    ShapeMismatchError,
    TypeMismatchError,
    UnsupportedError,
)


@tilewright.jit
def write(out, part):
    """Stores a tile of rank 1 or 2, or a scalar, in row-major order."""
    if len(part.shape) == 0:
        tl.store(out, part)
    elif len(part.shape) == 1:
        tl.store(out + tl.arange(0, part.shape[0]), part)
    else:
        columns: tl.constexpr = part.shape[1]
        rows = tl.arange(0, part.shape[0])[:, None]
        tl.store(out + rows * columns + tl.arange(0, columns), part)


@tilewright.jit
def read(x, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N))


@tilewright.jit
def slice_columns(x, out, M: tl.constexpr, N: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
                  C: tl.constexpr):  # fmt: skip
    write(out, read(x, M, N)[:, A:B:C])


@tilewright.jit
def slice_rows(x, out, M: tl.constexpr, N: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
               C: tl.constexpr):  # fmt: skip
    write(out, read(x, M, N)[A:B:C])


BOUNDS = [
    (0, 4, None), (4, 8, None), (None, 4, None), (4, None, None), (2, 6, None), (1, None, None),
    (None, None, -1), (None, None, 2), (1, None, 2), (-3, -1, None), (6, 1, -2), (-100, 100, None),
    (7, 8, None),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "c"), BOUNDS)
@pytest.mark.parametrize("kernel", [slice_rows, slice_columns])
def test_slices(kernel, a, b, c):
    x = fresh("int32", (8, 8))
    want = x[a:b:c] if kernel is slice_rows else x[:, a:b:c]
    memory = poisoned("int32", (64 + want.size + 64,))
    kernel[(1,)](x, memory[64:], M=8, N=8, A=a, B=b, C=c)
    assert np.array_equal(memory[64 : 64 + want.size], want.ravel())
    assert (memory[:64] == 85).all() and (memory[64 + want.size :] == 85).all()


@tilewright.jit
def both_halves(x, out, N: tl.constexpr):
    row = tl.load(x + tl.arange(0, N))
    tl.store(out + tl.arange(0, N // 2), row[N // 2 :])
    tl.store(out + N // 2 + tl.arange(0, N // 2), row[: N // 2])


@pytest.mark.parametrize("dtype", ["int1", *INTS, *FLOATS])
@pytest.mark.parametrize("warps", [1, 8])
def test_dtypes(dtype, warps):
    x, out = fresh(dtype, (64,)), poisoned(dtype, (64,))
    both_halves[(1,)](x, out, N=64, num_warps=warps)
    assert list(out[:32]) == list(x[32:]) and list(out[32:]) == list(x[:32])


@tilewright.jit
def elements(x, out, i, M: tl.constexpr, N: tl.constexpr):
    tile = read(x, M, N)
    tl.store(out + 0, tile[i, 1])
    tl.store(out + 1, tile[-1, i])
    tl.store(out + 2, tile[i][i])
    tl.store(out + 3, tile[0, 0])
    tl.store(out + 4, tl.sum(tile[i]))
    tl.store(out + 5, tl.sum(tile[..., i]))
    write(out + 8, tile[i, None, 0:4])


@pytest.mark.parametrize("shape", [(4, 8), (1, 4), (16, 4), (5, 12)])
@pytest.mark.parametrize("dtype", ["int16", "uint64", "fp32"])
def test_elements(shape, dtype):
    x = fresh(dtype, shape, 0, 50)
    for i in range(min(shape)):
        out = poisoned(dtype, (16,))
        elements[(1,)](x, out, i, M=shape[0], N=shape[1])
        a = np.asarray(x)
        want = [a[i, 1], a[-1, i], a[i][i], a[0, 0], a[i].sum(), a[:, i].sum()]
        assert np.allclose(np.asarray(out[:6], dtype=float), want, rtol=1e-5)
        assert np.array_equal(out[8:12], a[i, 0:4])


@tilewright.jit
def walk(x, out, n, N: tl.constexpr):
    """An index that changes in a loop, and one of another width."""
    tile = tl.load(x + tl.arange(0, N))
    total = tl.full((), 0, tl.int64)
    for i in range(n):
        total += tile[i] * tile[(n - 1 - i).to(tl.uint8)]
    tl.store(out, total)


def test_index_in_loop():
    x, out = fresh("int32", (32,), -99, 99), poisoned("int64", (1,))
    walk[(1,)](x, out, 20, N=32)
    assert out[0] == (x[:20].astype(int) * x[:20][::-1].astype(int)).sum()


@tilewright.jit
def pointers(x, out, N: tl.constexpr):
    at = x + tl.arange(0, N)
    tl.store(out + tl.arange(0, N // 4), tl.load(at[N // 4 : N // 2]))
    tl.store(out + N // 4, tl.load(at[3]))


def test_pointers():
    x, out = fresh("fp32", (16,)), poisoned("fp32", (5,))
    pointers[(1,)](x, out, N=16)
    assert np.array_equal(out[:4], x[4:8]) and out[4] == x[3]


def test_bad_indices(values):
    x, i, tile, f = values("fp32[4,8]", "int32", "int32[4]", "fp32")
    with pytest.raises(ShapeMismatchError, match="3 dimensions are indexed"):
        x[:, :, :]
    with pytest.raises(ShapeMismatchError, match="index 4 is out of range for dimension 0"):
        x[4]
    with pytest.raises(ShapeMismatchError, match="index -9 is out of range for dimension 1"):
        x[0, -9]
    with pytest.raises(ShapeMismatchError, match="the slice 3:3:None of a dimension of size 4 is"):
        x[3:3]
    with pytest.raises(ConstantError, match="a bound of a slice must be a constant integer"):
        x[i : i + 2]
    with pytest.raises(ConstantError, match="step of a slice must not be zero"):
        x[::0]
    with pytest.raises(TypeMismatchError, match=r"must be an integer, found .*int32"):
        x[tile]
    with pytest.raises(TypeMismatchError, match="an index must be an integer, found fp32"):
        x[f]
    for item in (True, 1.0, "0"):
        with pytest.raises(UnsupportedError, match="integers, slices, None and"):
            x[item]
    with pytest.raises(UnsupportedError, match=r"can have one '\.\.\.', found 2"):
        x[..., ...]
    with pytest.raises(ShapeMismatchError, match="1 dimensions are indexed, but the type is int32"):
        i[0]


@tilewright.jit
def assigns(x, out):
    tile = tl.load(x + tl.arange(0, 4))
    tile[0] = 1
    tl.store(out + tl.arange(0, 4), tile)


def test_assignment_is_refused():
    with pytest.raises(CompileError):
        assigns[(1,)](fresh("fp32", (4,)), poisoned("fp32", (4,)))


@tilewright.jit
def scalar_kernel(x, y, n):
    i = tl.arange(0, 8)
    factor = tl.where(n < 3, 2.0, 3.0)
    tile = tl.load(x + i[:, None] * 8 + i[None, :]) * factor[:, None]
    tl.store(y + i[:, None] * 8 + i[None, :], tile + tl.program_id(0)[None, :])


@pytest.mark.parametrize("n", [2, 3])
def test_a_scalar_ignores_colons(n) -> None:
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    scalar_kernel[(1,)](x, y, n)
    np.testing.assert_array_equal(y, x * n)
