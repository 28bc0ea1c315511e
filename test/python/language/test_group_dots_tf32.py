"""Dots of float32 at the precision of tf32, which Hopper's warp groups compute.

There, one operand goes through registers, where it is rounded. The other one must be stored along
K, and what is loaded of it is cut off: the dot or its transpose, as the orders in memory permit.
"""

import math

import numpy as np
import pytest
import torch
from group_matmul import check_matmul, transposed
from inputs import error, fresh, poisoned, wide

import tilewright
import tilewright.language as tl


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4])
@pytest.mark.parametrize("orders", ["NN", "NT", "TT"])
@pytest.mark.parametrize("k", [8, 160])
def test_stages_and_trip_counts(num_stages, orders, k):
    check_matmul("fp32", orders, (64, 64, k), (64, 64, 32), num_warps=4, num_stages=num_stages)


@pytest.mark.parametrize("num_warps", [4, 8, 16])
@pytest.mark.parametrize(
    "blocks",
    [(64, 8, 64), (16, 64, 8), (64, 128, 16), (128, 32, 8), (128, 256, 8), (256, 64, 16)],
)
def test_blocks_and_warps(blocks, num_warps):
    m, n, k = blocks
    for orders in ("NN", "NT", "TT"):
        check_matmul("fp32", orders, (m, n, 3 * k), blocks, num_warps=num_warps, num_stages=3)


@pytest.mark.parametrize("sizes", [(100, 60, 40), (1, 1, 1), (65, 129, 72), (64, 64, 0)])
@pytest.mark.parametrize("orders", ["NN", "NT"])
def test_sizes_that_blocks_do_not_divide(orders, sizes):
    check_matmul("fp32", orders, sizes, (64, 64, 32), num_warps=4, num_stages=3)


@tilewright.jit
def product(a, b, c, out, am, ak, bk, bn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            MODE: tl.constexpr, SCALED: tl.constexpr):  # fmt: skip
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * am + k[None, :] * ak)
    y = tl.load(b + k[:, None] * bk + j[None, :] * bn)
    if SCALED:
        x, y = x * 1.25, tl.where(k[:, None] % 2 == 0, y, -y)
    at = i[:, None] * N + j[None, :]
    tl.store(out + at, tl.dot(x, y, tl.load(c + at), input_precision=MODE))


def launch(a, b, c, mode="tf32", scaled=False):
    (m, k), n = a.shape, b.shape[1]
    out = poisoned("fp32", (m, n))
    product[(1,)](
        a, b, c, out, *a.stride(), *b.stride(), M=m, N=n, K=k, MODE=mode, SCALED=scaled, num_warps=4
    )  # fmt: skip
    return wide(out)


# The error of a product of two elements, in units of the product: one operand is rounded, the
# other one cut off unless it is computed. "tf32x3" computes all operands.
ERRORS = {("tf32", False): 1.5 * 2.0**-10, ("tf32", True): 2.0**-10, ("tf32x3", False): 2.0**-19}


@pytest.mark.parametrize("mode, scaled", ERRORS)
@pytest.mark.parametrize("orders", ["NN", "NT", "TT"])
@pytest.mark.parametrize("shape", [(64, 32, 16), (64, 64, 64)])
def test_precision(shape, orders, mode, scaled):
    m, n, k = shape
    a, b, c = fresh("fp32", (m, k)), fresh("fp32", (k, n)), fresh("fp32", (m, n))
    scales = torch.from_numpy(np.ldexp(1.0, np.arange(m * k).reshape(m, k) % 40 - 20)).float()
    a = a * scales
    a = transposed(a) if orders[0] == "T" else a
    b = transposed(b) if orders[1] == "T" else b
    x, y = wide(a), wide(b)
    if scaled:
        x, y = x * 1.25, np.where(np.arange(k)[:, None] % 2 == 0, y, -y)
    roundings = (6 * k + 8) * 2.0**-24
    bound = np.abs(x) @ np.abs(y) * (ERRORS[mode, scaled] * (1 + 2.0**-10) + roundings)
    bound += np.abs(wide(c)) * roundings
    assert (np.abs(launch(a, b, c, mode, scaled) - (x @ y + wide(c))) <= bound).all()


@pytest.mark.parametrize("orders", ["NN", "NT"])
def test_exact_where_operands_have_eleven_bits(orders):
    a = torch.from_numpy(np.arange(64 * 32).reshape(64, 32) % 2048 - 1024).float()
    b = torch.from_numpy(np.arange(32 * 64).reshape(32, 64) % 5 - 2.0).float()
    b = transposed(b) if orders[1] == "T" else b
    assert np.array_equal(launch(a, b, torch.zeros(64, 64)), wide(a) @ wide(b))


@pytest.mark.parametrize("mode", ["tf32", "tf32x3"])
@pytest.mark.parametrize("orders", ["NN", "NT"])
def test_infinities_and_nans(orders, mode):
    a, b = fresh("fp32", (64, 32), 0.5, 1.5), fresh("fp32", (32, 64), 0.5, 1.5)
    a[1, 3], a[2, 5], a[4, 0] = math.inf, -math.inf, math.nan
    b[3, 7], b[0, 9], b[8, 11] = 0, -math.inf, math.nan
    b = transposed(b) if orders[1] == "T" else b
    with np.errstate(invalid="ignore"):
        expected = wide(a) @ wide(b)
    found = launch(a, b, torch.zeros(64, 64), mode)
    special = ~np.isfinite(expected)
    assert np.array_equal(found[special], expected[special], equal_nan=True)
    assert np.isfinite(found[~special]).all()


@tilewright.jit
def shared_operands(a, fixed, out, K, BK: tl.constexpr):
    """A tile by its own transpose, a tile from outside of the loop, and a second accumulator."""
    i, k = tl.arange(0, 64), tl.arange(0, BK)
    weights = tl.load(fixed + i[:, None] * 64 + i[None, :])
    total = tl.zeros((64, 64), tl.float32)
    other = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + start + k[None, :])
        total = tl.dot(x, x.T, total)
        y = tl.load(a + i[:, None] * K + i[None, :])
        other = tl.dot(weights, y.T, other)
    tl.store(out + i[:, None] * 64 + i[None, :], total - other)


@pytest.mark.parametrize("num_stages", [1, 3])
def test_operands_in_common(num_stages):
    a, fixed = fresh("fp32", (64, 96)), fresh("fp32", (64, 64))
    out = poisoned("fp32", (64, 64))
    shared_operands[(1,)](a, fixed, out, 96, BK=32, num_warps=4, num_stages=num_stages)
    x = wide(a)
    assert error(out, x @ x.T - 3 * wide(fixed) @ x[:, :64].T) < 2.0**-10


@tilewright.jit
def sums_on_the_way(a, b, out, STEPS: tl.constexpr):
    """Each iteration stores what is computed from the accumulator, and scales it."""
    i, k = tl.arange(0, 64), tl.arange(0, 16)
    total = tl.zeros((64, 64), tl.float32)
    for step in range(STEPS):
        x = tl.load(a + i[:, None] * 64 + step * 16 + k[None, :])
        y = tl.load(b + (step * 16 + k)[:, None] * 64 + i[None, :])
        total = tl.dot(x, y, total * 0.5)
        tl.store(out + step * 4096 + i[:, None] * 64 + i[None, :], tl.maximum(total, -4.0))


def test_accumulators_with_other_uses():
    a, b = fresh("fp32", (64, 64)), fresh("fp32", (64, 64))
    out = poisoned("fp32", (4, 64, 64))
    sums_on_the_way[(1,)](a, b, out, STEPS=4, num_warps=4)
    total = np.zeros((64, 64))
    for step in range(4):
        at = slice(step * 16, step * 16 + 16)
        total = total * 0.5 + wide(a)[:, at] @ wide(b)[at]
        assert error(out[step], np.maximum(total, -4)) < 2.0**-10


@tilewright.jit
def two_layers(x, first, second, out):
    """A dot of a dot's result."""
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    hidden = tl.maximum(tl.dot(tl.load(x + at), tl.load(first + at)), 0)
    tl.store(out + at, tl.dot(hidden, tl.load(second + at)))


def test_dots_of_dots():
    x, first, second = (fresh("fp32", (64, 64)) for _ in range(3))
    out = poisoned("fp32", (64, 64))
    two_layers[(1,)](x, first, second, out, num_warps=4)
    assert error(out, np.maximum(wide(x) @ wide(first), 0) @ wide(second)) < 2.0**-9


@pytest.mark.cpu_only("compiles for one target")
def test_uses_warp_groups():
    """Where one operand is stored along K."""
    a, c = torch.zeros(64, 32), torch.zeros(64, 64)
    b = torch.zeros(32, 64)
    for left, right, uses in [(a, b, True), (a, transposed(b), True), (transposed(a), b, False)]:
        made = product.warmup(
            left, right, c, c, *left.stride(), *right.stride(), M=64, N=64, K=32, MODE="tf32",
            SCALED=False, num_warps=4, target="cuda:90a",
        )  # fmt: skip
        assert ("m64n64k8.f32.tf32.tf32" in made.asm["ptx"]) == uses
        assert ("mma.sync" in made.asm["ptx"]) != uses
