"""A load in a branch may start before it if code after the branch writes the same addresses."""

from __future__ import annotations

import numpy as np
import pytest
import seeds

import tilewright
import tilewright.language as tl


@tilewright.jit
def sum_kernel(x, sums, lock, begun, n, SHARED: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    inside, at = i < n, sums + i
    value = tl.load(x + tl.program_id(0) * n + i, mask=inside)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(begun) == 0:
        tl.atomic_xchg(begun, 1)
    else:
        value += tl.load(at if SHARED else sums + i, mask=inside)
    tl.store(at, value, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@pytest.mark.parametrize("shared", [False, True], ids=("own address", "shared address"))
@pytest.mark.parametrize("num_warps", [1, 8])
@pytest.mark.parametrize("n", [1000, 1024])
def test_the_first_sum_does_not_see_old_memory(shared: bool, num_warps: int, n: int) -> None:
    x = seeds.generator().integers(0, 9, (6, n)).astype(np.float32)
    sums, state = np.full(n, np.nan, np.float32), np.zeros(2, np.int32)
    sum_kernel[(6,)](x, sums, state[:1], state[1:], n, SHARED=shared, N=1024, num_warps=num_warps)
    np.testing.assert_array_equal(sums, x.sum(0))
    assert state.tolist() == [0, 1]


@tilewright.jit
def order_kernel(x, y, out, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    at = x + i
    value = tl.zeros((N,), tl.int32)
    if tl.load(flag) > 0:
        tl.store(y + i, i)
        value = tl.load(at)
    tl.store(at, value + 1)
    tl.store(out + i, value)


@pytest.mark.parametrize("flag", [0, 1])
@pytest.mark.parametrize("overlaps", [False, True])
def test_a_load_stays_after_a_store_of_its_branch(flag: int, overlaps: bool) -> None:
    x = np.arange(100, 228, dtype=np.int32)
    y = x if overlaps else np.zeros_like(x)
    out, flags = np.zeros_like(x), np.array([flag], np.int32)
    expected = (np.arange(128) if overlaps else np.arange(100, 228)) * flag
    order_kernel[(1,)](x, y, out, flags, N=128)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(x, expected + 1)
