"""Index arithmetic wraps, also if it is used for a vector of addresses or a mask."""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

N = 128
LARGEST = 2**31 - 1


def wrapped(values: np.ndarray, dtype: Any = np.int32) -> np.ndarray:
    return values.astype(np.int64).astype(dtype)


@tilewright.jit
def sum_kernel(out, below, s, bound, N: tl.constexpr):
    i = tl.arange(0, N) + s
    tl.store(out + tl.arange(0, N), i)
    tl.store(below + tl.arange(0, N), i < bound)


@pytest.mark.parametrize("start", [0, -1, 5, LARGEST, LARGEST - 1, LARGEST - 64, LARGEST - 127])
def test_sums_wrap_and_are_compared_so(start: int) -> None:
    out, below = np.zeros(N, np.int32), np.zeros(N, np.bool_)
    sum_kernel[(1,)](out, below, start, 100, N=N)
    expected = wrapped(np.arange(N) + start)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(below, expected < 100)


def test_the_same_kernel_with_and_without_a_wrap() -> None:
    """Each launch is checked, regardless of which variant was compiled first."""
    for start in (3, LARGEST - 3, 4, LARGEST - 5):
        out, below = np.zeros(N, np.int32), np.zeros(N, np.bool_)
        sum_kernel[(1,)](out, below, start, 50, N=N)
        np.testing.assert_array_equal(below, wrapped(np.arange(N) + start) < 50)


@tilewright.jit
def narrow_kernel(out, s, N: tl.constexpr):
    i = (tl.arange(0, N) + s).to(tl.int16)
    doubled = (i * 2).to(tl.int16)
    tl.store(out + tl.arange(0, N), tl.where(i < 100, 1, 0) + tl.where(doubled < i, 10, 0))


@pytest.mark.parametrize("start", [0, 32760, 32704, -32770, 65530])
def test_truncated_indices_wrap(start: int) -> None:
    out = np.zeros(N, np.int32)
    narrow_kernel[(1,)](out, start, N=N)
    i = wrapped(np.arange(N) + start, np.int16)
    expected = (i < 100) * 1 + (wrapped(i.astype(np.int64) * 2, np.int16) < i) * 10
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def halo_kernel(x, out, n, S: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N) - S
    loaded = tl.load(x + i, mask=i.to(tl.uint32) < n, other=-1.0)
    tl.store(out + tl.arange(0, N), loaded)


@pytest.mark.parametrize("shift", [0, 1, 5, 16])
def test_an_unsigned_comparison_bounds_both_ends(shift: int) -> None:
    x = np.random.default_rng(0).random(N).astype(np.float32)
    out = np.zeros(N, np.float32)
    halo_kernel[(1,)](x, out, 100, S=shift, N=N)
    i = np.arange(N) - shift
    inside = (i >= 0) & (i < 100)
    np.testing.assert_array_equal(out, np.where(inside, x[np.clip(i, 0, N - 1)], np.float32(-1)))


@tilewright.jit
def extended_kernel(x, out, s, N: tl.constexpr):
    """Two indices that differ by 2^32 if the first is negative."""
    i = tl.arange(0, N) - s
    wide = i.to(tl.uint32).to(tl.int64)
    tl.store(out + tl.arange(0, N), tl.load(x + wide, mask=wide < N, other=-1))


@pytest.mark.parametrize("shift", [0, 3, 64])
def test_unsigned_indices_are_extended_with_zeros(shift: int) -> None:
    x, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    extended_kernel[(1,)](x, out, shift, N=N)
    i = np.arange(N) - shift
    np.testing.assert_array_equal(out, np.where(i >= 0, i, -1))


@tilewright.jit
def quotient_kernel(out, rest, d, by, N: tl.constexpr):
    q = (tl.program_id(0) + 3) // d
    i = q * N + tl.arange(0, N)
    tl.store(out + tl.arange(0, N), i // by)
    tl.store(rest + tl.arange(0, N), i % by)


@pytest.mark.parametrize("divisor", [1, -1, 2, -3])
@pytest.mark.parametrize("by", [16, -16, 7, 128])
def test_quotients_of_negative_numbers_round_to_zero(divisor: int, by: int) -> None:
    out, rest = np.zeros(N, np.int32), np.zeros(N, np.int32)
    quotient_kernel[(1,)](out, rest, divisor, by, N=N)
    i = int(3 / divisor) * N + np.arange(N)
    np.testing.assert_array_equal(out, np.trunc(i / by))
    np.testing.assert_array_equal(rest, np.fmod(i, by))


@tilewright.jit
def remainder_address_kernel(x, out, d, N: tl.constexpr, M: tl.constexpr):
    i = (tl.program_id(0) + 3) // d * N + tl.arange(0, N)
    tl.store(out + tl.arange(0, N), tl.load(x + N + i % M))


@pytest.mark.parametrize("divisor", [1, -1])
def test_addresses_below_the_pointer_through_a_negative_remainder(divisor: int) -> None:
    x, out = np.arange(3 * N, dtype=np.float32), np.zeros(N, np.float32)
    remainder_address_kernel[(1,)](x, out, divisor, N=N, M=16)
    i = np.fmod(int(3 / divisor) * N + np.arange(N), 16).astype(int)
    np.testing.assert_array_equal(out, x[N + i])


@tilewright.jit
def loop_kernel(out, first, last, step, N: tl.constexpr):
    counted = tl.zeros((N,), tl.int32)
    at = tl.arange(0, N) + first
    for k in range(first, last, step):
        counted += tl.where(k + tl.arange(0, N) > at, 1, 0)
        at += step
    tl.store(out + tl.arange(0, N), counted + tl.where(at < first, 1000, 0))


@pytest.mark.parametrize("first", [0, -7, LARGEST - 300])
def test_indices_that_a_loop_advances(first: int) -> None:
    out = np.zeros(N, np.int32)
    last = first + 250
    loop_kernel[(1,)](out, first, last, 25, N=N)
    i, at, counted = np.arange(N), np.arange(N) + first, np.zeros(N, np.int64)
    for k in range(first, last, 25):
        counted += wrapped(k + i) > wrapped(at)
        at = at + 25
    np.testing.assert_array_equal(out, counted + 1000 * (wrapped(at) < first))


@tilewright.jit
def rows_kernel(x, out, stride, M: tl.constexpr, N: tl.constexpr):
    """Whether the sum of the row's and the column's offset wraps depends on the stride."""
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    loaded = tl.load(x + (rows * stride + columns))
    tl.store(out + rows * N + columns, loaded)


@pytest.mark.parametrize("stride", [128, 131, 1])
def test_rows_of_any_stride(stride: int) -> None:
    x = np.arange(8 * 131 + 128, dtype=np.float32)
    out = np.zeros((8, N), np.float32)
    rows_kernel[(1,)](x, out, stride, M=8, N=N)
    np.testing.assert_array_equal(out, np.arange(8)[:, None] * stride + np.arange(N)[None, :])


@tilewright.jit
def packed_kernel(x, loaded, quotients, N: tl.constexpr):
    """Two adjacent 8-bit or 16-bit elements in one register, of which one is a constant."""
    lane = tl.arange(0, N)
    tl.store(loaded + lane, tl.load(x + N + (lane - 1).to(tl.int8)))
    tl.store(quotients + lane, ((lane + 65535).to(tl.uint16) // 16).to(tl.int64))


def test_sums_of_packed_integers() -> None:
    size = 256
    x = np.arange(2 * size, dtype=np.float64)
    loaded, quotients = np.zeros(size), np.zeros(size, np.int64)
    packed_kernel[(1,)](x, loaded, quotients, N=size)
    lane = np.arange(size)
    np.testing.assert_array_equal(loaded, x[size + wrapped(lane - 1, np.int8).astype(int)])
    np.testing.assert_array_equal(quotients, (lane + 65535) % 65536 // 16)


@tilewright.jit
def long_loop_kernel(x, out, first, last, amount, N: tl.constexpr):
    i = tl.arange(0, N)
    at, counted = i, 0
    for _ in range(first, last, 33554432):
        counted += tl.sum(tl.load(x + i, mask=at < 100, other=0), axis=0)
        at += amount
    tl.store(out, counted)


def test_an_index_advanced_by_a_loop_over_nearly_all_integers() -> None:
    """One of its lanes wraps before the others do: in the 120th iteration of 127."""
    first, last, amount = -LARGEST - 1, LARGEST - 33554432, 17895697
    x, out = np.ones(N, np.int32), np.zeros(1, np.int32)
    long_loop_kernel[(1,)](x, out, first, last, amount, N=N)
    trips = len(range(first, last, 33554432))
    at = np.arange(N) + amount * np.arange(trips)[:, None]
    assert out[0] == np.sum(wrapped(at) < 100)


@tilewright.jit
def counting_kernel(bounds, out, first, last, step: tl.constexpr, most):
    """Counts iterations of a loop by arguments, of one that may end early, and of one by memory."""
    n, index = 0, first
    for index in range(first, last, step):  # noqa: B007
        n += 1
    tl.store(out, n)
    tl.store(out + 1, index)
    early = 0
    for _ in range(first, last, step):
        early += 1
        if early >= most:
            break
    tl.store(out + 2, early)
    loaded = 0
    for _ in range(tl.load(bounds), tl.load(bounds + 1), step):
        loaded += 1
    tl.store(out + 3, loaded)


@pytest.mark.parametrize("specialize", [True, False])
@pytest.mark.parametrize(
    "first, last, step",
    [
        (LARGEST - 47, LARGEST, 16),
        (0, LARGEST, LARGEST - 3),
        (-LARGEST - 1, LARGEST, 2**30 + 5),
        (5, 0, 16),
        (0, 100, 16),
        (-LARGEST + 40, -LARGEST - 1, -16),
    ],
)
def test_a_loop_ends_where_the_next_index_wraps(
    first: int, last: int, step: int, specialize: bool
) -> None:
    bounds, out = np.array([first, last], np.int32), np.zeros(4, np.int32)
    arguments = (bounds, out, first, last, step, 2)
    counting_kernel[(1,)](*arguments, specialize_ranges=specialize)
    indices = range(first, last, step)
    count = len(indices)
    index = indices[-1] if count else first
    assert out.tolist() == [count, index, min(count, 2), count]
