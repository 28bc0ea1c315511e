"""No division crashes the process, nor lets a condition on its divisor be dropped."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def divide_kernel(a, b, quotient, remainder, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + i, mask=i < n)
    y = tl.load(b + i, mask=i < n)
    tl.store(quotient + i, x // y, mask=i < n)
    tl.store(remainder + i, x % y, mask=i < n)


ALL = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", ALL)
def test_masked_elements_divide_by_zero(dtype: type) -> None:
    a = np.arange(100, 137).astype(dtype)
    b = np.full(37, 7, dtype)
    quotient, remainder = np.zeros(37, dtype), np.zeros(37, dtype)
    divide_kernel[(1,)](a, b, quotient, remainder, 37, N=64)
    np.testing.assert_array_equal(quotient, a // 7 if dtype != np.int8 else np.trunc(a / 7))
    np.testing.assert_array_equal(remainder, np.fmod(a, dtype(7)))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_least_number_by_minus_one_wraps(dtype: type) -> None:
    least = np.iinfo(dtype).min
    a, b = np.full(16, least, dtype), np.full(16, -1, dtype)
    quotient, remainder = np.zeros(16, dtype), np.ones(16, dtype)
    divide_kernel[(1,)](a, b, quotient, remainder, 16, N=16)
    assert (quotient == least).all()
    assert (remainder == 0).all()


def test_division_by_zero_returns() -> None:
    a, b = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    quotient, remainder = np.zeros(16, np.int32), np.zeros(16, np.int32)
    divide_kernel[(1,)](a, b, quotient, remainder, 16, N=16)


@tilewright.jit
def scalar_kernel(out, a, b):
    tl.store(out, a // b)


def test_scalar_division_by_zero_returns() -> None:
    out = np.zeros(1, np.int32)
    scalar_kernel[(1,)](out, 12, 0)
    scalar_kernel[(1,)](out, 12, 5)
    assert out[0] == 2


@tilewright.jit
def conditions_kernel(divisors, quotient, remainder, own, zero, N: tl.constexpr):
    i = tl.arange(0, N)
    d = tl.load(divisors + i)
    x = tl.full((N,), 60, d.dtype)
    tl.store(quotient + i, x // d, mask=d != 0)
    tl.store(remainder + i, tl.where(d == 0, x, x % d))
    tl.store(own + i, tl.where(d != 0, d // d, 7))
    tl.store(zero + i, d == 0)


@pytest.mark.parametrize("dtype", ALL)
def test_conditions_on_divisors_hold(dtype: type) -> None:
    d = np.tile(np.array([0, 7, 0, 0, 1, 60, 2, 0], dtype), 16)
    quotient, remainder, own = (np.full(128, 9, dtype) for _ in range(3))
    zero = np.zeros(128, np.int8)
    conditions_kernel[(1,)](d, quotient, remainder, own, zero, N=128)
    safe = np.maximum(d, dtype(1))
    np.testing.assert_array_equal(quotient, np.where(d == 0, dtype(9), dtype(60) // safe))
    np.testing.assert_array_equal(remainder, np.where(d == 0, dtype(60), dtype(60) % safe))
    np.testing.assert_array_equal(own, np.where(d == 0, dtype(7), dtype(1)))
    np.testing.assert_array_equal(zero, d == 0)


@tilewright.jit
def least_kernel(numbers, quotient, wraps, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(numbers + i)
    d = tl.load(numbers + N + i)
    q = x // d
    tl.store(quotient + i, q)
    tl.store(wraps + i, (q == x) & (d == -1))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_conditions_on_quotients_that_wrap_hold(dtype: type) -> None:
    least = np.iinfo(dtype).min
    x = np.tile(np.array([least, least, -5, 0], dtype), 8)
    d = np.tile(np.array([-1, 1, -1, -1], dtype), 8)
    quotient, wraps = np.zeros(32, dtype), np.zeros(32, np.int8)
    least_kernel[(1,)](np.concatenate([x, d]), quotient, wraps, N=32)
    np.testing.assert_array_equal(quotient, np.tile(np.array([least, least, 5, 0], dtype), 8))
    np.testing.assert_array_equal(wraps, np.tile(np.array([1, 0, 0, 1], np.int8), 8))


@tilewright.jit
def branch_kernel(out, number):
    quotient = 60 // number
    if number != 0:
        tl.store(out, quotient)
    else:
        tl.store(out, -1)
    tl.store(out + 1, number == 0)


@pytest.mark.parametrize("divisor", [0, 7])
def test_branches_on_divisors_hold(divisor: int) -> None:
    out = np.zeros(2, np.int32)
    branch_kernel[(1,)](out, divisor)
    assert out.tolist() == ([-1, 1] if divisor == 0 else [8, 0])
