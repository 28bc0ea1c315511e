"""Kernels that test reductions and scans: extrema with their indices, and several operands.

They vary dtypes, ties, the widths of operands and tile sizes, all of which affect the exchange
between warps.
"""

from __future__ import annotations

import random

from kernel import Kernel
from tiles import DType
from writer import INTS, Writer

DTYPES = [*INTS, "float16", "bfloat16", "float32", "float64"]
SHAPES = [
    (2,), (32,), (64,), (256,), (512,), (1024,), (2048,), (8, 8), (64, 16), (256, 4), (4, 256),
    (16, 64), (512, 2), (2, 512), (1, 128), (128, 1), (32, 32), (1, 1),
]  # fmt: skip
SLOW = 256  # maximum elements along a dimension that the oracle combines one by one


def write(rng: random.Random) -> Kernel:
    w = Writer(rng, rng.choice(SHAPES))
    for _ in range(rng.randint(1, 2)):
        kind = rng.choice(["extreme", "extreme", "extreme", "tuple", "tuple", "scan"])
        axis = rng.randrange(len(w.shape))
        if kind == "extreme" or w.shape[axis] > SLOW:
            extreme(w, axis)
        elif kind == "tuple":
            several(w, axis)
        else:
            scan(w, axis)
    return w.finish()


def operand(w: Writer, dtype: str) -> str:
    """A tile of the type, often with many equal elements."""
    name = f"x{w.names}"
    w.names += 1
    base = w.array(name, dtype, w.pick("any", "small", "below 2", "below 3", "below 100"))
    order = "lane"
    if w.chance(0.2) and len(w.shape) == 2:
        order = f"column * {w.shape[0]} + row"
    text = f"tl.load({base} + {order})"
    if w.chance(0.15):
        text = f"tl.load({base} + {order}, mask=lane % {w.pick(2, 3, 5)} != 0, other=0)"
    return w.assign(text)


def rest(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def extreme(w: Writer, axis: int) -> None:
    dtype = DType(w.rng.choice(DTYPES))
    x, which = operand(w, dtype), w.pick("max", "min")
    wide = "float32" if dtype == "bfloat16" else dtype
    shape = rest(w.shape, axis)
    if w.chance(0.2):
        overwritten(w, which, axis, shape)
    elif w.chance(0.2):
        w.result(f"tl.{which}({x}, {axis})", "float64" if dtype.is_float else "int64", shape)
    elif w.chance(0.5):
        w.result(f"tl.arg{which}({x}, {axis})", "int32", shape)
    else:
        value, index = w.fresh(), w.fresh()
        w.line(f"{value}, {index} = tl.{which}({x}, {axis}, return_indices=True)")
        w.result(value, wide, shape)
        w.result(index, "int32", shape)
        if w.chance(0.3) and shape:  # the indices as addresses
            other = w.array(f"y{w.names}", "int32")
            w.result(f"tl.load({other} + {index})", "int32", shape)


def overwritten(w: Writer, which: str, axis: int, shape: tuple[int, ...]) -> None:
    """The memory that was reduced is overwritten before the result is used."""
    dtype = w.pick("int32", "float32", "int16")
    source, new = (w.array(f"{name}{w.names}", dtype) for name in ("s", "n"))
    w.names += 1
    mask = ", mask=lane % 3 != 1, other=7" if w.chance(0.3) else ""
    loaded = w.assign(f"tl.load({source} + lane{mask})")
    value = w.assign(f"tl.load({new} + lane)")
    found = w.assign(f"tl.{which}({loaded}, {axis})")
    w.line(f"tl.store({source} + lane, {value})")
    w.result(found, "float64" if dtype == "float32" else "int64", shape)


def combine(w: Writer, name: str, types: list[DType]) -> str:
    """Writes a commutative and associative combiner of two tuples, ordered by the first item."""
    ones = [f"a{i}" for i in range(len(types))]
    others = [f"b{i}" for i in range(len(types))]
    lines = [f"def {name}({', '.join(ones + others)}):"]
    less = w.pick(("<", "<"), (">", "<"), ("<", ">"), (">", ">"))
    if len(types) > 1:
        tie = f"((a0 == b0) & (a1 {less[1]} b1))"
        lines.append(f"    first = (a0 {less[0]} b0) | {tie}")
    results = []
    for i, dtype in enumerate(types):
        if i < 2 and len(types) > 1:
            results.append(f"tl.where(first, a{i}, b{i})")
        elif dtype.is_float:
            results.append(f"tl.{w.pick('maximum', 'minimum')}(a{i}, b{i}).to(tl.{dtype})")
        else:
            results.append(w.pick(f"a{i} + b{i}", f"a{i} ^ b{i}", f"a{i} & b{i}", f"a{i} * b{i}"))
    lines.append(f"    return {', '.join(results)}")
    return "@tilewright.jit\n" + "\n".join(lines) + "\n"


def several(w: Writer, axis: int) -> None:
    types = [DType(w.rng.choice(DTYPES)) for _ in range(w.rng.randint(2, 4))]
    operands = [operand(w, dtype) for dtype in types]
    name = f"combine{w.names}"
    w.helpers.append(combine(w, name, types))
    results = [w.fresh() for _ in types]
    w.line(f"{', '.join(results)} = tl.reduce(({', '.join(operands)}), {axis}, {name})")
    for result, dtype in zip(results, types, strict=True):
        w.result(result, dtype, rest(w.shape, axis))


def scan(w: Writer, axis: int) -> None:
    """A non-commutative scan: takes the later operand, or sums that restart at a flag."""
    types = [DType(w.rng.choice(INTS)) for _ in range(w.rng.randint(1, 3))]
    flag = DType(w.pick("int8", "int32", "int64"))
    names = [f"f{i}" for i in range(len(types))], [f"g{i}" for i in range(len(types))]
    results = [
        w.pick(f"tl.where(g, g{i}, f{i})", f"tl.where(g, g{i}, f{i} + g{i})")
        for i in range(len(types))
    ]
    name = f"segmented{w.names}"
    w.helpers.append(
        f"@tilewright.jit\ndef {name}(f, {', '.join(names[0])}, g, {', '.join(names[1])}):\n"
        f"    return f | g, {', '.join(text.replace('(g,', '(g != 0,') for text in results)}\n"
    )
    operands = [f"(({operand(w, flag)} & 3) == 0).to(tl.{flag})"]
    operands += [operand(w, dtype) for dtype in types]
    outcomes = [w.fresh() for _ in operands]
    tail = ", reverse=True" if w.chance(0.4) else ""
    call = f"tl.associative_scan(({', '.join(operands)}), {axis}, {name}{tail})"
    w.line(f"{', '.join(outcomes)} = {call}")
    for outcome, dtype in zip(outcomes, [flag, *types], strict=True):
        w.result(outcome, dtype)
