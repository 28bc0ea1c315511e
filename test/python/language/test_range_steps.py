"""Steps of ranges that are known at run time, which with `debug=True` must be positive."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import DeviceAssertError

pytestmark = pytest.mark.loses_gpu


@tilewright.jit
def count(out, n, step):
    total = 0
    for _ in range(0, n, step):
        total += 1
    tl.store(out, total)


@tilewright.jit
def count_to(out, n, step):
    total = 0
    for _ in tl.range(0, n, step):
        total += 1
        if total == n:
            break
    tl.store(out, total)


@tilewright.jit
def count_by_loaded(out, n, step):
    tl.store(out, step)
    total = 0
    for _ in range(0, n, tl.load(out)):
        total += 1
    tl.store(out, total)


KERNELS = pytest.mark.parametrize("kernel", [count, count_to, count_by_loaded])


@KERNELS
@pytest.mark.parametrize("step", [0, -1, -16])
def test_steps_that_are_not_positive(kernel: Any, step: int) -> None:
    out = np.full(1, 5, np.int32)
    with pytest.raises(DeviceAssertError, match="the step of a range must be positive") as raised:
        kernel[(1,)](out, 10, step, debug=True)
    lines, first = inspect.getsourcelines(kernel.fn)
    assert raised.value.line == first + next(i for i, text in enumerate(lines) if "for _" in text)


@KERNELS
@pytest.mark.parametrize("step", [1, 3, 16])
def test_positive_steps(kernel: Any, step: int) -> None:
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 10, step, debug=True)
    assert out[0] == len(range(0, 10, step))


@tilewright.jit
def count_down(out, n):
    total = 0
    for _ in range(n, 0, -3):
        total += 1
    tl.store(out, total)


def test_only_assertions_of_kernels_are_reported_as_omitted() -> None:
    out = np.zeros(1, np.int32)
    assert not count.warmup(out, 10, 3).omits_asserts
    count_down[(1,)](out, 10, debug=True)
    assert out[0] == 4


@tilewright.jit
def sum_of_steps(a, b):
    for _ in range(0, 1, b * 0 + 1):
        a += b
    return a


@tilewright.jit
def reduce_with_loop(x, out, SIZE: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, SIZE)), 0, sum_of_steps))


def test_combiners_take_no_assertions() -> None:
    x, out = np.arange(16, dtype=np.int32), np.zeros(1, np.int32)
    reduce_with_loop[(1,)](x, out, 16, debug=True)
    assert out[0] == x.sum()
