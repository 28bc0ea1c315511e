"""Kernels that divide integers by numbers that may be zero, and compare these numbers with zero.

The comparisons are masks, selections, branches and results: nothing may conclude from a division
that its divisor is not zero, or that its quotient does not overflow.
"""

from __future__ import annotations

import random

import numpy as np
from kernel import Kernel
from tiles import DType
from writer import INTS, Writer

SHAPES = [
    (1,), (2,), (16,), (32,), (64,), (100,), (128,), (256,), (1024,), (8, 8), (4, 64), (32, 32),
    (1, 16), (16, 1),
]  # fmt: skip


class Divisors(Writer):
    """Attributes:
    dtype: The type of dividends, divisors and quotients.
    dividends, divisors: Tiles and scalars of this type.
    step: The name of the iteration, or empty outside of loops.
    """

    def begin(self) -> None:
        self.programs = (self.pick(1, 1, 2, 3), 1, 1)
        self.dtype = DType(self.pick(*INTS, "int32", "int32", "int64"))
        self.step = ""
        extremes = np.iinfo(self.dtype.stored)
        least = extremes.min if self.dtype.is_signed else extremes.max - 1
        last = -1 if self.dtype.is_signed else extremes.max
        fills = ["small", "any", "below 2", f"of 0 1 {last}", f"of 0 {last} {least} 7"]
        x = self.array("x", self.dtype, self.pick(*fills, f"of {least} {least} 1"))
        d = self.array("d", self.dtype, self.pick(*fills, "zero"))
        alone = f"tl.load({d} + pid)"
        number = self.number(self.pick(0, 0, 1, 3, -1 if self.dtype.is_signed else 2))
        self.dividends = [
            self.assign(f"tl.load({x} + pid * 1024 + lane)"),
            self.assign(f"({self.pick('lane', 'pid', 'lane - 7', number)}).to(tl.{self.dtype})"),
        ]
        self.divisors = [
            self.assign(f"tl.load({d} + pid * 1024 + lane{self.mask('lane')})"),
            self.assign(self.pick(alone, f"{number}.to(tl.{self.dtype})")),
        ]
        if self.shape[1:]:
            self.divisors.append(self.assign(f"tl.load({d} + {self.pick('row', 'column')})"))

    def mask(self, index: str) -> str:
        limit = self.pick(1, 16, 50)
        return self.pick("", "", f", mask={index} < {limit}", f", mask={index} < {limit}, other=0")

    def spread(self, text: str) -> str:
        """The same as a tile of the kernel's shape."""
        return f"(({text}) + tl.zeros({self.shape}, tl.{self.dtype}))"

    def divisor(self) -> str:
        """Most often the loaded tile itself."""
        if self.chance(0.6):
            return self.divisors[0]
        d = self.rng.choice([self.divisors[0], *self.divisors])
        number = self.pick(1, 2, 3)
        changed = self.pick(
            f"({d} & {number})", f"({d} - {number})", f"({d} * 2)", f"(-{d})",
            f"tl.maximum({d}, 0).to(tl.{self.dtype})", f"({d} % {number + 1})",
        )  # fmt: skip
        return self.pick(d, d, d, d, changed)

    def quotient(self, divisor: str) -> str:
        x = self.rng.choice([*self.dividends, *self.dividends, *self.divisors, divisor])
        if self.chance(0.2):
            x = self.pick(str(self.pick(1, 60, 100)), f"({x} + 1)", f"(-{x})")
        return f"({x} {self.pick('//', '//', '%')} {divisor})"

    def condition(self, divisor: str) -> str:
        """Whether a number is zero, or is not, in one of several forms."""
        if self.chance(0.6):
            return f"({divisor} {self.pick('!=', '!=', '==')} 0)"
        forms = [f"{divisor} > 0", f"{divisor} >= 1"]
        if self.dtype.is_signed:
            forms.append(f"({divisor} != 0) & ({divisor} != -1)")
        else:
            forms.append(f"{divisor} < 1")
        return f"({self.pick(*forms)})"

    def spread_condition(self, divisor: str) -> str:
        """A condition on the divisor, or seldom on others, as a tile of the kernel's shape."""
        condition = self.condition(divisor)
        if self.chance(0.15):
            condition = self.condition(self.rng.choice(self.divisors))
        elif self.chance(0.1):
            condition = f"({self.quotient(divisor)} > 2)"
        elif divisor == self.divisors[0]:
            return condition
        limit = self.pick(0, 0, 1, 20)
        return f"({condition} & (lane >= {limit}))"

    def statement(self) -> None:
        """One to three uses of a divisor, a quotient and a condition, in any order."""
        divisor = self.divisor()
        if self.chance(0.3) and divisor not in self.divisors:
            divisor = self.assign(divisor)
        for _ in range(self.pick(1, 2, 2, 3)):
            quotient = self.quotient(divisor)
            condition = self.spread_condition(divisor)
            if self.chance(0.4):
                quotient = self.assign(quotient)
            if self.chance(0.3):
                condition = self.assign(condition)
            use = self.pick(self.select, self.store, self.store, self.keep, self.keep_quotient)
            use(quotient, condition)

    def select(self, quotient: str, condition: str) -> None:
        other = self.pick("7", self.rng.choice(self.dividends), self.quotient(self.divisor()))
        arms = [quotient, other]
        self.rng.shuffle(arms)
        chosen = self.assign(f"tl.where({condition}, {arms[0]}, {arms[1]}).to(tl.{self.dtype})")
        self.result(self.spread(chosen), self.dtype, times=self.step)
        if not self.step and self.chance(0.3):
            self.dividends.append(chosen)

    def store(self, quotient: str, condition: str) -> None:
        """Stores quotients where the condition holds, and zeros before."""
        zeros = f"tl.zeros({self.shape}, tl.{self.dtype})"
        self.result(zeros, self.dtype, times=self.step)
        store = self.lines[-1].strip()
        place = store[len("tl.store(") : store.rindex(f", {zeros}")]
        self.line(f"tl.store({place}, {self.spread(quotient)}, mask={condition})")

    def keep(self, quotient: str, condition: str) -> None:
        self.result(f"({condition}).to(tl.int32)", "int32", times=self.step)

    def keep_quotient(self, quotient: str, condition: str) -> None:
        self.result(self.spread(quotient), self.dtype, times=self.step)

    def branch(self) -> None:
        """Divides by a scalar on one side of a branch, or before it."""
        scalar = self.divisors[1]
        name = self.fresh()
        self.line(f"{name} = tl.zeros({self.shape}, tl.{self.dtype})")
        if self.chance(0.5):
            self.line(f"{name} += {self.quotient(scalar)}")
        with self.block(f"if {self.condition(scalar)}:"):
            self.line(f"{name} += {self.quotient(scalar)}")
        if self.chance(0.5):
            with self.block("else:"):
                self.line(f"{name} -= {self.pick('3', self.quotient(self.divisor()))}")
        self.result(name, self.dtype, times=self.step)


def write(rng: random.Random) -> Kernel:
    w = Divisors(rng, rng.choice(SHAPES))
    w.begin()
    for _ in range(w.pick(1, 2, 3)):
        w.pick(w.statement, w.statement, w.statement, w.branch)()
    if w.chance(0.4):
        end = w.number(w.pick(0, 1, 3)) if w.chance(0.6) else w.pick(2, 3)
        with w.block(f"for t in range({end}):"):
            w.step = "t"
            w.divisors[0] = w.assign(f"{w.divisors[0]} - t.to(tl.{w.dtype})")
            for _ in range(w.pick(1, 2)):
                w.pick(w.statement, w.statement, w.branch)()
    return w.finish(zero_divisors=True)
