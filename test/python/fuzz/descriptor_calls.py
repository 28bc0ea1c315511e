"""Kernels with tensor descriptors: gathered and scattered rows, atomics, and chosen by branches."""

from __future__ import annotations

import math

from any_size import descriptor, offset, window
from generate import Buffer
from operations import any_shape
from with_helpers import WithHelpers, family


def _rows_of(g: WithHelpers, buffer: Buffer, columns: int) -> tuple[str, int]:
    """A descriptor of rows, and their number."""
    width = g.rng.choice([columns, columns, columns + 3, max(columns // 2, 1)])
    height = g.rng.randint(1, max(min(buffer.size // width, 20), 1))
    return descriptor(g, f"{buffer.name}b", [height, width], [width, 1], (1, columns)), height


def _buffer(g: WithHelpers, columns: int) -> Buffer | None:
    found = [b for b in g.buffers if b.dtype != "int1" and b.size >= columns + 3]
    return g.rng.choice(found) if found else None


def gather(g: WithHelpers) -> None:
    columns = g.size(32)
    buffer = _buffer(g, columns)
    if not buffer:
        return
    at, height = _rows_of(g, buffer, columns)
    count = g.size(16)
    index = g.tile((count,), g.rng.choice(["int32", "int32", "int64", "int16"]))
    rows = f"({index} & 31) % {height + 2} - 1"
    column = g.rng.choice(["0", "1", "-1", "ks"])
    g.assign(f"{at}.gather({rows}, {column})", buffer.dtype, (count, columns))


def scatter(g: WithHelpers) -> None:
    columns = g.size(32)
    buffer = _buffer(g, columns)
    if not buffer:
        return
    at, _ = _rows_of(g, buffer, columns)
    count = g.size(16)
    rows = g.rng.choice(["tl.arange(0, {})", "tl.arange(0, {}) - 1", "{} - tl.arange(0, {})"])
    value = g.tile((count, columns), buffer.dtype)
    column = g.rng.choice(["0", "1", "-1", "ks"])
    g.line(f"{at}.scatter({value}, {rows.replace('{}', str(count))}, {column})")


def atomic(g: WithHelpers) -> None:
    buffers = [b for b in g.buffers if b.dtype.bits >= (16 if b.dtype.is_float else 32)]
    block = any_shape(g)
    if not buffers or not block or math.prod(block) > 256:
        return
    buffer = g.rng.choice(buffers)
    at, array = _window(g, buffer, block)
    places = ", ".join(offset(g, a, b) for a, b in zip(array, block, strict=True))
    bitwise = [] if buffer.dtype.is_float else ["add", "and", "or", "xor"]
    name, value = g.rng.choice(["min", "max", *bitwise]), g.tile(block, buffer.dtype)
    if buffer.dtype.is_float:  # NaN and zeros of both signs are ordered by their bits
        value = f"tl.where({value} == {value}, {value} + 0.0, 1.0).to(tl.{buffer.dtype})"
    g.line(f"{at}.atomic_{name}([{places}], {value})")


def _window(g: WithHelpers, buffer: Buffer, block: tuple[int, ...]) -> tuple[str, list[int]]:
    """A descriptor of an array that is about as large as the block, and its shape."""
    array: list[int] = []
    strides: list[int] = []
    room = buffer.size
    for size in reversed(block):
        length = max(1, min(g.rng.choice([size, size + 1, 2 * size, 7]), room))
        strides.insert(0, math.prod(array))
        array.insert(0, length)
        room //= length
    return descriptor(g, f"{buffer.name}b", array, strides, block), array


def chosen(g: WithHelpers) -> None:
    """A descriptor that a branch or a loop selects."""
    block = any_shape(g)
    buffer = _buffer(g, 1)
    if not block or not buffer or g.depth > 2:
        return
    same = [b for b in g.buffers if b.dtype == buffer.dtype]
    (one, array), (two, _) = (_window(g, g.rng.choice(same), block) for _ in range(2))
    name = f"d{g.loops}_{g.count}"
    g.count += 1
    places = ", ".join(offset(g, a, b) for a, b in zip(array, block, strict=True))
    g.line(f"{name} = {one}")
    if g.chance(0.5):
        g.line(f"if {g.condition()}:")
        g.line(f"    {name} = {two}")
        g.assign(f"{name}.load([{places}])", buffer.dtype, block)
        return
    total = g.assign(f"tl.zeros({block}, tl.{buffer.dtype})", buffer.dtype, block)
    g.loops += 1
    g.line(f"for i{g.loops} in range({g.rng.choice(['ks', '3'])}):")
    g.line(f"    {total.name} = {name}.load([{places}])")
    g.line(f"    {name} = {g.rng.choice([one, two])}")


write = family(
    {
        "gather": (30, gather), "scatter": (20, scatter), "atomic": (20, atomic),
        "chosen": (20, chosen), "window": (20, window),
    },
    size=8, any_size=0.4,
)  # fmt: skip
