"""Kernels that test quotients of floats, some with a divisor that is uniform over the lanes.

Quotients on the CPU are rounded correctly, so functions that are not continuous may be applied to
them: `floor` of a number divided by itself is 1.
"""

from __future__ import annotations

import random

from kernel import Kernel
from writer import Writer


def write(rng: random.Random) -> Kernel:
    w = Writer(rng, rng.choice([(16,), (64,), (256,), (8, 16), (4, 1)]))
    w.programs = (rng.choice([1, 2]), 1, 1)
    w.number(rng.choice([1, 3, 7, 41, 47, 55, 100, 1000, 16777213]))
    dtype = rng.choice(["float32", "float32", "float64", "int32"])
    fill = w.pick("any", "small", "below 100", "below 10000")
    base = w.array("x", dtype, fill)
    w.line(f"x = tl.load({base} + lane)")
    w.line(f"x = tl.where(x == 0, 5, x).to(tl.{dtype})")
    wide = "float64" if dtype == "float64" else "float32"
    divisor = divisors(w, base, dtype, wide)
    if w.chance(0.3):
        with w.block(f"for t in range({w.pick(2, 3)}):"):
            w.line(f"y = ({divisor}) + t")
            quotient(w, wide, "t")
    else:
        w.line(f"y = {divisor}")
        quotient(w, wide)
    return w.finish()


def divisors(w: Writer, base: str, dtype: str, wide: str) -> str:
    """The divisor: most often a scalar, or one value per row."""
    scalar = f"tl.abs(tl.load({base} + {w.rng.randint(0, 99)})) + 1"
    reduced = f"tl.max(tl.abs(x), {len(w.shape) - 1})" + ("[:, None]" if w.shape[1:] else "")
    spread = f"tl.full({w.shape}, n0, tl.{wide})"
    choices = ["n0", "n0", f"n0.to(tl.{wide})", scalar, scalar, reduced, reduced, "x", spread]
    constant = w.pick(3.0, 0.1, -7.0, 0.75, 1e-30, -3e30)
    choices += [f"tl.full({w.shape}, {constant}, tl.{wide})", f"{w.pick(1, 1, 3)} + tl.abs(x)"]
    if w.shape[1:]:
        choices.append("tl.max(tl.abs(x), 0)[None, :]")
    return f"({w.rng.choice(choices)}).to(tl.{wide})"


def quotient(w: Writer, wide: str, times: str = "") -> None:
    x = w.pick("x", "x", "x * 3", "x + 0.5", "y", "y * 7", f"tl.broadcast_to(y, {w.shape})")
    text = f"({x}).to(tl.{wide}) / y"
    if w.chance(0.2):
        text = f"{w.pick(1.0, 1.0, -2.0, 0.5, 1000.0, 1e30)} / y"
    elif wide == "float32" and w.chance(0.25):  # also rounded correctly on GPUs
        text = f"tl.div_rn(({x}).to(tl.{wide}), y)"
    q = w.assign(text)
    w.line(f"{q} = {q} + tl.zeros({w.shape}, tl.{wide})")
    root = "sqrt_rn" if wide == "float32" and w.chance(0.5) else "sqrt"
    kind = w.rng.choice(["value", "floor", "floor", "ceil", "int", "compare", "rest", "sqrt"])
    text = {
        "value": q,
        "floor": f"tl.floor({q})",
        "ceil": f"tl.ceil({q})",
        "int": f"{q}.to(tl.int32).to(tl.{wide})",
        "compare": f"tl.where({q} >= 1, 1, 0).to(tl.{wide})",
        "rest": f"({x}) - tl.floor({q}) * y",
        "sqrt": f"tl.{root}(tl.abs({q}))",
    }[kind]
    w.result(f"({text}) + tl.zeros({w.shape}, tl.{wide})", wide, times=times)
