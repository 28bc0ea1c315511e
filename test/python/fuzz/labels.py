"""Kernels that compare columns with labels of more bits, of which the low bits may be equal.

Columns are counted up from programs and loops, and may wrap or be negative. What is equal is
stored, counted, or masks selections and loads.
"""

from __future__ import annotations

import random

from kernel import Kernel
from tiles import DType
from writer import Writer

SHAPES = [
    (1,), (16,), (64,), (100,), (128,), (256,), (8, 8), (4, 64), (32, 32), (1, 16), (16, 1),
]  # fmt: skip
COLUMNS = ["int32", "int32", "int32", "int32", "int16", "int8", "uint32", "uint16", "uint8"]
LABELS = ["int64", "int64", "int64", "int64", "uint64", "int32", "int16"]


class Labels(Writer):
    """Attributes:
    label: The type of labels.
    labels: Tiles and scalars of it, none of which needs more than a broadcast.
    values: A pointer to what masks load.
    step: The name of the iteration, or empty outside of loops.
    """

    def begin(self) -> None:
        self.programs = (self.pick(1, 2, 3, 4), 1, 1)
        self.label = DType(self.pick(*LABELS))
        self.step = ""
        self.stride = self.pick(1, 64, 128, 2**20, 2**30, -64)
        base = self.array("labels", self.label, f"of {' '.join(map(str, self.numbers_near()))}")
        self.labels = [f"tl.load({base} + pid)", f"tl.load({base} + {self.pick(0, 3)})"]
        if self.shape[1:]:
            self.labels += [f"tl.load({base} + {self.pick('row', 'column')})"] * 2
        else:
            self.labels.append(f"tl.load({base} + lane)")
        if self.label == "int64":
            value = self.pick(0, 7, -1, 2**31, 2**32 + 7, 7 - 2**32, -(2**31))
            self.labels.append(f"{self.number(value)}.to(tl.int64)")
        self.labels = [self.assign(label) for label in self.labels]
        self.values = self.array("x", "int32", "small")

    def numbers_near(self) -> list[int]:
        """Labels that columns may have, or may have in their low bits."""
        bits = self.label.bits
        low = [0, 5, 15, 63, -1, -7, 127, 128, 255, self.stride + 3, 2 * self.stride + 5]
        moved = [n + m for n in low for m in (0, 0, 2**8, 2**16, 2**31, -(2**31), 2**32, -(2**32))]
        chosen = [n % 2**bits for n in self.rng.sample(moved, 12)]
        if self.label.is_signed:
            chosen = [n - 2**bits if n >= 2 ** (bits - 1) else n for n in chosen]
        return chosen

    def columns(self) -> str:
        start = f"pid * {self.stride}" if self.chance(0.6) else self.pick("0", "1", "-5", "64")
        if self.step and self.chance(0.7):
            start += f" + {self.step} * {self.pick(1, 16, 2**29)}"
        places = ["lane", "lane", "row", "column"] if self.shape[1:] else ["lane"]
        kind = self.pick(*COLUMNS)
        text = f"{start} + {self.rng.choice(places)}"
        return f"({text})" if kind == "int32" else f"({text}).to(tl.{kind})"

    def condition(self) -> str:
        """Whether columns are equal to labels, as a tile of the kernel's shape."""
        sides = [self.columns(), self.rng.choice(self.labels)]
        self.rng.shuffle(sides)
        text = f"({sides[0]} {self.pick('==', '==', '!=')} {sides[1]})"
        if self.chance(0.3):
            text = self.assign(text)
        return f"({text} & (lane >= {self.pick(0, 0, 3)}))"

    def statement(self) -> None:
        found = self.condition()
        kind = self.pick("flags", "flags", "where", "sum", "mask")
        if kind == "where":
            text = f"tl.where({found}, lane * 2, {self.pick('-1', 'lane')})"
            self.result(self.assign(text), "int32", times=self.step)
        elif kind == "sum":
            axis = len(self.shape) - 1
            total = self.assign(f"tl.sum({found}.to(tl.int32), {axis})")
            self.result(total, "int32", self.shape[:axis], self.step)
        elif kind == "mask":
            loaded = self.assign(f"tl.load({self.values} + lane, mask={found}, other=-3)")
            self.result(loaded, "int32", times=self.step)
        else:
            self.result(f"{found}.to(tl.int32)", "int32", times=self.step)


def write(rng: random.Random) -> Kernel:
    w = Labels(rng, rng.choice(SHAPES))
    w.begin()
    for _ in range(w.pick(1, 2, 3)):
        w.statement()
    if w.chance(0.5):
        end = w.number(w.pick(0, 1, 3)) if w.chance(0.6) else w.pick(2, 3)
        with w.block(f"for t in range({end}):"):
            w.step = "t"
            for _ in range(w.pick(1, 2)):
                w.statement()
    return w.finish()
