"""Quotients of 64 bits in kernels with products, where the code for Hopper has no calls."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIDE = 64


@tilewright.jit
def kernel(a, b, c, x, y, quotients, remainders, N: tl.constexpr, SIDE: tl.constexpr):
    i = tl.arange(0, SIDE)
    at = i[:, None] * SIDE + i[None, :]
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for t in range(2):
        total = tl.dot(tl.load(a + t * SIDE * SIDE + at), tl.load(b + at), total)
    tl.store(c + at, total)
    n = tl.arange(0, N)
    left, right = tl.load(x + n), tl.load(y + n)
    tl.store(quotients + n, left // right)
    tl.store(remainders + n, left % right)


def numbers(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of numbers around powers of two; no zero divides, and no quotient overflows."""
    powers = [1 << bit for bit in (0, 1, 5, 31, 32, 33, 47, 62)]
    sides = sorted({power + change for power in powers for change in (-1, 0, 1)})
    if dtype is np.int64:
        sides = [sign * side for side in sides for sign in (1, -1)] + [-(1 << 63), (1 << 63) - 1]
    else:
        sides += [1 << 63, (1 << 64) - 1]
    pairs = [(x, y) for x in sides for y in sides if y != 0 and (x, y) != (-(1 << 63), -1)]
    pairs += [(1, 1)] * (4096 - len(pairs))
    x, y = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    return x, y


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("warps", [4, 8])
def test_quotients(dtype: type, warps: int) -> None:
    x, y = numbers(dtype)
    rng = np.random.default_rng(warps)
    a = rng.integers(-3, 4, (2, SIDE, SIDE)).astype(np.float16)
    b = rng.integers(-3, 4, (SIDE, SIDE)).astype(np.float16)
    c = np.empty((SIDE, SIDE), np.float32)
    quotients, remainders = np.empty_like(x), np.empty_like(x)
    kernel[(1,)](a, b, c, x, y, quotients, remainders, len(x), SIDE, num_warps=warps)
    np.testing.assert_array_equal(c, (a[0].astype(np.float32) + a[1]) @ b.astype(np.float32))
    exact = [divmod(abs(int(p)), abs(int(q))) for p, q in zip(x, y, strict=True)]
    signs = [
        (-1 if (p < 0) != (q < 0) else 1, -1 if p < 0 else 1) for p, q in zip(x, y, strict=True)
    ]
    expected = [(s * d, t * r) for (d, r), (s, t) in zip(exact, signs, strict=True)]
    np.testing.assert_array_equal(quotients, np.array([d for d, _ in expected], dtype))
    np.testing.assert_array_equal(remainders, np.array([r for _, r in expected], dtype))
