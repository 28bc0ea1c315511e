"""Volatile loads read memory each time, so a program can wait for another one."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

# The loops end by themselves, so that a load which is executed once is a failure and no hang.
LIMIT = tl.constexpr(2**33)


@tilewright.jit
def wait_scalar(flag, out, MODE: tl.constexpr):
    count = tl.full((), 0, tl.int64)
    x = tl.load(flag, volatile=True)
    while (x == 0) & (count < LIMIT):
        if MODE == "plain":
            x = tl.load(flag, volatile=True)
        elif MODE == "masked":
            x = tl.load(flag, mask=count >= 0, other=0, volatile=True)
        else:
            x = tl.load(flag, cache_modifier=".cv")
        count += 1
    tl.store(out, x)


@tilewright.jit
def wait_tile(flag, out, n, STEP: tl.constexpr):
    i = tl.arange(0, 16)
    count = tl.full((), 0, tl.int64)
    x = tl.load(flag + i * STEP, mask=i < n, other=0, volatile=True)
    while (tl.sum(x) == 0) & (count < LIMIT // 64):
        x = tl.load(flag + i * STEP, mask=i < n, other=0, volatile=True)
        count += 1
    tl.store(out, tl.sum(x))


def launch_and_set(launch, flag: np.ndarray) -> None:
    """Writes the flag while the kernel runs."""
    timer = threading.Timer(0.05, lambda: flag.__setitem__(-1, 7))
    timer.start()
    launch()
    timer.join()


@pytest.mark.cpu_only("another thread of the host writes memory")
@pytest.mark.parametrize("mode", ["plain", "masked", "cv"])
def test_a_scalar_is_read_again(mode) -> None:
    flag, out = np.zeros(1, np.int32), np.zeros(1, np.int32)
    launch_and_set(lambda: wait_scalar[1,](flag, out, mode), flag)
    assert out[0] == 7


@pytest.mark.cpu_only("another thread of the host writes memory")
@pytest.mark.parametrize("step", [1, 3])
def test_a_tile_is_read_again(step) -> None:
    flag, out = np.zeros(9 * step + 1, np.int32), np.zeros(1, np.int32)
    launch_and_set(lambda: wait_tile[1,](flag, out, 10, step), flag)
    assert out[0] == 7


@tilewright.jit
def running_sum(x, status, out):
    """Each program waits for the sum of the previous one."""
    pid = tl.program_id(0)
    total = tl.load(x + pid)
    if pid > 0:
        previous = tl.load(status + pid - 1, volatile=True)
        while previous == 0:
            previous = tl.load(status + pid - 1, volatile=True)
        total += previous
    tl.store(status + pid, total)
    tl.store(out + pid, total)


def test_programs_wait_for_each_other() -> None:
    for _ in range(20):
        x = np.arange(1, 65, dtype=np.int32)
        status, out = np.zeros_like(x), np.zeros_like(x)
        running_sum[64,](x, status, out)
        np.testing.assert_array_equal(out, np.cumsum(x))
