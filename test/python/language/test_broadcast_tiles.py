"""Tiles that come from broadcasts alone: states of recurrences, sorting by hand, tables of indices.

No access to memory has their shape, so that only their operations determine how threads share them.
"""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def recurrence(k, v, q, decay, out, steps, K: tl.constexpr, V: tl.constexpr, AXIS: tl.constexpr):
    """A state, decayed and updated by an outer product in each step, and read by a query."""
    i, j = tl.arange(0, K), tl.arange(0, V)
    state = tl.zeros((K, V) if AXIS == 0 else (V, K), tl.float32)
    for step in range(steps):
        key, value = tl.load(k + step * K + i), tl.load(v + step * V + j)
        query, kept = tl.load(q + step * K + i), tl.load(decay + step * K + i)
        if AXIS == 0:
            state = state * kept[:, None] + key[:, None] * value[None, :]
            read = tl.sum(state * query[:, None], axis=0)
        else:
            state = state * kept[None, :] + key[None, :] * value[:, None]
            read = tl.sum(state * query[None, :], axis=1)
        tl.store(out + step * V + j, read)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("shape", [(64, 64), (16, 128), (128, 8), (2, 4)], ids=str)
def test_recurrences(shape: tuple[int, int], warps: int, axis: int) -> None:
    K, V, steps = *shape, 3
    random = np.random.default_rng(K * V)

    def values(size: int) -> np.ndarray:
        return random.integers(-3, 4, (steps, size)).astype(np.float32)

    k, v, q, decay = values(K), values(V), values(K), values(K) / 2
    out = np.zeros((steps, V), np.float32)
    recurrence[(1,)](k, v, q, decay, out, steps, K=K, V=V, AXIS=axis, num_warps=warps)
    state, expected = np.zeros((K, V)), []
    for step in range(steps):
        state = state * decay[step][:, None] + np.outer(k[step], v[step])
        expected.append(q[step] @ state)
    np.testing.assert_array_equal(out, np.array(expected, np.float32))


@tilewright.jit
def exchange(x, INNER: tl.constexpr):
    """The left and the right element of each pair at a distance, at the places of both."""
    shape: tl.constexpr = [x.numel // (2 * INNER), 2, INNER]
    second = tl.arange(0, 2)[None, :, None]
    pairs = tl.reshape(x, shape)
    left = tl.broadcast_to(tl.sum(pairs * (1 - second), 1)[:, None, :], shape)
    right = tl.broadcast_to(tl.sum(pairs * second, 1)[:, None, :], shape)
    return tl.reshape(left, x.shape), tl.reshape(right, x.shape)


@tilewright.jit
def exchanges(x, out, SIZE: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, SIZE)
    values = tl.load(x + i)
    for distance in tl.static_range(ROUNDS):
        left, right = exchange(values, 2**distance)
        values = tl.where(left > right, right - values, left * 2 + values)
    tl.store(out + i, values)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("warps", [1, 2, 4])
@pytest.mark.parametrize("size", [32, 512])
def test_exchanges_at_distances(size: int, warps: int, dtype: str) -> None:
    x = np.random.default_rng(size).integers(-9, 10, size).astype(dtype)
    out = np.zeros_like(x)
    rounds = size.bit_length() - 1
    exchanges[(1,)](x, out, SIZE=size, ROUNDS=rounds, num_warps=warps)
    values = x
    for distance in range(rounds):
        pairs = values.reshape(-1, 2, 2**distance)
        left, right = (np.repeat(pairs[:, k : k + 1], 2, 1).reshape(-1) for k in (0, 1))
        values = np.where(left > right, right - values, left * 2 + values).astype(dtype)
    np.testing.assert_array_equal(out, values)


@tilewright.jit
def masks(n, out, counts, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    below = (row[:, None] * 3 + column[None, :]) % n < row[:, None] + 1
    tl.store(counts + row, tl.sum(below.to(tl.int32), 1))
    tl.store(out + column, tl.max(tl.where(below, row[:, None] ^ column[None, :], -1), 0))


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("shape", [(32, 64), (128, 16)], ids=str)
def test_tables_of_indices(shape: tuple[int, int], warps: int) -> None:
    n = 37
    counts, out = (np.zeros(size, np.int32) for size in shape)
    masks[(1,)](n, out, counts, ROWS=shape[0], COLUMNS=shape[1], num_warps=warps)
    row, column = np.ogrid[: shape[0], : shape[1]]
    below: Any = (row * 3 + column) % n < row + 1
    np.testing.assert_array_equal(counts, below.sum(1))
    np.testing.assert_array_equal(out, np.where(below, row ^ column, -1).max(0))
