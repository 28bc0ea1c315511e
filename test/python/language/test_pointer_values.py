"""Tiles of pointers: select, shape changes, casts, and stores through them."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

N = 64


def numbers(size: int) -> np.ndarray:
    """Small numbers, some of them equal."""
    return np.random.default_rng(7).integers(0, 9, size).astype(np.int32)


@tilewright.jit
def where_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.where(i % 3 == 0, x + i, y + (N - 1 - i))
    for t in range(n):
        p = tl.where(i > t, p, x + i)
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("steps", [0, 5])
def test_where_over_pointers(steps: int) -> None:
    x, y, out = numbers(N), numbers(N) + 30, np.zeros(N, np.int32)
    where_kernel[(1,)](x, y, out, steps, N=N)
    i = np.arange(N)
    np.testing.assert_array_equal(out, np.where((i % 3 == 0) | (i < steps), x, y[::-1]))


@tilewright.jit
def select_kernel(x, y, out, c, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + i if c > 0 else y + i
    q = tl.where(c > 1, x, y) + i
    tl.store(out + i, tl.load(p) + 3 * tl.load(q))


@pytest.mark.parametrize("choice", [0, 1, 2])
def test_scalar_conditions_select_pointers(choice: int) -> None:
    x, y, out = numbers(N), numbers(N) + 30, np.zeros(N, np.int32)
    select_kernel[(1,)](x, y, out, choice, N=N)
    np.testing.assert_array_equal(out, (x if choice > 0 else y) + 3 * (x if choice > 1 else y))


@tilewright.jit
def shapes_kernel(x, y, out, c, M: tl.constexpr, K: tl.constexpr):
    row = x + tl.arange(0, K)
    if c > 0:
        row = y + tl.arange(0, K)
    square = tl.broadcast_to(row[None, :], (M, K)) + tl.arange(0, M)[:, None] * K
    turned = tl.trans(square)
    if c > 1:
        turned = tl.trans(x + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]) + 1
    flat = tl.reshape(turned, (M * K,))
    tl.store(out + tl.arange(0, M * K), tl.load(flat))


@pytest.mark.parametrize("choice", [0, 1, 2])
@pytest.mark.parametrize("shape", [(1, 8), (8, 1), (4, 16)])
def test_pointers_change_shape(shape: tuple[int, int], choice: int) -> None:
    size = shape[0] * shape[1]
    x, y, out = numbers(size + 1), numbers(size) + 30, np.zeros(size, np.int32)
    shapes_kernel[(1,)](x, y, out, choice, M=shape[0], K=shape[1])
    source = [x[:size], y, x[1:]][choice]
    np.testing.assert_array_equal(out, source.reshape(shape).T.ravel())


@tilewright.jit
def joined_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    pair = tl.join(x + i, y + i)
    for _ in range(n):
        p, q = tl.split(pair)
        pair = tl.join(q, p)
    both = tl.cat(x + i, y + i, can_reorder=True)
    tl.store(out + tl.arange(0, N)[:, None] * 2 + tl.arange(0, 2)[None, :], tl.load(pair))
    tl.store(out + 2 * N + tl.arange(0, 2 * N), tl.load(both))


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_pointers_are_joined_and_split(steps: int) -> None:
    x, y, out = numbers(N), numbers(N) + 30, np.zeros(4 * N, np.int32)
    joined_kernel[(1,)](x, y, out, steps, N=N)
    pair = (y, x) if steps % 2 else (x, y)
    np.testing.assert_array_equal(out[: 2 * N], np.stack(pair, axis=1).ravel())
    np.testing.assert_array_equal(np.sort(out[2 * N :]), np.sort(np.concatenate([x, y])))


@tilewright.jit
def gathered_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    address = (x + i).to(tl.int64)
    for _ in range(n):
        address = tl.gather(address, N - 1 - i, 0)
    p = address.to(tl.pointer_type(tl.int32))
    first = tl.min(address, 0).to(tl.pointer_type(tl.int32))
    tl.store(out + i, tl.load(p) + 100 * tl.load(first))


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_addresses_are_gathered_and_reduced(steps: int) -> None:
    x, out = numbers(N), np.zeros(N, np.int32)
    gathered_kernel[(1,)](x, out, steps, N=N)
    np.testing.assert_array_equal(out, (x[::-1] if steps % 2 else x) + 100 * x[0])


@tilewright.jit
def cast_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + i
    for t in range(n):
        q = (y + i).to(tl.pointer_type(tl.int16))  # halves of the integers of y
        if t > 0:
            p = q.to(tl.pointer_type(tl.int32))
        p = (p.to(tl.int64) + 4).to(tl.pointer_type(tl.int32))
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_pointers_become_integers_and_back(steps: int) -> None:
    x, y, out = numbers(N + 1), numbers(N + 1) + 30, np.zeros(N, np.int32)
    cast_kernel[(1,)](x, y, out, steps, N=N)
    np.testing.assert_array_equal(out, x[:N] if steps == 0 else x[1:] if steps == 1 else y[1:])


@tilewright.jit
def choose(x, y, i, c):
    if c > 1:
        return y + i
    return x + i


@tilewright.jit
def helper_kernel(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p = choose(x, y, i, 0)
    for t in range(n):
        p = choose(p, y, i * 0 + t, t)
        p = choose(p, y + i, 1, 1)
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_helpers_return_pointers(steps: int) -> None:
    x, y, out = numbers(N + 9), numbers(N + 9) + 30, np.zeros(N, np.int32)
    helper_kernel[(1,)](x, y, out, steps, N=N)
    p = x[np.arange(N)] if steps == 0 else None
    at, source = np.arange(N), x
    for t in range(steps):
        at, source = (np.full(N, t), y) if t > 1 else (at + t, source)
        at = at + 1
    expected = source[at] if p is None else p
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def store_kernel(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p, q = x + i, y + i
    for t in range(n):
        tl.store(p, t + i, mask=i > t)
        tl.atomic_add(q, 1, mask=i % 2 == 0)
        p, q = q, p


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_stores_and_atomics_through_pointers_that_alternate(steps: int) -> None:
    x, y = numbers(N), numbers(N)
    arrays, i = [x.copy(), y.copy()], np.arange(N)
    for t in range(steps):
        p, q = arrays[t % 2], arrays[1 - t % 2]
        p[i > t] = (t + i)[i > t]
        q[::2] += 1
    store_kernel[(1,)](x, y, steps, N=N)
    np.testing.assert_array_equal(x, arrays[0])
    np.testing.assert_array_equal(y, arrays[1])


@tilewright.jit
def compare_and_swap_kernel(x, y, c, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + i
    if c > 0:
        p = y + i
    tl.store(x + N + i, tl.atomic_cas(p, i * 0 + 3, i))


@pytest.mark.parametrize("choice", [0, 1])
def test_compare_and_swap_through_chosen_pointers(choice: int) -> None:
    x, y = numbers(2 * N), numbers(N)
    old = (y if choice else x[:N]).copy()
    compare_and_swap_kernel[(1,)](x, y, choice, N=N)
    np.testing.assert_array_equal(y if choice else x[:N], np.where(old == 3, np.arange(N), old))
    np.testing.assert_array_equal(x[N:], old)


@tilewright.jit
def pointers_in_memory_kernel(table, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    rows = table.to(tl.pointer_type(tl.pointer_type(tl.int32)))
    total = tl.zeros((N,), tl.int32)
    p = tl.load(rows) + i
    for t in range(n):
        total += tl.load(p)
        p = tl.load(rows + i % (t + 2)) + i
    tl.store(out + i, total)


@pytest.mark.cpu_only("the emulator's bounds check does not support arrays passed as addresses")
@pytest.mark.parametrize("steps", [1, 3])
def test_pointers_are_loaded(steps: int) -> None:
    rows, out = numbers(8 * N).reshape(8, N), np.zeros(N, np.int32)
    rows += np.arange(8, dtype=np.int32)[:, None] * 10
    table = np.array([row.ctypes.data for row in rows], np.int64)
    pointers_in_memory_kernel[(1,)](table, out, steps, N=N)
    i = np.arange(N)
    expected = rows[0].copy()
    for t in range(steps - 1):
        expected += rows[i % (t + 2), i]
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def lower(p, q):
    return tl.where(p < q, p, q)


@tilewright.jit
def reduced_kernel(x, y, out, c, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + (i + 5) % N
    if c > 0:
        p = y + (i + 5) % N
    tl.store(out + i, tl.load(tl.associative_scan(p, 0, lower)))
    square = p[None, :] + tl.arange(0, M)[:, None]
    tl.store(out + N + i, tl.load(tl.reduce(square, 0, lower)))
    tl.store(out + 2 * N, tl.load(tl.reduce(p, 0, lower)))
    tl.store(out + 3 * N + i, tl.load(tl.gather(tl.flip(p, 0), (i + 1) % N, 0)))


@pytest.mark.parametrize("choice", [0, 1])
def test_pointers_are_reduced_scanned_and_gathered(choice: int) -> None:
    x, y, out = numbers(N + 8), numbers(N + 8) + 30, np.zeros(4 * N, np.int32)
    reduced_kernel[(1,)](x, y, out, choice, M=8, N=N)
    source, at = (y if choice else x), (np.arange(N) + 5) % N
    np.testing.assert_array_equal(out[:N], source[np.minimum.accumulate(at)])
    np.testing.assert_array_equal(out[N : 2 * N], source[at])
    assert out[2 * N] == source[0]
    np.testing.assert_array_equal(out[3 * N :], np.roll(source[at][::-1], -1))


@tilewright.jit
def compared_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    p, q = x + i, x + (N - 1 - i)
    for _ in range(n):
        p, q = q, p
    tl.store(out + i, (p == x + 3).to(tl.int32) + 2 * (p < q).to(tl.int32))


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_pointers_are_compared(steps: int) -> None:
    x, out, i = numbers(N), np.zeros(N, np.int32), np.arange(N)
    compared_kernel[(1,)](x, out, steps, N=N)
    p, q = (N - 1 - i, i) if steps % 2 else (i, N - 1 - i)
    np.testing.assert_array_equal(out, (p == 3) + 2 * (p < q))
