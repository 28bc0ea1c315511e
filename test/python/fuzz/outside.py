"""Kernels with out-of-bounds accesses, for emulated GPUs.

An access must not crash the process or change memory that was not passed; it must be reported.
"""

from __future__ import annotations

import random

from kernel import Kernel
from writer import Writer


def write(rng: random.Random) -> Kernel:
    w = Writer(rng, rng.choice([(16,), (128,), (512,), (8, 16), (1, 1)]))
    w.programs = (rng.choice([1, 2, 3]), 1, 1)
    dtype = rng.choice(["int8", "int32", "int64", "float16", "float32"])
    n = w.number(rng.choice([1, 2, 4]))
    source, target = w.array("x", dtype), w.array("y", dtype)
    size = 1
    for side in w.shape:
        size *= side
    order = w.pick("lane", "lane", f"({size - 1} - lane)", "lane * 2", f"(lane - {size})")
    place = f"{target} + pid * {2 * size} + {order}"
    with w.block(f"for t in range({n}):"):
        w.line(f"v = tl.load({source} + {order} + t * 8)")
        kind = w.pick("store", "store", "atomic", "masked", "scalar")
        if kind == "atomic" and dtype in ("int32", "int64"):
            w.line(f"tl.atomic_add({place}, v)")
        elif kind == "masked":
            w.line(f"tl.store({place}, v, mask=lane % 3 != 1)")
        elif kind == "scalar":
            w.line(f"tl.store({target} + pid * {2 * size} + t * 64, tl.max(v).to(tl.{dtype}))")
        else:
            w.line(f"tl.store({place} + t, v)")
    return w.finish(outside=True)
