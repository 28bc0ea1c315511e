"""Tiles with layouts from the front end: layouts of results are inferred, and values are right."""

import numpy as np
import pytest
from inputs import fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.language._build import emit, i32_attr
from tilewright.language._context import current
from tilewright.language.constexpr import constexpr_value

pytestmark = pytest.mark.cpu_only("names its targets")

# Layouts of 32 elements in 4 warps of 32 lanes, some of which hold replicas.
LAYOUTS = {
    "in order": ([], [1, 2, 4, 8, 16], [0, 0]),
    "backward": ([], [16, 8, 4, 2, 1], [0, 0]),
    "four registers": ([1, 2], [4, 8, 16, 0, 0], [0, 0]),
    "over warps": ([8], [1, 2, 0, 0, 0], [4, 16]),
    "swizzled": ([3], [9, 2, 4, 0, 0], [24, 16]),
}


def text_of(layout):
    names = ("register", "lane", "warp", "block")
    bases = [[[basis] for basis in bases] for bases in (*layout, [])]
    inputs = ", ".join(f"{name} = {bits}" for name, bits in zip(names, bases, strict=True))
    return f"#tilegpu.layout<{inputs} : 32>"


@tl.builtin
def positions(layout):
    """The integers from 0 to 31, in a layout."""
    encoding = current().ctx.attr(constexpr_value(layout))
    attrs = {"start": i32_attr(0), "end": i32_attr(32)}
    return emit("tile.make_range", [], attrs, type=tl.block_type(tl.int32, (32,), encoding))


@tilewright.jit
def change_shapes(x, out, LAYOUT: tl.constexpr):
    flat = positions(LAYOUT)
    at = tl.reshape(flat, 4, 8)
    tile = tl.reshape(tl.load(x + flat), 4, 8)
    tl.store(out + at, tile - tl.max(tile, 1)[:, None])
    column = tl.min(at, 0)
    sums = tl.sum(tile, 0)
    tl.store(out + 32 + column, tl.sum(tl.broadcast_to(sums[None], 4, 8), 0))
    left, right = tl.split(tl.join(tile, 2 * tile))
    tl.store(out + 64 + tl.cat(at, at + 32), tl.cat(right, left))
    tl.store(out + 128 + tl.trans(at), tl.trans(3 * tile))
    tl.store(out + 160 + tl.interleave(2 * at, 2 * at + 1), tl.interleave(tile, -tile))
    deep = tl.permute(tl.reshape(tile, 2, 2, 8), 1, 2, 0)
    tl.store(out + 224 + tl.permute(tl.reshape(at, 2, 2, 8), 1, 2, 0), tl.cumsum(deep, 1))
    tl.store(out + 256 + tl.min(at, 1) // 8, tl.argmax(tile, 1))


def expected(x):
    tile = x.reshape(4, 8)
    sums = np.resize(poisoned("int32", (32,)), 32)
    sums[:8] = 4 * tile.sum(0)
    both = np.concatenate([2 * tile, tile])
    pairs = np.stack([tile, -tile], -1)
    parts = (
        tile - tile.max(1)[:, None],
        sums,
        both,
        3 * tile,
        pairs,
        tile.cumsum(1),
        tile.argmax(1),
    )
    return np.concatenate([part.ravel() for part in parts])


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:80", "emulator:cuda:90a+checks"])
def test_changes_of_shape(target, layout):
    x, out = fresh("int32", (32,), -100, 100), poisoned("int32", (260,))
    change_shapes[(1,)](x, out, LAYOUT=text_of(layout), target=target)
    np.testing.assert_array_equal(out, expected(x))


@pytest.mark.parametrize("num_warps", [1, 8])
def test_layouts_of_another_number_of_warps(num_warps):
    """Layouts of tiles that the compiler may change: it converts them to those of its accesses."""
    x, out = fresh("int32", (32,), -100, 100), poisoned("int32", (260,))
    layout = text_of(LAYOUTS["over warps"])
    change_shapes[(1,)](x, out, LAYOUT=layout, target="emulator:cuda:80", num_warps=num_warps)
    np.testing.assert_array_equal(out, expected(x))
