"""Kernels with histograms, of tiles that threads share, in loops and branches, several at once."""

from __future__ import annotations

import random

from kernel import Kernel
from writer import INTS, Writer

BINS = [1, 2, 4, 16, 64, 128, 256, 1024]


def write(rng: random.Random) -> Kernel:
    w = Writer(rng, rng.choice([(1,), (4,), (16,), (64,), (256,), (1024,), (4, 16), (8, 128)]))
    w.programs = (rng.choice([1, 2, 3]), 1, 1)
    dtype = w.pick("int1", *INTS, "int32", "int64")
    base = w.array("x", dtype, w.pick("any", "any", "small"))
    w.line(f"x = tl.load({base} + lane)")
    if dtype != "int1" and w.chance(0.7):
        w.line(f"x = x & {w.pick(1, 3, 15, 63, 127)}")
    limit = w.number(w.pick(0, 1, 3, 10, 100, 5000))
    if w.chance(0.4):
        with w.block(f"for t in range({w.pick(1, 2, 3)}):"):
            bins, text = histogram(w, "x + t" if dtype != "int1" else "x", limit)
            w.result(w.assign(text), "int32", (bins,), "t")
    elif w.chance(0.3):
        bins, first = histogram(w, "x", limit)
        with w.block(f"if {limit} > {w.pick(0, 2, 50)}:"):
            w.line(f"h = {first}")
        with w.block("else:"):
            w.line(f"h = {histogram(w, 'x', limit, bins)[1]}")
        w.result("h", "int32", (bins,))
    else:
        for _ in range(w.pick(1, 2, 2)):
            bins, text = histogram(w, "x", limit)
            counts = w.assign(text)
            w.result(counts, "int32", (bins,))
            again = w.pick(*BINS)
            w.result(f"tl.histogram({counts}, {again})", "int32", (again,))
    kernel = w.finish()
    kernel.options["num_warps"] = rng.choice([1, 2, 4, 8, 16])
    return kernel


def histogram(w: Writer, x: str, limit: str, bins: int | None = None) -> tuple[int, str]:
    """The number of bins, and the call."""
    bins = bins or w.pick(*BINS)
    elements, where = f"tl.ravel({x})", "tl.ravel(lane)"
    if w.shape[1:] and w.chance(0.5):
        axis = w.rng.randrange(2)
        reduced = w.pick("max", "min")
        elements = f"tl.{reduced}({x} + tl.zeros({w.shape}, tl.int32), {axis})"
        where = f"tl.arange(0, {w.shape[1 - axis]})"
    mask = w.pick("", "", f", mask={where} < {limit}", f", mask={limit} > 2", f", {where} < 0")
    return bins, f"tl.histogram({elements}, {bins}{mask})"
