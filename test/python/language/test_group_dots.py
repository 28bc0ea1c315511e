"""Dots of at least 64 rows with four or more warps, which Hopper's warp groups compute."""

import numpy as np
import pytest
from group_matmul import TYPES, check_matmul, matmul
from inputs import error, fresh, poisoned, wide

import tilewright
import tilewright.language as tl


@pytest.mark.parametrize("orders", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("dtype", list(TYPES))
def test_types_and_orders_in_memory(dtype, orders):
    check_matmul(dtype, orders, (64, 64, 192), (64, 64, 64), num_warps=4, num_stages=3)


@pytest.mark.parametrize("num_stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("k", [16, 32, 96, 256])
def test_stages_and_trip_counts(num_stages, k):
    check_matmul("fp16", "NN", (64, 64, k), (64, 64, 32), num_warps=4, num_stages=num_stages)


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
@pytest.mark.parametrize(
    ("blocks", "num_stages", "slots"),
    [((64, 64, 16), 2, 3), ((64, 64, 16), 4, 4), ((128, 128, 64), 2, 2), ((128, 128, 128), 2, 3)],
)
def test_two_stages_have_a_third_slot(blocks, num_stages, slots):
    """Where three quarters of the programs still fit: dots in flight read one slot."""
    types = [*["*bf16:D"] * 2, "*fp32:D", *["i32:D"] * 4, 1, "i32:D", 1, "i32:D", *blocks]
    options = {"num_warps": 4, "num_stages": num_stages}
    made = tilewright.compiler.compile(matmul, types, "cuda:90a", options, noalias=True)
    assert f"{blocks[0]}x{blocks[2]}xbf16, #shared, {slots}>" in made.ir("tilegpu")


@tilewright.jit
def two_matmuls(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    for part in tl.static_range(2):
        total = tl.zeros((M, N), tl.float32)
        for start in range(0, K, BK):
            x = tl.load(a + i[:, None] * K + (start + k)[None, :])
            y = tl.load(b + (start + k)[:, None] * N + j[None, :])
            total = tl.dot(x, y, total)
        tl.store(c + part * M * N + i[:, None] * N + j[None, :], total)


@tilewright.jit
def sums_around_matmuls(a, b, c, d, K, T, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    i, j, k, wide = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK), tl.arange(0, 128)
    sums = tl.zeros((128, 128), tl.float32)
    for t in range(0, T):
        z = tl.load(a + (t * 128 + wide[:, None]) * 128 + wide[None, :])
        w = tl.load(b + (t * 128 + wide[:, None]) * 128 + wide[None, :])
        sums = tl.dot(z, w, sums)
        total = tl.zeros((M, N), tl.float32)
        for start in range(0, K, BK):
            x = tl.load(a + i[:, None] * K + (start + k)[None, :])
            y = tl.load(b + (start + k)[:, None] * N + j[None, :])
            total = tl.dot(x, y, total)
        tl.store(d + t * M * N + i[:, None] * N + j[None, :], total)
    tl.store(c + wide[:, None] * 128 + wide[None, :], sums)


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
@pytest.mark.parametrize("inner", [(16, 128, 64), (32, 128, 64)])
def test_two_stages_fit_in_nests(inner):
    """Loops one after the other, or in each other, that fit only with two slots."""
    options = {"num_stages": 2}
    types = [*["*bf16:D"] * 2, "*fp32:D", "i32:D", 128, 256, 128]
    warps = {**options, "num_warps": 8}
    made = tilewright.compiler.compile(two_matmuls, types, "cuda:90a", warps, noalias=True)
    assert "128x128xbf16, #shared, 2>" in made.ir("tilegpu")
    types = [*["*bf16:D"] * 2, *["*fp32:D"] * 2, "i32:D", "i32:D", *inner]
    made = tilewright.compiler.compile(
        sums_around_matmuls, types, "cuda:90a", options, noalias=True
    )
    assert "xbf16, #shared, 3>" not in made.ir("tilegpu")


@pytest.mark.parametrize("num_warps", [4, 8, 16])
@pytest.mark.parametrize(
    "blocks",
    [(64, 8, 64), (64, 16, 32), (64, 128, 32), (128, 32, 16), (128, 256, 64), (256, 64, 64)],
)
def test_blocks_and_warps(blocks, num_warps):
    m, n, k = blocks
    for orders in ("NN", "TT"):
        check_matmul("bf16", orders, (m, n, 2 * k), blocks, num_warps=num_warps, num_stages=2)


@pytest.mark.parametrize("sizes", [(100, 60, 40), (1, 1, 1), (65, 129, 72), (64, 64, 0)])
@pytest.mark.parametrize("dtype", ["fp16", "int8"])
def test_sizes_that_blocks_do_not_divide(dtype, sizes):
    check_matmul(dtype, "NT", sizes, (64, 64, 32), num_warps=4, num_stages=3)


@tilewright.jit
def attention(q, k, v, out, N, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    i, j, d = tl.arange(0, 64), tl.arange(0, BN), tl.arange(0, D)
    x = tl.load(q + i[:, None] * D + d[None, :])
    highest = tl.full((64,), float("-inf"), tl.float32)
    weight = tl.zeros((64,), tl.float32)
    total = tl.zeros((64, D), tl.float32)
    for start in range(0, N, BN):
        y = tl.load(k + (start + j)[:, None] * D + d[None, :])
        scores = tl.dot(x, y.T)
        if CAUSAL:
            scores = tl.where(i[:, None] >= (start + j)[None, :], scores, float("-inf"))
        higher = tl.maximum(highest, tl.max(scores, 1))
        p = tl.exp(scores - higher[:, None])
        scale = tl.exp(highest - higher)
        weight = weight * scale + tl.sum(p, 1)
        z = tl.load(v + (start + j)[:, None] * D + d[None, :])
        total = tl.dot(p.to(z.dtype), z, total * scale[:, None])
        highest = higher
    tl.store(out + i[:, None] * D + d[None, :], total / weight[:, None])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("depth", [16, 64, 128])
def test_attention(depth, causal):
    q, k, v = (fresh("fp16", (64, depth), -1, 1) for _ in range(3))
    out = poisoned("fp32", (64, depth))
    attention[(1,)](q, k, v, out, 64, BN=32, D=depth, CAUSAL=causal, num_warps=4, num_stages=3)
    scores = wide(q) @ wide(k).T
    scores = np.where(np.tri(64), scores, -np.inf) if causal else scores
    p = np.exp(scores - scores.max(1, keepdims=True))
    assert error(out, p / p.sum(1, keepdims=True) @ wide(v)) < 2e-3


@tilewright.jit
def gated(a, b, c, out, K, BK: tl.constexpr):
    """Two accumulators and an operand that both dots have in common."""
    i, k = tl.arange(0, 64), tl.arange(0, BK)
    left = tl.zeros((64, 64), tl.float32)
    right = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + start + k[None, :])
        left = tl.dot(x, tl.load(b + (start + k)[:, None] * 64 + i[None, :]), left)
        right = tl.dot(x, tl.load(c + (start + k)[:, None] * 64 + i[None, :]), right)
    tl.store(out + i[:, None] * 64 + i[None, :], left * right)


@pytest.mark.parametrize("num_stages", [1, 2, 4])
def test_two_accumulators(num_stages):
    a, b, c = fresh("fp16", (64, 128)), fresh("fp16", (128, 64)), fresh("fp16", (128, 64))
    out = poisoned("fp32", (64, 64))
    gated[(1,)](a, b, c, out, 128, BK=32, num_warps=4, num_stages=num_stages)
    assert error(out, (wide(a) @ wide(b)) * (wide(a) @ wide(c))) < 1e-5


@tilewright.jit
def chain(a, b, out, sums, K, BK: tl.constexpr):
    """Two dots an iteration add to one accumulator, of which the second loop stores sums."""
    i, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + start + k[None, :])
        y = tl.load(b + (start + k)[:, None] * 64 + i[None, :])
        total = tl.dot(x, y, total)
        total = tl.dot(x, y, total)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + start + k[None, :])
        y = tl.load(b + (start + k)[:, None] * 64 + i[None, :])
        total = tl.dot(x, y, total)
        tl.store(sums + start // BK * 64 + i, tl.sum(total, 1))
    tl.store(out + i[:, None] * 64 + i[None, :], total)


def test_chains_and_other_uses_of_the_accumulator():
    a, b = fresh("fp16", (64, 96)), fresh("fp16", (96, 64))
    out, sums = poisoned("fp32", (64, 64)), poisoned("fp32", (3, 64))
    chain[(1,)](a, b, out, sums, 96, BK=32, num_warps=4, num_stages=3)
    x, y = wide(a), wide(b)
    assert error(out, 3 * x @ y) < 1e-5
    parts = [(x[:, s : s + 32] @ y[s : s + 32]).sum(1) for s in (0, 32, 64)]
    assert error(sums, 2 * (x @ y).sum(1) + np.cumsum(parts, 0)) < 1e-4


@tilewright.jit
def computed(a, b, scale, out, K, BK: tl.constexpr):
    """Operands that are computed, one from outside of the loop, and a square of one tile."""
    i, k = tl.arange(0, 64), tl.arange(0, BK)
    fixed = tl.load(scale + i[:, None] * 64 + i[None, :])
    total = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + i[:, None] * K + start + k[None, :]).to(tl.float16) * 0.5
        y = tl.load(b + (start + k)[:, None] * 64 + i[None, :]).to(tl.float16)
        product = tl.dot(x, y)
        total += tl.dot(product.to(tl.float16), fixed)
    squared = total.to(tl.float16)
    total = tl.dot(squared, squared.T, total)
    tl.store(out + i[:, None] * 64 + i[None, :], total)


def test_operands_that_are_computed():
    a, b = fresh("int8", (64, 64), -3, 3), fresh("int8", (64, 64), -3, 3)
    scale = fresh("fp16", (64, 64), -0.1, 0.1)
    out = poisoned("fp32", (64, 64))
    computed[(1,)](a, b, scale, out, 64, BK=32, num_warps=4)
    total = wide(a).astype(float) * 0.5 @ wide(b).astype(float) @ wide(scale)
    assert error(out, total + total @ total.T) < 5e-3


@tilewright.jit
def persistent(a, b, out, TILES, K, BK: tl.constexpr, FLAT: tl.constexpr):
    """A loop over tiles around the loop over K; dots in branches and in a while loop."""
    i, k = tl.arange(0, 64), tl.arange(0, BK)
    for tile in tl.range(0, TILES, num_stages=2 if FLAT else 1):
        total = tl.zeros((64, 64), tl.float32)
        for start in range(0, K, BK):
            x = tl.load(a + (tile * 64 + i[:, None]) * K + start + k[None, :])
            y = tl.load(b + (start + k)[:, None] * 64 + i[None, :])
            total = tl.dot(x, y, total)
        if tile % 2 == 1:
            x = tl.load(a + i[:, None] * K + k[None, :])
            y = tl.load(b + k[:, None] * 64 + i[None, :])
            total = tl.dot(x, y, total)
        tl.store(out + (tile * 64 + i[:, None]) * 64 + i[None, :], total)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("num_stages", [1, 2, 3])
def test_loops_over_tiles(num_stages, flat):
    a, b = fresh("bf16", (192, 96)), fresh("bf16", (96, 64))
    out = poisoned("fp32", (192, 64))
    persistent[(1,)](a, b, out, 3, 96, BK=32, FLAT=flat, num_warps=4, num_stages=num_stages)
    x, y = wide(a), wide(b)
    expected = x @ y
    expected[64:128] += x[:64, :32] @ y[:32]
    assert error(out, expected) < 1e-5


@tilewright.jit
def in_place(x, out, ROUNDS: tl.constexpr):
    """Each round multiplies what the previous one has stored."""
    i = tl.arange(0, 64)
    for _ in range(ROUNDS):
        tile = tl.load(x + i[:, None] * 64 + i[None, :])
        tl.debug_barrier()
        tl.store(x + i[:, None] * 64 + i[None, :], (tl.dot(tile, tile) * 0.25).to(tl.float16))
        tl.debug_barrier()
    tl.store(out + i[:, None] * 64 + i[None, :], tl.load(x + i[:, None] * 64 + i[None, :]))


def test_rounds_in_place():
    x = fresh("fp16", (64, 64), -0.5, 0.5)
    expected = wide(x)
    for _ in range(3):
        expected = (expected @ expected * 0.25).astype(np.float16).astype(float)
    out = poisoned("fp16", (64, 64))
    in_place[(1,)](x, out, ROUNDS=3, num_warps=4)
    assert error(out, expected) < 1e-2


def test_not_a_number_and_infinities():
    a, b = fresh("fp16", (64, 64)), fresh("fp16", (64, 64))
    a[3, 5], a[7, 0], b[9, 11] = float("inf"), float("nan"), float("-inf")
    c = poisoned("fp32", (64, 64))
    matmul[(1, 1)](a, b, c, 64, 64, 64, *a.stride(), *b.stride(), 64, 64, 64, 32, num_warps=4)
    with np.errstate(invalid="ignore"):
        expected = wide(a) @ wide(b)
    assert np.array_equal(np.isnan(wide(c)), np.isnan(expected))
    finite = np.isfinite(expected)
    assert np.array_equal(
        wide(c)[~finite & ~np.isnan(expected)], expected[~finite & ~np.isnan(expected)]
    )
    assert np.allclose(wide(c)[finite], expected[finite], rtol=1e-3, atol=1e-3)


@tilewright.jit
def sums_on_the_way(a, b, out, fresh_out, STEPS: tl.constexpr, STATIC: tl.constexpr):
    """Each step stores what is computed from the accumulator, in a loop that is unrolled."""
    i, k = tl.arange(0, 64), tl.arange(0, 16)
    total = tl.zeros((64, 64), tl.float32)
    steps = tl.static_range(STEPS) if STATIC else range(STEPS)
    for step in steps:
        x = tl.load(a + i[:, None] * 64 + step * 16 + k[None, :])
        y = tl.load(b + (step * 16 + k)[:, None] * 64 + i[None, :])
        total = tl.dot(x, y, total)
        fresh = tl.dot(x, y)
        tl.store(out + i[:, None] * 64 + i[None, :], tl.maximum(total, -4.0))
        tl.store(fresh_out + i[:, None] * 64 + i[None, :], tl.maximum(fresh, -4.0))


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_accumulators_used_in_unrolled_loops(steps, static):
    a, b = fresh("fp16", (64, 64)), fresh("fp16", (64, 64))
    out, single = poisoned("fp32", (64, 64)), poisoned("fp32", (64, 64))
    sums_on_the_way[(1,)](a, b, out, single, STEPS=steps, STATIC=static, num_warps=4)
    x, y, last = wide(a), wide(b), slice(steps * 16 - 16, steps * 16)
    assert error(out, np.maximum(x[:, : steps * 16] @ y[: steps * 16], -4)) < 1e-5
    assert error(single, np.maximum(x[:, last] @ y[last], -4)) < 1e-5
