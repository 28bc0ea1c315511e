"""Loads in loops with a number of stages and no dot: copied to shared memory some iterations ahead.

Each thread reads only what it has copied itself.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import Options, compile

SIZE = 256  # two warps copy 16 bytes per thread


def numbers(count: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 9, max(count, 1)).astype(dtype)


@tilewright.jit
def folded(x, out, n, end, OTHER: tl.constexpr, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """Each iteration masks off another number of elements."""
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), out.dtype.element_ty)
    for row in tl.range(n, num_stages=STAGES):
        value = tl.load(x + row * SIZE + i, mask=row * SIZE + i < end - row * 16, other=OTHER)
        total = tl.maximum(total * 2 - 20, value.to(total.dtype))
    tl.store(out + i, total)


def check_folded(dtype: Any, n: int, end: int, other: float, size: int, stages: int, **launch: Any):
    exact = np.float64 if np.dtype(dtype).kind == "f" else np.int64
    x = numbers(n * size, dtype)
    out = np.zeros(size, exact)
    folded[(1,)](x, out, n, end, other, size, stages, **launch)
    total = np.zeros(size, exact)
    for row in range(n):
        at = row * size + np.arange(size)
        value = np.where(at < end - row * 16, x[row * size :][:size], other)
        total = np.maximum(total * 2 - 20, value.astype(exact))
    np.testing.assert_array_equal(out, total)


@pytest.mark.parametrize("stages", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [0, 1, 2, 6])
@pytest.mark.parametrize("end", [0, 100, 2 * SIZE, 1000])
def test_stages_and_trip_counts(end: int, n: int, stages: int) -> None:
    check_folded(np.float32, n, end, float("-inf"), SIZE, stages, num_warps=2)


@pytest.mark.parametrize("other", [0, 3])
@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float64]
)
def test_types(dtype: Any, other: int) -> None:
    check_folded(dtype, 4, 3 * SIZE + 16, other, SIZE, 3, num_warps=1)


@pytest.mark.parametrize(
    ("size", "warps"),
    [(1, 1), (16, 4), (64, 8), (100, 1), (8192, 8), (16384, 16), (65536, 16)],
)
def test_tiles_from_one_element_to_more_than_shared_memory_holds(size: int, warps: int) -> None:
    check_folded(np.float32, 3, 2 * size + 7, float("-inf"), size, 4, num_warps=warps)


@tilewright.jit
def fragments(x, out, n, shift, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """Two elements of 16 bits per thread, which ldmatrix could read, but from other lanes' rows."""
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.float32)
    for row in tl.range(n, num_stages=STAGES):
        total = total * 2 + tl.load(x + row * SIZE + i + tl.multiple_of(shift, 2))
    tl.store(out + i, total)


@pytest.mark.parametrize("shift", [0, 2, 8])
@pytest.mark.parametrize("warps", [1, 2, 4])
def test_copies_of_fewer_bytes_than_a_row_of_ldmatrix(warps: int, shift: int) -> None:
    x, out = numbers(5 * 512 + 8, np.float16), np.zeros(512, np.float32)
    fragments[(1,)](x, out, 5, shift, 512, 3, num_warps=warps)
    rows = x[shift:][: 5 * 512].reshape(5, 512).astype(np.float32)
    np.testing.assert_array_equal(out, sum(rows[row] * 2 ** (4 - row) for row in range(5)))


@tilewright.jit
def moving(x, y, n, AHEAD: tl.constexpr, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """What an iteration stores through y, a later one may load through x."""
    i = tl.arange(0, SIZE)
    for row in tl.range(n, num_stages=STAGES):
        value = tl.load(x + row * SIZE + i)
        tl.store(y + (row + AHEAD) * SIZE + (SIZE - 1 - i), value * 2 + 1)


@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize("ahead", [0, 1, 2, 3])
@pytest.mark.parametrize("shift", [None, 0, 1, 4, SIZE])
def test_rows_that_the_loop_writes(shift: int | None, ahead: int, stages: int) -> None:
    """`shift` is the distance of the arrays; they are the same one if it is 0."""
    x, n = numbers(12 * SIZE, np.int32), 6
    y = x.copy() if shift is None else x[shift:]
    want_x = x.copy()
    want_y = want_x.copy() if shift is None else want_x[shift:]
    moving[(1,)](x, y, n, ahead, SIZE, stages, num_warps=2)
    for row in range(n):
        value = want_x[row * SIZE :][:SIZE] * 2 + 1
        want_y[(row + ahead) * SIZE :][:SIZE] = value[::-1]
    np.testing.assert_array_equal(x, want_x)
    np.testing.assert_array_equal(y, want_y)


@tilewright.jit
def linked(x, table, out, n, end, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """Addresses and masks are loaded in the loop, and the values outside of a mask carried."""
    i = tl.arange(0, SIZE)
    before = tl.zeros((SIZE,), tl.int32)
    total = before
    at = 0
    for row in tl.range(n, num_stages=STAGES):
        at = tl.load(table + at)
        order = tl.load(table + row) * SIZE + (i ^ 4)
        value = tl.load(x + at * SIZE + i, mask=i < end + at * 16, other=before)
        total = total * 3 + value - before + tl.load(x + order)
        if row == end % 8:
            break
        before = value
    tl.store(out + i, total)


@pytest.mark.parametrize("end", [48, 96, 99])
@pytest.mark.parametrize("n", [0, 1, 3, 8])
def test_loaded_addresses(n: int, end: int) -> None:
    x, out = numbers(8 * SIZE, np.int32), np.zeros(SIZE, np.int32)
    table = np.array([3, 7, 0, 1, 6, 2, 4, 5], np.int32)
    linked[(1,)](x, table, out, n, end, SIZE, 3, num_warps=2)
    i, before, total, at = np.arange(SIZE), np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32), 0
    for row in range(n):
        at = table[at]
        value = np.where(i < end + at * 16, x[at * SIZE + i], before)
        total = total * 3 + value - before + x[table[row] * SIZE + (i ^ 4)]
        if row == end % 8:
            break
        before = value
    np.testing.assert_array_equal(out, total)


@tilewright.jit
def sharing(x, out, n, pitch, SIZE: tl.constexpr, STAGES: tl.constexpr):
    """The mask of the second load is computed from what the first one's address is."""
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.float32)
    for row in tl.range(n, num_stages=STAGES):
        tl.store(out + i, total)
        one = tl.load(x + row * pitch + i)
        two = tl.load(x + row * SIZE + i, mask=row * pitch + i < SIZE, other=-1.0)
        total = total * 2 + one - two
    tl.store(out + i, total)


@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize("pitch", [0, 16, 33])
def test_computations_for_several_loads(pitch: int, stages: int) -> None:
    x, out, i = numbers(5 * SIZE), np.zeros(SIZE, np.float32), np.arange(SIZE)
    sharing[(1,)](x, out, 5, pitch, SIZE, stages, num_warps=2)
    total = np.zeros(SIZE, np.float32)
    for row in range(5):
        two = np.where(row * pitch + i < SIZE, x[row * SIZE + i], -1)
        total = total * 2 + x[row * pitch + i] - two
    np.testing.assert_array_equal(out, total)


@tilewright.jit
def nested(x, out, rows, columns, SIZE: tl.constexpr, OUTER: tl.constexpr, INNER: tl.constexpr):
    """The greatest element of each row: programs share the rows, and loops their blocks."""
    i = tl.arange(0, SIZE)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=OUTER):
        first = tl.load(x + row * columns + i, mask=i < columns, other=float("-inf"))
        best = first
        for start in tl.range(0, columns, SIZE, num_stages=INNER):
            at = start + i
            block = tl.load(x + row * columns + at, mask=at < columns, other=float("-inf"))
            best = tl.maximum(best, block)
        tl.store(out + row, tl.max(best, 0) + tl.max(first, 0))


@pytest.mark.parametrize("stages", [(1, 3), (3, 1), (2, 4)])
@pytest.mark.parametrize("columns", [1, 33, 128, 400])
def test_loops_in_loops(columns: int, stages: tuple[int, int]) -> None:
    x, out = numbers(7 * columns).reshape(7, columns), np.zeros(7, np.float32)
    nested[(3,)](x, out, 7, columns, 128, *stages, num_warps=1)
    np.testing.assert_array_equal(out, x.max(1) + x[:, :128].max(1))


@tilewright.jit
def turned(x, y, out, n, SIDE: tl.constexpr, STAGES: tl.constexpr):
    """One of the loads goes to other threads through a buffer that is there anyway."""
    i, j = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for step in tl.range(n, num_stages=STAGES):
        one = tl.load(x + step * SIDE * SIDE + i * SIDE + j)
        two = tl.load(y + step * SIDE * SIDE + i * SIDE + j)
        total = total * 2 + tl.trans(one) - two
    tl.store(out + i * SIDE + j, total)


@pytest.mark.parametrize(("side", "stages"), [(32, 2), (32, 4), (64, 2), (64, 3)])
def test_loads_that_are_transposed(side: int, stages: int) -> None:
    x, y = numbers(3 * side * side), numbers(3 * side * side + 1)[1:]
    out = np.zeros((side, side), np.float32)
    turned[(1,)](x, y, out, 3, side, stages, num_warps=8)
    total = np.zeros_like(out)
    for one, two in zip(x.reshape(3, side, side), y.reshape(3, side, side), strict=True):
        total = total * 2 + one.T - two
    np.testing.assert_array_equal(out, total)


def copies(kernel: Any, *signature: Any, warps: int = 2, noalias: bool = True) -> int:
    """The number of instructions that copy asynchronously."""
    options = Options.make({"num_warps": warps})
    made = compile(kernel, signature, "cuda:80", options, noalias=noalias)
    return len(re.findall(r"cp\.async\.c[ag]\.", made.asm["ptx"]))


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
def test_what_is_copied() -> None:
    arrays = ("*fp32:D", "*fp32:D")
    masked = (*arrays, "i32", "i32:D", float("-inf"))
    assert copies(folded, *masked, SIZE, 1) == 0  # one stage
    assert copies(folded, *masked, SIZE, 2) > 0
    assert copies(folded, *masked, SIZE, 4) > copies(folded, *masked, SIZE, 2)  # in the prologue
    assert copies(folded, *masked, 32, 4) == 0  # fewer elements than threads
    assert copies(folded, *masked, 65536, 4, warps=16) == 0  # too large
    assert copies(folded, "*i8:D", "*i32:D", "i32", "i32", 3, SIZE, 4) == 0  # bytes, masked alone
    assert copies(moving, *arrays, "i32", 1, SIZE, 4) > 0
    assert copies(moving, *arrays, "i32", 1, SIZE, 4, noalias=False) == 0
