"""Kernels that test stores of dots' results, in loops over tiles and outside, as copies of boxes
(TMA), or that just can't be.

Results are rounded to another type, so that they change their layout in shared memory; they are
stored, or combined with memory by atomics, by rows or by columns, with ends of several forms,
twice, in branches, and over each other. Some are read again, or added to by atomics. Loops over
tiles may be flattened or pipelined.
"""

from __future__ import annotations

import random

from boxes import Boxes
from kernel import Kernel

RESULTS = {
    "int32": ["int8", "int32", "int16"],
    "float32": ["float16", "float16", "bfloat16", "float32"],
    "float16": ["float16"],
}
# For each type of results, the atomics that combine them with memory.
REDUCTIONS = {
    "int32": ["add", "add", "and", "or", "xor", "max"],
    "float32": ["add"],
    "float16": ["add"],
}


class Epilogues(Boxes):
    """Attributes:
    targets: The arrays to which tiles are stored.
    pitch_d: The name of the run-time stride of these arrays, in elements.
    """

    def begin(self) -> None:
        super().begin()
        self.programs = (self.pick(1, 1, 2), 1, 1)
        self.kind = self.rng.choice(RESULTS[self.sum])
        self.targets = [self.array(name, self.kind, "small") for name in ("d", "e")]
        self.pitch_d = self.number(self.pick(self.columns, self.columns, 64, 128, 256, 72, 65))
        self.limit = self.number(self.pick(self.rows, self.rows - 3, 200, 40, 0))

    def value(self) -> str:
        calm = self.calmed(self.pick("acc", "acc", "acc", "second", "acc + second"))
        return f"({calm}).to(tl.{self.kind})"

    def address(self, tile: str) -> tuple[str, str]:
        """Where a tile is stored, and the mask's argument. Programs have rows of their own."""
        step = self.pick(self.rows, self.rows, 16, 0)
        start = self.assign(f"pid * 2048 + {tile} * {step}" if tile else "pid * 2048")
        rows = self.assign(f"{start} + m")
        columns = self.pick("n", "n", f"n + {self.group} * 8", "n + 8", f"n + {self.group}")
        columns = self.assign(columns)
        if self.chance(0.15):
            place = f"{rows}[:, None] + {columns}[None, :] * 4096"
        else:
            place = f"{rows}[:, None] * {self.pitch_d} + {columns}[None, :]"
        bounds = [
            f"{rows}[:, None] < {start} + {self.limit}",
            f"m[:, None] < {self.limit}",
            f"{rows}[:, None] < {self.pick(self.limit, 100)}",
            f"{columns}[None, :] < {self.pick(self.columns - 3, self.pitch_d, 40)}",
            f"{columns}[None, :] >= {self.pick(0, 8)}",
            "(m % 3 != 1)[:, None]",
        ]
        kind = self.rng.randint(0, 5)
        if kind < 2:
            return place, ""
        mask = self.rng.choice(bounds)
        if kind > 3:
            mask = f"({mask}) & ({self.rng.choice(bounds)})"
        return place, f", mask={mask}"

    def store(self, tile: str) -> None:
        target = self.rng.choice(self.targets)
        place, mask = self.address(tile)
        if self.chance(0.1):
            with self.block(f"if {tile or 'pid'} % 2 == {self.pick(0, 1)}:"):
                self.write(f"{target} + {place}", mask)
        else:
            self.write(f"{target} + {place}", mask)
        self.later_access(target, place)

    def write(self, pointers: str, mask: str) -> None:
        """A store, or an atomic of which nothing uses the result."""
        if self.kind in REDUCTIONS and self.chance(0.3):
            name = self.rng.choice(REDUCTIONS[self.kind])
            order = self.pick("", *[', sem="relaxed"'] * 5)
            self.line(f"tl.atomic_{name}({pointers}, {self.value()}{mask}{order})")
        else:
            hint = self.pick(
                "", "", "", ', cache_modifier=".cs"', ', eviction_policy="evict_first"'
            )
            self.line(f"tl.store({pointers}, {self.value()}{mask}{hint})")

    def later_access(self, target: str, place: str) -> None:
        """What must see the store, if anything."""
        kind = self.rng.randint(0, 19)
        if kind == 0:
            self.line(f"second += tl.load({target} + {place}).to(tl.{self.sum})")
            self.line(f"second = {self.calmed('second')}")
        elif kind == 1:
            self.line("tl.debug_barrier()")
        elif kind == 2 and self.kind in ("int32", "float32"):
            self.line(f"tl.atomic_add({target} + {place}, acc.to(tl.{self.kind}) * 0 + 1)")
        elif kind == 3:
            self.line(
                f"tl.store({target} + pid * 2048 * {self.pitch_d} + 5, pid.to(tl.{self.kind}))"
            )

    def loop_over_tiles(self) -> None:
        """A loop over tiles, each with a loop of dots and a store or two."""
        hint = self.pick("", ", flatten=True", ", num_stages=2", ", num_stages=3")
        bounds = self.pick("3", f"0, {self.group} + 3", f"{self.group} + 1, 5, 2", "2, 0, -1")
        counts = self.chance(0.15)  # a `while` loop
        if counts:
            self.line("tile = 0")
        with self.block("while tile < 3:" if counts else f"for tile in tl.range({bounds}{hint}):"):
            if self.chance(0.8):
                self.line(f"acc = tl.zeros({self.shape}, tl.{self.sum})")
            if self.chance(0.5):
                self.line("first = tile * 16")
            for _ in range(self.pick(1, 1, 1, 2)):
                self.loop()
            for _ in range(self.pick(1, 1, 2)):
                self.store("tile")
            if counts:
                self.line("tile += 1")


def write(rng: random.Random) -> Kernel:
    w = Epilogues(rng)
    w.begin()
    if w.chance(0.7):
        w.loop_over_tiles()
    else:
        w.loop()
    if w.chance(0.5):
        w.store("")
    if w.chance(0.3):
        w.end()
    kernel = w.finish()
    kernel.options["num_warps"] = rng.choice([4, 4, 8, 8, 16])
    return kernel
