"""No division crashes the process."""

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


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64]
)
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
