"""Functions that are not inlined: values, memory, and what makes them inlined after all."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 128


@tilewright.jit(noinline=True)
def twice(v):
    return v + v


@tilewright.jit(noinline=True)
def normalized(v):
    return v - tl.max(v, axis=0), tl.sum(v, axis=0)


@tilewright.jit(noinline=True)
def fourfold(v):
    return twice(twice(v))


@tilewright.jit
def call_on_tiles(x, out, sums, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    w, total = normalized(fourfold(v))
    tl.store(out + i, w)
    tl.store(sums, total)


DTYPES = ["int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("dtype", DTYPES)
def test_tiles(dtype: str, warps: int) -> None:
    x = np.random.default_rng(1).integers(-3, 4, SIZE).astype(dtype)
    out, sums = np.empty_like(x), np.empty(1, dtype=dtype)
    call_on_tiles[(1,)](x, out, sums, SIZE, num_warps=warps)
    np.testing.assert_array_equal(out, x * 4 - (x * 4).max())
    np.testing.assert_array_equal(sums, (x * 4).sum(dtype=dtype))


@tilewright.jit(noinline=True)
def flip_where(v, mask, n):
    return tl.where(mask, -v, v), ~mask, n > 3, n * 2


@tilewright.jit
def call_with_masks(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    v, mask, is_large, m = flip_where(v, i % 3 == 0, n)
    if is_large:
        v, mask, is_large, m = flip_where(v, mask, m)
    tl.store(out + i, tl.where(mask, v, v + m.to(tl.float32)))


@pytest.mark.parametrize("n", [1, 3, 4, 100])
def test_masks_and_scalars(n: int) -> None:
    x = np.random.default_rng(2).standard_normal(SIZE).astype(np.float32)
    out = np.empty_like(x)
    call_with_masks[(1,)](x, out, n, SIZE)

    v, mask, m = x, np.arange(SIZE) % 3 == 0, n
    for _ in range(2 if n > 3 else 1):
        v, mask, m = np.where(mask, -v, v), ~mask, m * 2
    np.testing.assert_array_equal(out, np.where(mask, v, v + m))


# Memory


@tilewright.jit(noinline=True)
def reverse(p, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(p + SIZE - 1 - i)
    tl.store(p + i, v)


@tilewright.jit(noinline=True)
def next_row(p, width):
    return p + width


@tilewright.jit
def change_in_place(x, rows, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    row = x
    for r in range(rows):
        tl.store(row + i, tl.load(row + i) + r)
        reverse(row, SIZE)
        tl.store(row + i, tl.load(row + i) * 2)
        reverse(row, SIZE)
        reverse(row, SIZE)
        row = next_row(row, SIZE)


@pytest.mark.parametrize("warps", [1, 4])
def test_order_of_accesses(warps: int) -> None:
    x = np.random.default_rng(3).integers(0, 99, (5, SIZE)).astype(np.int32)
    wanted = np.array([((row + r)[::-1] * 2) for r, row in enumerate(x)], dtype=np.int32)
    change_in_place[(1,)](x, 5, SIZE, num_warps=warps)
    np.testing.assert_array_equal(x, wanted)


@tilewright.jit(noinline=True)
def product(a, b):
    return tl.dot(a, b)


@tilewright.jit(noinline=True)
def transposed_sums(v):
    return tl.sum(tl.trans(v), axis=0)


@tilewright.jit
def chained_products(a, b, out, sums, K, SIDE: tl.constexpr):
    i, j = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    acc = tl.zeros((SIDE, SIDE), tl.float32)
    total = tl.zeros((SIDE,), tl.float32)
    for k in range(0, K, SIDE):
        x = tl.load(a + i * K + k + j)
        y = tl.load(b + (k + i) * SIDE + j)
        acc += product(x, y)
        total += transposed_sums(x.to(tl.float32)) + transposed_sums(y.to(tl.float32))
    for k in range(0, K, SIDE):
        acc = tl.dot(tl.load(a + i * K + k + j), tl.load(b + (k + i) * SIDE + j), acc)
    tl.store(out + i * SIDE + j, product(acc.to(tl.float16), tl.load(b + i * SIDE + j)))
    tl.store(sums + tl.arange(0, SIDE), total)


@pytest.mark.parametrize(("side", "warps"), [(16, 1), (32, 4), (64, 4), (64, 8)])
def test_shared_memory(side: int, warps: int) -> None:
    rng, depth = np.random.default_rng(4), 3 * side
    a = rng.integers(-2, 3, (side, depth)).astype(np.float16)
    b = rng.integers(-2, 3, (depth, side)).astype(np.float16)
    out, sums = np.empty((side, side), np.float32), np.empty(side, np.float32)
    chained_products[(1,)](a, b, out, sums, depth, side, num_warps=warps)

    left, right = a.astype(np.float64), b.astype(np.float64)
    both = (2 * (left @ right)).astype(np.float16).astype(np.float64)
    np.testing.assert_allclose(out, both @ right[:side])
    parts = left.reshape(side, -1, side)
    np.testing.assert_array_equal(
        sums, parts.sum(axis=(1, 2)) + right.reshape(-1, side, side).sum(axis=(0, 2))
    )


@tilewright.jit(noinline=True)
def sum_of(p, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    return tl.sum(tl.load(p + i, mask=i < n, other=0), axis=0)


@tilewright.jit
def add_sums(x, y, out, n, SIZE: tl.constexpr):
    tl.store(out, sum_of(x, n, SIZE) + sum_of(y, n - 1, SIZE))


def test_read_only_arrays() -> None:
    x = np.arange(SIZE, dtype=np.int32)
    y = x + 1
    x.flags.writeable = y.flags.writeable = False
    out = np.empty(1, np.int32)
    add_sums[(1,)](x, y, out, SIZE, SIZE)
    assert out[0] == x.sum() + y[:-1].sum()


@tilewright.jit
def write_through_result(x, SIZE: tl.constexpr):
    tl.store(next_row(x, 0) + tl.arange(0, SIZE), 1)


@tilewright.jit
def write_in_callee(x, SIZE: tl.constexpr):
    reverse(x, SIZE)


@pytest.mark.parametrize("kernel", [write_through_result, write_in_callee])
def test_writes_to_read_only_arrays(kernel: Any) -> None:
    x = np.zeros(SIZE, np.int32)
    x.flags.writeable = False
    with pytest.raises(tilewright.errors.LaunchError, match="read-only"):
        kernel[(1,)](x, SIZE)


# Functions that are inlined


@tilewright.jit(noinline=True)
def larger(a, b):
    return tl.where(a > b, a, b)


@tilewright.jit
def reduce_with(x, out, SIZE: tl.constexpr):
    v = tl.load(x + tl.arange(0, SIZE))
    tl.store(out, tl.reduce(v, 0, larger))


@pytest.mark.parametrize("size", [96, 128])
def test_combiners_and_any_size(size: int) -> None:
    x = np.random.default_rng(5).standard_normal(size).astype(np.float32)
    out, doubled, sums = np.empty(1, np.float32), np.empty_like(x), np.empty(1, np.float32)
    reduce_with[(1,)](x, out, size)
    assert out[0] == x.max()
    call_on_tiles[(1,)](x, doubled, sums, size)
    np.testing.assert_array_equal(doubled, x * 4 - (x * 4).max())


@tilewright.jit(noinline=True)
def checked(v, n):
    tl.device_assert(n > 0, "n is positive")
    return v * n


@tilewright.jit(noinline=True)
def checked_twice(v, n):
    w = checked(v, n)
    tl.device_assert(n < 9, "n is small")
    return w


@tilewright.jit
def call_checked(x, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    for _ in range(n, n + 1):
        tl.store(x + i, checked_twice(tl.load(x + i), n))


@pytest.mark.loses_gpu
def test_assertions(launch_target: str) -> None:
    x = np.ones(SIZE, np.int32)
    call_checked[(1,)](x, 3, SIZE, debug=True)
    assert (x == 3).all()
    for n, message, function in [(0, "n is positive", checked), (9, "n is small", checked_twice)]:
        lines, first = inspect.getsourcelines(function.fn)
        with pytest.raises(tilewright.errors.DeviceAssertError, match=message) as raised:
            call_checked[(1,)](x, n, SIZE, debug=True)
        assert lines[raised.value.line - first].strip().startswith("tl.device_assert")
    assert launch_target != "cpu" or (x == 3).all(), "the program continued"


@tilewright.jit(noinline=True)
def carried(v, total):
    return v + total, v * 2


@tilewright.jit
def carry_tiles(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    total, doubled = tl.zeros_like(v), v
    for _ in range(n):
        before = total
        total, doubled = carried(doubled, total)
        total += before  # read after the call, which must not overwrite it
    tl.store(out + i, total)
    tl.store(out + SIZE + i, doubled)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_tiles_that_loops_carry(n: int) -> None:
    x = np.random.default_rng(6).integers(-9, 9, SIZE).astype(np.int32)
    out = np.empty((2, SIZE), np.int32)
    carry_tiles[(1,)](x, out, n, SIZE)
    total, doubled = np.zeros_like(x), x
    for _ in range(n):
        total, doubled = total + doubled + total, doubled * 2
    np.testing.assert_array_equal(out, [total, doubled])


@tilewright.jit(noinline=True)
def position(scale):
    return (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * scale


@tilewright.jit
def store_positions(out, scale):
    tl.store(out + position(1), position(scale))


def test_positions() -> None:
    out = np.empty(35, np.int32)
    store_positions[(5, 7)](out, 3)
    np.testing.assert_array_equal(out, np.arange(35) * 3)


@pytest.mark.cpu_only("compares the code of the CPU")
def test_host_code() -> None:
    """The functions are called; with checks of bounds they are inlined."""
    arrays = [np.empty(SIZE, np.float32)] * 3
    code = call_on_tiles.warmup(*arrays, SIZE).asm["llvm"]
    assert len(re.findall(r"call .*@twice", code)) == 2
    assert len(re.findall(r"call .*@(normalized|fourfold)", code)) == 2
    assert "@twice" not in call_on_tiles.warmup(*arrays, SIZE, checks="bounds").asm["llvm"]


@pytest.mark.cpu_only("compiles for an H200 whatever the targets are")
def test_device_code() -> None:
    """The PTX has a function for each, which is called wherever the source calls it."""
    made = call_on_tiles.warmup(*[np.empty(SIZE, np.float32)] * 3, SIZE, target="cuda:90a")
    ptx = made.asm["ptx"]
    assert made.object.startswith(b"\x7fELF")
    assert ptx.count("call.uni") == 4
    assert len([line for line in ptx.splitlines() if line.startswith(".func")]) >= 3
