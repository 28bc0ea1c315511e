"""A release or acquire of an atomic orders the accesses of all threads of the program.

A program waits only for programs with lower numbers, which every target starts first.
"""

from __future__ import annotations

import numpy as np
import pytest
import seeds

import tilewright
import tilewright.language as tl

N = 1024


@tilewright.jit
def last_program_kernel(x, part, count, out, N: tl.constexpr, P: tl.constexpr):
    program, i = tl.program_id(0), tl.arange(0, N)
    tl.store(part + program * N + i, 2 * tl.load(x + program * N + i))
    if tl.atomic_add(count, 1) == P - 1:
        total = tl.zeros((N,), tl.float32)
        for other in range(P):
            total += tl.load(part + other * N + i)
        tl.store(out + i, total)


@pytest.mark.parametrize("num_warps", [1, 4, 16])
def test_the_last_program_sees_what_all_stored(num_warps: int) -> None:
    for _ in range(10):
        x = seeds.generator().integers(0, 100, (4, N)).astype(np.float32)
        part, out = np.zeros_like(x), np.zeros(N, np.float32)
        count = np.zeros(1, np.int32)
        last_program_kernel[(4,)](x, part, count, out, N=N, P=4, num_warps=num_warps)
        np.testing.assert_array_equal(out, 2 * x.sum(0))


@tilewright.jit
def lock_kernel(sums, lock, seen, steps, N: tl.constexpr):
    program, i = tl.program_id(0), tl.arange(0, N)
    for step in range(steps):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        value = tl.load(sums + i)
        tl.store(sums + i, value + 1)
        tl.atomic_xchg(lock, 0)
        tl.store(seen + (program * steps + step) * N + i, value)


@pytest.mark.parametrize("num_warps", [1, 8])
def test_a_lock_guards_a_tile(num_warps: int) -> None:
    programs, steps = 6, 4
    sums, lock = np.zeros(N, np.int32), np.zeros(1, np.int32)
    seen = np.full((programs * steps, N), -1, np.int32)
    lock_kernel[(programs,)](sums, lock, seen, steps, N=N, num_warps=num_warps)
    np.testing.assert_array_equal(sums, np.full(N, programs * steps))
    # Each step saw the tile exactly as another step had stored it.
    np.testing.assert_array_equal(np.sort(seen[:, 0]), np.arange(programs * steps))
    np.testing.assert_array_equal(seen, np.broadcast_to(seen[:, :1], seen.shape))


@tilewright.jit
def message_kernel(
    data, flag, before, out, RELEASE: tl.constexpr, ACQUIRE: tl.constexpr, N: tl.constexpr
):
    program, i = tl.program_id(0), tl.arange(0, N)
    if program == 0:
        tl.store(data + i, i + 1)
        tl.atomic_xchg(flag, 1, sem=RELEASE)
    else:
        tl.store(before + program * N + i, tl.load(data + (N - 1 - i)))
        while tl.atomic_add(flag, 0, sem=ACQUIRE) == 0:
            pass
        tl.store(out + program * N + i, tl.load(data + (N - 1 - i)))


@pytest.mark.parametrize(
    ("release", "acquire"), [("release", "acquire"), ("acq_rel", "acq_rel"), ("release", "acq_rel")]
)
def test_a_message_arrives_before_its_flag(release: str, acquire: str) -> None:
    data, flag = np.zeros(N, np.int32), np.zeros(1, np.int32)
    before, out = np.zeros((3, N), np.int32), np.zeros((3, N), np.int32)
    message_kernel[(3,)](data, flag, before, out, RELEASE=release, ACQUIRE=acquire, N=N)
    np.testing.assert_array_equal(out[1:], np.stack([N - np.arange(N)] * 2))


@tilewright.jit
def tile_of_flags_kernel(data, flags, out, N: tl.constexpr):
    program, i = tl.program_id(0), tl.arange(0, N)
    if program == 0:
        tl.store(data + i, i + 1)
        tl.atomic_or(flags + i, 1, mask=i % 2 == 0)
    else:
        while tl.sum(tl.atomic_max(flags + i, 0, mask=i % 2 == 0), 0) < N // 2:
            pass
        tl.store(out + i, tl.load(data + (N - 1 - i)))


def test_each_atomic_of_a_tile_releases_the_whole_program() -> None:
    data, flags, out = np.zeros(N, np.int32), np.zeros(N, np.int32), np.zeros(N, np.int32)
    tile_of_flags_kernel[(2,)](data, flags, out, N=N)
    np.testing.assert_array_equal(out, N - np.arange(N))


@tilewright.jit
def exchange_kernel(x, out, N: tl.constexpr, S: tl.constexpr):
    i = tl.arange(0, N)
    before = tl.load(x + S + i)
    tl.store(x + i, 10 * i)
    tl.debug_barrier()
    after = tl.load(x + S + i)
    tl.store(out + i, before)
    tl.store(out + N + i, after)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_a_load_after_a_barrier_is_another_load(num_warps: int) -> None:
    x = seeds.generator().integers(-9, 0, N + 4).astype(np.int32)
    expected = np.concatenate([x[4:], 10 * np.arange(4, N), x[N:]])
    out = np.zeros(2 * N, np.int32)
    exchange_kernel[(1,)](x, out, N=N, S=4, num_warps=num_warps)
    np.testing.assert_array_equal(out, expected)
