"""Kernels that call helper functions, which call others: constants, branches, loops, early returns.

The kernel itself has the same statements, and its loops may return from it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from kernel import Kernel
from writer import Writer

DEEPEST = 3


class Helpers(Writer):
    """Writes statements.

    Attributes:
        known: The helpers that the current function may call.
    """

    def __init__(self, rng: random.Random, shape: tuple[int, ...]) -> None:
        super().__init__(rng, shape)
        self.dtype = rng.choice(["int32", "int32", "float32", "int64", "float16"])
        self.known: list[str] = []
        self.is_helper = False
        self.loops = 0  # around the current statement

    # values

    def constant(self) -> str:
        if self.dtype.startswith("int"):
            return self.pick("0", "1", "3", "-2", "7", "100")
        return self.pick("0.0", "1.0", "0.5", "-2.0", "3.0", "0.25")

    def value(self) -> str:
        """An expression of the tile `v`, of its type."""
        text = self.pick(
            f"v * {self.constant()}", f"v + {self.constant()}", f"{self.constant()} - v",
            f"v * {self.constant()} + {self.constant()}", "v + i", "v + n", "tl.zeros_like(v)",
            f"tl.where(v > {self.constant()}, v, {self.constant()})",
            f"tl.full(v.shape, {self.constant()}, tl.{self.dtype})", "tl.abs(v)",
        )  # fmt: skip
        if not self.dtype.startswith("int"):
            text = f"tl.minimum(tl.maximum({text}, -64.0), 64.0)"
        return f"({text}).to(tl.{self.dtype})"

    def condition(self) -> str:
        scalar = self.pick("n", "n", "i", "n & 3", "i * i", "n + i", "n * 2")
        text = f"{scalar} {self.pick('<', '>', '==', '!=')} {self.pick(0, 1, 2, 3, 5)}"
        if self.chance(0.2):
            text = f"tl.max(v, 0) > {self.constant()}" if len(self.shape) == 1 else "tl.max(v) > 2"
        if self.chance(0.15):
            text = f"{self.pick('not ', '')}({text}) {self.pick('and', 'or')} n < 4"
        return text

    # statements

    def statement(self) -> None:
        kinds = [self.assignment] * 3 + [self.count] * 2 + [self.branch] * 2 + [self.for_loop]
        kinds += [self.while_loop, self.call, self.call]
        if self.loops:
            kinds += [self.break_or_continue] * 2
        kinds += [self.early_return]
        self.rng.choice(kinds)()

    def assignment(self) -> None:
        self.line(f"v = {self.value()}")

    def count(self) -> None:
        self.line(self.pick("i = 1", "i += 1", "i += 2", "i = n", "i = 0", "i = i * 2 - n"))

    def branch(self) -> None:
        if self.depth > 4:
            return self.assignment()
        with self.block(f"if {self.condition()}:"):
            self.body(2)
        if self.chance(0.2):
            with self.block(f"elif {self.condition()}:"):
                self.body(1)
        if self.chance(0.4):
            with self.block("else:"):
                self.body(1)

    @contextmanager
    def loop(self, head: str) -> Iterator[None]:
        self.loops += 1
        with self.block(head):
            yield
        self.loops -= 1
        if self.chance(0.15):
            with self.block("else:"):
                self.assignment()

    def for_loop(self) -> None:
        if self.depth > 4:
            return self.assignment()
        bounds = self.pick("n & 3", "3", "n", "1, 4", "0, 6, 2", "5, 0, -2")
        kind = self.pick("range", "range", "tl.range")
        if self.chance(0.1):
            kind, bounds = "tl.static_range", "3"
        with self.loop(f"for {self.fresh('t')} in {kind}({bounds}):"):
            self.body(3)

    def while_loop(self) -> None:
        if self.depth > 4:
            return self.assignment()
        index = self.fresh("w")
        self.line(f"{index} = 0")
        with self.loop(f"while {self.pick(f'{index} * {index} < (n & 15)', f'{index} < 3')}:"):
            self.line(f"{index} += 1")
            self.body(2)

    def break_or_continue(self) -> None:
        with self.block(f"if {self.condition()}:"):
            if self.chance(0.5):
                self.assignment()
            self.line(self.pick("break", "continue"))

    def early_return(self) -> None:
        """Returns early."""
        with self.block(f"if {self.condition()}:"):
            if self.is_helper:
                self.line(self.pick("return v, i", f"return {self.value()}, i + 1"))
            else:
                if self.chance(0.5):
                    self.result("v", self.dtype)
                self.line("return")

    def call(self) -> None:
        if not self.known:
            return self.assignment()
        name = self.rng.choice(self.known)
        count = self.pick("n", "n + 1", "i", "n - i")
        self.line(f"v, i = {name}({self.pick('v', self.value())}, {count})")

    def body(self, count: int) -> None:
        for _ in range(self.rng.randint(1, count)):
            self.statement()

    # functions

    def helper(self, level: int) -> str:
        """Writes a helper, which calls those of lower levels."""
        kept, self.lines, self.depth = self.lines, [], 1
        self.is_helper, name = True, f"helper{level}"
        self.line("i = 0")
        self.body(3)
        self.line(self.pick("return v, i", f"return {self.value()}, i + 1"))
        head = f"@tilewright.jit\ndef {name}(v, n):\n"
        self.helpers.append(head + "\n".join(self.lines) + "\n")
        self.lines, self.is_helper = kept, False
        return name


def write(rng: random.Random) -> Kernel:
    w = Helpers(rng, rng.choice([(16,), (64,), (128,), (1,), (512,), (8, 8), (16, 1)]))
    w.programs = (rng.choice([1, 2, 3]), 1, 1)
    n = w.number(rng.choice([0, 1, 2, 3, 6]))
    base = w.array("x", w.dtype, "small")
    for level in range(rng.randint(1, DEEPEST)):
        w.known.append(w.helper(level))
    w.line(f"v = tl.load({base} + lane)")
    w.line(f"n = {n} + pid")
    w.line("i = 0")
    w.call()
    w.result("v", w.dtype)
    w.body(3)
    w.result("v", w.dtype)
    w.result("i", "int32", ())
    w.helpers = [sometimes_apart(w, helper) for helper in w.helpers]
    return w.finish()


def sometimes_apart(w: Writer, helper: str) -> str:
    """The source of a helper, which may ask to stay a function."""
    apart = "@tilewright.jit(noinline=True)\n"
    return helper.replace("@tilewright.jit\n", apart, 1) if w.chance(0.3) else helper
