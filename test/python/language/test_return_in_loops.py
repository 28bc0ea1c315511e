"""Helpers that return values from loops: beside the same functions in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 16


@tilewright.jit
def in_for(v, n):
    for i in range(n):
        v = v + i
        if i * i > 10:
            return v * 2.0, i
    return v, -1


def in_for_py(v: Any, n: int) -> Any:
    for i in range(n):
        v = v + i
        if i * i > 10:
            return v * 2, i
    return v, -1


@tilewright.jit
def in_while(v, n):
    i = 0
    while True:
        if i >= n:
            return v, i
        v = v * 0.5 + i
        i += 1
        if tl.max(v, axis=0) > 4.0:
            return -v, i + 100


def in_while_py(v: Any, n: int) -> Any:
    i = 0
    while True:
        if i >= n:
            return v, i
        v = v * 0.5 + i
        i += 1
        if v.max() > 4:
            return -v, i + 100


@tilewright.jit
def nested(v, n):
    for i in range(n, 0, -1):
        for j in range(i):
            if i * j == 6:
                return v + i * 10 + j, j
            if j == 5:
                break
        else:
            v = v + 1.0
        if i == 2:
            return v, i
    if n == 1:
        return v - 1.0, 7
    return v, n


def nested_py(v: Any, n: int) -> Any:
    for i in range(n, 0, -1):
        for j in range(i):
            if i * j == 6:
                return v + i * 10 + j, j
            if j == 5:
                break
        else:
            v = v + 1
        if i == 2:
            return v, i
    if n == 1:
        return v - 1, 7
    return v, n


@tilewright.jit
def unrolled_inside(v, n):
    for i in tl.range(n, loop_unroll_factor=2):
        for j in tl.static_range(3):
            v = v + j
            if i + j == 4:
                return v, j
            elif i == 7:
                return v * 0.0, i
    for i in range(2):
        v = v * 3.0
        if n > 20:
            return v, i
    return v, 50


def unrolled_inside_py(v: Any, n: int) -> Any:
    for i in range(n):
        for j in range(3):
            v = v + j
            if i + j == 4:
                return v, j
            if i == 7:
                return v * 0, i
    for i in range(2):
        v = v * 3
        if n > 20:
            return v, i
    return v, 50


@tilewright.jit
def through_others(v, n):
    for i in range(3):
        w, k = in_for(v, n - i)
        if k < 0:
            return nested(w, n)
        v = w
    return v, 0


def through_others_py(v: Any, n: int) -> Any:
    for i in range(3):
        w, k = in_for_py(v, n - i)
        if k < 0:
            return nested_py(w, n)
        v = w
    return v, 0


@tilewright.jit
def apply(x, out, index, n, HELPER: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v, k = HELPER(tl.load(x + i), n)
    tl.store(out + i, v)
    tl.store(index, k)


HELPERS = {
    "for": (in_for, in_for_py),
    "while": (in_while, in_while_py),
    "nested": (nested, nested_py),
    "unrolled inside": (unrolled_inside, unrolled_inside_py),
    "through others": (through_others, through_others_py),
}


@pytest.mark.parametrize("name", HELPERS)
def test_values(name: str) -> None:
    helper, reference = HELPERS[name]
    x = np.random.default_rng(5).integers(-8, 8, SIZE).astype(np.float32) / 4
    for n in (0, 1, 2, 3, 5, 8, 21):
        out, index = np.full_like(x, np.nan), np.full(1, -99, np.int32)
        apply[(1,)](x, out, index, n, helper, SIZE)
        expected, k = reference(x, n)
        np.testing.assert_allclose(out, expected, rtol=1e-6, err_msg=f"n = {n}")
        assert index[0] == k, n


@tilewright.jit
def pick(p, q, n):
    for i in range(n):
        if i == 2:
            return q + i
    return p


@tilewright.jit
def store_through(p, q, n):
    tl.store(pick(p, q, n), 5)


def test_pointers() -> None:
    for n in (1, 5):
        p, q = np.zeros(4, np.int32), np.zeros(4, np.int32)
        store_through[(1,)](p, q, n)
        assert (p.tolist(), q.tolist()) == (
            ([5, 0, 0, 0], [0] * 4) if n == 1 else ([0] * 4, [0, 0, 5, 0])
        )


@tilewright.jit
def sometimes(n, EARLY: tl.constexpr):
    for i in range(n):
        for j in range(i):
            if EARLY:
                return i + j + 100
        n += i
    return n


@tilewright.jit
def where_one_is_known(n):
    i = 0
    while i < 3:
        if n > 5:
            return n, i
        i += n
    return i, n


@tilewright.jit
def store_both(out, n, EARLY: tl.constexpr):
    tl.store(out, sometimes(n, EARLY))
    i, k = where_one_is_known(n)
    tl.store(out + 1, i)
    tl.store(out + 2, k)


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_returns_that_are_not_compiled(n: int) -> None:
    """An argument of 1 is a constant, so that conditions are known."""
    for early in (False, True):
        out = np.zeros(3, np.int32)
        store_both[(1,)](out, n, early)
        first = n + n * (n - 1) // 2 if not early or n < 2 else 101
        ends = [7, 0] if n > 5 else [-(-3 // n) * n, n]
        assert out.tolist() == [first, *ends]
