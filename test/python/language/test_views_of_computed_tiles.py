"""A tile that is computed in place of another one, and is also read through a view.

On the CPU a value such as `exp2(x)` can take the scratch memory of `x`. A transpose, a flip or a
reshape of that value reads it at other points than those being computed, so it must not be.
"""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SIZE = 32


@tilewright.jit
def transposed(x):
    return tl.trans(x)


@tilewright.jit
def flipped(x):
    return tl.flip(x, 0)


@tilewright.jit
def regrouped(x):
    return tl.reshape(tl.trans(tl.reshape(x, (8, 4, 32)), (1, 0, 2)), (32, 32))


@tilewright.jit
def halves(x):
    first, second = tl.split(tl.reshape(x, (32, 16, 2)))
    return tl.reshape(tl.trans(tl.join(second, first), (0, 2, 1)), (32, 32))


VIEWS = {
    transposed: lambda x: x.T,
    flipped: lambda x: x[::-1],
    regrouped: lambda x: x.reshape(8, 4, 32).transpose(1, 0, 2).reshape(32, 32),
    halves: lambda x: np.concatenate([x[:, 1::2], x[:, ::2]], 1),
}


@tilewright.jit
def product(x):
    return tl.dot(x, x, input_precision="ieee")


@tilewright.jit
def scanned(x):
    return tl.cumsum(x, 1)


SOURCES = {product: lambda x: x @ x, scanned: lambda x: np.cumsum(x, 1)}


@tilewright.jit
def read_both(a, shift, out, out_view, SOURCE: tl.constexpr, VIEW: tl.constexpr):
    rows = tl.arange(0, 32)[:, None]
    at = rows * 32 + tl.arange(0, 32)[None, :]
    source = SOURCE(tl.load(a + at))
    p = (source - tl.load(shift + rows)) * 2
    viewed = tl.cumsum(VIEW(p), 0)
    direct = tl.cumsum(p + 1, 0)
    tl.store(out_view + at, viewed)
    tl.store(out + at, direct)


@tilewright.jit
def read_reduced(a, shift, out, out_view, SOURCE: tl.constexpr, VIEW: tl.constexpr):
    rows = tl.arange(0, 32)[:, None]
    at = rows * 32 + tl.arange(0, 32)[None, :]
    source = SOURCE(tl.load(a + at))
    p = tl.exp2((source - tl.load(shift + rows)) * 0.125)
    largest = tl.max(p, 1)
    tl.store(out_view + at, VIEW(p) + largest[:, None])
    tl.store(out + at, p)


@tilewright.jit
def read_by_dots(a, shift, out, out_view, SOURCE: tl.constexpr, VIEW: tl.constexpr):
    rows = tl.arange(0, 32)[:, None]
    at = rows * 32 + tl.arange(0, 32)[None, :]
    first = tl.zeros((32, 32), tl.float32)
    second = tl.zeros((32, 32), tl.float32)
    for i in range(2):
        x = tl.load(a + i * 32 * 32 + at)
        p = tl.exp2((SOURCE(x) - tl.load(shift + rows)) * 0.125)
        first = tl.dot(VIEW(p), x, first, input_precision="ieee")
        second = tl.dot(VIEW(p * 2), x, second, input_precision="ieee")
    tl.store(out_view + at, first)
    tl.store(out + at, second)


def run(kernel, source, view):
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (2, SIZE, SIZE)).astype(np.float32)
    shift = rng.uniform(-1, 1, SIZE).astype(np.float32)
    out, out_view = (np.full((SIZE, SIZE), np.nan, np.float32) for _ in range(2))
    kernel[(1,)](a, shift, out, out_view, source, view)
    return a.astype(np.float64), shift[:, None].astype(np.float64), out, out_view


def close(found, expected) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("view", [transposed, halves])
def test_a_scan_of_a_view(view) -> None:
    a, shift, out, out_view = run(read_both, product, view)
    p = (a[0] @ a[0] - shift) * 2
    close(out, np.cumsum(p + 1, 0))
    close(out_view, np.cumsum(VIEWS[view](p), 0))


@pytest.mark.parametrize("view", [transposed, flipped])
def test_a_view_beside_a_reduction(view) -> None:
    a, shift, out, out_view = run(read_reduced, scanned, view)
    p = np.exp2((np.cumsum(a[0], 1) - shift) / 8)
    close(out, p)
    close(out_view, VIEWS[view](p) + p.max(1, keepdims=True))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("view", VIEWS)
def test_dots_of_views_in_a_loop(source, view) -> None:
    a, shift, out, out_view = run(read_by_dots, source, view)
    p = [np.exp2((SOURCES[source](x) - shift) / 8) for x in a]
    expected = sum(VIEWS[view](q) @ x for q, x in zip(p, a, strict=True))
    close(out_view, expected)
    close(out, 2 * expected)
