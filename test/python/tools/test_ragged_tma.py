"""Ragged descriptors: groups of rows, whose ends no tile crosses."""

import itertools

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, CompilationError
from tilewright.tools.ragged_tma import (
    atomic_add_ragged,
    create_ragged_descriptor,
    load_ragged,
    store_ragged,
    to_ragged_indices,
)
from tilewright.tools.tensor_descriptor import TensorDescriptor

TARGETS = ["cpu", "emulator:cuda:80+checks", "emulator:cuda:90a+checks"]
# Along the ragged dimension of 24: first index, number of indices, coordinate of the tile.
GROUPS = [
    (0, 24, 0), (5, 3, 0), (5, 11, 8), (5, 11, -2), (5, 11, -4), (5, 11, 11), (5, 0, 0),
    (5, -3, -8),
    (20, 4, 2), (20, 40, 2), (24, 5, 0), (-3, 9, 0), (-3, 9, -2), (-9, 5, 0), (7, 2**31 - 1, 3),
    (7, 5, 2**30), (7, 5, -(2**31)), (2**31 - 1, 2**31 - 1, -(2**31)), (-(2**31), 2**31 - 1, 9),
]  # fmt: skip
SHAPES = {  # the array's shape and that of the tiles, with 24 along the ragged dimension
    (2, 0): ((24, 40), (4, 16)),
    (3, 1): ((3, 24, 16), (1, 4, 16)),
    (5, 1): ((2, 24, 1, 3, 8), (2, 4, 1, 1, 8)),
    (5, 3): ((2, 1, 3, 24, 8), (1, 1, 2, 4, 4)),
}


@tilewright.jit(do_not_specialize=["off", "size", "at"])
def loaded(x, out, off, size, at, DIM: tl.constexpr, N: tl.constexpr):
    tile = load_ragged(x, off, size, at, ragged_dim=DIM)
    tl.store(out + tl.arange(0, N), tl.reshape(tile, (N,)))


@tilewright.jit(do_not_specialize=["off", "size", "at"])
def stored(y, values, off, size, at, DIM: tl.constexpr, N: tl.constexpr, ADDS: tl.constexpr):
    tile = tl.reshape(tl.load(values + tl.arange(0, N)), y.block_shape)
    if ADDS:
        atomic_add_ragged(y, off, size, at, tile, DIM)
    else:
        store_ragged(y, off, size, at, tile, DIM)


def elements(shape, dim, group, block, at):
    """Pairs of the indices in the array and in the tile of the elements in both and the group."""
    for index in itertools.product(*map(range, block)):
        place = [a + i for a, i in zip(at, index, strict=True)]
        inside = 0 <= place[dim] < group[1]
        place[dim] += group[0]
        if inside and all(0 <= p < n for p, n in zip(place, shape, strict=True)):
            yield tuple(place), index


def cases(key):
    """The groups, each with the coordinates of a tile."""
    shape, block = SHAPES[key]
    rng = np.random.default_rng(7)
    for group in GROUPS:
        at = [int(rng.integers(0, n - b + 1)) for n, b in zip(shape, block, strict=True)]
        at[key[1]], at[-1] = group[2], int(rng.integers(-2, shape[-1]))
        yield group[:2], tuple(at)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("key", SHAPES, ids=str)
def test_loads(key, target):
    shape, block = SHAPES[key]
    x = torch.randn(shape)
    source = create_ragged_descriptor(x, block, key[1])
    for group, at in cases(key):
        out, expected = torch.full(block, 7.0), torch.zeros(block)
        loaded[(1,)](source, out, *group, at, key[1], out.numel(), target=target)
        for place, index in elements(shape, key[1], group, block, at):
            expected[index] = x[place]
        assert torch.equal(out, expected), (group, at)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize("key", SHAPES, ids=str)
def test_stores(key, adds, target):
    shape, block = SHAPES[key]
    written = 0
    for group, at in cases(key):
        y, values = torch.randint(9, shape).float(), torch.randint(9, block).float()
        expected = y.clone()
        result = create_ragged_descriptor(y, block, key[1] - len(shape))
        arguments = (result, values, *group, at, key[1] - len(shape), values.numel(), adds)
        stored[(1,)](*arguments, target=target)
        for place, index in elements(shape, key[1], group, block, at):
            expected[place] = values[index] + adds * expected[place]
            written += 1
        assert torch.equal(y, expected), (group, at)
    assert written > 0


@tilewright.jit
def group_products(x, w, y, starts, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows of group g by the g-th matrix, each program one tile; the descriptor is made again."""
    group, m, n = tl.program_id(0), tl.program_id(1) * BM, tl.program_id(2) * BN
    again = tl.make_tensor_descriptor(y.base, y.shape, (*y.strides[:-1], 1), y.block_shape)
    start = tl.load(starts + group)
    size = tl.load(starts + group + 1) - start
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        part = load_ragged(x, start, size, [m, k])
        total = tl.dot(part, w.load([group, k, n]).reshape(BK, BN), total)
    store_ragged(again, start, size, [m, n], total.to(y.dtype))


@pytest.mark.parametrize("target", TARGETS)
def test_products_of_groups(target):
    counts = [5, 0, 1, 33, 16]
    starts = torch.tensor([0, *np.cumsum(counts)], dtype=torch.int32)
    x = torch.randint(-4, 5, (60, 72)).half()
    w = torch.randint(-4, 5, (len(counts), 72, 40)).half()
    y = torch.full((60, 40), 9.0).half()
    group_products[(len(counts), 3, 2)](
        create_ragged_descriptor(x, [16, 32]),
        TensorDescriptor.from_tensor(w, [1, 32, 32]),
        create_ragged_descriptor(y, [16, 32]),
        starts, 72, BM=16, BN=32, BK=32, target=target,
    )  # fmt: skip
    expected = torch.full((60, 40), 9.0)
    for group, (first, end) in enumerate(itertools.pairwise(starts.tolist())):
        expected[first:end] = x[first:end].float() @ w[group].float()
    assert torch.equal(y.float(), expected)


@pytest.mark.parametrize("array", [np.float16, np.int32, np.uint8])
def test_arrays_of_numpy(array):
    x, out = np.arange(24 * 16).reshape(24, 16).astype(array), np.ones((4, 16), array)
    loaded[(1,)](create_ragged_descriptor(x, (4, 16)), out, 5, 3, (0, 0), 0, out.size)
    np.testing.assert_array_equal(out[:3], x[5:8])
    assert not out[3].any()


@tilewright.jit
def constants(x, out):
    tile = load_ragged(x, 4, 3, [1, 8])
    tl.store(out + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8), tile)


def test_constant_coordinates():
    x, out = torch.randn(24, 16), torch.ones(4, 8)
    constants[(1,)](create_ragged_descriptor(x, [4, 8]), out)
    assert torch.equal(out[:2], x[5:7, 8:]) and not out[2:].any()


@pytest.mark.parametrize(
    ("shape", "block", "dim", "message"),
    [
        ((24, 16), [4, 8], 1, "a dimension other than the last of 2, found 1"),
        ((24, 16), [4, 8], -1, "other than the last of 2, found -1"),
        ((24, 16), [4, 8], -3, "found -3"),
        ((24,), [4], 0, "other than the last of 1, found 0"),
        ((24, 16), [4], 0, "has a block_shape of 1"),
        ((24, 3), [4, 1], 0, "multiple of 16 bytes"),
        ((1, 1, 1, 1, 24, 16), [1] * 6, 0, "1 to 5 dimensions, found 6"),
    ],
)
def test_arrays_that_are_refused(shape, block, dim, message):
    with pytest.raises(ArgumentError, match=message):
        create_ragged_descriptor(torch.zeros(shape), block, dim)


def test_too_many_rows():
    rows = torch.zeros(1, 16).expand(2**30 + 1, 16)
    with pytest.raises(ArgumentError, match=r"at most 2\^30 rows, found 1073741825"):
        create_ragged_descriptor(rows, [4, 16])


@tilewright.jit
def misused(x, KIND: tl.constexpr):
    if KIND == "pointer":
        load_ragged(x.base, 0, 3, [0, 0])
    elif KIND == "coords":
        load_ragged(x, 0, 3, [0, 0, 0])
    elif KIND == "dim":
        load_ragged(x, 0, 3, [0, 0], 2)
    elif KIND == "dynamic":
        load_ragged(x, 0, 3, [0, 0], tl.program_id(0))
    elif KIND == "float":
        load_ragged(x, 0.5, 3, [0, 0])
    else:
        store_ragged(x, 0, 3, [0, 0], tl.zeros((8, 4), tl.float32))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("pointer", "load_ragged takes a tensor descriptor"),
        ("coords", "a block_shape of 2 dimensions, but 3 coords"),
        ("dim", "load_ragged has 2 dimensions, but the ragged_dim 2"),
        ("dynamic", "ragged_dim of load_ragged"),
        ("float", "slice_off of load_ragged must be integers"),
        ("value", r"a value of shape \[8, 4\] for a block of shape \[4, 8\]"),
    ],
)
def test_misuse_in_a_kernel(kind, message):
    with pytest.raises(CompilationError, match=message):
        misused[(1,)](create_ragged_descriptor(torch.zeros(24, 16), [4, 8]), kind)


@tilewright.jit
def by_triton_coordinates(x, out, off, size, row, BM: tl.constexpr, BN: tl.constexpr):
    end, far, at = to_ragged_indices(off, size, row)
    tile = tl.reshape(x.load([end, far, at, 0]), (BM, BN))
    tl.store(out + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], tile)


@pytest.mark.parametrize("target", TARGETS)
def test_a_descriptor_with_two_more_dimensions(target):
    """Addresses wrap at 2^64 elements, and the end of the group is that of the dimension."""
    x = torch.randn(24, 16)
    shape, strides = [2**31 - 2**16, 2**31 - 2**16, 2**30, 16], [2**34 - 16, 16, 16, 1]
    source = TensorDescriptor(x, shape, strides, [1, 1, 8, 16])
    for off, size, row in [(0, 24, 0), (5, 11, 0), (5, 11, 8), (20, 4, 0), (3, 0, 0)]:
        out, expected = torch.full((8, 16), 7.0), torch.zeros(8, 16)
        by_triton_coordinates[(1,)](source, out, off, size, row, 8, 16, target=target)
        count = max(min(size - row, 8), 0)
        expected[:count] = x[off + row : off + row + count]
        assert torch.equal(out, expected), (off, size, row)
