"""Unrolled loops and chains of branches with early exits give the same results as in Python."""

# ruff: noqa: E701

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

STEPS = 40


@tilewright.jit
def unrolled(x, out, n, STEPS: tl.constexpr):
    total = 0
    parity = 0
    for i in tl.static_range(STEPS):
        v = tl.load(x + i)
        if v == n:
            continue
        if v * 3 == n + i:
            if parity == 0:
                tl.store(out + 2, i)
            else:
                break
        last = v * 2
        if last == 12 + n:
            tl.store(out + 3, last)
            return
        total += last
        parity = 1 - parity
    else:
        total += 1000
    tl.store(out, total)
    tl.store(out + 1, parity)


def unrolled_py(x: Any, out: Any, n: int) -> None:
    total = parity = 0
    for i in range(STEPS):
        v = int(x[i])
        if v == n:
            continue
        if v * 3 == n + i:
            if parity == 0:
                out[2] = i
            else:
                break
        last = v * 2
        if last == 12 + n:
            out[3] = last
            return
        total += last
        parity = 1 - parity
    else:
        total += 1000
    out[0], out[1] = total, parity


@tilewright.jit
def changing(x, out, n, STEPS: tl.constexpr):
    v = n  # its type at the end of an iteration differs from that at the `break`
    count = 0
    for i in tl.static_range(STEPS):
        w = tl.load(x + i)
        if w + v == n:
            break
        v = w * 0.5
        count += 1
        v = v.to(tl.int32)
    tl.store(out, v)
    tl.store(out + 1, count)


def changing_py(x: Any, out: Any, n: int) -> None:
    v, count = n, 0
    for i in range(STEPS):
        w = int(x[i])
        if w + v == n:
            break
        v = int(w * 0.5)
        count += 1
    out[0], out[1] = v, count


@tilewright.jit
def nested(x, out, n, STEPS: tl.constexpr):
    found = -1
    for i in tl.static_range(STEPS // 4):
        for j in tl.static_range(4):
            v = tl.load(x + i * 4 + j)
            if v == n:
                found = i * 10 + j
                break
            if v == n + 9:
                continue
            tl.store(out + 2, v)
        else:
            continue
        break
    tl.store(out, found)


def nested_py(x: Any, out: Any, n: int) -> None:
    found = -1
    for i in range(STEPS // 4):
        for j in range(4):
            v = int(x[i * 4 + j])
            if v == n:
                found = i * 10 + j
                break
            if v == n + 9:
                continue
            out[2] = v
        else:
            continue
        break
    out[0] = found


@tilewright.jit
def running(x, out, n, STEPS: tl.constexpr):
    total = 0
    for k in range(3):
        for i in tl.static_range(STEPS):
            v = tl.load(x + i)
            if v == n + k:
                break
            if v == n - 5:
                return
            total += v
        if total > 60:
            break
        total += k
    tl.store(out, total)


def running_py(x: Any, out: Any, n: int) -> None:
    total = 0
    for k in range(3):
        for i in range(STEPS):
            v = int(x[i])
            if v == n + k:
                break
            if v == n - 5:
                return
            total += v
        if total > 60:
            break
        total += k
    out[0] = total


@tilewright.jit
def tiles(x, out, n, STEPS: tl.constexpr):
    i = tl.arange(0, 8)
    acc = tl.zeros((8,), tl.int32)
    for k in tl.static_range(STEPS):
        v = tl.load(x + k)
        acc += i * v
        if v == n:
            acc = acc - 1
            break
    tl.store(out + i, acc)


def tiles_py(x: Any, out: Any, n: int) -> None:
    acc = np.zeros(8, np.int32)
    for k in range(STEPS):
        acc += np.arange(8, dtype=np.int32) * x[k]
        if x[k] == n:
            acc -= 1
            break
    out[:] = acc


KERNELS = [
    (unrolled, unrolled_py),
    (changing, changing_py),
    (nested, nested_py),
    (running, running_py),
    (tiles, tiles_py),
]


@pytest.mark.parametrize(("kernel", "reference"), KERNELS, ids=lambda f: getattr(f, "name", ""))
def test_unrolled_loops_that_are_left(kernel: Any, reference: Any) -> None:
    generator = np.random.default_rng(3)
    for n in range(-3, 24, 2):
        x = generator.integers(-5, 25, STEPS).astype(np.int32)
        out, expected = (np.full(8, -12345, np.int32) for _ in range(2))
        kernel[(1,)](x, out, n, STEPS)
        reference(x, expected, n)
        np.testing.assert_array_equal(out, expected, err_msg=f"n = {n}, x = {x.tolist()}")


@tilewright.jit
def chained(x, out, n):
    v = tl.load(x)
    # fmt: off
    if n == 0: r = v + 10
    elif n == 1: r = v * 2
    elif n == 2: r = v - 7
    elif n == 3: r = v * v
    elif n == 4: r = -v
    elif n == 5:
        if v > 0:
            tl.store(out + 1, v)
            return
        r = v + 55
    elif n == 6: r = v + 66
    elif n == 7: r = v + 77
    elif n == 8: r = v + 88
    elif n == 9: r = v + 99
    elif n == 10: r = v + 110
    elif n == 11: r = v + 121
    elif n == 12: r = v + 132
    elif n == 13: r = v + 143
    elif n == 14: r = v + 154
    elif n == 15: r = v + 165
    elif n == 16: r = v + 176
    elif n == 17: r = v + 187
    elif n == 18: r = v + 198
    elif n == 19: r = v + 209
    elif n == 20: r = v + 220
    else: r = 1
    # fmt: on
    tl.store(out, r)


def test_a_long_chain() -> None:
    first = {0: 13, 1: 6, 2: -4, 3: 9, 4: -3}
    for n in range(-1, 23):
        out = np.full(2, -12345, np.int32)
        chained[(1,)](np.array([3], np.int32), out, n)
        expected = first.get(n, 3 + 11 * n if 0 <= n <= 20 else 1)
        assert out.tolist() == ([-12345, 3] if n == 5 else [expected, -12345])
