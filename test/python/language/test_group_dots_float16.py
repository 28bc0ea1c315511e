"""Dots of float16 with sums in float16, of which Hopper's warp groups have two in a register."""

import numpy as np
import pytest
import torch
from group_matmul import check_matmul, transposed
from inputs import error, fresh, poisoned, wide

import tilewright
import tilewright.language as tl


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4])
@pytest.mark.parametrize("orders", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("k", [16, 160])
def test_stages_and_orders(num_stages, orders, k):
    check_matmul(
        "fp16", orders, (64, 64, k), (64, 64, 32), "fp16", num_warps=4, num_stages=num_stages
    )


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize(
    "blocks", [(64, 8, 64), (64, 16, 16), (64, 128, 32), (128, 256, 16), (256, 64, 32)]
)
def test_blocks_and_warps(blocks, num_warps):
    m, n, k = blocks
    check_matmul("fp16", "NN", (m, n, 3 * k), blocks, "fp16", num_warps=num_warps, num_stages=3)


@pytest.mark.parametrize("sizes", [(100, 60, 40), (1, 1, 1), (65, 129, 72), (64, 64, 0)])
def test_sizes_that_blocks_do_not_divide(sizes):
    check_matmul("fp16", "NT", sizes, (64, 64, 32), "fp16", num_warps=4, num_stages=3)


@tilewright.jit
def used(a, b, start, out, sums, STEPS: tl.constexpr):
    """Sums that begin with loaded values, that each iteration stores, and that it scales."""
    i, k = tl.arange(0, 64), tl.arange(0, 16)
    at = i[:, None] * 64 + i[None, :]
    total = tl.load(start + at)
    other = tl.load(start + at)
    for step in range(STEPS):
        x = tl.load(a + i[:, None] * 64 + step * 16 + k[None, :])
        y = tl.load(b + (step * 16 + k)[:, None] * 64 + i[None, :])
        total = tl.dot(x, y, total, out_dtype=tl.float16)
        tl.store(sums + step * 4096 + at, tl.maximum(total, -4.0))
        other = tl.dot(x, y, other * 0.5, out_dtype=tl.float16)
    tl.store(out + at, other)


def test_accumulators_with_other_uses():
    a, b = fresh("fp16", (64, 64)), fresh("fp16", (64, 64))
    start = fresh("fp16", (64, 64))
    out, sums = poisoned("fp16", (64, 64)), poisoned("fp16", (4, 64, 64))
    used[(1,)](a, b, start, out, sums, STEPS=4, num_warps=4)
    total = other = wide(start)
    for step in range(4):
        at = slice(step * 16, step * 16 + 16)
        product = wide(a)[:, at] @ wide(b)[at]
        total, other = total + product, other * 0.5 + product
        assert error(sums[step], np.maximum(total, -4)) < 2.0**-8
    assert error(out, other) < 2.0**-8


@tilewright.jit
def two_layers(x, first, second, out):
    """A dot of a dot's result, which stays in registers."""
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    hidden = tl.dot(tl.load(x + at), tl.load(first + at), out_dtype=tl.float16)
    hidden = tl.maximum(hidden, 0)
    tl.store(out + at, tl.dot(hidden, tl.load(second + at), out_dtype=tl.float16))


def test_dots_of_dots():
    x, first, second = (fresh("fp16", (64, 64), -1, 1) for _ in range(3))
    out = poisoned("fp16", (64, 64))
    two_layers[(1,)](x, first, second, out, num_warps=4)
    assert error(out, np.maximum(wide(x) @ wide(first), 0) @ wide(second)) < 2.0**-8


@tilewright.jit
def single(a, b, c, out):
    i, k = tl.arange(0, 64), tl.arange(0, 32)
    x = tl.load(a + i[:, None] * 32 + k[None, :])
    y = tl.load(b + k[:, None] * 64 + i[None, :])
    at = i[:, None] * 64 + i[None, :]
    tl.store(out + at, tl.dot(x, y, tl.load(c + at), out_dtype=tl.float16))


def test_sums_beyond_the_range_are_infinite():
    a, b = torch.full((64, 32), 100.0).half(), torch.full((32, 64), 100.0).half()
    a[5] = -100
    out = poisoned("fp16", (64, 64))
    single[(1,)](a, b, torch.zeros(64, 64).half(), out, num_warps=4)
    expected = np.full((64, 64), np.inf)
    expected[5] = -np.inf
    assert np.array_equal(wide(out), expected)


def test_small_numbers_are_exact():
    a = torch.from_numpy(np.arange(64 * 32).reshape(64, 32) % 7 - 3).half()
    b = torch.from_numpy(np.arange(32 * 64).reshape(32, 64) % 5 - 2).half()
    c = torch.from_numpy(np.arange(64 * 64).reshape(64, 64) % 1000 - 500).half()
    out = poisoned("fp16", (64, 64))
    single[(1,)](a, b, c, out, num_warps=4)
    assert np.array_equal(wide(out), wide(a) @ wide(b) + wide(c))


@pytest.mark.cpu_only("compiles for one target")
def test_uses_warp_groups():
    a, c = torch.zeros(64, 32).half(), torch.zeros(64, 64).half()
    made = single.warmup(a, transposed(a.T), c, c, num_warps=4, target="cuda:90a")
    assert "m64n64k16.f16.f16.f16" in made.asm["ptx"]
    assert "mma.sync" not in made.asm["ptx"]
