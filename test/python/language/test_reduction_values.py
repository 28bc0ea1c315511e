"""Reductions and scans against NumPy."""

import math

import numpy as np
import pytest
import torch
from inputs import INTS, ROUNDOFF, error, fresh, poisoned, wide, wrapped

import tilewright
import tilewright.language as tl

M, N = 16, 64


@tilewright.jit
def along(x, out, FUNCTION: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    result = FUNCTION(tile, AXIS)
    if AXIS == 0:
        tl.store(out + j, result)
    else:
        tl.store(out + i, result)


@tilewright.jit
def everything(x, out, FUNCTION: tl.constexpr, N: tl.constexpr):
    tl.store(out, FUNCTION(tl.load(x + tl.arange(0, N)), 0))


@tilewright.jit
def scanned(
    x, out, FUNCTION: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr,
    N: tl.constexpr,
):  # fmt: skip
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, FUNCTION(tl.load(x + at), axis=AXIS, reverse=REVERSE))


def reduced(x, function, axis, dtype):
    out = poisoned(dtype, (N,) if axis == 0 else (M,))
    along[(1,)](x, out, FUNCTION=function, AXIS=axis, M=M, N=N)
    return out


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64"])
def test_sum_of_floats(dtype, axis):
    x = fresh(dtype, (M, N))
    scale = np.linalg.norm(np.abs(wide(x)).sum(axis))
    exact = wide(x).sum(axis)
    out = reduced(x, tl.sum, axis, dtype)
    bound = 8 * ROUNDOFF[dtype] * scale / np.linalg.norm(exact)
    assert error(out, exact) < bound


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", INTS)
def test_sum_of_integers(dtype, axis):
    x = fresh(dtype, (M, N))
    result = dtype if x.dtype.itemsize >= 4 else ("uint32" if dtype[0] == "u" else "int32")
    out = reduced(x, tl.sum, axis, result)
    assert np.array_equal(out, wrapped(wide(x).sum(axis), result))


@pytest.mark.parametrize("axis", [0, 1])
def test_number_of_trues(axis):
    x = fresh("int1", (M, N))
    assert np.array_equal(reduced(x, tl.sum, axis, "int32"), x.sum(axis))


@pytest.mark.parametrize("function, reference", [(tl.max, np.max), (tl.min, np.min)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "fp16", "fp32"])
def test_extrema(dtype, axis, function, reference):
    x = fresh(dtype, (M, N))
    result = {"int8": "int32", "uint8": "int32", "fp16": "fp32"}.get(dtype, dtype)
    out = reduced(x, function, axis, result)
    assert np.array_equal(wide(out), reference(wide(x), axis))


@pytest.mark.parametrize("function, reference", [(tl.max, np.nanmax), (tl.min, np.nanmin)])
def test_extrema_ignore_nan(function, reference):
    x = fresh("fp32", (M, N))
    x[:, ::3] = math.nan
    assert np.array_equal(wide(reduced(x, function, 1, "fp32")), reference(wide(x), 1))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["fp32", "int32", "uint8"])
def test_positions_of_the_first(dtype, axis, name):
    # Few distinct values, so that there are ties.
    x = fresh(dtype, (M, N), 0, 5)
    x = x.round() if isinstance(x, torch.Tensor) else x
    out = reduced(x, getattr(tl, name), axis, "int32")
    assert np.array_equal(out, getattr(np, name)(wide(x).astype(np.float64), axis))


def test_positions_skip_nan():
    x = fresh("fp32", (M, N))
    x[:, ::3] = math.nan
    assert np.array_equal(reduced(x, tl.argmax, 1, "int32"), np.nanargmax(wide(x), 1))


@pytest.mark.parametrize("size", [1, 2, 8, 1024, 65536])
def test_sizes(size):
    x, out = fresh("int32", (size,)), poisoned("int32", (1,))
    everything[(1,)](x, out, FUNCTION=tl.sum, N=size)
    assert out[0] == wrapped(wide(x).sum(), "int32")


def test_xor_sum():
    x = fresh("int32", (M, N))
    assert np.array_equal(reduced(x, tl.xor_sum, 1, "int32"), np.bitwise_xor.reduce(x, 1))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["int32", "int8", "fp32"])
def test_cumsum(dtype, axis, reverse):
    x = fresh(dtype, (M, N))
    result = "int32" if dtype == "int8" else dtype
    out = poisoned(result, (M, N))
    scanned[(1,)](x, out, FUNCTION=tl.cumsum, AXIS=axis, REVERSE=reverse, M=M, N=N)
    turned = np.flip(wide(x), axis) if reverse else wide(x)
    exact = np.cumsum(turned, axis)
    exact = np.flip(exact, axis) if reverse else exact
    if dtype == "fp32":
        assert error(out, exact) < 1e-6
    else:
        assert np.array_equal(out, wrapped(exact, result))


def test_cumprod():
    x, out = fresh("fp32", (M, N), 0.8, 1.2), poisoned("fp32", (M, N))
    scanned[(1,)](x, out, FUNCTION=tl.cumprod, AXIS=1, REVERSE=False, M=M, N=N)
    assert error(out, np.cumprod(wide(x), 1)) < 1e-6


@tilewright.jit
def larger_in_size(a, b):
    return tl.where(tl.abs(a) > tl.abs(b), a, b)


@tilewright.jit
def line_after_line(a1, b1, a2, b2):
    """The composition of x -> a1 x + b1 and x -> a2 x + b2."""
    return a1 * a2, b1 * a2 + b2


@tilewright.jit
def largest(x, out, N: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, N)), 0, larger_in_size))


@tilewright.jit
def recurrence(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    _, y = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, line_after_line)
    tl.store(out + i, y)


def test_combiner_of_the_user():
    x, out = fresh("fp32", (N,)), poisoned("fp32", (1,))
    largest[(1,)](x, out, N=N)
    assert out[0] == x[x.abs().argmax()]


def test_scan_of_pairs():
    a, b, out = fresh("fp32", (N,), 0.5, 1), fresh("fp32", (N,)), poisoned("fp32", (N,))
    recurrence[(1,)](a, b, out, N=N)
    y, expected = 0.0, []
    for slope, offset in zip(wide(a), wide(b), strict=True):
        y = slope * y + offset
        expected.append(y)
    assert error(out, expected) < 1e-6
