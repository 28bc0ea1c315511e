"""Kernels whose programs hand memory over by atomic loads and stores, and others that use these.

A program waits until the previous one has released its results; or each stores its own part of an
array atomically and loads it again.
"""

from __future__ import annotations

import math
import random

from generate import INTS, Generator
from kernel import Kernel
from operations import any_shape
from ordering import LAUNCHES, shared
from with_helpers import family
from writer import Writer


def write(rng: random.Random) -> Kernel:
    return chain(rng) if rng.random() < 0.4 else _alone(rng)


def chain(rng: random.Random) -> Kernel:
    """Each program acquires a flag, continues from the previous result, and releases."""
    w = Writer(rng, rng.choice([(64,), (256,), (1024,), (16, 32), (48,)]))
    w.programs = (rng.choice([2, 3, 4, 5]), 1, 1)
    w.constants["P"] = w.programs[0]
    dtype = w.pick("int32", "int64", "float32", "int16")
    flag = w.pick("int32", "int64", "uint32")
    size = math.prod(w.shape)
    source = w.array("x", dtype, "small")
    total, turn = shared(w, "total", dtype, size), shared(w, "turn", flag, 1)
    w.line(f"v = tl.load({source} + pid * {size} + lane)")
    acquired = w.pick("", ', sem="acquire"', ', sem="acquire", scope="sys"')
    with w.block(f"while tl.atomic_load({turn}{acquired}) % P != pid:"):
        w.line("pass")
    order = w.pick("lane", f"({size - 1} - lane)")
    w.line(f"before = tl.load({total} + {order})")
    w.line(f"tl.store({total} + {order}, (before + v).to(tl.{dtype}))")
    released = w.pick("", ', sem="release"', ', scope="gpu"')
    value = w.pick("pid + 1", f"(pid + 1).to(tl.{flag})")
    w.line(f"tl.atomic_store({turn}, {value}{released})")
    kernel = w.finish(ordered=True, launches=LAUNCHES)
    kernel.options["num_warps"] = rng.choice([1, 2, 4, 8, 16])
    return kernel


def access(g: Generator) -> None:
    """An atomic load or store of the program's own memory, among other accesses to it."""
    buffers = [b for b in g.buffers if b.dtype.bits >= 32]
    shape = any_shape(g) if g.chance(0.8) else ()
    fitting = [b for b in buffers if math.prod(shape) <= b.size]
    if not fitting:
        return
    buffer = g.rng.choice(fitting)
    sem = g.rng.choice(["", "", ', sem="relaxed"', ', scope="cta"'])
    if g.chance(0.5):
        mask = ""
        if shape and g.chance(0.3):
            mask = f", mask={(text := g.mask(shape))}"
        call = f"tl.atomic_load({g.address(buffer, shape, True)}{mask}{sem})"
        if mask:  # masked-off elements are unspecified
            call = f"tl.where({text}, {call}, tl.full({shape}, 1, tl.{buffer.dtype}))"
        g.assign(call, buffer.dtype, shape)
        return
    mask = f", mask={g.mask(shape)}" if g.chance(0.3) else ""
    value = g.tile(shape, buffer.dtype)
    g.line(f"tl.atomic_store({g.address(buffer, shape, True)}, {value}{mask}{sem})")


def poll(g: Generator) -> None:
    """Waits for a value that is there, or looks once whether it is."""
    buffers = [b for b in g.buffers if b.dtype in INTS and b.dtype.bits >= 16]
    if not buffers:
        return
    buffer = g.rng.choice(buffers)
    address = g.address(buffer, (), True)
    order = g.rng.choice(["", "", ", sem='relaxed'", ", sem='acquire', scope='cta'"])
    if g.chance(0.5):
        value = f"tl.load({address})"
        limit = g.rng.choice(["", "", ", timeout_ns=100000"])
    else:
        value, limit = g.tile((), buffer.dtype), ", timeout_ns=0"
    g.assign(f"tl.atomic_poll({address}, {value}{order}{limit})", "int1", ())


_alone = family({"access": (30, access), "poll": (10, poll)}, size=8, any_size=0.3)
