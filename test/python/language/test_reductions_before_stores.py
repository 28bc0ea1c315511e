"""A reduction reads memory before a later store overwrites it, even if one loop does both."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def overwrite_a_row(p, q, out, N: tl.constexpr, MASKED: tl.constexpr):
    i = tl.arange(0, N)
    new = tl.load(q + i)
    mask = i < (N // 2 if MASKED else N)
    old = tl.load(p + i, mask=mask, other=-100)
    most = tl.max(old, 0)
    total = tl.sum(old, 0)
    tl.store(p + i, new)
    tl.store(out, most)
    tl.store(out + 1, total)


@tilewright.jit
def overwrite_a_matrix(p, q, out, at, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    here = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    new = tl.load(q + here)
    least, where = tl.min(tl.load(p + here), AXIS, return_indices=True)
    tl.store(p + here, new)
    line = tl.arange(0, N if AXIS == 0 else M)
    tl.store(out + line, least)
    tl.store(at + line, where)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("size", [1, 8, 64, 1024])
def test_a_row(size: int, masked: bool, dtype: type) -> None:
    p = (np.arange(size) % 7 - 3).astype(dtype)
    q = np.full(size, 9, dtype)
    seen = p.astype(np.float64)
    if masked:
        seen[size // 2 :] = -100
    out = np.zeros(2, np.float64)
    overwrite_a_row[1,](p, q, out, N=size, MASKED=masked)
    assert out[0] == seen.max()
    assert out[1] == seen.sum()
    assert (p == 9).all()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 16), (16, 1), (8, 8), (4, 64), (64, 4)])
def test_a_matrix(shape: tuple[int, int], axis: int) -> None:
    p = (np.arange(shape[0] * shape[1]) * 13 % 101).astype(np.float32).reshape(shape)
    q = np.full(shape, -1000, np.float32)
    least, where = p.min(axis), p.argmin(axis)
    out, at = np.zeros_like(least), np.zeros(len(least), np.int32)
    overwrite_a_matrix[1,](p, q, out, at, M=shape[0], N=shape[1], AXIS=axis)
    assert np.array_equal(out, least)
    assert np.array_equal(at, where)
    assert (p == -1000).all()
