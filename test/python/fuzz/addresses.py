"""Kernels that test addresses and masks: integers that wrap, are truncated, divided or compared.

Wrong assumptions of the compiler about contiguity, divisibility and signs show in the lanes that
are loaded, stored or masked off.
"""

from __future__ import annotations

import random

from kernel import Kernel
from tiles import DType
from writer import SCALARS, Value, Writer


def write(rng: random.Random) -> Kernel:
    shape = rng.choice(
        [(16,), (32,), (64,), (128,), (256,), (1024,), (8, 16), (16, 4), (1, 32), (32, 1), (2, 64)]
    )
    w = Writer(rng, shape)
    w.programs = (rng.choice([1, 1, 2, 3]), 1, 1)
    dtype = rng.choice(["int8", "int16", "int32", "int64", "float16", "float32", "float64"])
    source = w.array("x", dtype)
    for _ in range(rng.randint(1, 3)):
        number = rng.choice(SCALARS)
        w.scalars.append(Value(w.number(number), is_tile=False))
        assumption(w, str(w.scalars[-1]), number)
    if w.chance(0.5):
        scalar = w.scalar(2)
        w.scalars.append(Value(w.assign(str(scalar)), scalar.dtype, is_tile=False))
    if w.chance(0.3):
        with w.block(f"for t in range({w.pick(2, 3)}):"):
            w.scalars.append(Value("t", is_tile=False))
            accesses(w, source, dtype, "t")
    else:
        accesses(w, source, dtype)
    return w.finish()


def assumption(w: Writer, name: str, number: int) -> None:
    """With some probability, writes a tl.assume that is true of a run-time integer."""
    if w.chance(0.2):
        compare = "<" if number < 0 else ">="
        w.line(f"tl.assume({name} {compare} 0)")
    if w.chance(0.1) and number % 8 == 0:
        w.line(f"tl.assume({name} % 8 == 0)")
    if w.chance(0.1):
        w.line(f"tl.assume({name} <= {max(number, w.pick(0, 100, number))})")


def accesses(w: Writer, source: str, dtype: str, times: str = "") -> None:
    for _ in range(w.rng.randint(1, 3)):
        kinds = [wrapping, below_zero] + [lambda w: w.calm(w.tile(w.rng.randint(1, 3)))] * 6
        index = w.rng.choice(kinds)(w)
        index = hinted(w, index)
        kind = w.rng.choice(["load", "load", "load", "mask", "mask", "value", "scatter"])
        if kind == "value":
            w.result(f"({index}).to(tl.int64)", "int64", times=times)
        elif kind == "mask":
            mask = w.comparison(index)
            if w.chance(0.2):
                mask = f"({mask} {w.pick('&', '|')} {w.comparison(w.tile(2))})"
            w.result(f"tl.load({source} + lane, mask={mask}, other=3)", dtype, times=times)
        elif kind == "scatter" and not times:
            name = f"y{w.names}"
            place = w.array(name, dtype)
            mask = mask_of(w, index)
            everywhere = f"tl.broadcast_to({index}, {w.shape})"
            value = f"tl.load({source} + lane)"
            w.line(f"tl.store({place} + pid * 4096 + {everywhere}, {value}{mask})")
        else:
            mask = mask_of(w, index)
            other = f"{mask}, other={w.rng.randint(0, 9)}" if mask else ""
            address = str(index)
            if "uint" in mask and w.chance(0.4):  # masked-off lanes have distant addresses
                address = f"({index}).to(tl.uint{index.dtype.bits})"
            w.result(f"tl.load({source} + {address}{other})", dtype, times=times)


def wrapping(w: Writer) -> Value:
    """Indices that wrap in a narrow type within the tile, or within a contiguous run."""
    dtype = DType(w.pick("int8", "int8", "uint8", "int16", "uint16"))
    limit = 1 << (dtype.bits - (1 if dtype.is_signed else 0))
    start = limit - w.pick(1, 3, 4, 8, 16, 32, 40)
    text = f"(lane * {w.pick(1, 1, 1, 2)} + {start})"
    if w.chance(0.3):
        text = f"(lane - {w.pick(1, 4, 8, 20)})"
    value = Value(f"{text}.to(tl.{dtype})", dtype)
    if w.chance(0.3):
        value = Value(f"({value} + {w.pick(1, 4, 16, 100)})", dtype)
    if dtype.bits > 8:
        return Value(f"({value} // {w.pick(16, 64, 3)})", dtype)
    return value


def below_zero(w: Writer) -> Value:
    """Quotients and remainders of indices in blocks that start below zero."""
    block = w.pick(4, 8, 16, 32, 64)
    scalar = w.rng.choice([value for value in w.scalars if value.dtype == "int32"])
    start = w.pick("-1", "-2", f"(({scalar} & 7) // (-2))", f"((pid + 9) // {w.pick('(-1)', -3)})")
    text = f"({start} * {block} + lane)"
    if w.chance(0.3):
        text = f"({text} + {w.rng.randint(1, 5)})"
    return Value(f"({text} {w.pick('//', '%', '%')} {w.pick(block, block, 2 * block)})")


def mask_of(w: Writer, index: Value) -> str:
    """A mask argument, or none; often one that keeps the index in bounds."""
    if w.chance(0.4):
        return ""
    if w.chance(0.4):
        unsigned = f"uint{index.dtype.bits}"
        limit = w.pick(20, 64, 100) if index.dtype.bits == 8 else w.pick(20, 64, 100, 1000)
        return f", mask=({index}).to(tl.{unsigned}) < {limit}"
    return f", mask={w.comparison(w.tile(1))}"


def hinted(w: Writer, index: Value) -> Value:
    """Assigns the index to a variable, sometimes with a hint that holds for it."""
    if len(w.shape) == 1 and w.chance(0.25):
        text = f"tl.multiple_of({index}, {(size := w.hint())})"
        text = f"tl.max_contiguous({text}, {size})" if w.chance(0.8) else str(index)
        index = Value(text, index.dtype)
    elif len(w.shape) == 1 and w.chance(0.1):
        index = Value(f"tl.max_constancy({index}, {w.hint()})", index.dtype)
    return Value(w.assign(str(index)), index.dtype)
