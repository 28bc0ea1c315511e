"""Helpers with constants in their control flow: values, and source lines on every target."""

# ruff: noqa: B007, SIM108

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 32
VALUES = [-3, 0, 1, 4, 9, 20]


@tilewright.jit
def branch(v, n):
    if n > 5:
        v = v * 3.0
    return v


def branch_py(v: Any, n: int) -> Any:
    return v * 3 if n > 5 else v


@tilewright.jit
def loop(v, n):
    for i in range(n):
        v = v * 0.5 + 2.0
    return v


def loop_py(v: Any, n: int) -> Any:
    for _ in range(n):
        v = v * 0.5 + 2
    return v


@tilewright.jit
def early(v, n):
    if n > 7:
        return v + 100.0
    if n == 0:
        return tl.full((SIZE_C,), 7.0, tl.float32)
    return -v


SIZE_C = tl.constexpr(SIZE)


def early_py(v: Any, n: int) -> Any:
    return v + 100 if n > 7 else v * 0 + 7 if n == 0 else -v


@tilewright.jit
def nested(v, n):
    if n > 0:
        if n > 3:
            if n > 8:
                v = v + 1000.0
            else:
                return v * 2.0
        else:
            v += 10.0
        v -= 1.0
    return v


def nested_py(v: Any, n: int) -> Any:
    if n <= 0:
        return v
    if 3 < n <= 8:
        return v * 2
    return v + 999 if n > 8 else v + 9


@tilewright.jit
def while_(v, n):
    i = 0
    while i * i < n:
        i += 2
        v = v + 3.0
    return v


def while_py(v: Any, n: int) -> Any:
    i = 0
    while i * i < n:
        i += 2
        v = v + 3
    return v


@tilewright.jit
def breaks(v, n):
    for i in range(12):
        if i == 5:
            continue
        if i * 2 > n:
            break
        v = v + 1.0
    else:
        v = v * 4.0
    return v


def breaks_py(v: Any, n: int) -> Any:
    for i in range(12):
        if i == 5:
            continue
        if i * 2 > n:
            return v
        v = v + 1
    return v * 4


@tilewright.jit
def inner(v, n):
    if tl.sum(v, 0) > 10.0:
        return tl.zeros_like(v) + 5.0
    return branch(v, n)


@tilewright.jit
def middle(v, n):
    for i in range(3):
        if i == 1:
            v = inner(v, n)
        else:
            v = v + 0.25
    return v


@tilewright.jit
def deep(v, n):
    if n == 1:
        return loop(v, 3)
    return early(middle(v, n), n)


def deep_py(v: Any, n: int) -> Any:
    if n == 1:
        return loop_py(v, 3)
    v = v + 0.25
    v = v * 0 + 5 if v.sum() > 10 else branch_py(v, n)
    return early_py(v + 0.25, n)


@tilewright.jit(noinline=True)
def apart(v, n):
    if n > 2:
        v = v - 6.0
    return v


def apart_py(v: Any, n: int) -> Any:
    return v - 6 if n > 2 else v


@tilewright.jit
def apply(x, out, n, HELPER: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, HELPER(tl.load(x + i), n))


HELPERS = {
    "branch": (branch, branch_py),
    "loop": (loop, loop_py),
    "early return": (early, early_py),
    "nested": (nested, nested_py),
    "while": (while_, while_py),
    "break": (breaks, breaks_py),
    "three deep": (deep, deep_py),
    "noinline": (apart, apart_py),
}


@pytest.mark.parametrize("name", HELPERS)
def test_constants_in_control_flow(name: str) -> None:
    helper, reference = HELPERS[name]
    x = np.random.default_rng(5).integers(-8, 8, SIZE).astype(np.float32) / 4
    for n in VALUES:
        out = np.full_like(x, np.nan)
        apply[(1,)](x, out, n, helper, SIZE)
        np.testing.assert_allclose(out, reference(x, n), rtol=1e-6, err_msg=f"n = {n}")


@tilewright.jit
def saturating(a, b):
    total = a + b
    if total > 20.0:
        total = 20.0
    return total


@tilewright.jit
def with_sign(a, b):
    return tl.where(b < 0.0, tl.minimum(a, b * 1.0), tl.maximum(a, 0.5))


@tilewright.jit
def stepped(a, b):
    for i in tl.static_range(2):
        a = tl.maximum(a, b - 0.0 * i)
    return saturating(a, 0.0)


@tilewright.jit
def last_index(a, ia, b, ib):
    if a > b:
        return a, ia + 0
    elif a == b:
        return a, tl.maximum(ia, ib)
    return b, ib


@tilewright.jit
def combine(x, sums, least, scans, best, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    tl.store(sums, tl.reduce(v, 0, saturating))
    tl.store(least, tl.reduce(v, 0, stepped))
    tl.store(scans + i, tl.associative_scan(v, 0, saturating))
    value, index = tl.reduce((v, i), 0, last_index)
    tl.store(best, value)
    tl.store(best + 1, index.to(tl.float32))


@pytest.mark.parametrize("size", [16, 256])
def test_combine_functions_with_branches(size: int) -> None:
    """Saturating sums of positive numbers do not depend on the order."""
    x = np.random.default_rng(6).integers(0, 4, size).astype(np.float32)
    sums, least, best = (np.full(n, np.nan, np.float32) for n in (1, 1, 2))
    scans = np.full_like(x, np.nan)
    combine[(1,)](x, sums, least, scans, best, size)
    assert sums[0] == min(x.sum(), 20)
    assert least[0] == x.max()
    np.testing.assert_array_equal(scans, np.minimum(x.cumsum(), 20))
    assert best.tolist() == [x.max(), np.flatnonzero(x == x.max())[-1]]


@tilewright.jit
def remainder(a, b):
    return a % b


@tilewright.jit
def gcd(a, b):
    while b != 0:
        rest = remainder(a, b)
        a = b
        b = rest
    return a


@tilewright.jit
def reduce_2d(x, out, scans, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    v = tl.load(x + i)
    length: tl.constexpr = COLUMNS if AXIS == 0 else ROWS
    tl.store(out + tl.arange(0, length), tl.reduce(v, AXIS, gcd))
    tl.store(scans + i, tl.associative_scan(v, AXIS, gcd))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_combine_functions_with_loops(dtype: Any, axis: int) -> None:
    x = (np.random.default_rng(7).integers(1, 10, (8, 16)) * 12).astype(dtype)
    out, scans = np.zeros(x.shape[1 - axis], dtype), np.zeros_like(x)
    reduce_2d[(1,)](x, out, scans, *x.shape, axis)
    np.testing.assert_array_equal(out, np.gcd.reduce(x, axis))
    np.testing.assert_array_equal(scans, np.gcd.accumulate(x, axis))
