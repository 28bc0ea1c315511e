"""Kernels on tiles of any size, with slices, elements, sorts and windows of arrays."""

from __future__ import annotations

import math
import random

from generate import Generator
from kernel import Kernel
from mixed import written
from operations import OPERATIONS, any_shape, pick


def write(rng: random.Random) -> Kernel:
    any_size = rng.random() < 0.8
    return written(rng, Generator(rng, {**OPERATIONS, **_OWN}, 9, any_size))


def slicing(g: Generator) -> None:
    var = pick(g)
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    size = var.shape[axis]
    a, b = g.rng.randint(-size, size), g.rng.randint(-size, size)
    step = g.rng.choice([None, None, None, 1, 2, 3, -1, -2])
    part = g.rng.choice(
        [slice(a, b, step), slice(None, b, step), slice(a, None, step), slice(None, size // 2),
         slice(size // 2, None), slice(0, 2 ** g.rng.randint(0, size.bit_length() - 1))]
    )  # fmt: skip
    count = len(range(size)[part])
    if count == 0:
        return
    bounds = [part.start, part.stop] + ([] if part.step is None else [part.step])
    text = ":".join("" if bound is None else str(bound) for bound in bounds)
    before = ", ".join([":"] * axis + [text])
    after = g.rng.choice(["", ", ..."]) if axis < len(var.shape) - 1 else ""
    shape = (*var.shape[:axis], count, *var.shape[axis + 1 :])
    g.assign(f"{var.name}[{before}{after}]", var.dtype, shape)


def element(g: Generator) -> None:
    """An integer index, often of a value that is known only at run time."""
    var = pick(g)
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    size = var.shape[axis]
    index = str(g.rng.randrange(-size, size))
    if g.chance(0.6):
        number = f"({g.rng.choice(g.scalars)} + {g.rng.randint(0, 40)})"
        index = f"{number} % {size}"
        if g.chance(0.3):
            index = f"({index}).to(tl.{g.rng.choice(['int64', 'int16', 'uint16'])})"
    rest = (*var.shape[:axis], *var.shape[axis + 1 :])
    g.assign(f"{var.name}[{', '.join([':'] * axis + [index])}]", var.dtype, rest)


def sorting(g: Generator) -> None:
    var = pick(g, lambda v: math.prod(v.shape) <= 256)
    if not var or (g.floating and var.dtype.is_float):
        return
    descending = g.rng.choice(["", ", descending=True", ", descending=False"])
    if g.chance(0.5):
        g.assign(f"tl.sort({var.name}{descending})", var.dtype, var.shape)
        return
    last = var.shape[-1]
    k = g.rng.randint(1, last) if g.any_size else 2 ** g.rng.randint(0, last.bit_length() - 1)
    g.assign(f"tl.topk({var.name}, {k}{descending})", var.dtype, (*var.shape[:-1], k))


def window(g: Generator) -> None:
    """A load or a store of a block pointer or a descriptor, somewhat outside of its array."""
    block = any_shape(g)
    buffer = g.rng.choice([b for b in g.buffers if b.dtype != "int1"] or g.buffers)
    array, strides, room = [], [], buffer.size
    for size in reversed(block):
        length = max(1, min(g.rng.choice([size, size + 1, 2 * size, size - 1, 7]), room))
        strides.insert(0, math.prod(array))
        array.insert(0, length)
        room //= length
    offsets = [offset(g, a, b) for a, b in zip(array, block, strict=True)]
    base = f"{buffer.name}b"
    if g.chance(0.5):
        at = descriptor(g, base, array, strides, block)
        load, store = f"{at}.load([{', '.join(offsets)}])", f"{at}.store([{', '.join(offsets)}], "
    else:
        at = _block_pointer(g, base, array, strides, offsets, block)
        check = f"boundary_check={tuple(range(len(block)))}"
        load = f"tl.load({at}, {check}, padding_option='zero')"
        store = f"tl.store({at}, boundary_check={tuple(range(len(block)))}, value="
    if g.chance(0.6):
        g.assign(load, buffer.dtype, block)
    else:
        g.line(f"{store}{g.tile(block, buffer.dtype)})")


def offset(g: Generator, array: int, block: int) -> str:
    return g.rng.choice(
        ["0", "0", str(g.rng.randint(-block, array)), f"ns - {g.rng.randint(0, 9)}",
         f"{g.rng.choice(g.scalars)} * {block}", f"ks - {block // 2}"]
    )  # fmt: skip


def descriptor(
    g: Generator, base: str, array: list[int], strides: list[int], block: tuple[int, ...]
) -> str:
    name = f"d{g.loops}_{g.count}"
    g.count += 1
    g.line(f"{name} = tl.make_tensor_descriptor({base}, {array}, {strides}, {list(block)})")
    return name


def _block_pointer(
    g: Generator,
    base: str,
    array: list[int],
    strides: list[int],
    offsets: list[str],
    block: tuple[int, ...],
) -> str:
    name = f"b{g.loops}_{g.count}"
    g.count += 1
    order = tuple(reversed(range(len(block))))
    places = ", ".join(offsets)
    where = f"{array}, {strides}, [{places}], {list(block)}, {order}"
    g.line(f"{name} = tl.make_block_ptr({base}, {where})")
    if g.chance(0.4):
        steps = [g.rng.randint(-size, size) for size in block]
        g.line(f"{name} = tl.advance({name}, {steps})")
    return name


_OWN = {
    "slicing": (10, slicing),
    "element": (6, element),
    "sorting": (3, sorting),
    "window": (10, window),
}
