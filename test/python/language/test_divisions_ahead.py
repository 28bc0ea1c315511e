"""Addresses computed ahead, for iterations past the end of a loop, do not divide by zero."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIDE, STEP = 32, 32


@tilewright.jit
def quotient_kernel(a, b, c, count, scale, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The divisor is 0 in the iteration after the last one."""
    i = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for step in range(0, count):
        at = (scale // (count - step)) * STEP + tl.arange(0, STEP)
        x = tl.load(a + i[:, None] * 256 + at[None, :])
        y = tl.load(b + at[:, None] * SIDE + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


@tilewright.jit
def remainder_kernel(a, b, c, count, scale, SIDE: tl.constexpr, STEP: tl.constexpr):
    """Some divisors of a tile are 0 after the last iteration, one if there is no iteration."""
    i = tl.arange(0, SIDE)
    lanes = tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for step in range(0, count):
        at = (step % count) * STEP + lanes + scale % (count - step + lanes) // 64
        x = tl.load(a + i[:, None] * 256 + at[None, :])
        y = tl.load(b + at[:, None] * SIDE + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


KERNELS = {"//": quotient_kernel, "%": remainder_kernel}


def steps_of(operator: str, count: int, scale: int) -> list[int]:
    if operator == "//":
        return [scale // (count - step) for step in range(count)]
    return list(range(count))


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("operator", KERNELS)
def test_divisor_is_zero_after_the_last_iteration(operator: str, count: int, stages: int) -> None:
    rng = np.random.default_rng(count)
    a = rng.integers(-3, 4, (SIDE, 256)).astype(np.float16)
    b = rng.integers(-3, 4, (256, SIDE)).astype(np.float16)
    c = np.full((SIDE, SIDE), 77, np.float32)
    scale = 6
    KERNELS[operator][(1,)](a, b, c, count, scale, SIDE, STEP, num_stages=stages)
    expected = np.zeros((SIDE, SIDE), np.float32)
    for step in steps_of(operator, count, scale):
        part = slice(step * STEP, (step + 1) * STEP)
        expected += a[:, part].astype(np.float32) @ b[part].astype(np.float32)
    np.testing.assert_array_equal(c, expected)
