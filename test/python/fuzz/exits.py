"""Kernels that test loops of dots that end early, or that count their iterations themselves.

Loops have `break`, `continue` and `return` before, between and after their dots, under conditions
on the index, on other scalars, on values that wrap, and on memory. Some have an `else`, some are in
each other.
"""

from __future__ import annotations

import random

from kernel import Kernel
from loops import Loops
from tiles import DType

COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


class Exits(Loops):
    """Attributes:
    moved: A loop-carried scalar, which iterations change.
    large: A scalar near the largest integer, which iterations change, too.
    """

    @staticmethod
    def sizes(rng: random.Random) -> tuple[int, int, int]:
        """Of a third of the kernels, sizes that warp groups multiply."""
        if rng.random() < 0.35:
            return 64, rng.choice([16, 32, 64]), rng.choice([32, 64])
        return Loops.sizes(rng)

    def begin(self) -> None:
        super().begin()
        self.flags = self.array("flags", DType("int32"), "small")
        self.moved, self.large = "moved", "large"
        self.line(f"{self.moved} = tl.cast({self.pick(0, 1, 'n3')}, tl.int32)")
        near = self.number(self.pick(2**31 - 1, 2**31 - 3, -(2**31), -(2**31) + 2, 7))
        self.line(f"{self.large} = {near}")

    # conditions

    def bound(self) -> str:
        negative = "tl.cast(-1, tl.int32)"  # the index may be unsigned, where -1 is out of range
        return self.pick("n0", "n3", "n0 - 1", "1", "2", "3", "n1 // 8", negative)

    def comparison(self, index: str) -> str:
        """A condition, most of which have a closed form."""
        operator, factor = self.pick(*COMPARISONS), self.pick(2, 3, -1, -2, "n3", 2**29, 2**30)
        scaled = f"{index} * {factor}"
        if factor in (-1, -2):
            scaled = f"0 - {index} * {-factor}"  # the index may be unsigned
        return self.pick(
            f"{index} {operator} {self.bound()}",
            f"{index} {operator} {self.bound()}",
            f"{self.bound()} {operator} {index}",
            f"{scaled} {operator} {self.bound()}",
            f"{self.pick('n1', 'n2')} - {index} * {self.pick(8, 16)} {operator} {self.pick(0, 16)}",
            f"{self.moved} {operator} {self.bound()}",
            f"{self.large} {operator} {self.pick(0, 'n0', 2**31 - 2, -(2**31) + 1)}",
            f"{self.large} + {index} {operator} {self.large}",
            f"{index} % {self.pick(2, 3)} == 1",
            f"{index} // 2 {operator} {self.bound()}",
            f"{index} * {index} {operator} {self.bound()}",
            f"n3 {operator} {self.bound()}",
        )

    def condition(self, index: str) -> str:
        """No load is in an `and` or `or`, which evaluate both sides, unlike Python's."""
        kind = self.rng.randint(0, 9)
        if kind == 0:
            return f"tl.load({self.flags} + {index}) {self.pick(*COMPARISONS)} {self.bound()}"
        left, right = self.comparison(index), self.comparison(index)
        if kind < 7:
            return left
        if kind == 7:
            return f"not ({left})"
        return f"({left}) {self.pick('and', 'or')} ({right})"

    def loaded(self, most: int) -> str:
        """A number from 1 to `most`, which is loaded here or where it is used."""
        load = f"tl.load({self.flags} + {self.rng.randint(0, 9)}) & {most - 1}"
        return f"({load}) + 1" if self.chance(0.3) else self.assign(f"({load}) + 1")

    # statements

    def effect(self) -> None:
        kind = self.rng.randint(0, 5)
        if kind == 0:
            self.line(f"acc = {self.calmed('acc * 2')}")
        elif kind == 1:
            self.write_back(self.pick(self.a, self.c, self.c))
        elif kind == 2:
            self.line(f"{self.moved} = {self.moved} * 2 - 1")
        elif kind == 3:
            self.line(f"{self.moved} += {self.pick(1, 2, -1, 'n3')}")
        else:
            self.line(f"{self.large} += {self.pick(1, 2, -1, 3, 2**30)}")

    def exit(self, index: str, has_continue: bool) -> None:
        """An `if` that may leave the loop or the iteration."""
        with self.block(f"if {self.condition(index)}:"):
            if self.chance(0.15):
                with self.block(f"if {self.condition(index)}:"):
                    self.line("break")
            if self.chance(0.3):
                self.effect()
            kinds = ["break"] * 8 + ["return"] + ["continue"] * (2 if has_continue else 0)
            self.line(self.rng.choice(kinds))
        if self.chance(0.1):
            with self.block("else:"):
                self.effect()

    def body(self, index: str, has_continue: bool) -> None:
        kinds = ["exit", "dot", *self.rng.choices(["exit", "dot", "effect", "moves", "loop"], k=3)]
        self.rng.shuffle(kinds)
        for kind in kinds:
            if kind == "dot":
                self.product(*self.addresses(index))
            elif kind == "exit":
                self.exit(index, has_continue)
            elif kind == "moves":
                self.line(f"{self.moved} += {self.pick(1, 2, -1, 'n3')}")
            elif kind == "effect":
                self.effect()
            elif self.depth < 3:
                self.loop()

    def loop(self) -> None:
        self.loops += 1
        index = f"i{self.loops}"
        if self.chance(0.7):
            with self.iterations(index):
                self.body(index, has_continue=True)
        else:
            self.line(f"{index} = {self.pick('0', '0', 'n3', 'n0 * 0')}")
            more = self.pick("", "", f" and {self.comparison(index)}")
            bound, step = self.loaded(4), self.loaded(2)
            with self.block(f"while {index} < {self.pick('n0', 'n0 * 2', 5, bound)}{more}:"):
                self.body(index, has_continue=False)
                self.line(f"{index} += {self.pick(1, 1, 2, 'n3 + 1', step)}")
        is_while = self.lines[-1].strip().startswith(index)
        if self.chance(0.2):
            with self.block("else:"):
                self.effect()
        if is_while:
            self.line(f"{self.moved} += {index}")
        if self.chance(0.3):
            self.effect()

    def end(self) -> None:
        self.result(self.moved, "int32", ())
        self.result(self.large, "int32", ())
        super().end()


def write(rng: random.Random) -> Kernel:
    w = Exits(rng)
    for choices in ([0, 1, 2, 3, 4], [0, 8, 16, 24, 5], [0, 16, 33, 50, 64], [0, 1, 2, 3, 4, 6]):
        w.number(rng.choice(choices))
    w.begin()
    for _ in range(rng.choice([1, 1, 2])):
        w.loop()
    w.end()
    return w.finish()
