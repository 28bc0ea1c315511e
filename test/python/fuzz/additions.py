"""Kernels that add tiles of floats to memory atomically, several programs to the same addresses.

Most addresses are consecutive along a dimension, from any start, with masks of several forms. What
is added are small integers, loaded as floats or converted, so that the sums are exact in any order.
Other kernels have other atomics, too, or loops.
"""

from __future__ import annotations

import dataclasses
import random

from kernel import Kernel
from writer import Writer

SHAPES = [(1,), (4,), (16,), (64,), (256,), (4, 16), (2, 64), (16, 8), (3, 32), (4, 64)]


class Additions(Writer):
    """Attributes:
    places: The pointer to the memory that all programs add to.
    limit, pitch: Names of run-time numbers: for masks, and the distance of rows.
    """

    def begin(self) -> None:
        self.programs = (self.pick(1, 2, 5, 12), 1, 1)
        self.kind = self.pick("float32", "float32", "float64")
        self.places = self.array("d", self.kind, "small")
        self.source = self.array("x", "int32", "any")
        size = self.shape[-1]
        self.limit = self.number(self.pick(size, size - 1, size // 2, 3, 0, 1000))
        self.pitch = self.number(self.pick(size, size + 1, size + 3, 2 * size, 264))

    def value(self) -> str:
        start = self.pick("pid", f"pid * {self.pitch}", "5")
        loaded = f"tl.load({self.source} + {start} + lane)"
        number = f"({loaded} & {self.pick(1, 7, 31)}).to(tl.{self.kind})"
        return self.pick(number, number, f"{number} - 4", f"({number} * 2)")

    def place(self) -> str:
        start = self.pick("0", "1", "4", "pid % 3", f"(pid % 2) * {self.pitch}", "pid", "-7")
        if len(self.shape) == 1:
            return f"{start} + {self.pick('lane', 'lane', 'lane', 'lane * 2', 'lane // 4')}"
        across = f"row * {self.pitch} + column"
        forms = [across, across, "column * 16 + row", "lane", "row * 0 + column"]
        return f"{start} + {self.rng.choice(forms)}"

    def mask(self) -> str:
        column = "lane" if len(self.shape) == 1 else "column"
        bounds = [
            f"{column} < {self.limit}",
            f"{column} >= {self.limit} // 2",
            f"lane % {self.pick(2, 3, 5)} != 1",
            f"(lane < {self.limit} * 2) & (pid != 1)",
        ]
        return self.pick(
            "", f", mask={self.rng.choice(bounds)}", f", mask={self.rng.choice(bounds)}"
        )

    def add(self) -> None:
        value = self.value()
        if self.chance(0.3):
            value = self.assign(value)
        options = self.pick("", ', sem="relaxed"', ', sem="relaxed"', ', scope="sys"')
        self.line(f"tl.atomic_add({self.places} + {self.place()}, {value}{self.mask()}{options})")


def write(rng: random.Random) -> Kernel:
    w = Additions(rng, rng.choice(SHAPES))
    w.begin()
    w.add()
    if w.chance(0.4):
        with w.block(f"for t in range({w.pick(2, 3)}):" if w.chance(0.5) else "if pid > 0:"):
            w.add()
    if w.chance(0.3):
        w.add()
    if w.chance(0.2):
        counter = w.array("c", "int32", "small")
        w.line(f"tl.atomic_add({counter}, 1)")
    return dataclasses.replace(w.finish(), ordered=True)
