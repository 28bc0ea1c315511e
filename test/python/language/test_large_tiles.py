"""Tiles of many elements for each thread, whose elements are computed in turn."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import DeviceAssertError


@tilewright.jit
def losses(loss, gradient, x, y, n, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    for start in range(0, n, SIZE):
        i = start + tl.arange(0, SIZE)
        a = tl.load(x + row + i, mask=i < n, other=0.0).to(tl.float32)
        b = tl.load(y + row + i, mask=i < n, other=0.0).to(tl.float32)
        largest = tl.maximum(a, b)
        mean = largest + tl.log(0.5 * tl.exp(a - largest) + 0.5 * tl.exp(b - largest))
        p, q = 0.5 * tl.exp(a), 0.5 * tl.exp(b)
        tl.store(loss + row + i, q * (b - mean) + p * (a - mean), mask=i < n)
        tl.store(gradient + row + i, p * (a - mean), mask=i < n)


@pytest.mark.parametrize(
    ("size", "warps"), [(8192, 1), (8192, 4), (4096, 1), (16384, 8), (8192, 16)]
)
@pytest.mark.parametrize("n", [9000, 8192])
def test_losses(size: int, warps: int, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = (rng.standard_normal((2, n), np.float32).astype(np.float16) for _ in range(2))
    loss, gradient = np.zeros((2, n), np.float32), np.zeros((2, n), np.float16)
    losses[(2,)](loss, gradient, x, y, n, size, num_warps=warps)
    a, b = x.astype(np.float64), y.astype(np.float64)
    p, q = np.exp(a) / 2, np.exp(b) / 2
    wanted = p * (a - np.log(p + q))
    np.testing.assert_allclose(gradient, wanted, rtol=2e-3, atol=1e-3)
    np.testing.assert_allclose(loss, q * (b - np.log(p + q)) + wanted, rtol=1e-4, atol=1e-5)


@tilewright.jit
def in_place(x, y, total, n, SIZE: tl.constexpr):
    """Reads what it has written, in the same iteration and in another array's order."""
    for start in range(0, n, SIZE):
        i = start + tl.arange(0, SIZE)
        a = tl.load(x + i)
        tl.store(x + i, a * 2 + 1)
        tl.store(y + n - 1 - i, tl.load(x + i) - a)
        b = tl.load(y + i)
        tl.store(x + i, b + a)
        tl.store(total + i, tl.sum(a) + tl.load(x + i))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int16])
@pytest.mark.parametrize(("size", "warps"), [(4096, 1), (8192, 4), (4096, 16)])
def test_in_place(dtype: type, size: int, warps: int) -> None:
    n = 2 * size
    rng = np.random.default_rng(size)
    x = rng.integers(-2, 3, n).astype(dtype)
    y, total = np.arange(n, dtype=np.int64).astype(dtype) % 7, np.zeros(n, dtype)
    a, b, sums = x.copy(), y.copy(), total.copy()
    for start in range(0, n, size):
        part = slice(start, start + size)
        old = a[part].copy()
        a[part] = old * 2 + 1
        b[n - 1 - np.arange(n)[part]] = a[part] - old
        a[part] = b[part] + old
        sums[part] = old.sum(dtype=dtype) + a[part]
    in_place[(1,)](x, y, total, n, size, num_warps=warps)
    assert np.array_equal(x, a)
    assert np.array_equal(y, b)
    assert np.array_equal(total, sums)


@tilewright.jit
def moved(x, n, STEP: tl.constexpr, SIZE: tl.constexpr):
    """Each iteration writes part of what another thread has written in the last one."""
    for start in range(0, n, STEP):
        i = start + tl.arange(0, SIZE)
        tl.store(x + i, tl.load(x + i) + i)


@pytest.mark.parametrize("step", [1, 32, 96, 128, 256, 384])
@pytest.mark.parametrize("warps", [1, 4])
def test_overlapping_iterations(step: int, warps: int) -> None:
    size, n = 128, 2000
    x = np.zeros(n + size, np.int32)
    wanted = x.copy()
    for start in range(0, n, step):
        wanted[start : start + size] += np.arange(start, start + size, dtype=np.int32)
    moved[(1,)](x, n, step, size, num_warps=warps)
    assert np.array_equal(x, wanted)


@tilewright.jit
def quotients(x, y, z, m, d, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.device_assert(d != 0, "nothing to divide by")
    a = tl.load(x + (i // 3 + m // d) % SIZE)
    b = tl.load(x + SIZE + i)
    c, e, f, g = a * b, a ^ b, a - b, a + 3 * b
    tl.store(y + i, c + e)
    tl.store(y + SIZE + i, a * g + c - e * f)
    tl.store(z + i, (a * g) ^ c - e * f + (b - g))


def test_a_division_stays_behind_its_assertion() -> None:
    size = 16384
    x, y, z = (np.arange(2 * size, dtype=np.int32) for _ in range(3))
    options = {"num_warps": 16, "debug": True, "sanitize_overflow": False}
    quotients[(1,)](x, y, z, 6, 3, size, **options)
    i = np.arange(size)
    a, b = x[(i // 3 + 2) % size], x[size:]
    assert np.array_equal(y[:size], a * b + (a ^ b))
    with pytest.raises(DeviceAssertError, match="nothing to divide by"):
        quotients[(1,)](x, y, z, 6, 0, size, **options)
