"""Columns compared with labels of 64 bits, of which only the low 32 bits may be equal."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

BLOCK = 64
LABELS = [
    0, 5, 63, 64, 127, 128, -1, -2, -64, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**32 + 5,
    5 - 2**32, 2**63 - 1, -(2**63), 2**40 + 70,
]  # fmt: skip


@tilewright.jit
def mark(labels, out, start, n, EQUAL: tl.constexpr, BLOCK: tl.constexpr):
    label = tl.load(labels + tl.program_id(0))
    out += tl.program_id(0) * n
    for i in range(0, n, BLOCK):
        columns = start + i + tl.arange(0, BLOCK)
        found = columns == label if EQUAL else label != columns
        tl.store(out + i + tl.arange(0, BLOCK), found)


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("start", [0, 1, -70, 2**31 - 100, -(2**31)])
def test_labels(start: int, equal: bool) -> None:
    """Columns wrap from 2^31 - 1 to -2^31."""
    near = [start, start + 3, start + 100, start + 127 - 2**32]
    labels = np.array([label for label in LABELS + near if -(2**63) <= label < 2**63], np.int64)
    out = np.zeros((labels.size, 128), np.int8)
    mark[labels.size,](labels, out, start, 128, equal, BLOCK)
    columns = (np.arange(start, start + 128).astype(np.int64) + 2**31) % 2**32 - 2**31
    np.testing.assert_array_equal(out, (columns == labels[:, None]) == equal)


@tilewright.jit
def mark_block(labels, out, EQUAL: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    label = tl.load(labels + rows)[:, None]
    found = label == columns[None, :] if EQUAL else columns[None, :] != label
    tl.store(out + rows[:, None] * BLOCK + columns[None, :], found)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int16, np.uint8])
@pytest.mark.parametrize("equal", [True, False])
def test_rows_of_labels(equal: bool, dtype: type) -> None:
    values = np.array((LABELS * 2)[:32], object) % 2 ** (8 * dtype().itemsize)
    labels = values.astype(np.uint64).astype(dtype)
    out = np.zeros((32, BLOCK), np.int8)
    mark_block[2,](labels, out, equal, 16, BLOCK)
    np.testing.assert_array_equal(
        out, (np.arange(BLOCK) == labels.astype(object)[:, None]) == equal
    )


@tilewright.jit
def mark_narrow(labels, out, BLOCK: tl.constexpr, DTYPE: tl.constexpr):
    label = tl.load(labels + tl.program_id(0))
    columns = tl.arange(0, BLOCK).to(DTYPE)
    tl.store(out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), columns == label)


@pytest.mark.parametrize("dtype", [tl.int8, tl.uint8, tl.int16, tl.uint32])
def test_narrow_columns(dtype: tl.dtype) -> None:
    """Columns that were cut: 200 is -56 in eight bits."""
    block = 256
    labels = np.array([*LABELS, 200, -56, 255, 256 + 7], np.int64)
    out = np.zeros((labels.size, block), np.int8)
    mark_narrow[labels.size,](labels, out, block, dtype)
    kind = np.dtype(dtype.name)
    columns = np.arange(block).astype(kind).astype(np.int64)
    np.testing.assert_array_equal(out, columns == labels[:, None])


@tilewright.jit
def mark_far(labels, out, STEP: tl.constexpr, N: tl.constexpr):
    columns = tl.program_id(0) * STEP + tl.arange(0, N)
    label = tl.load(labels + tl.program_id(0))
    tl.store(out + tl.program_id(0) * N + tl.arange(0, N), columns == label)


@pytest.mark.parametrize("offset", [0, 2**32, -(2**32)])
def test_columns_that_wrap(offset: int) -> None:
    """A launch whose columns wrap runs code that does not rely on their signs."""
    step, n = 2**30, 64
    first = np.array([0, step, 2 * step - 2**32, 3 * step - 2**32], np.int64)
    out = np.zeros((4, n), np.int8)
    mark_far[4,](first + 7 + offset, out, step, n)
    np.testing.assert_array_equal(out, (np.arange(n) == 7) & (offset == 0) & np.ones((4, 1), bool))


@pytest.mark.cpu_only("looks at code that all targets share")
def test_equalities_are_narrow() -> None:
    loop = ["*i64:D", "*i8:D", 0, "i32", True, BLOCK]
    for kernel, signature in [
        (mark, loop),
        (mark_block, ["*i64:D", "*i8:D", True, 16, BLOCK]),
        (mark_far, ["*i64:D", "*i8:D", 2**30, 64]),
    ]:
        made = tilewright.compiler.compile(kernel, signature, "cpu", {})
        compares = [line for line in made.ir("tile").splitlines() if "cmpi eq" in line]
        assert compares and not any("i64>" in line for line in compares)
