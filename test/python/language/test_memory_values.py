"""Loads, stores and atomics; operations act on whole tiles in program order."""

import numpy as np
import pytest
from inputs import FLOATS, INTS, ROUNDOFF, error, fresh, poisoned, wide
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import check_runnable
from tilewright.errors import DeviceError

N = 256


def skip_unless_runnable(target):
    try:
        check_runnable(target)
    except DeviceError as error:
        pytest.skip(str(error))


@tilewright.jit
def copied_twice(x, mask, out, N: tl.constexpr):
    i = tl.arange(0, N)
    first = tl.load(x + i, mask=tl.load(mask + i), other=-1, volatile=True)
    tl.store(x + i, first * 2)
    tl.store(out + i, first + tl.load(x + i, volatile=True))


def test_volatile_loads():
    x, mask, out = fresh("int32", (N,), 0, 99), fresh("int1", (N,)), poisoned("int32", (N,))
    first = np.where(mask, x, -1)
    copied_twice[(1,)](x, mask, out, N=N)
    assert np.array_equal(out, 3 * first)


@tilewright.jit
def copied_once(x, out, STEP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i * STEP, cache_modifier=".cg", eviction_policy="evict_first")
    tl.store(out + i, value, eviction_policy="evict_first")


@pytest.mark.parametrize("dtype", ["int8", "fp16", "int32", "fp64"])
@pytest.mark.parametrize("step", [1, 3])
def test_hints_for_caches(dtype, step):
    x, out = fresh(dtype, (step * N,), -99, 99), poisoned(dtype, (N,))
    copied_once[(1,)](x, out, STEP=step, N=N)
    assert np.array_equal(out, x[::step])


@tilewright.jit
def masked(x, mask, out, OTHER: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=tl.load(mask + i), other=OTHER))


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_other_where_the_mask_is_false(dtype):
    x, mask, out = fresh(dtype, (N,)), fresh("int1", (N,)), poisoned(dtype, (N,))
    masked[(1,)](x, mask, out, OTHER=3, N=N)
    assert np.array_equal(wide(out), np.where(mask, wide(x), 3))


def test_bools():
    x, mask, out = fresh("int1", (N,)), fresh("int1", (N,)), poisoned("int1", (N,))
    masked[(1,)](x, mask, out, OTHER=False, N=N)
    assert np.array_equal(out, x & mask)


@tilewright.jit
def gathered(x, at, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + tl.load(at + i)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_indices_from_memory(dtype):
    x, at, out = fresh("fp32", (N,)), fresh(dtype, (N,), 0, N - 1), poisoned("fp32", (N,))
    gathered[(1,)](x, at, out, N=N)
    assert np.array_equal(wide(out), wide(x)[at])


@tilewright.jit
def scattered(x, at, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.load(at + i), tl.load(x + i))


def test_scatter():
    x, out = fresh("fp32", (N,)), poisoned("fp32", (N,))
    at = generator().permutation(N).astype(np.int32)
    scattered[(1,)](x, at, out, N=N)
    assert np.array_equal(wide(out)[at], wide(x))


@tilewright.jit
def transposed(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(tile))


def test_two_dimensions():
    x, out = fresh("fp32", (16, 32)), poisoned("fp32", (32, 16))
    transposed[(1,)](x, out, M=16, N=32)
    assert np.array_equal(wide(out), wide(x).T)


@tilewright.jit
def reversed_in_place(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + (N - 1 - i), tl.load(x + i))


def test_in_place_reversal():
    x = fresh("int32", (N,))
    expected = x[::-1].copy()
    reversed_in_place[(1,)](x, N=N)
    assert np.array_equal(x, expected)


@tilewright.jit
def shifted(x, BY: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i + BY, tl.load(x + i))


@pytest.mark.parametrize("by", [1, 3, 8, 64])
def test_shifted_copy_that_overlaps(by):
    x = fresh("int32", (N + 64,))
    expected = x.copy()
    expected[by : N + by] = x[:N]
    shifted[(1,)](x, BY=by, N=N)
    assert np.array_equal(x, expected)


@tilewright.jit
def store_then_load(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    before = tl.load(x + i)
    tl.store(x + i, before + 1)
    after = tl.load(x + (N - 1 - i))
    tl.store(out + i, before * 1000 + after)


def test_loads_see_earlier_stores():
    x, out = fresh("int32", (N,), 0, 99), poisoned("int32", (N,))
    old = x.copy()
    store_then_load[(1,)](x, out, N=N)
    assert np.array_equal(x, old + 1)
    assert np.array_equal(out, old * 1000 + (old + 1)[::-1])


@tilewright.jit
def scalars(x, out):
    p = tl.program_id(0)
    tl.store(out + p, tl.load(x + p) * tl.num_programs(0))


def test_scalars():
    x, out = fresh("int32", (32,), -9, 9), poisoned("int32", (32,))
    scalars[(32,)](x, out)
    assert np.array_equal(out, x * 32)


@tilewright.jit
def added(x, total, at, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(total + tl.load(at + i), tl.load(x + i))


@pytest.mark.parametrize("dtype", ["int32", "int64", "fp32", "fp64"])
def test_atomic_add_from_many_programs(dtype):
    x, at = fresh(dtype, (64 * N,), -9, 9), fresh("int32", (64 * N,), 0, 15)
    total = fresh(dtype, (16,), 0, 0)
    added[(64,)](x, total, at, N=N)
    exact = np.array([wide(x)[at == k].sum() for k in range(16)])
    if dtype in FLOATS:
        assert error(total, exact) < 64 * 64 * ROUNDOFF[dtype]
    else:
        assert np.array_equal(total, exact)


@tilewright.jit
def extreme(x, out, MAXIMUM: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    if MAXIMUM:
        tl.atomic_max(out, tl.max(tl.load(x + i), 0))
    else:
        tl.atomic_min(out, tl.min(tl.load(x + i), 0))


@pytest.mark.parametrize("maximum", [True, False])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "fp32", "fp64"])
@pytest.mark.parametrize("start", [-3, 0, 3])
def test_atomic_extrema(dtype, maximum, start):
    if dtype == "uint32":
        start = start + 3
    x, out = fresh(dtype, (16 * N,), -9, 9), fresh(dtype, (1,), start, start)
    extreme[(16,)](x, out, MAXIMUM=maximum, N=N)
    values = [start, *wide(x).tolist()]
    assert wide(out)[0] == (max(values) if maximum else min(values))


@tilewright.jit
def locked(out, N: tl.constexpr):
    old = tl.atomic_cas(out, 0, tl.program_id(0) + 1)
    if old == 0:
        tl.atomic_add(out + 1, 1)
    else:
        tl.atomic_xchg(out + 2, old)


def test_atomic_cas_lets_one_through():
    out = np.zeros(3, np.int32)
    locked[(32,)](out, N=1)
    assert 1 <= out[0] <= 32 and out[1] == 1 and out[2] == out[0]


@tilewright.jit
def store_one_lane_kernel(x, out, KEPT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.int16), mask=i == KEPT)


@pytest.mark.parametrize("kept", [0, 5])
def test_one_lane_of_narrowed_integers(kept):
    x, out = np.arange(100, 116, dtype=np.int32), np.full(16, -1, np.int16)
    store_one_lane_kernel[(1,)](x, out, KEPT=kept, N=16)
    assert out[kept] == 100 + kept
    assert np.all(np.delete(out, kept) == -1)


@tilewright.jit
def from_lane(x, out, FIRST: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i >= FIRST, other=3), mask=i >= FIRST)


# LLVM accesses the single lane of a register by itself.
@pytest.mark.parametrize("first", [1, 31, 63, 127])
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_constant_mask_that_selects_one_lane_of_a_register(dtype, first):
    x, out = fresh(dtype, (128,)), fresh(dtype, (128,))
    expected = np.where(np.arange(128) >= first, wide(x), wide(out))
    from_lane[(1,)](x, out, FIRST=first, N=128)
    assert np.array_equal(wide(out), expected)


@tilewright.jit
def partly_false_mask_kernel(x, out, N: tl.constexpr):
    pid = tl.program_id(0)
    for row in range(4):
        i = tl.arange(0, N)
        low = (pid < i // 2) & (i < 2)
        tl.store(out + row * N + i, tl.load(x + row * N + i, mask=low, other=4))


@pytest.mark.cpu_only("uses the name of a CPU's features")
@pytest.mark.parametrize("target", ["cpu", "cpu:avx2", "cpu:sse2"])
def test_mask_that_is_false_for_whole_registers(target):
    skip_unless_runnable(target)
    x, out = np.arange(100, 164), np.zeros(64, np.int64)
    partly_false_mask_kernel[(1,)](x, out, N=16, target=target)
    assert np.all(out == 4)
