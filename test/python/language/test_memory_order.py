"""Within a program, memory operations act on whole tiles in program order."""

import numpy as np
import pytest
from seeds import generator

import tilewright
import tilewright.language as tl

N = 512


def numbers(*shape: int) -> np.ndarray:
    return generator().standard_normal(shape).astype(np.float32)


@tilewright.jit
def copy_kernel(src, dst, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(dst + i, tl.load(src + i))


@pytest.mark.parametrize("shift", [-17, -1, 0, 1, 16, 63, 300])
def test_shifted_copy_within_one_array(shift: int) -> None:
    memory = numbers(4 * N)
    start = N
    expected = memory.copy()
    expected[start + shift : start + shift + N] = memory[start : start + N].copy()
    copy_kernel[(1,)](memory[start:], memory[start + shift :], N=N)
    np.testing.assert_array_equal(memory, expected)


@tilewright.jit
def reverse_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + (N - 1 - i), tl.load(x + i))


def test_reversal_in_place() -> None:
    x = numbers(N)
    expected = x[::-1].copy()
    reverse_kernel[(1,)](x, N=N)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def transpose_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(x + j * N + i, tl.load(x + i * N + j))


def test_transposition_in_place() -> None:
    x = numbers(32, 32)
    expected = x.T.copy()
    transpose_kernel[(1,)](x, N=32)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def rotate_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(x + i, a + 1.0)
    b = tl.load(x + (i + 1) % N)
    tl.store(x + i, 2.0 * b)
    tl.store(out + i, a)


def test_a_load_sees_the_stores_before_it_and_none_after() -> None:
    x, out = numbers(N), np.full(N, np.nan, np.float32)
    before = x.copy()
    rotate_kernel[(1,)](x, out, N=N)
    np.testing.assert_array_equal(x, 2 * np.roll(before + np.float32(1), -1))
    np.testing.assert_array_equal(out, before)


@tilewright.jit
def swap_kernel(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.store(x + i, b)
    tl.store(y + i, a)


def test_swap_of_two_arrays() -> None:
    x, y = numbers(N), numbers(N)
    old_x, old_y = x.copy(), y.copy()
    swap_kernel[(1,)](x, y, N=N)
    np.testing.assert_array_equal(x, old_y)
    np.testing.assert_array_equal(y, old_x)


def test_swap_of_overlapping_arrays() -> None:
    memory = numbers(N + 64)
    expected = memory.copy()
    a, b = memory[:N].copy(), memory[64:].copy()
    expected[:N] = b
    expected[64:] = a
    swap_kernel[(1,)](memory, memory[64:], N=N)
    np.testing.assert_array_equal(memory, expected)


@tilewright.jit
def same_argument_twice_kernel(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = i < n
    tl.store(y + i, tl.load(x + N - 1 - i, mask=m, other=0.0), mask=m)


def test_one_array_passed_as_two_arguments() -> None:
    x = numbers(N)
    expected = x[::-1].copy()
    same_argument_twice_kernel[(1,)](x, x, N, N=N)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def scatter_gather_kernel(x, index, out, N: tl.constexpr):
    i = tl.arange(0, N)
    j = tl.load(index + i)
    v = tl.load(x + j)
    tl.store(x + i, v)
    tl.store(out + j, v)


def test_permutation_through_loaded_indices() -> None:
    x, out = numbers(N), np.full(N, np.nan, np.float32)
    index = generator().permutation(N).astype(np.int32)
    before = x.copy()
    scatter_gather_kernel[(1,)](x, index, out, N=N)
    np.testing.assert_array_equal(x, before[index])
    np.testing.assert_array_equal(out, before)


@tilewright.jit
def loop_kernel(x, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    for _ in range(steps):
        tl.store(x + i, tl.load(x + (i + 1) % N))


def test_each_iteration_sees_the_one_before() -> None:
    x = numbers(N)
    expected = np.roll(x, -5)
    loop_kernel[(1,)](x, 5, N=N)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def branch_kernel(x, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if flag > 0:
        tl.store(x + i, a * 0.0)
    tl.store(x + (N - 1 - i), a)


@pytest.mark.parametrize("flag", [0, 2])
def test_a_load_before_a_branch_that_stores(flag: int) -> None:
    x = numbers(N)
    expected = x[::-1].copy()
    branch_kernel[(1,)](x, flag, N=N)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def gather_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    loaded = tl.load(x + i)
    tl.store(x + i, loaded * 0 - 1)
    tl.store(out + i, tl.gather(loaded, N - 1 - i, 0))


def test_gather_of_what_is_overwritten() -> None:
    x, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    gather_kernel[(1,)](x, out, N=N)
    np.testing.assert_array_equal(out, np.arange(N)[::-1])
