"""Hints of tl.range do not change results: flatten, warp_specialize, disallow_acc_multi_buffer."""

import itertools

import numpy as np
import pytest
from inputs import poisoned

import tilewright
import tilewright.language as tl

COMBINATIONS = [
    {},
    {"flatten": True},
    {"warp_specialize": True},
    {"disallow_acc_multi_buffer": True},
    {"flatten": True, "warp_specialize": True, "disallow_acc_multi_buffer": True},
]


@tilewright.jit(do_not_specialize=["outer", "inner"])
def nest(out, outer, inner, FLATTEN: tl.constexpr, SPECIALIZE: tl.constexpr, SINGLE: tl.constexpr):
    """A hash of the order of a nest's iterations, with code before, between and after the loops."""
    value, last, count = 7, -1, 0
    for i in tl.range(
        outer[0], outer[1], outer[2],
        flatten=FLATTEN, warp_specialize=SPECIALIZE, disallow_acc_multi_buffer=SINGLE,
    ):  # fmt: skip
        value = value * 31 + i
        for j in tl.range(inner[0], inner[1] + i, inner[2], flatten=FLATTEN):
            value = value * 33 ^ j
            last = j
            count += 1
        value += last
    tl.store(out, value)
    tl.store(out + 1, last)
    tl.store(out + 2, count)


def nest_in_python(outer, inner):
    value, last, count = 7, -1, 0
    for i in range(*outer):
        value = value * 31 + i
        for j in range(inner[0], inner[1] + i, inner[2]):
            value, last, count = value * 33 ^ j, j, count + 1
        value += last
    return [(n + 2**31) % 2**32 - 2**31 for n in (value, last, count)]


# No iteration, one, an odd number, steps that end at and before the stop, descending loops.
RANGES = [(0, 0, 1), (3, 1, 1), (0, 1, 1), (0, 5, 1), (-2, 7, 3), (1, 9, 2), (0, 4, 7)]


@pytest.mark.parametrize("hints", COMBINATIONS[1::3], ids=lambda hints: "-".join(hints))
def test_a_nest(hints):
    names = ("flatten", "warp_specialize", "disallow_acc_multi_buffer")
    flags = [hints.get(name, False) for name in names]
    for outer, inner in itertools.product(RANGES, RANGES):
        out = poisoned("int32", (3,))
        nest[(1,)](out, outer, inner, *flags)
        assert out.tolist() == nest_in_python(outer, inner), (outer, inner)


@tilewright.jit
def descending(out, n, m, STEP: tl.constexpr):
    value = 1
    for i in tl.range(n, -n, STEP, flatten=True):
        for j in tl.range(m, 0, -2, flatten=True):
            value = value * 31 + i * 5 + j
    tl.store(out, value)


@pytest.mark.parametrize("step", [-1, -3])
@pytest.mark.parametrize(("n", "m"), [(0, 4), (1, 0), (3, 1), (4, 5)])
def test_a_descending_nest(n, m, step):
    out, value = poisoned("int32", (1,)), 1
    descending[(1,)](out, n, m, step)
    for i, j in itertools.product(range(n, -n, step), range(m, 0, -2)):
        value = value * 31 + i * 5 + j
    assert out[0] == (value + 2**31) % 2**32 - 2**31


@tilewright.jit
def products(
    a, b, c, tiles_m, tiles_n, steps, programs, FLATTEN: tl.constexpr, SPECIALIZE: tl.constexpr,
    SINGLE: tl.constexpr, SIDE: tl.constexpr, STEP: tl.constexpr,
):  # fmt: skip
    """A persistent matmul."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    K, N = steps * STEP, tiles_n * SIDE
    for tile in tl.range(
        tl.program_id(0), tiles_m * tiles_n, programs,
        flatten=FLATTEN, warp_specialize=SPECIALIZE, disallow_acc_multi_buffer=SINGLE,
    ):  # fmt: skip
        m, n = tile // tiles_n * SIDE + i, tile % tiles_n * SIDE + i
        acc = tl.zeros((SIDE, SIDE), tl.float32)
        for step in tl.range(steps, disallow_acc_multi_buffer=SINGLE, warp_specialize=SPECIALIZE):
            at = step * STEP + k
            x = tl.load(a + m[:, None] * K + at[None, :])
            acc = tl.dot(x, tl.load(b + at[:, None] * N + n[None, :]), acc)
        tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@pytest.mark.parametrize("hints", COMBINATIONS, ids=lambda hints: "-".join(hints) or "none")
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_persistent_product(steps, hints):
    rng = np.random.default_rng(steps)
    names = ("flatten", "warp_specialize", "disallow_acc_multi_buffer")
    flags = [hints.get(name, False) for name in names]
    for tiles_m, tiles_n in ((1, 1), (3, 1), (2, 2)):
        a = rng.integers(-3, 4, (tiles_m * 64, steps * 32)).astype(np.float16)
        b = rng.integers(-3, 4, (steps * 32, tiles_n * 64)).astype(np.float16)
        c = np.full((tiles_m * 64, tiles_n * 64), 7, np.float16)
        pad = np.zeros(1, np.float16)  # an array without elements has no address
        products[(2,)](
            a if steps else pad, b if steps else pad, c, tiles_m, tiles_n, steps, 2, *flags,
            SIDE=64, STEP=32, num_stages=3,
        )  # fmt: skip
        expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
        np.testing.assert_array_equal(c, expected)


@tilewright.jit
def with_break(x, out, n, m):
    found = -1
    for i in tl.range(0, n, flatten=True, warp_specialize=True):
        for j in tl.range(0, m, flatten=True, loop_unroll_factor=2):
            if tl.load(x + i * m + j) == 5:
                found = i * m + j
                break
        if found >= 0:
            break
    tl.store(out, found)


@pytest.mark.parametrize("at", [None, 0, 4, 14])
def test_a_nest_with_break(at):
    x, out = np.zeros(15, np.int32), poisoned("int32", (1,))
    if at is not None:
        x[at:] = 5
    with_break[(1,)](x, out, 3, 5)
    assert out[0] == (-1 if at is None else at)
