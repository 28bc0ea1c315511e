"""Kernels that test dots of at least 64 rows, which warp groups compute on Hopper.

To the loops of `loops` they add operands in either order in memory, transposed, computed, loaded by
descriptors, converted from fewer bits and in common to two dots; a second accumulator; dots of
dots; dots in branches and in `while` loops; and accumulators that the loop reads, scales, sums up
or stores.
"""

from __future__ import annotations

import random

from kernel import Kernel
from loops import Loops, write_loops
from tiles import DType

OPERANDS = [
    "float16",
    "float16",
    "bfloat16",
    "bfloat16",
    "float32",
    "float32",
    "int8",
    "float8e4nv",
    "float8e5",
]


class Groups(Loops):
    """Attributes:
    right: The type of B, another one than A's for mixed 8-bit floats.
    narrow: An array of fewer bits than A's elements have, from which some operands are converted;
        empty if there is none.
    """

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        if self.operand == "float16" and self.chance(0.4):
            self.sum = "float16"

    @staticmethod
    def sizes(rng: random.Random) -> tuple[int, int, int]:
        columns = rng.choice([8, 16, 32, 64, 64, 128, 256])
        inner = rng.choice([16, 16, 32, 32, 64, 128])
        return rng.choice([64, 64, 128]), columns, inner if columns < 256 else 16

    @staticmethod
    def operands() -> list[str]:
        return OPERANDS

    def begin(self) -> None:
        super().begin()
        self.right = self.operand
        if self.operand.is_float8 and self.chance(0.4):
            self.right = DType(self.pick("float8e4nv", "float8e5"))
            next(b for b in self.buffers if b.name == "b").dtype = self.right
        self.narrow = ""
        if self.operand in ("float16", "bfloat16") and self.chance(0.3):
            self.narrow = self.array("narrow", self.pick("int8", "uint8", "float8e5"), "small")
        self.line(f"m, n = tl.arange(0, {self.rows}), tl.arange(0, {self.columns})")
        self.line(f"second = tl.full({self.shape}, {self.pick(0, 0, 1)}, tl.{self.sum})")

    def end(self) -> None:
        super().end()
        self.result("second", self.sum)

    # operands

    def computed(self, index: str) -> None:
        kind = self.rng.randint(0, 9)
        if kind < 3:
            return super().computed(index)
        start = self.start(index)
        self.line(f"left = {self.left(start, kind)}")
        self.line(f"right = {self.right_of(start, self.rng.randint(4, 10))}")
        self.add()
        if self.chance(0.1):
            self.write_back(self.pick(self.a, self.c, self.c))

    def left(self, start: str, kind: int) -> str:
        """A, in memory by rows or by columns."""
        rows, inner, pitch = self.rows, self.inner, self.pitch
        if self.narrow and self.chance(0.3):
            by_columns = f"m[:, None] + (k + {start})[None, :] * {rows}"
            return self.converted(self.pick(f"ai + {start}", by_columns))
        if kind == 4:  # a transposed load
            return f"tl.load({self.a} + (k + {start})[:, None] * {rows} + m[None, :]).T"
        if kind == 5:
            return f"tl.load({self.a} + m[:, None] + (k + {start})[None, :] * {rows})"
        if kind == 6 and inner * self.operand.bits >= 128:
            limit = self.pick(100, "n2", 128)
            shape = f"shape=[{self.pick(rows, rows - 3)}, {limit}], strides=[{pitch}, 1]"
            block = f"block_shape=[{rows}, {inner}]"
            return f"tl.make_tensor_descriptor({self.a}, {shape}, {block}).load([0, {start}])"
        if kind == 7 and not self.operand.is_float8:
            sign = self.pick("", "-", "2 * ")
            load = f"tl.load({self.a} + ai + {start})"
            return f"tl.where((m[:, None] + k[None, :]) % 2 == 0, {load}, {sign}{load})"
        return f"tl.load({self.a} + ai + {start})"

    def right_of(self, start: str, kind: int) -> str:
        """B, in memory by rows or by columns, or another tile of A."""
        columns, inner = self.columns, self.inner
        if self.narrow and self.chance(0.5):
            by_columns = f"(k + {start})[:, None] + n[None, :] * {inner}"
            return self.converted(self.pick(f"bi + {start}", by_columns))
        if kind < 6:  # by columns, as a transposed load or not
            by_rows = f"tl.load({self.b} + n[:, None] * {inner} + (k + {start})[None, :])"
            return f"{by_rows}.T" if kind == 4 else (
                f"tl.load({self.b} + (k + {start})[:, None] + n[None, :] * {inner})"
            )  # fmt: skip
        if kind in (6, 10) and columns == self.rows and self.right == self.operand:
            return "left.T"
        if kind == 7:
            limits = (
                f"(k[:, None] + {start} < {self.pick('n2', 40)}) & (n[None, :] < {columns - 5})"
            )
            other = self.pick(0, 0, 1)
            return f"tl.load({self.b} + bi + {start}, mask={limits}, other={other})"
        if kind == 8:
            values = f"(k[:, None] * 3 + n[None, :] + {start}) % 5 - 2"
            return f"({values}).to(tl.float32).to(tl.{self.right})"
        return f"tl.load({self.b} + bi + {start})"

    def converted(self, offsets: str) -> str:
        return f"tl.load({self.narrow} + {offsets}).to(tl.{self.operand})"

    # accumulators

    def add(self) -> None:
        """Adds the product of `left` and `right` to an accumulator, in one of many ways."""
        kind = self.rng.randint(0, 11)
        limit = self.precision()
        if self.limited():
            limit = f", max_num_imprecise_acc={self.pick(0, 16, 32)}"
        if kind == 0:
            self.line(f"second = tl.dot(left, right, second{limit})")
        elif kind == 1:
            self.line(f"acc = tl.dot(left, right, acc{limit})")
            self.line(f"second += tl.dot(left, right{self.precision()})")
        elif kind == 2:
            scale = f"(m % 3 - 1).to(tl.{self.sum})[:, None]"
            self.line(f"acc = tl.dot(left, right, acc * {scale}{limit})")
        elif kind == 3:
            self.chain()
        elif kind == 4:
            with self.block(f"if n0 % {self.pick(2, 3)} == 1:"):
                self.line(f"acc = tl.dot(left, right, acc{limit})")
        elif kind == 5:
            self.line(f"acc -= tl.dot(left, right{limit})")
        elif kind == 6:
            self.line(f"acc = tl.dot(left, right, acc{limit})")
            self.line(f"second += tl.sum(acc, 1)[:, None].to(tl.{self.sum})")
            self.line(f"second = {self.calmed('second')}")
        else:
            super().add()

    def calmed(self, text: str) -> str:
        calm = super().calmed(text)
        return f"({calm}).to(tl.float16)" if self.sum == "float16" else calm

    def precision(self) -> str:
        if self.sum == "float16":
            return ", out_dtype=tl.float16"
        if self.operand != "float32" or self.chance(0.6):
            return ""  # tf32
        return f', input_precision="{self.pick("tf32", "tf32x3", "ieee")}"'

    def limited(self) -> bool:
        return self.operand.is_float8 and self.inner >= 32 and self.chance(0.5)

    def chain(self) -> None:
        """A dot of a dot's result, which is one of both operands."""
        product = f"tl.dot(left, right{self.precision()})"
        factor = f"({self.calmed(product)}).to(tl.{self.operand})"
        self.line(f"factor = {factor}")
        if self.chance(0.5):
            load = f"tl.load({self.c} + n[:, None] * {self.columns} + n[None, :])"
            self.line(f"acc = tl.dot(factor, {load}, acc{self.precision()})")
        elif self.columns <= 128:
            load = f"tl.load({self.c} + m[:, None] * {self.rows} + m[None, :])"
            self.line(f"acc = tl.dot({load}, factor, acc{self.precision()})")

    # loops

    def loop(self) -> None:
        if self.chance(0.9):
            return super().loop()
        self.loops += 1
        index = f"i{self.loops}"
        self.line(f"{index} = 0")
        counts = self.array(self.fresh("counts"), "int32", "below 4")
        with self.block(f"while {index} < {self.pick('n0', 'n0', f'tl.load({counts} + 3)')}:"):
            self.computed(index)
            self.line(f"{index} += 1")
            if self.chance(0.5):
                self.line(f"if {index} == {self.pick(1, 2)}: break")


def write(rng: random.Random) -> Kernel:
    w = Groups(rng)
    kernel = write_loops(w)
    kernel.options["num_warps"] = rng.choice([4, 4, 8, 16])
    return kernel
