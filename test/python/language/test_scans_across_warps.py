"""Scans of lines that are longer than a warp's: each warp scans a part of the line."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def after(a1, b1, n1, a2, b2, n2):
    """Affine maps x -> a x + b in turn, modulo 2^32, which do not commute; and a count."""
    return a1 * a2, b1 * a2.to(tl.uint32) + b2, n1 + n2


@tilewright.jit
def last_set(x, y):
    return tl.where(y != 0, y, x)


@tilewright.jit
def maps(a, b, n, ra, rb, rn, SIZE: tl.constexpr, SHAPE: tl.constexpr, AXIS: tl.constexpr,
         REVERSE: tl.constexpr):  # fmt: skip
    i = tl.arange(0, SIZE)
    x, y, z = (tl.reshape(tl.load(p + i), SHAPE) for p in (a, b, n))
    x, y, z = tl.associative_scan((x, y, z), AXIS, after, reverse=REVERSE)
    tl.store(ra + i, tl.reshape(x, (SIZE,)))
    tl.store(rb + i, tl.reshape(y, (SIZE,)))
    tl.store(rn + i, tl.reshape(z, (SIZE,)))


def scanned(a: np.ndarray, b: np.ndarray, n: np.ndarray, axis: int, reverse: bool) -> tuple:
    a, b, n = (np.moveaxis(x, axis, 0)[:: -1 if reverse else 1].copy() for x in (a, b, n))
    for i in range(1, len(a)):
        b[i] += b[i - 1] * a[i].astype(np.uint32)
        a[i] *= a[i - 1]
        n[i] += n[i - 1]
    return tuple(np.moveaxis(x[:: -1 if reverse else 1], 0, axis) for x in (a, b, n))


CASES = [
    ((256,), 0, 1), ((256,), 0, 8), ((512,), 0, 2), ((1024,), 0, 4), ((4096,), 0, 8),
    ((512,), 0, 16),
    ((2, 512), 1, 8), ((512, 2), 0, 8), ((4, 256), 1, 4), ((2, 256, 2), 1, 8), ((1, 1024), 1, 4),
    ((1024, 1), 0, 4), ((2, 1024), 1, 2), ((8, 256), 1, 4),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "axis", "warps"), CASES)
@pytest.mark.parametrize("reverse", [False, True])
def test_maps_in_turn(shape: tuple[int, ...], axis: int, warps: int, reverse: bool) -> None:
    rng = np.random.default_rng(len(shape) + warps)
    size = int(np.prod(shape))
    a = rng.integers(0, 1 << 64, size, np.uint64) | 1
    b = rng.integers(0, 1 << 32, size, np.uint32)
    n = rng.integers(-128, 128, size).astype(np.int8)
    results = [np.zeros_like(x) for x in (a, b, n)]
    maps[(1,)](a, b, n, *results, size, shape, axis, reverse, num_warps=warps)
    expected = scanned(*(x.reshape(shape) for x in (a, b, n)), axis, reverse)
    for result, values in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result.reshape(shape), values)


@tilewright.jit
def lines(x, y, SIZE: tl.constexpr, KIND: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, SIZE)
    value = tl.load(x + i)
    if KIND == "sum":
        value = tl.cumsum(value, 0, reverse=REVERSE)
    elif KIND == "last":
        value = tl.associative_scan(value, 0, last_set, reverse=REVERSE)
    else:
        value = tl.associative_scan(value != 0, 0, either, reverse=REVERSE).to(x.dtype.element_ty)
    tl.store(y + i, value)


@tilewright.jit
def either(x, y):
    return x | y


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint16]
)
@pytest.mark.parametrize("kind", ["sum", "last", "any"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("warps", [2, 8])
def test_lines(dtype: type, kind: str, reverse: bool, warps: int) -> None:
    rng = np.random.default_rng(warps)
    x = (rng.integers(0, 100, 1024) * (rng.random(1024) < 0.1)).astype(dtype)
    if kind == "sum":
        x = np.minimum(x, dtype(3))
    y = np.zeros_like(x)
    lines[(1,)](x, y, 1024, kind, reverse, num_warps=warps)
    ordered = x[::-1] if reverse else x
    if kind == "sum":
        expected = np.cumsum(ordered.astype(np.int64)).astype(dtype)
    else:
        places = np.maximum.accumulate(np.where(ordered != 0, np.arange(1024), -1))
        expected = np.where(places < 0, dtype(0), ordered[places])
        expected = (expected != 0).astype(dtype) if kind == "any" else expected
    np.testing.assert_array_equal(y, expected[::-1] if reverse else expected)
