"""Tensor descriptors with dimensions, strides and offsets near the ends of their ranges.

Kernels must neither read nor write what is outside of the array; the emulated GPUs and the guards
around the arrays see it.
"""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

BILLION = 2**30
LOW, HIGH = -(2**31), 2**31 - 1
# Offsets of a tile of four indices in a dimension whose last indices are those of the array.
OFFSETS = [
    0, 1, -1, -4, BILLION, -BILLION, BILLION - 4, BILLION - 1, BILLION + 1, HIGH - 4,
    HIGH, LOW, LOW + 3, 2**40, -(2**40), 2**62, -(2**62), 2**63 - 1, -(2**63),
]  # fmt: skip


def guarded(rows, columns):
    """A matrix between guards of 64 elements, and its memory."""
    memory = np.arange(rows * columns + 128, dtype=np.int32)
    return memory[64:-64].reshape(rows, columns), memory


@tilewright.jit(do_not_specialize=["size", "row", "column"])
def copied(x, out, size, row, column, stride, COLUMNS: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [size, COLUMNS], [stride, 1], [4, 8])
    target = tl.make_tensor_descriptor(out, [4, 8], [8, 1], [4, 8])
    target.store([0, 0], source.load([row, column]))


def window(x, row, column):
    """What is loaded of a matrix, by Python's integers."""
    out = np.zeros((4, 8), np.int32)
    for i, j in np.ndindex(4, 8):
        if 0 <= row + i < x.shape[0] and 0 <= column + j < x.shape[1]:
            out[i, j] = x[row + i, column + j]
    return out


@pytest.mark.parametrize("column", [0, 4, -3, HIGH, LOW, 2**63 - 1, -(2**63)])
def test_loads_at_extreme_offsets(column):
    x, _ = guarded(6, 12)
    for row in OFFSETS:
        out = np.full((4, 8), -1, np.int32)
        copied[(1,)](x, out, 6, row, column, 12, COLUMNS=12)
        np.testing.assert_array_equal(out, window(x, row, column), str(row))


@tilewright.jit(do_not_specialize=["size", "row", "column"])
def filled(x, size, row, column, stride, COLUMNS: tl.constexpr):
    target = tl.make_tensor_descriptor(x, [size, COLUMNS], [stride, 1], [4, 8])
    target.store([row, column], tl.full((4, 8), -5, tl.int32))


@pytest.mark.parametrize("column", [0, 4, -3, HIGH, LOW])
def test_stores_at_extreme_offsets(column):
    for row in OFFSETS:
        x, memory = guarded(6, 12)
        expected = memory.copy()
        inside = expected[64:-64].reshape(6, 12)
        for i, j in np.ndindex(4, 8):
            if 0 <= row + i < 6 and 0 <= column + j < 12:
                inside[row + i, column + j] = -5
        filled[(1,)](x, 6, row, column, 12, COLUMNS=12)
        np.testing.assert_array_equal(memory, expected, str(row))


@tilewright.jit(do_not_specialize=["row"])
def descending(x, out, rows, row, stride):
    """The rows of a matrix from the last to the first, by a negative stride."""
    source = tl.make_tensor_descriptor(x + (rows - 1) * stride, [rows, 12], [-stride, 1], [4, 8])
    target = tl.make_tensor_descriptor(out, [4, 8], [8, 1], [4, 8])
    target.store([0, 0], source.load([row, 2]))


def test_negative_strides():
    x, _ = guarded(6, 12)
    for row in OFFSETS:
        out = np.full((4, 8), -1, np.int32)
        descending[(1,)](x, out, 6, row, 12)
        np.testing.assert_array_equal(out, window(x[::-1], row, 2), str(row))


@tilewright.jit(do_not_specialize=["start", "count", "row"])
def in_group(x, out, start, count, row, STORES: tl.constexpr, STRIDE: tl.constexpr):
    """A group of rows as programs write it: the index ends with the dimension of 2^30.

    The first dimension's stride and coordinate, of 2^34 - STRIDE and 2^30, add 2^64 to the offset,
    which wraps, and take 2^30 rows off it again.
    """
    billion: tl.constexpr = 2**30
    huge: tl.constexpr = 0x7FFF0000
    group = tl.make_tensor_descriptor(
        x, [huge, huge, billion, 12], [2**34 - STRIDE, STRIDE, STRIDE, 1], [1, 1, 4, 8]
    )
    at = [billion, start + count, billion - count + row, 2]
    if STORES:
        group.store(at, tl.full((1, 1, 4, 8), -5, tl.int32))
    else:
        rows = tl.arange(0, 4)[:, None]
        tl.store(out + rows * 8 + tl.arange(0, 8), group.load(at).reshape(4, 8))


GROUPS = [
    (0, 6, 0),
    (1, 3, 0),
    (1, 3, 2),
    (2, 4, 1),
    (3, 0, 0),
    (0, 1, 0),
    (5, 1, 0),
    (2, 3, BILLION),
]


@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_groups_by_addresses_that_wrap(group):
    start, count, row = group
    x, memory = guarded(6, 12)
    out = np.full((4, 8), -1, np.int32)
    in_group[(1,)](x, out, start, count, row, STORES=False, STRIDE=12)
    rows = x[start : start + count]
    np.testing.assert_array_equal(out, window(rows, row, 2))
    expected = memory.copy()
    expected[64:-64].reshape(6, 12)[start : start + count][row : row + 4, 2:10] = -5
    in_group[(1,)](x, out, start, count, row, STORES=True, STRIDE=12)
    np.testing.assert_array_equal(memory, expected)


@tilewright.jit(do_not_specialize=["a", "b"])
def sums_that_wrap(x, out, a, b):
    """The sum of the coordinates is outside of int32."""
    source = tl.make_tensor_descriptor(x, [2**30, 12], [12, 1], [4, 8])
    target = tl.make_tensor_descriptor(out, [4, 8], [8, 1], [4, 8])
    target.store([0, 0], source.load([a + b, 0]))


@pytest.mark.parametrize(
    ("a", "b"),
    [(HIGH, 1), (BILLION, BILLION), (LOW, -1), (HIGH, HIGH), (LOW, LOW + 7), (HIGH, -HIGH)],
)
def test_sums_of_coordinates(a, b):
    """Such a sum does not wrap into the array."""
    x, _ = guarded(6, 12)
    out = np.full((4, 8), -1, np.int32)
    sums_that_wrap[(1,)](x, out, a, b)
    np.testing.assert_array_equal(out, window(x, a + b, 0))


@pytest.mark.parametrize("size", [1, 5, 8])
def test_five_dimensions(size):
    """Sizes of 2^30 in all dimensions but one, which only the offsets keep in the array."""

    @tilewright.jit(do_not_specialize=["size"])
    def kernel(x, out, size):
        n: tl.constexpr = 2**30
        strides = [2**40, -(2**41), 8, 2**33, 1]
        source = tl.make_tensor_descriptor(x, [n, n, size, n, 8], strides, [1, 1, 8, 1, 4])
        tile = source.load([0, 0, -2, 0, 5]).reshape(8, 4)
        tl.store(out + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4), tile)
        far = source.load([-1, n, 0, -n, n])
        tl.store(out + 32, tl.sum(tl.ravel(far), 0))

    x, _ = guarded(8, 8)
    out = np.full(33, -1, np.int32)
    kernel[(1,)](x, out, size)
    expected = np.zeros((8, 4), np.int32)
    expected[2 : 2 + size, :3] = x[: min(size, 6), 5:]
    np.testing.assert_array_equal(out[:32].reshape(8, 4), expected)
    assert out[32] == 0
