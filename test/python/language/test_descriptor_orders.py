"""Tensor descriptors of the same memory: loads, stores and atomics take effect in program order."""

import numpy as np
import pytest
from windows_of import put, window

import tilewright
import tilewright.language as tl


@tilewright.jit
def shifted(x, n, B: tl.constexpr, UP: tl.constexpr):
    """Moves an array by one element in place; upwards, tiles read what was written."""
    here = tl.make_tensor_descriptor(x, [n], [1], [B])
    after = tl.make_tensor_descriptor(x + 1, [n - 1], [1], [B])
    for i in range(0, n, B):
        if UP:
            after.store([i], here.load([i]) * 2)
        else:
            here.store([i], here.load([i + 1]))


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize(("n", "block"), [(10, 4), (64, 16), (33, 32), (5, 7)])
def test_an_array_moved_in_place(n, block, up):
    x = np.arange(1, n + 1, dtype=np.int64)
    expected = x.copy()
    for i in range(0, n, block):
        if up:
            put(expected[1:], (i,), window(expected, (i,), (block,), 0) * 2)
        else:
            put(expected, (i,), window(expected, (i + 1,), (block,), 0))
    shifted[(1,)](x, n, block, up)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def viewed(x, out, R: tl.constexpr, C: tl.constexpr):
    """Three shapes of one memory: [R * C], [R, C] and [C, R]."""
    flat = tl.make_tensor_descriptor(x, [R * C], [1], [R * C])
    rows = tl.make_tensor_descriptor(x, [R, C], [C, 1], [R, C])
    columns = tl.make_tensor_descriptor(x, [C, R], [R, 1], [C, R])
    rows.store([0, 0], rows.load([0, 0]) + 100)
    first = flat.load([0])
    flat.store([3], tl.reshape(columns.load([0, 0]), (R * C,)))
    second = rows.load([0, 0])
    columns.atomic_add([1, -1], second.T)
    found = tl.make_tensor_descriptor(out, [3, R * C], [R * C, 1], [1, R * C])
    found.store([0, 0], first[None, :])
    found.store([1, 0], second.reshape(1, R * C))
    found.store([2, 0], flat.load([0])[None, :])


@pytest.mark.parametrize(("rows", "columns"), [(4, 8), (3, 5), (16, 16)])
def test_shapes_of_one_memory(rows, columns):
    size = rows * columns
    x, out = np.arange(size, dtype=np.int32), np.zeros((3, size), np.int32)
    expected = x + 100
    first = expected.copy()
    put(expected, (3,), first.copy())
    second = expected.copy()
    moved = np.zeros((columns, rows), np.int32)
    put(moved, (1, -1), second.reshape(rows, columns).T)
    expected += moved.ravel()
    viewed[(1,)](x, out, rows, columns)
    np.testing.assert_array_equal(out, np.stack([first, second, expected]))
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def exchanged(a, b, n, steps, B: tl.constexpr):
    """The loop carries two descriptors, which change places."""
    source = tl.make_tensor_descriptor(a, [n], [1], [B])
    target = tl.make_tensor_descriptor(b, [n], [1], [B])
    for step in range(steps):
        target.store([0], source.load([0]) + source.load([-1]) * 3 + step)
        source, target = target, source


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_descriptors_that_change_places(steps):
    a, b = np.arange(8, dtype=np.int32), np.full(8, 9, np.int32)
    arrays = [a.copy(), b.copy()]
    for step in range(steps):
        source, target = arrays[step % 2], arrays[1 - step % 2]
        target[:] = source + window(source, (-1,), (8,), 0) * 3 + step
    exchanged[(1,)](a, b, 8, steps, 8)
    np.testing.assert_array_equal([a, b], arrays)


@tilewright.jit
def multiplied(a, b, c, other, K, WHERE: tl.constexpr, STAGES: tl.constexpr):
    """A product whose loop writes an operand, before or after the loads of an iteration."""
    x = tl.make_tensor_descriptor(a, [64, K + 64], [K + 64, 1], [64, 32])
    y = tl.make_tensor_descriptor(b, [K + 32, 64], [64, 1], [32, 64])
    new = tl.make_tensor_descriptor(other, [64, K + 64], [K + 64, 1], [64, 32])
    total = tl.zeros((64, 64), tl.float32)
    for k in tl.range(0, K, 32, num_stages=STAGES):
        if WHERE == "next":
            x.store([0, k + 32], new.load([0, k + 32]))
        elif WHERE == "after next":
            x.atomic_add([0, k + 64], new.load([0, k + 64]))
        left, right = x.load([0, k]), y.load([k, 0])
        total = tl.dot(left, right, total)
        if WHERE == "left":
            x.store([0, k + 32], left)
        elif WHERE == "right":
            y.store([k + 32, 0], right)
    tl.make_tensor_descriptor(c, [64, 64], [64, 1], [64, 64]).store([0, 0], total)


@pytest.mark.parametrize("stages", [2, 4])
@pytest.mark.parametrize("where", ["", "next", "after next", "left", "right"])
def test_operands_written_in_a_loop(where, stages):
    rng, K = np.random.default_rng(0), 160
    a, other = (rng.integers(-3, 4, (64, K + 64)).astype(np.float16) for _ in range(2))
    b = rng.integers(-3, 4, (K + 32, 64)).astype(np.float16)
    left, right, expected = a.copy(), b.copy(), np.zeros((64, 64), np.float32)
    for k in range(0, K, 32):
        if where == "next":
            left[:, k + 32 : k + 64] = other[:, k + 32 : k + 64]
        elif where == "after next":
            left[:, k + 64 : k + 96] += other[:, k + 64 : k + 96]
        part, rows = left[:, k : k + 32], right[k : k + 32]
        expected += part.astype(np.float32) @ rows.astype(np.float32)
        if where == "left":
            left[:, k + 32 : k + 64] = part
        elif where == "right":
            right[k + 32 : k + 64] = rows
    c = np.zeros((64, 64), np.float32)
    multiplied[(1,)](a, b, c, other, K, where, stages)
    np.testing.assert_array_equal(c, expected)
    np.testing.assert_array_equal(a, left)
    np.testing.assert_array_equal(b, right)
