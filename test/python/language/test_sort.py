"""tl.sort, tl.topk and tl.bitonic_merge, against PyTorch and NumPy."""

import math

import numpy as np
import pytest
import torch
from inputs import FLOAT8S, FLOATS, INTS, fresh, poisoned
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright.errors import CompileError, ConstantError, ShapeMismatchError, TypeMismatchError


@tilewright.jit
def sort_rows(x, out, M: tl.constexpr, N: tl.constexpr, DOWN: tl.constexpr):
    cell = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + cell, tl.sort(tl.load(x + cell), descending=DOWN))


def sorted_rows(x, descending=False, num_warps=4):
    out = poisoned_like(x)
    rows, size = x.shape
    sort_rows[(1,)](x, out, M=rows, N=size, DOWN=descending, num_warps=num_warps)
    return out


def poisoned_like(x, shape=None):
    shape = tuple(x.shape) if shape is None else shape
    if isinstance(x, torch.Tensor):
        return torch.full(shape, -77, dtype=x.dtype)
    return poisoned("int1" if x.dtype == bool else x.dtype.name, shape)


def expected(x, descending=False):
    if isinstance(x, torch.Tensor):
        return torch.sort(x, dim=-1, descending=descending).values
    ascending = np.sort(x, axis=-1)
    return ascending[..., ::-1] if descending else ascending


def same(found, wanted):
    if isinstance(found, torch.Tensor):
        return torch.equal(found.isnan(), wanted.isnan()) and torch.equal(
            found.nan_to_num(0.0, math.inf, -math.inf), wanted.nan_to_num(0.0, math.inf, -math.inf)
        )
    return np.array_equal(found, wanted)


SHAPES = [(1, 1), (4, 1), (1, 2), (2, 2), (64, 2), (1, 4), (8, 8), (2, 32), (1, 512)]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape):
    x = fresh("int32", shape, -99, 99)
    assert same(sorted_rows(x), expected(x))


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (16, 4), (4, 32)])
def test_descending(shape):
    x = fresh("int32", shape, -99, 99)
    assert same(sorted_rows(x, True), expected(x, True))


@pytest.mark.parametrize("dtype", ["int1", *INTS, *FLOATS])
def test_dtypes(dtype):
    x = fresh(dtype, (4, 16))
    assert same(sorted_rows(x), expected(x))


@pytest.mark.parametrize("dtype", INTS)
def test_extreme_integers(dtype):
    info = np.iinfo(dtype)
    edges = [info.min, info.max, 0, 1, info.max - 1, info.min + 1, info.max // 2, info.max // 2 + 1]
    x = generator().permutation(np.array(edges * 4, dtype=dtype)).reshape(4, 8)
    assert same(sorted_rows(x), expected(x))


@pytest.mark.parametrize(
    ("dtype", "descending"), [("fp16", False), ("bf16", True), ("fp32", True), ("fp64", False)]
)
def test_special_floats(dtype, descending):
    info = torch.finfo(FLOATS[dtype])
    some = [math.inf, -math.inf, math.nan, 1.0, -1.0, info.max, info.min, info.tiny, -info.tiny]
    some += [info.smallest_normal / 2, -info.smallest_normal / 2, 0.0, 3.0, math.nan, 7.0, -3.0]
    x = torch.tensor(some, dtype=FLOATS[dtype])[torch.from_numpy(generator().permutation(16))]
    x = torch.stack([x, x.flip(0), -x, torch.full_like(x, math.nan)])
    assert same(sorted_rows(x, descending), expected(x, descending))


def test_nan_with_a_sign_and_zeros():
    """A NaN is greater than infinity whatever its sign; -0.0 is less than 0.0."""
    bits = [0x7F800001, 0xFFC00000, 0x7F800000, 0xFF800000, 0x00000000, 0x80000000, 0x80000001, 1]
    x = torch.from_numpy(np.array([bits], np.uint32).view(np.float32))
    order = [0xFF800000, 0x80000001, 0x80000000, 0, 1, 0x7F800000, 0x7FC00000, 0x7FC00000]
    assert sorted_rows(x).numpy().view(np.uint32).tolist() == [order]
    assert sorted_rows(x, True).numpy().view(np.uint32).tolist() == [order[::-1]]


@pytest.mark.parametrize("num_warps", [1, 2, 8])
@pytest.mark.parametrize("shape", [(1, 16), (2, 64), (64, 8)])
def test_warps(shape, num_warps):
    x = fresh("fp32", shape)
    assert same(sorted_rows(x, num_warps=num_warps), expected(x))


def test_a_sorted_row_is_a_permutation():
    """Equal elements are neither lost nor duplicated."""
    x = fresh("int8", (8, 32), 0, 3)
    assert same(sorted_rows(x), expected(x))


@tilewright.jit
def sort_codes(x, out, TYPE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    codes = tl.sort(tl.load(x + i).to(TYPE, bitcast=True))
    tl.store(out + i, codes.to(tl.int8, bitcast=True))


@pytest.mark.parametrize("name", FLOAT8S)
def test_every_float8(name):
    codes = torch.from_numpy(generator().permutation(256).astype(np.int8)).reshape(16, 16)
    out = torch.full((16, 16), 85, dtype=torch.int8)
    sort_codes[(1,)](codes, out, TYPE=tl.dtype(name), M=16, N=16)
    x, found = codes.view(FLOAT8S[name]).float(), out.view(FLOAT8S[name]).float()
    assert same(found, expected(x))
    assert sorted(out[~found.isnan()].tolist()) == sorted(codes[~x.isnan()].tolist())


@tilewright.jit
def sort_middle(x, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    cube = tl.reshape(tl.load(x + tl.arange(0, B * M * N)), (B, M, N))
    turned = tl.permute(cube, (0, 2, 1)).sort(dim=2)
    result = tl.permute(turned, (0, 2, 1)) + 1
    tl.store(out + tl.arange(0, B * M * N), tl.ravel(result))


def test_a_permuted_tile_of_rank_3():
    x, out = fresh("int32", (4, 8, 16), -99, 99), poisoned("int32", (4, 8, 16))
    sort_middle[(1,)](x, out, B=4, M=8, N=16)
    assert same(out, np.sort(x, axis=1) + 1)


@tilewright.jit
def sort_in_a_loop(x, out, rows, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros((N,), tl.int32)
    for row in range(rows):
        line = tl.load(x + row * N + i)
        if row % 2 == 0:
            total += tl.sort(line)
        else:
            total += line.sort(descending=True)
    tl.store(out + i, total)


def test_loops_and_branches():
    x, out = fresh("int32", (5, 16), -99, 99), poisoned("int32", (16,))
    sort_in_a_loop[(1,)](x, out, 5, N=16)
    wanted = sum(expected(row, bool(index % 2)) for index, row in enumerate(x))
    assert same(out, wanted)


@tilewright.jit
def top_rows(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GREATEST: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    tile = tl.load(x + i * N + tl.arange(0, N)[None, :])
    best = tl.topk(tile, K) if GREATEST else tl.topk(tile, K, dim=1, descending=False)
    tl.store(out + i * K + tl.arange(0, K)[None, :], best)


TOPS = [
    (1, 1, 1, True), (1, 2, 1, False), (4, 2, 2, True), (8, 64, 1, False), (8, 64, 4, True),
    (16, 16, 16, False), (1, 64, 8, True), (2, 64, 32, False),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "size", "k", "greatest"), TOPS)
def test_topk(rows, size, k, greatest):
    x = fresh("int32", (rows, size), -99, 99)
    out = poisoned("int32", (rows, k))
    top_rows[(1,)](x, out, M=rows, N=size, K=k, GREATEST=greatest)
    assert same(out, expected(x, greatest)[:, :k])


@pytest.mark.parametrize("dtype", ["int1", "uint8", "int64", "uint64", "fp16", "bf16", "fp64"])
def test_topk_dtypes(dtype):
    x = fresh(dtype, (4, 16))
    out = poisoned_like(x, (4, 4))
    top_rows[(1,)](x, out, M=4, N=16, K=4, GREATEST=True)
    assert same(out, expected(x, True)[:, :4])


@tilewright.jit
def merge_rows(x, out, M: tl.constexpr, N: tl.constexpr, DOWN: tl.constexpr):
    cell = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + cell, tl.load(x + cell).bitonic_merge(descending=DOWN))


def bitonic(dtype, size):
    """Four bitonic rows with equal elements: ascending to a peak, all but one rotated."""
    x = fresh(dtype, (4, size), -size, size) if dtype == "int32" else fresh(dtype, (4, size))
    rows = np.sort(np.asarray(x), axis=1)
    for row, peak, by in zip(
        rows, (size // 2, size // 2, size, size // 3), (0, 1, 2, 3), strict=True
    ):
        row[peak:] = row[peak:][::-1]
        row[:] = np.roll(row, by * size // 4)
    return rows


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 12, 16, 33, 48, 63, 64])
def test_bitonic_merge(size, descending):
    x, out = bitonic("int32", size), poisoned("int32", (4, size))
    merge_rows[(1,)](x, out, M=4, N=size, DOWN=descending)
    assert same(out, expected(x, descending))


@pytest.mark.parametrize("size", [8, 11])
@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "fp32", "fp64"])
def test_bitonic_merge_of_types(dtype, size):
    wide = {"fp32": np.float32, "fp64": np.float64}.get(dtype) or np.dtype(dtype)
    low = bitonic("int32", size)
    x = (low - low.min()).astype(wide)
    if np.issubdtype(wide, np.floating):
        x[1, x[1].argmax()], x[2, x[2].argmin()] = np.nan, -np.inf
    else:
        x[1, x[1].argmax()], x[2, x[2].argmin()] = np.iinfo(wide).max, np.iinfo(wide).min
    out = np.full((4, size), 99, wide)
    for down in (False, True):
        merge_rows[(1,)](x, out, M=4, N=size, DOWN=down)
        want = np.sort(x, axis=1)  # with NaN last
        np.testing.assert_array_equal(out, want[:, ::-1] if down else want)


def test_bad_input(values):
    x, square, scalar, pointers = values("int32[16]", "fp32[4,8]", "fp32", "*int32[16]")
    for function in (tl.sort, tl.bitonic_merge, lambda x, dim=None: tl.topk(x, 2, dim)):
        with pytest.raises(ShapeMismatchError, match="takes the last dimension, 1, found dim 0"):
            function(square, dim=0)
        with pytest.raises(ShapeMismatchError, match="axis 2 is out of range"):
            function(square, dim=2)
        with pytest.raises(ShapeMismatchError, match="takes a tile, found a scalar fp32"):
            function(scalar)
        with pytest.raises(TypeMismatchError, match="takes integers or floats, found pointer"):
            function(pointers)
    with pytest.raises(TypeMismatchError, match="found fp8e4b15"):
        tl.sort(x.to(tl.int8).to(tl.float8e4b15, bitcast=True))
    with pytest.raises(ConstantError, match="descending must be known at compile time"):
        tl.sort(x, descending=scalar)
    for k in (0, -2):
        with pytest.raises(ShapeMismatchError, match=f"must be positive, found {k}"):
            tl.topk(x, k)
    with pytest.raises(ShapeMismatchError, match=r"at most .* found 16 for the shape \[4, 8\]"):
        tl.topk(square, 16)
    with pytest.raises(ConstantError, match="k of topk"):
        tl.topk(x, scalar)
    assert tl.sort(square, dim=-1).type == square.type


@tilewright.jit
def bad_k(x, out):
    tl.store(out + tl.arange(0, 8), tl.topk(tl.load(x + tl.arange(0, 16)), -12))


def test_the_error_names_the_line():
    with pytest.raises(CompileError, match="found -12") as caught:
        bad_k.warmup(poisoned("int32", (16,)), poisoned("int32", (8,)), grid=(1,))
    assert "tl.topk(tl.load(x + tl.arange(0, 16)), -12)" in str(caught.value)
