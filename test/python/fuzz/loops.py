"""Kernels that test loops of loads and dots: several, nested, pipelined in up to five stages, and
in a loop over tiles as in persistent kernels. Their bounds and steps are constants, arguments, or
loaded from memory, and so are some of the pages that iterations read, and conditions of dots.

Their pointers are advanced, computed, or alternate between two arrays of which one is written in
the loop. Masks may end within a tile. Hints hold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from bounds import Range, loaded_range
from kernel import Kernel
from tiles import DType
from writer import Writer

OPERANDS = ["float16", "float16", "float16", "bfloat16", "float32", "int8", "float64"]


class Loops(Writer):
    """Attributes:
    rows, columns, inner: The sizes M, N and K of a dot.
    pitch: The elements from a row of A to the next one.
    indices: The indices of the loops around the current statement.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rows, self.columns, self.inner = self.sizes(rng)
        self.pitch = 128 if self.rows <= 64 else 64
        super().__init__(rng, (self.rows, self.columns))
        self.operand = DType(rng.choice(self.operands()))
        self.sum = {"int8": "int32", "float64": "float64"}.get(self.operand, "float32")
        self.loops = 0
        self.indices: list[str] = []
        self.tile = ""  # what moves the operands of a loop over tiles

    @staticmethod
    def sizes(rng: random.Random) -> tuple[int, int, int]:
        side = [16, 16, 32, 32, 64, 8, 1]
        return rng.choice(side), rng.choice(side), rng.choice([16, 16, 32, 32, 64, 8])

    @staticmethod
    def operands() -> list[str]:
        return OPERANDS

    def begin(self) -> None:
        self.a = self.array("a", self.operand, "small")
        self.b = self.array("b", self.operand, "small")
        self.c = self.array("c", self.operand, "small")
        self.pages = self.array("pages", DType("int32"), "below 8")
        self.line(f"k = tl.arange(0, {self.inner})")
        self.line(f"ai = row * {self.pitch} + k[None, :]")
        self.line(f"bi = k[:, None] * {self.columns} + column")
        self.line(f"acc = tl.zeros({self.shape}, tl.{self.sum})")
        self.line("passed = tl.cast(0, tl.int64)")
        self.line("fresh = 1")

    def end(self) -> None:
        self.result("acc", self.sum)
        self.result("passed", "int64", ())

    # parts of a loop

    def calmed(self, text: str) -> str:
        if self.sum == "int32":
            return f"({text}) & 7"
        return f"tl.minimum(tl.maximum({text}, -8.0), 8.0)"

    def precision(self) -> str:
        """The argument of a dot that says how operands may be rounded, with a comma before it."""
        return ', input_precision="ieee"' if self.operand == "float32" else ""

    def start(self, index: str) -> str:
        """The index of the first element that an iteration reads, sometimes with a hint."""
        if self.chance(0.15):
            index = self.assign(f"tl.load({self.pages} + {index})")
        text = f"{index} * {self.inner}"
        kind = self.rng.randint(0, 3)
        if kind in (0, 3):
            text = f"{text} + {self.pick('n1', 'n1', 'fresh * 16')}"
        if kind == 1:
            text = f"({text} + n1) % 128"
        if self.tile and self.chance(0.8):
            text = f"{text} + {self.tile}"
        if self.chance(0.2 if kind == 2 else 0.7):
            text = f"tl.multiple_of({text}, {self.hint()})"
        return self.assign(text)

    def inner_index(self, start: str) -> str:
        text = f"{start} + k"
        if self.chance(0.3):
            text = f"({text}) % {self.pick(64, 128)}"
        if self.chance(0.25):
            size = self.hint()
            text = f"tl.max_contiguous(tl.multiple_of({text}, {size}), {size})"
        return self.assign(text)

    def addresses(self, index: str) -> tuple[str, str]:
        """The addresses of both operands, computed from the iteration's index."""
        start = self.start(index)
        if self.chance(0.6):
            i = self.inner_index(start)
            a, b = f"row * {self.pitch} + {i}[None, :]", f"{i}[:, None] * {self.columns} + column"
        else:
            a, b = f"ai + {start}", f"bi + {start} * {self.columns}"
        if self.chance(0.3):
            limit = self.pick("n0 * 16", "n0 * 16 - 3", "40", "n2")
            masks = [f"{start} + k[None, :] < {limit}", f"{start} + k[:, None] < {limit}"]
            if self.chance(0.2):
                masks.reverse()
                masks = [f"row < {self.rows - 1}", f"column < {self.columns - 1}"]
            return (
                f"{self.a} + {a}, mask={masks[0]}, other=0",
                f"{self.b} + {b}, mask={masks[1]}, other=0",
            )
        return f"{self.a} + {a}", f"{self.b} + {b}"

    def product(self, a: str, b: str) -> None:
        """Loads both operands and adds their product to the accumulator, some under a condition."""
        if self.indices and self.chance(0.15):
            index = self.indices[-1]
            flag = f"tl.load({self.pages} + {index}) > {self.pick(1, 3)}"
            conditions = [flag, f"{index} % 3 != 1", f"{index} < n0 - 1", "fresh == 0"]
            with self.block(f"if {self.rng.choice(conditions)}:"):
                self.multiply(a, b)
            if self.chance(0.2):
                with self.block("else:"):
                    self.line(f"acc = {self.calmed('acc')}")
        else:
            self.multiply(a, b)

    def multiply(self, a: str, b: str) -> None:
        self.line(f"left = tl.load({a})")
        if self.chance(0.2) and not self.operand.is_float8:
            self.line(f"left = (left * 2).to(tl.{self.operand})")
        self.line(f"right = tl.load({b})")
        self.add()

    def add(self) -> None:
        kind = self.rng.randint(0, 3)
        tail = self.precision()
        if kind == 0:
            self.line(f"acc += tl.dot(left, right{tail})")
        else:
            self.line(f"acc = tl.dot(left, right, acc{tail})")
        if self.chance(0.2):
            self.line(f"acc = {self.calmed('acc')}")

    def write_back(self, name: str) -> None:
        """Stores a result to memory that operands are read from, through another pointer."""
        value = f"({self.calmed('acc')}).to(tl.{self.operand})"
        self.line(f"tl.store({name} + row * {self.pitch} + column, {value})")

    # loops

    @contextmanager
    def iterations(self, index: str) -> Iterator[None]:
        """A loop in which an index counts from 0, or nearly."""
        bounds = self.pick("n0", "n0", "n0", "0, n0", "1, n0", "4", "0, n0 * 2, 2", "n0, 0, -1")
        found = Range(bounds, index)
        if self.chance(0.35):
            found = loaded_range(self, index, outer=self.indices[-1] if self.indices else "")
        options = f", num_stages={self.rng.randint(1, 5)}" if self.chance(0.3) else ""
        if self.rows * self.columns <= 1024 and self.chance(0.15):
            options += f", loop_unroll_factor={self.rng.randint(2, 4)}"
        with self.over(found, index, options):
            yield

    @contextmanager
    def over(self, found: Range, index: str, options: str = "") -> Iterator[None]:
        """The loop over a range, which may have options of `tl.range`."""
        kind = "tl.range" if options else "range"
        with self.block(f"for {found.counter} in {kind}({found.arguments}{options}):"):
            for line in found.lines:
                self.line(line)
            if self.chance(0.3):
                self.line(f"passed = passed * 31 + {found.counter}.to(tl.int64)")
            self.indices.append(index)
            yield
            self.indices.pop()

    def loop(self) -> None:
        self.loops += 1
        index = f"i{self.loops}"
        kinds = ["computed"] * 4 + ["moved"] * 2 + ["alternating"] * 2 + ["elements"]
        kind = self.rng.choice(kinds)
        if self.chance(0.3):
            self.line("fresh = 1")
        if kind == "moved":
            self.line(f"pa = {self.a} + ai")
            self.line(f"pb = {self.b} + bi")
        if kind == "alternating":
            self.line(f"one = {self.a}")
            self.line(f"two = {self.c}")
            self.line(f"weights = tl.load({self.b} + bi)")
        with self.iterations(index):
            if self.depth < 4 and self.chance(0.25):
                self.loop()
            getattr(self, kind)(index)
            if self.chance(0.3):
                self.line(f"fresh = {self.pick('0', '1 - fresh', 'n3')}")
            if self.chance(0.15):
                with self.block(f"if {index} == {self.rng.randint(0, 3)}:"):
                    self.line(f"acc = {self.calmed('acc')}")
        if self.chance(0.3):
            self.write_back(self.pick(self.a, self.c))

    def nest(self) -> None:
        """A loop over tiles, with loops of dots and a result in it."""
        self.loops += 1
        tile = f"i{self.loops}"
        place = self.chance(0.3)
        if place:
            self.line(f"place{tile} = 0")
        bounds = self.pick("n3", "0, n3", "0, n3", "pid, n3, 2", "1, n3", "0, n3, 3", "3")
        found = loaded_range(self, tile) if self.chance(0.2) else Range(bounds, tile)
        stages = f", num_stages={self.rng.randint(1, 3)}" if self.chance(0.8) else ""
        with self.over(found, tile, stages):
            if self.chance(0.7):
                self.line(f"acc = tl.zeros({self.shape}, tl.{self.sum})")
            self.tile = f"place{tile}" if place else f"{tile} * {self.pick(16, 16, 8, self.inner)}"
            for _ in range(self.pick(1, 1, 1, 2)):
                if self.chance(0.15):
                    with self.block(f"if {tile} % 2 == {self.rng.randint(0, 1)}:"):
                        self.inner_loop(tile)
                else:
                    self.inner_loop(tile)
                if self.chance(0.2):
                    self.write_back(self.pick(self.a, self.c, self.c))
            if self.chance(0.8):
                self.result("acc", self.sum, times=tile)
            if self.chance(0.2):
                self.line(f"acc += tl.sum(acc, 0)[None, :].to(tl.{self.sum})")
                self.line(f"acc = {self.calmed('acc')}")
            if place:
                self.line(f"place{tile} = (place{tile} + {self.pick(16, 8, 'n1')}) % 128")
            self.tile = ""

    def inner_loop(self, tile: str) -> None:
        """A loop of dots, with a trip count of its own for each tile, or another loop."""
        if self.chance(0.2):
            self.loop()
            return
        self.loops += 1
        index = f"i{self.loops}"
        count = self.pick(
            "n0", "n0", "n0 * 2", f"(n0 + {tile}) % 4", f"{tile}", f"n0 - {tile}", "5"
        )
        found = Range(count, index)
        if self.chance(0.25):
            found = loaded_range(self, index, outer=tile)
        with self.over(found, index):
            self.product(*self.addresses(index))
            if self.chance(0.1):
                self.write_back(self.pick(self.a, self.c, self.c))

    def computed(self, index: str) -> None:
        self.product(*self.addresses(index))
        if self.chance(0.3):
            self.write_back(self.pick(self.a, self.c, self.c))

    def moved(self, index: str) -> None:
        self.product("pa", "pb")
        step = self.pick(self.inner, self.inner, 16, 1, 8)
        self.line(f"pa += {step}")
        advance = f"pb += {step} * {self.columns}"
        if self.chance(0.2):
            with self.block(f"if {index} % 2 == 0:"):
                self.line(advance)
        else:
            self.line(advance)
        if self.chance(0.2):
            self.write_back(self.pick(self.a, self.c, self.c))

    def alternating(self, index: str) -> None:
        """Reads what the previous iteration may have written through the other pointer."""
        self.line(f"left = tl.load(one + row * {self.pitch} + k[None, :])")
        self.line(f"acc = tl.dot(left, weights, acc{self.precision()})")
        self.line(f"acc = {self.calmed('acc')}")
        self.write_back(self.pick(self.a, self.c, "one", "two"))
        choice = f"tl.where({index} % 2 == 0, {self.c}, {self.a})"
        kind = self.rng.randint(0, 2)
        if kind == 0:
            self.line("one, two = two, one")
        elif kind == 1:
            self.line(f"one = {choice}")
        else:
            with self.block(f"if {index} % {self.pick(2, 3)} == 0:"):
                self.line(f"one = {self.pick('two', self.a, self.c)}")

    def elements(self, index: str) -> None:
        """Loads and adds elements, without a dot."""
        start = self.start(index)
        self.line(
            f"acc += tl.load({self.a} + row * {self.pitch} + column + {start}).to(tl.{self.sum})"
        )
        if self.chance(0.3):
            self.write_back(self.pick(self.a, self.c, self.c))
        self.line(f"acc = {self.calmed('acc')}")


def write(rng: random.Random) -> Kernel:
    return write_loops(Loops(rng))


def write_loops(w: Loops) -> Kernel:
    rng = w.rng
    w.number(rng.choice([0, 1, 2, 3, 4]))
    w.number(rng.choice([0, 8, 8, 16, 24, 24, 40, 5]))
    w.number(rng.choice([0, 16, 33, 50, 64]))
    w.number(rng.choice([0, 1, 2, 3, 3, 4, 6]))
    w.begin()
    for _ in range(rng.choice([1, 1, 2])):
        w.nest() if w.chance(0.5) else w.loop()
    w.end()
    return w.finish()
