"""Tiles of pointers through control flow, changes of shape and casts."""

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl

N = 64


def numbers(*shape: int, dtype: type = np.int32) -> np.ndarray:
    """Small numbers of any dtype, some of them equal."""
    return np.random.default_rng(7).integers(0, 9, shape).astype(dtype)


@tilewright.jit
def branch_kernel(x, y, out, choice, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + i
    if choice > 0:
        p = y + (N - 1 - i)
    tl.store(out + i, tl.load(p))


DTYPES = [torch.bool, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16]
DTYPES += [torch.float32, torch.float64, torch.float8_e5m2, torch.float8_e4m3fn]


@pytest.mark.parametrize("choice", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_branch_chooses_pointers(dtype: torch.dtype, choice: int) -> None:
    x, y = (torch.from_numpy(numbers(N) % k).to(dtype) for k in (9, 5))
    out = torch.zeros(N, dtype=dtype)
    branch_kernel[(1,)](x, y, out, choice, N=N)
    expected = (y.float().flip(0) if choice else x.float()).to(dtype)
    assert torch.equal(out.float(), expected.float())


@pytest.mark.parametrize("size", [1, 2, 4, 1024])
def test_branch_over_sizes(size: int) -> None:
    x, out = numbers(size), np.zeros(size, np.int32)
    branch_kernel[(1,)](x, x, out, 1, N=size)
    np.testing.assert_array_equal(out, x[::-1])


@tilewright.jit
def swap_for_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p, q = x + i, y + i
    for _ in range(n):
        p, q = q, p
    tl.store(out + i, tl.load(p) - 2 * tl.load(q))


@tilewright.jit
def swap_while_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p, q, t = x + i, y + i, 0
    while t < n:
        p, q = q, p
        t += 1
    tl.store(out + i, tl.load(p) - 2 * tl.load(q))


@tilewright.jit
def rotate_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p, q, r = x + i, y + i, y + (N - 1 - i)
    for t in range(n):
        if t % 2 == 0:
            p, q, r = q, r, p
        else:
            p, q = q, p
    tl.store(out + i, tl.load(p) + 3 * tl.load(q) + 7 * tl.load(r))


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("kernel", [swap_for_kernel, swap_while_kernel], ids=["for", "while"])
def test_pointers_change_places(kernel: tilewright.JITFunction, steps: int) -> None:
    x, y, out = numbers(N), numbers(N) + 100, np.zeros(N, np.int32)
    kernel[(1,)](x, y, out, steps, N=N)
    p, q = (y, x) if steps % 2 else (x, y)
    np.testing.assert_array_equal(out, p - 2 * q)


@pytest.mark.parametrize("steps", range(6))
def test_three_pointers_rotate(steps: int) -> None:
    x, y, out = numbers(N), numbers(N) + 100, np.zeros(N, np.int32)
    rotate_kernel[(1,)](x, y, out, steps, N=N)
    p, q, r = x, y, y[::-1]
    for t in range(steps):
        p, q, r = (q, r, p) if t % 2 == 0 else (q, p, r)
    np.testing.assert_array_equal(out, p + 3 * q + 7 * r)


@tilewright.jit
def chase_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + i
    for _ in range(n):
        p = x + tl.load(p)
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_pointers_from_loaded_indices(steps: int) -> None:
    x = np.random.default_rng(3).permutation(N).astype(np.int32)
    out, at = np.zeros(N, np.int32), np.arange(N)
    for _ in range(steps):
        at = x[at]
    chase_kernel[(1,)](x, out, steps, N=N)
    np.testing.assert_array_equal(out, x[at])


@tilewright.jit
def walk_if_kernel(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for c in range(n):
        if c % 3 != 1:
            total += tl.load(p)
            p += B
    tl.store(out + tl.arange(0, B), total)


@tilewright.jit
def walk_else_kernel(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for c in range(n):
        if c % 3 == 1:
            p += 0
        elif c % 3 == 2:
            total += tl.load(p)
            p = p + B // 2 + B // 2
        else:
            total += tl.load(p)
            p += B
    tl.store(out + tl.arange(0, B), total)


@tilewright.jit
def walk_continue_kernel(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for c in range(n):
        if c % 3 == 1:
            continue
        total += tl.load(p)
        p += B
    tl.store(out + tl.arange(0, B), total)


@tilewright.jit
def walk_break_kernel(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    c = 0
    while c < 1000:
        if c >= n:
            break
        if c % 3 != 1:
            total += tl.load(p)
            p += B
        c += 1
    tl.store(out + tl.arange(0, B), total)


@tilewright.jit
def walk_nested_kernel(x, out, n, B: tl.constexpr):
    p = x + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    c = 0
    while c < n:
        for _ in range(2):
            if c < n:
                if c % 3 != 1:
                    total += tl.load(p)
                    p += B
                c += 1
    tl.store(out + tl.arange(0, B), total)


WALKS = [
    walk_if_kernel,
    walk_else_kernel,
    walk_continue_kernel,
    walk_break_kernel,
    walk_nested_kernel,
]


@pytest.mark.parametrize("steps", [0, 1, 7])
@pytest.mark.parametrize("kernel", WALKS, ids=lambda kernel: kernel.__name__)
def test_pointers_advance_under_a_condition(kernel: tilewright.JITFunction, steps: int) -> None:
    x, out = numbers(8, 32, dtype=np.float32), np.ones(32, np.float32)
    kernel[(1,)](x, out, steps, B=32)
    taken = sum(c % 3 != 1 for c in range(steps))
    np.testing.assert_array_equal(out, x[:taken].sum(axis=0, dtype=np.float32))


@tilewright.jit
def fibonacci_kernel(x, out, n, B: tl.constexpr):
    """Each pointer tile is computed from a value that the loop overwrites."""
    i = tl.arange(0, B)
    p, q = x + i, x + B + i
    for _ in range(n):
        p, q = q + 1, p + 2
    tl.store(out + i, tl.load(p) + 5 * tl.load(q))


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_carried_pointers_are_read_before_they_are_replaced(steps: int) -> None:
    x, out = numbers(4 * N), np.zeros(N, np.int32)
    fibonacci_kernel[(1,)](x, out, steps, B=N)
    p, q = 0, N
    for _ in range(steps):
        p, q = q + 1, p + 2
    np.testing.assert_array_equal(out, x[p : p + N] + 5 * x[q : q + N])


@tilewright.jit
def outer_tile_kernel(x, out, n, B: tl.constexpr):
    """An inner loop carries a pointer tile of the outer loop, unchanged on some paths."""
    i = tl.arange(0, B)
    p = x + i
    total = tl.zeros((B,), tl.int32)
    for a in range(n):
        ahead = p + 3
        q = ahead
        for c in range(a):
            q = p if c % 2 == 0 else ahead
            total += tl.load(q)
        p = q
    tl.store(out + i, total)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_inner_loop_takes_pointers_of_an_outer_one(steps: int) -> None:
    x, out = numbers(2 * N), np.zeros(N, np.int32)
    outer_tile_kernel[(1,)](x, out, steps, B=N)
    p, total = 0, np.zeros(N, np.int32)
    for a in range(steps):
        ahead = p + 3
        q = ahead
        for c in range(a):
            q = p if c % 2 == 0 else ahead
            total += x[q : q + N]
        p = q
    np.testing.assert_array_equal(out, total)


@tilewright.jit
def block_kernel(x, y, out, n, M: tl.constexpr, K: tl.constexpr):
    at = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    p = x + at
    q = y + at
    for t in range(n):
        if t % 2 == 0:
            p, q = q, p + 1
    tl.store(out + at, tl.load(p))


@pytest.mark.parametrize("shape", [(1, 1), (1, 16), (16, 1), (8, 32)])
@pytest.mark.parametrize("steps", [0, 1, 3, 5])
def test_pointers_of_rank_two(shape: tuple[int, int], steps: int) -> None:
    size = shape[0] * shape[1]
    x, y, out = numbers(size + 8), numbers(size + 8) + 50, np.zeros(shape, np.int32)
    block_kernel[(1,)](x, y, out, steps, M=shape[0], K=shape[1])
    p, q = (x, 0), (y, 0)
    for t in range(steps):
        if t % 2 == 0:
            p, q = q, (p[0], p[1] + 1)
    np.testing.assert_array_equal(out.ravel(), p[0][p[1] : p[1] + size])


@tilewright.jit
def rank_three_kernel(x, y, out, c, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b = tl.arange(0, A)[:, None, None], tl.arange(0, B)[None, :, None]
    at = (a * B + b) * C + tl.arange(0, C)[None, None, :]
    p = x + at
    if c > 0:
        p = y + at
        if c > 1:
            p += 2
    tl.store(out + at, tl.load(p))


@pytest.mark.parametrize("choice", [0, 1, 2])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1, 8), (4, 2, 1), (2, 4, 8)])
def test_pointers_of_rank_three(shape: tuple[int, int, int], choice: int) -> None:
    size = int(np.prod(shape))
    x, y, out = numbers(size), numbers(size + 2) + 20, np.zeros(shape, np.int32)
    rank_three_kernel[(1,)](x, y, out, choice, *shape)
    expected = [x, y[:size], y[2:]][choice]
    np.testing.assert_array_equal(out.ravel(), expected)


@tilewright.jit
def scalar_kernel(x, y, out, n):
    p, q = x, y
    for t in range(n):
        if t % 3 == 0:
            p, q = q, p + 1
    tl.store(out, tl.load(p) + 10 * tl.load(q))


@pytest.mark.parametrize("steps", [0, 1, 4, 7])
def test_scalar_pointers(steps: int) -> None:
    x, y, out = numbers(8), numbers(8) + 9, np.zeros(1, np.int32)
    scalar_kernel[(1,)](x, y, out, steps)
    p, q = (x, 0), (y, 0)
    for t in range(steps):
        if t % 3 == 0:
            p, q = q, (p[0], p[1] + 1)
    assert out[0] == p[0][p[1]] + 10 * q[0][q[1]]


@tilewright.jit
def early_return_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + i
    if n == 0:
        tl.store(out + i, tl.load(p))
        return
    for t in range(n):
        p = y + i if t == 1 else p + 1
    if n == 2:
        return
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_pointers_and_an_early_return(steps: int) -> None:
    x, y, out = numbers(N + 1), numbers(N + 1) + 30, np.zeros(N, np.int32)
    early_return_kernel[(1,)](x, y, out, steps, N=N)
    expected = [x[:N], x[1:], np.zeros(N, np.int32), y[1:]][steps]
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def mixed_kernel(x, out, n, N: tl.constexpr):
    """One loop carries tiles of every element width, with pointers between them."""
    i = tl.arange(0, N)
    flag = i % 2 == 0
    small = i.to(tl.int8)
    half = i.to(tl.bfloat16)
    tiny = (i % 4).to(tl.float8e5)
    wide = i.to(tl.int64)
    p = x + i
    q = x + (N - 1 - i)
    for t in range(n):
        flag, small = small > t, tl.where(flag, small + 1, small)
        half, tiny = tiny.to(tl.bfloat16) + 1, (half.to(tl.int32) % 4).to(tl.float8e5)
        if t != 1:
            p, q = q, p
            wide = wide * 3
    total = (
        flag.to(tl.int64)
        + 2 * small.to(tl.int64)
        + 4 * half.to(tl.int64)
        + 8 * tiny.to(tl.int64)
        + wide
    )
    tl.store(out + i, total * tl.load(p))


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_tiles_of_every_width_are_carried_together(steps: int) -> None:
    x, out = numbers(N, dtype=np.int64), np.zeros(N, np.int64)
    mixed_kernel[(1,)](x, out, steps, N=N)
    i = np.arange(N)
    flag, small, half, tiny, wide = i % 2 == 0, i.copy(), i.copy(), i % 4, i.astype(np.int64)
    p, q = x, x[::-1]
    for t in range(steps):
        flag, small = small > t, np.where(flag, small + 1, small)
        half, tiny = tiny + 1, half % 4
        if t != 1:
            p, q = q, p
            wide = wide * 3
    np.testing.assert_array_equal(out, (flag + 2 * small + 4 * half + 8 * tiny + wide) * p)
