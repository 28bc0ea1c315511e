"""What a kernel computes from indices as data wraps like C's integers, also beside wide addresses.

The first program is such that the index wraps if `first` is large. Each kernel stores through an
address that needs 64 bits, so that the launch runs the variant with exact addresses.
"""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

N = 64
LIMIT = 2**31
BLOCKS = LIMIT // N


def wrapped(values: Any, dtype: Any = np.int32) -> np.ndarray:
    bits = np.dtype(dtype).itemsize * 8
    low = np.array([int(value) % 2**bits for value in np.ravel(values)], np.uint64)
    return low.astype(f"uint{bits}").view(dtype)


@tilewright.jit
def stored_kernel(x, narrow, long, rest, quotient, hashed, first, N: tl.constexpr):
    lane = tl.arange(0, N)
    i = first * N + lane
    tl.store(x + i, 1)
    tl.store(narrow + lane, i)
    tl.store(long + lane, i.to(tl.int64))
    tl.store(rest + lane, i % 1000)
    tl.store(quotient + lane, i // 7)
    tl.store(hashed + lane, (i * 1103515245 + 12345) ^ (i >> 3))


@pytest.mark.parametrize("first", [3, BLOCKS - 1, BLOCKS, BLOCKS + 5])
def test_stored_indices(first: int) -> None:
    x = np.zeros(LIMIT + 10 * N, np.int8)
    outs = [np.zeros(N, dtype) for dtype in (np.int32, np.int64, np.int32, np.int32, np.int32)]
    stored_kernel[(1,)](x, *outs, first, N=N)
    assert x[first * N : first * N + N].all()
    i = wrapped(first * N + np.arange(N)).astype(np.int64)
    expected = [i, i, np.fmod(i, 1000), np.trunc(i / 7), wrapped(i * 1103515245 + 12345) ^ (i >> 3)]
    for found, values in zip(outs, expected, strict=True):
        np.testing.assert_array_equal(found, values)


@tilewright.jit
def hashed_mask_kernel(x, out, equal, first, seed, N: tl.constexpr):
    """Masks and conditions on numbers that wrap on purpose, and no parts of which are addresses."""
    lane = tl.arange(0, N)
    i = first * N + lane
    h = i * 1103515245 + 12345
    tl.store(x + i, 2, mask=h < 0)
    walk = lane * 7 + seed * 69069
    tl.store(out + lane, tl.where(walk > seed, 1, 0) + tl.where(h >= walk, 10, 0))
    tl.store(equal + lane, i == seed)


@pytest.mark.parametrize("first", [3, BLOCKS, BLOCKS + 5])
@pytest.mark.parametrize("seed", [11, 2**30 + 3, -LIMIT + 1])
def test_comparisons_of_hashes(first: int, seed: int) -> None:
    x, out, equal = np.zeros(LIMIT + 10 * N, np.int8), np.zeros(N, np.int32), np.zeros(N, np.bool_)
    hashed_mask_kernel[(1,)](x, out, equal, first, seed, N=N)
    lane = np.arange(N)
    i = first * N + lane
    h = wrapped(wrapped(i).astype(object) * 1103515245 + 12345)
    walk = wrapped(lane.astype(object) * 7 + seed * 69069)
    np.testing.assert_array_equal(x[i], np.where(h < 0, 2, 0))
    np.testing.assert_array_equal(out, (walk > seed) + 10 * (h >= walk))
    np.testing.assert_array_equal(equal, i == seed)  # an index: no number that wraps


@tilewright.jit
def unsigned_kernel(x, out, a, b, far, HOW: tl.constexpr, N: tl.constexpr):
    """Offsets from arithmetic of uint32 are below 2^32, or have the sign of their upper bit."""
    lane = tl.arange(0, N)
    if HOW == "unsigned":
        i = lane.to(tl.uint32) + a.to(tl.uint32) - b.to(tl.uint32)
    else:
        i = (lane.to(tl.uint32) + a.to(tl.uint32) - b.to(tl.uint32)).to(tl.int32)
    tl.store(out + lane, tl.load(x + i))
    tl.store(x + far * N + lane, 9)


@pytest.mark.parametrize("how", ["unsigned", "signed"])
@pytest.mark.parametrize("a, b", [(-LIMIT + 5, LIMIT - 1), (7, 3), (-LIMIT + 2, LIMIT - 4)])
def test_unsigned_differences_wrap(how: str, a: int, b: int) -> None:
    x, out = np.zeros(LIMIT + 10 * N, np.int8), np.zeros(N, np.int8)
    x[: 2 * N] = np.arange(2 * N) % 100
    unsigned_kernel[(1,)](x, out, a, b, BLOCKS + 2, HOW=how, N=N)
    start = (a - b) % 2**32
    np.testing.assert_array_equal(out, x[start : start + N])
    assert (x[LIMIT + 2 * N :][:N] == 9).all()


@tilewright.jit
def explicit_kernel(x, out, first, N: tl.constexpr):
    """A cast from int64 to int32 is explicit: the low bits are meant."""
    lane = tl.arange(0, N)
    i = first.to(tl.int64) * N + lane
    tl.store(x + i, 3)
    tl.store(out + (i - 4294967296).to(tl.int32), 4)


def test_explicit_casts_wrap() -> None:
    x, out = np.zeros(LIMIT + 10 * N, np.int8), np.zeros(4 * N, np.int8)
    explicit_kernel[(1,)](x, out, 2, N=N)
    assert (out[2 * N : 3 * N] == 4).all() and out.sum() == 4 * N
    assert (x[2 * N : 3 * N] == 3).all()


@tilewright.jit
def random_kernel(x, out, seed, first, N: tl.constexpr):
    lane = tl.arange(0, N)
    i = first * N + lane
    tl.store(x + i, 5)
    tl.store(out + lane, tl.randint(seed, i))
    tl.store(out + N + lane, (tl.rand(seed, i) * 1000000).to(tl.int32))


@pytest.mark.parametrize("seed", [0, 12345])
def test_random_numbers_are_those_of_the_low_bits(seed: int) -> None:
    """The variant with wide addresses draws the numbers that the other draws for the same int32."""
    x = np.zeros(2 * LIMIT + 10 * N, np.int8)
    large, small = np.zeros(2 * N, np.int32), np.zeros(2 * N, np.int32)
    random_kernel[(1,)](x, large, seed, 2 * BLOCKS + 3, N=N)  # wraps to the index of program 3
    random_kernel[(1,)](x, small, seed, 3, N=N)
    np.testing.assert_array_equal(large, small)
    assert (x[2 * LIMIT + 3 * N :][:N] == 5).all() and (x[3 * N : 4 * N] == 5).all()


@tilewright.jit
def constants_as_data_kernel(x, out, first, N: tl.constexpr):
    """A product of constants wraps where it is stored, and in unsigned arithmetic."""
    lane = tl.arange(0, N)
    i = (first + lane) * 65536 * 65537
    tl.store(out + lane, i)
    u = (first + lane).to(tl.uint32) * 65536 * 65537
    tl.store(x + u, lane + 1)
    far = first * 65536 * 32768
    tl.store(x + far, 100)


def test_constants_as_data_wrap() -> None:
    x, out = np.zeros(LIMIT + 4 * N, np.int8), np.zeros(4, np.int32)
    constants_as_data_kernel[(1,)](x, out, 1, N=4)
    i = [(1 + lane) * 65536 * 65537 for lane in range(4)]
    np.testing.assert_array_equal(out, wrapped(i))
    assert x[LIMIT] == 100
    np.testing.assert_array_equal(x[wrapped(i, np.uint32)], [1, 2, 3, 4])
