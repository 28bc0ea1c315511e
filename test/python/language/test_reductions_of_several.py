"""Reductions and scans of several operands, whose elements have different widths."""

from __future__ import annotations

import numpy as np
import pytest
import seeds

import tilewright
import tilewright.language as tl

# Every pair of widths for which a reduction across warps may keep only one operand in registers.
PAIRS = [
    ("int8", "int64"), ("int64", "int8"), ("int16", "int32"), ("int32", "int64"),
    ("float16", "int32"), ("float64", "int8"), ("float32", "int16"), ("uint8", "int8"),
]  # fmt: skip
SHAPES = [(512, 1), (64, 16), (8, 128)]


def small_integers(shape: tuple[int, ...], dtype: str, most: int = 9) -> np.ndarray:
    return seeds.generator().integers(0, most, shape).astype(dtype)


@tilewright.jit
def first_of_largest(a, i, b, j):
    takes_left = (a > b) | ((a == b) & (i < j))
    return tl.where(takes_left, a, b), tl.where(takes_left, i, j)


@tilewright.jit
def reduce_kernel(x, y, out, place, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    largest, first = tl.reduce(
        (tl.load(x + at), tl.load(y + at)), AXIS, first_of_largest, keep_dims=True
    )
    along = tl.arange(0, N)[None, :] if AXIS == 0 else tl.arange(0, M)[:, None]
    tl.store(out + along, largest)
    tl.store(place + along, first)


@pytest.mark.parametrize("num_warps", [4, 16])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_reduction_of_two_widths(left: str, right: str, num_warps: int) -> None:
    for rows, columns in SHAPES:
        for axis in (0, 1):
            x = small_integers((rows, columns), left)
            y = small_integers((rows, columns), right, most=120)
            out = np.zeros(x.shape[1 - axis], left)
            place = np.zeros(x.shape[1 - axis], right)
            sizes = {"M": rows, "N": columns, "AXIS": axis}
            reduce_kernel[(1,)](x, y, out, place, **sizes, num_warps=num_warps)
            np.testing.assert_array_equal(out, x.max(axis))
            places = np.where(x == x.max(axis, keepdims=True), y, 127)
            np.testing.assert_array_equal(place, places.min(axis))


@tilewright.jit
def extrema_kernel(x, largest, at_largest, smallest, at_smallest, N: tl.constexpr):
    values = tl.load(x + tl.arange(0, N))
    value, at = tl.max(values, 0, return_indices=True)
    tl.store(largest, value)
    tl.store(at_largest, at)
    value, at = tl.min(values, 0, return_indices=True)
    tl.store(smallest, value)
    tl.store(at_smallest, at)


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8, 16, 32])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float64"])
def test_extrema_with_indices_across_warps(dtype: str, num_warps: int, launch_target: str) -> None:
    if num_warps == 32 and "hip:gfx9" in launch_target:
        pytest.skip("32 waves of 64 lanes are more threads than the GPU has for a program")
    x = small_integers((2048,), dtype, most=100)
    largest, smallest = np.zeros(1, dtype), np.zeros(1, dtype)
    at_largest, at_smallest = np.zeros(1, np.int32), np.zeros(1, np.int32)
    extrema_kernel[(1,)](x, largest, at_largest, smallest, at_smallest, N=2048, num_warps=num_warps)
    assert (largest[0], at_largest[0]) == (x.max(), x.argmax())
    assert (smallest[0], at_smallest[0]) == (x.min(), x.argmin())


@tilewright.jit
def with_flag(a, i, p, b, j, q):
    takes_left = (a > b) | ((a == b) & (i < j))
    return tl.where(takes_left, a, b), tl.where(takes_left, i, j), p | q


@tilewright.jit
def flag_kernel(x, y, flags, out, N: tl.constexpr):
    i = tl.arange(0, N)
    largest, first, any_flag = tl.reduce(
        (tl.load(x + i), tl.load(y + i), tl.load(flags + i) != 0), 0, with_flag
    )
    tl.store(out, largest.to(tl.int64))
    tl.store(out + 1, first.to(tl.int64))
    tl.store(out + 2, any_flag.to(tl.int64))


@pytest.mark.parametrize("num_warps", [2, 8])
def test_reduction_of_three_with_a_truth_value(num_warps: int) -> None:
    x, y = small_integers((1024,), "float16"), small_integers((1024,), "int32", most=1000)
    for flags in (np.zeros(1024, np.int8), (np.arange(1024) == 700).astype(np.int8)):
        out = np.zeros(3, np.int64)
        flag_kernel[(1,)](x, y, flags, out, N=1024, num_warps=num_warps)
        assert out.tolist() == [x.max(), y[x == x.max()].min(), flags.any()]


@tilewright.jit
def scan_kernel(x, y, out, place, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tiles = tl.load(x + at), tl.load(y + at)
    largest, first = tl.associative_scan(tiles, AXIS, first_of_largest)
    tl.store(out + at, largest)
    tl.store(place + at, first)


@pytest.mark.parametrize("num_warps", [1, 8])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_scan_of_two_widths(left: str, right: str, num_warps: int) -> None:
    for rows, columns in ((64, 8), (1, 256)):
        for axis in (0, 1):
            x = small_integers((rows, columns), left)
            y = small_integers((rows, columns), right, most=120)
            out, place = np.zeros_like(x), np.zeros_like(y)
            sizes = {"M": rows, "N": columns, "AXIS": axis}
            scan_kernel[(1,)](x, y, out, place, **sizes, num_warps=num_warps)
            best = np.maximum.accumulate(x, axis)
            np.testing.assert_array_equal(out, best)
            for end in range(x.shape[axis]):
                before = np.s_[: end + 1] if axis == 0 else np.s_[:, : end + 1]
                here = np.take(best, [end], axis)
                places = np.where(x[before] == here, y[before], 127).min(axis)
                np.testing.assert_array_equal(np.take(place, end, axis), places)
