"""Kernels that test loops of dots whose loads are copied as boxes (TMA), or just can't be.

Rows, columns and their strides are integers known at launch, of the grid, or of a loop, whose
bounds may be loaded; rows may take a remainder, arrays have a further dimension for heads, masks
end anywhere and in several forms, and pointers are advanced. Some begin or have strides off the
alignment that TMA needs, some read what the program has written before. Boxes begin before and
after the array. Some tiles have a third dimension of size 1, as those of tensor descriptors for a
batch.
"""

from __future__ import annotations

import random
import re

from bounds import STEPS, Range, loaded_range
from groups import Groups
from kernel import Kernel

# Strides in elements; TMA takes multiples of 16 bytes.
PITCHES = [64, 64, 128, 128, 128, 72, 80, 144, 132, 65, 1]


class Boxes(Groups):
    """Attributes:
    trips, group, pitch_a, pitch_b, height, length: Names of run-time integers: iterations, the
        number of a head, the strides of rows of A and B, the rows of A, the columns of A.
    """

    def begin(self) -> None:
        self.programs = (self.pick(1, 1, 2, 3), 1, 1)
        self.trips = self.number(self.pick(0, 1, 2, 3, 4, 5))
        self.group = self.number(self.pick(0, 0, 1, 2, -1))
        self.pitch_a = self.number(self.rng.choice(PITCHES))
        self.pitch_b = self.number(self.pick(self.columns, self.columns, *PITCHES))
        self.height = self.number(self.pick(self.rows, self.rows, 40, 100, 200, 1, 0))
        self.length = self.number(self.pick(32, 64, 100, 128, 48, 200, 0))
        super().begin()
        if self.chance(0.5):
            self.line(f"first = pid * {self.rows}")
        else:
            self.line(f"first = {self.pick('pid', self.group)} * {self.pick(self.height, 16, 1)}")

    # addresses and masks

    def row_of_a(self) -> str:
        """The rows of A, sometimes with a remainder that wraps around or does not."""
        kind = self.rng.randint(0, 4)
        if kind == 0:
            return self.assign(f"(first + m) % {self.pick(self.height, 64, 100)}")
        return self.assign("first + m" if kind < 3 else self.pick("m", f"m + {self.group}"))

    def head_offset(self, pitch: str) -> str:
        kind = self.rng.randint(0, 5)
        if kind == 0:
            return f" + {self.pick('pid', self.group)} * {self.height} * {pitch}"
        if kind == 1:
            return f" + {self.pick('pid', self.group)} * {self.pick(4096, 64, 24)}"
        return ""

    def offset(self) -> str:
        """What is added to the index along K; often a multiple of 16 bytes, for all launches."""
        return self.pick("", "", "", "", " + 16", " + 8", " + 4", " + 1", f" + {self.group}")

    def ends(self, rows: str, depth: str, start: str, is_a: bool) -> str:
        """The arguments of a load that mask indices `rows` and `depth`, expanded."""
        kind = self.rng.randint(0, 9)
        limit = self.pick(self.length, self.length, 100, f"{self.length} - 3")
        bounds = [
            f"{depth} + {start} < {limit}",
            f"{depth} < {limit} - {start}",
            f"{limit} > {depth} + {start}",
            f"{rows} < {self.pick(self.height, self.rows - 3) if is_a else self.columns - 3}",
            f"{rows} >= {self.pick(0, 1, self.group)}",
            f"{depth} + {start} >= {self.pick(0, 16)}",
        ]
        if kind < 4:
            return ""
        mask = self.rng.choice(bounds[:3] if kind < 7 else bounds)
        if kind > 7:
            mask = f"({mask}) & ({self.rng.choice(bounds[3:])})"
        other = self.pick("0", "0", "0", "0", "1")
        return f", mask={mask}, other={other}"

    # loops

    def in_batch(self, base: str, address: str, ends: str, shape: tuple[int, int]) -> str:
        """A load of a tile with a third dimension of size 1, and perhaps a condition on a head."""
        mask = re.fullmatch(r", mask=(.*), other=(\d)", ends)
        if mask:
            head = self.pick(
                "", f" & (pid < {self.group})", f" & ({self.group} >= 0)", f" & ({self.group} < 2)"
            )
            ends = f", mask=({mask[1]})[None, :, :]{head}, other={mask[2]}"
        return f"tl.reshape(tl.load({base} + ({address})[None, :, :]{ends}), {shape})"

    def matrix_of_batch(self, start: str) -> str:
        shape = f"[{self.pick(self.group, 1, 2, 3)}, {self.height}, {self.length}]"
        pitch = self.pick(f"{self.height} * {self.pitch_a}", 4096, 64)
        strides, block = f"[{pitch}, {self.pitch_a}, 1]", f"[1, {self.rows}, {self.inner}]"
        head = self.pick("pid", self.group, 0, 1, "pid // 2", f"pid + {self.group}")
        at = f"[{head}, {self.pick('first', 0, self.group, -8)}, {start}]"
        load = f"tl.make_tensor_descriptor({self.a}, {shape}, {strides}, {block}).load({at})"
        return f"tl.reshape({load}, {(self.rows, self.inner)})"

    def load_a(self, start: str) -> str:
        if self.chance(0.35) and self.inner * self.operand.bits >= 128:
            if self.chance(0.5):
                return self.matrix_of_batch(start)
            shape = f"[{self.height}, {self.length}]"
            strides, block = f"[{self.pitch_a}, 1]", f"[{self.rows}, {self.inner}]"
            at = f"[{self.pick('first', 0, self.group, -8)}, {start}]"
            return f"tl.make_tensor_descriptor({self.a}, {shape}, {strides}, {block}).load({at})"
        rows = self.row_of_a()
        address = f"{rows}[:, None] * {self.pitch_a} + (k + {start})[None, :]"
        ends = self.ends(f"{rows}[:, None]", "k[None, :]", start, is_a=True)
        if self.chance(0.15):
            base = f"{self.a}{self.head_offset(self.pitch_a)}"
            return self.in_batch(base, address, ends, (self.rows, self.inner))
        return f"tl.load({self.a}{self.head_offset(self.pitch_a)} + {address}{ends})"

    def load_b(self, start: str) -> str:
        ends = self.ends("n[None, :]", "k[:, None]", start, is_a=False)
        head = self.head_offset(self.pitch_b)
        if self.chance(0.3):  # stored by columns
            address = f"n[None, :] * {self.pitch_b} + (k + {start})[:, None]"
        else:
            address = f"(k + {start})[:, None] * {self.pitch_b} + n[None, :]"
        if self.chance(0.15):
            return self.in_batch(f"{self.b}{head}", address, ends, (self.inner, self.columns))
        return f"tl.load({self.b}{head} + {address}{ends})"

    def computed(self, index: str) -> None:
        start = self.assign(f"{index}{self.offset()}")
        self.line(f"left = {self.load_a(start)}")
        self.line(f"right = {self.load_b(self.pick(start, start, index))}")
        self.add()

    def moved(self, index: str) -> None:
        ends = self.pick("", f", mask=k[None, :] < {self.length} - {index}, other=0")
        self.line(f"left = tl.load(pa{ends})")
        self.line("right = tl.load(pb)")
        self.add()
        self.line(f"pa += {self.inner}")
        self.line(f"pb += {self.inner} * {self.pitch_b}")

    def loop(self) -> None:
        self.loops += 1
        index = f"i{self.loops}"
        self.earlier_access()
        stages = self.pick("", f", num_stages={self.rng.randint(1, 5)}")
        bounds = self.pick(
            f"0, {self.trips} * {self.inner}, {self.inner}", f"0, {self.length}, {self.inner}"
        )
        found = Range(bounds, index)
        if self.chance(0.3):
            steps = [*[self.inner] * 4, -self.inner, *STEPS[2:]]
            outer = self.indices[-1] if self.indices else ""
            found = loaded_range(self, index, steps, outer, unit=self.inner)
        if self.chance(0.3):
            head = self.head_offset(self.pitch_a)
            rows = self.row_of_a()
            self.line(f"pa = {self.a}{head} + {rows}[:, None] * {self.pitch_a} + k[None, :]")
            self.line(f"pb = {self.b} + k[:, None] * {self.pitch_b} + n[None, :]")
            body = self.moved
        else:
            body = self.computed
        with self.over(found, index, stages):
            body(index)

    def earlier_access(self) -> None:
        """What must be done before the loop reads, if anything."""
        if self.programs[0] > 1 or self.chance(0.7):
            return
        target = self.pick(self.a, self.b, self.c)
        kind = self.rng.randint(0, 2)
        if kind == 0:
            self.line(f"tl.store({target} + row * 64 + column, acc.to(tl.{self.operand}))")
        elif kind == 1:
            self.line(f"second += tl.load({target}, volatile=True).to(tl.{self.sum})")
        else:
            self.line(f"tl.store({target} + 5, tl.load({self.c} + 7))")


def write(rng: random.Random) -> Kernel:
    w = Boxes(rng)
    w.begin()
    for _ in range(rng.choice([1, 1, 2])):
        if w.chance(0.2):
            with w.over(Range(f"{w.group} + 2", "tile"), "tile"):
                w.loop()
        else:
            w.loop()
    w.end()
    kernel = w.finish()
    kernel.options["num_warps"] = rng.choice([4, 4, 8, 8])
    return kernel
