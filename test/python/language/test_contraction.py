"""The contraction of a multiplication and an addition, and the option that forbids it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 64


@tilewright.jit
def multiply_add(x, y, z, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.load(x + i) * tl.load(y + i) + tl.load(z + i))


@tilewright.jit
def scalar_difference(x, y, z, out, SIZE: tl.constexpr):
    for i in range(SIZE):
        tl.store(out + i, tl.load(x + i) * tl.load(y + i) - tl.load(z + i))


@tilewright.jit
def sum_of_products(x, y, z, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    total = tl.load(z + i)
    for _ in range(1):
        total += tl.load(x + i) * tl.load(y + i)
    tl.store(out + i, total)


KERNELS = [multiply_add, scalar_difference, sum_of_products]


def run(kernel, dtype, bits: int, **options) -> np.ndarray:
    """The values of x * y - z, where z is the product after rounding: its error if not rounded."""
    x = np.full(SIZE, 1 + 2.0**-bits, dtype)  # the square is 1 + 2^(1 - bits) + 2^(-2 bits)
    z, out = np.full(SIZE, 1 + 2.0 ** (1 - bits), dtype), np.empty(SIZE, dtype)
    kernel[(1,)](x, x, z if kernel is scalar_difference else -z, out, SIZE, **options)
    return out


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, 12), (np.float64, 30)])
def test_rounding(kernel, dtype, bits: int, launch_target: str) -> None:
    """By default, a target with multiply-adds rounds once; without contraction, all round twice."""
    assert (run(kernel, dtype, bits, enable_fp_fusion=False) == 0).all()
    if launch_target != "cpu" or "fma" in Path("/proc/cpuinfo").read_text().split():
        assert (run(kernel, dtype, bits) == 2.0 ** (-2 * bits)).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.cpu_only("a GPU has multiply-adds of halves")
def test_halves(kernel) -> None:
    """Halves are computed in float32 and rounded after each step."""
    assert (run(kernel, np.float16, 6) == 0).all()


@tilewright.jit
def differences_of_products(a, b, c, out, products, SIZE: tl.constexpr):
    """Of all pairs, of which each value is computed at two places of the same loops."""
    i, j = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    product = tl.load(a + i) * tl.load(b + j)
    total = product + tl.load(c + i + j)
    tl.store(products + i * SIZE + j, product)
    largest = tl.max(total, axis=1)
    is_largest = tl.sum((total == largest[:, None]).to(tl.int32), axis=1)
    tl.store(out + i * SIZE + j, total - tl.trans(total))
    tl.store(out + SIZE * SIZE + tl.arange(0, SIZE), is_largest)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_value_is_one_value(dtype) -> None:
    """However often and where a value is computed, it is rounded alike."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.standard_normal(n).astype(dtype) for n in (32, 32, 64))
    out, products = np.empty(32 * 33, dtype), np.empty((32, 32), dtype)
    differences_of_products[(1,)](a, b, c, out, products, 32)
    differences = out[: 32 * 32].reshape(32, 32)
    assert (differences == -differences.T).all()
    assert (out[32 * 32 :] == 1).all()
    assert (products == a[:, None] * b[None, :]).all()
