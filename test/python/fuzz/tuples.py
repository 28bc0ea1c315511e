"""Kernels whose loops and branches carry tuples: of tiles and scalars, nested, and their parts.

The items are changed by integer indices and slices of tiles, swapped, and passed to functions.
"""

from __future__ import annotations

import random

from kernel import Kernel
from option_calls import loop_head
from writer import Writer

SHAPES = [(16,), (64,), (1,), (12,), (100,), (8, 8), (4, 16), (3, 5), (2, 32)]


class Tuples(Writer):
    """Statements on `p`, a pair of tiles, `q`, a tile in a nested tuple with scalars, and `n`."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng, rng.choice(SHAPES))
        self.dtype = rng.choice(["int32", "int32", "int16", "int64", "float32", "float16"])
        self.known: list[str] = []
        self.loops = 0

    # values

    def calm(self, text: str) -> str:
        if not self.dtype.startswith("int"):
            text = f"tl.minimum(tl.maximum({text}, -64.0), 64.0)"
        return f"({text}).to(tl.{self.dtype})"

    def tile(self) -> str:  # type: ignore[override]
        return str(self.pick("p[0]", "p[1]", "p[-1]", "q[0]"))

    def scalar(self) -> str:  # type: ignore[override]
        return str(self.pick("q[1][0]", "q[1][1]", "n", "pid", "q[-1][0]"))

    def element(self) -> str:
        """An element or the extremum of a part of a tile."""
        x, axis = self.tile(), self.rng.randrange(len(self.shape))
        size = self.shape[axis]
        before = ":, " * axis
        kept = "" if len(self.shape) == 1 else "[:, None]" if axis else "[None, :]"
        if self.chance(0.5):
            index = self.pick(
                str(self.rng.randrange(-size, size)), f"({self.scalar()} & 255) % {size}"
            )
            return f"{x}[{before}{index}]{kept}"
        start, step = self.rng.randrange(size), self.pick("", "", ":1", ":2", ":-1")
        part = f"{start}:{step}" if step != ":-1" else f"{start}::-1"
        if self.chance(0.3):
            part = f":{self.rng.randint(1, size)}"
        return f"tl.{self.pick('max', 'min')}({x}[{before}{part}], {axis}){kept}"

    def value(self) -> str:
        a, b = self.tile(), self.pick(self.tile(), self.element(), self.scalar(), "2")
        return self.calm(self.pick(
            f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"tl.where({self.condition()}, {a}, {b})",
            f"{a} + {self.element()}",
        ))  # fmt: skip

    def condition(self) -> str:
        text = f"{self.scalar()} {self.pick('<', '>', '==', '!=')} {self.rng.randint(0, 4)}"
        return f"({text}) {self.pick('and', 'or')} (n != 1)" if self.chance(0.15) else text

    # statements

    def statement(self) -> None:
        kinds = [self.assignment] * 4 + [self.unpacking] * 2 + [self.branch] * 2 + [self.call]
        self.rng.choice([*kinds, self.for_loop, self.while_loop, self.over_items])()

    def assignment(self) -> None:
        scalar = f"{self.scalar()} + {self.rng.randint(0, 3)}"
        self.line(self.pick(
            "p = (p[1], p[0])", f"p = ({self.value()}, p[0])", f"p = (p[1], {self.value()})",
            f"p = p[:1] + ({self.value()},)", "p = p[::-1]", f"q = ({self.value()}, q[1])",
            "q = (q[0], (q[1][1], q[1][0]))", f"q = (q[0], ({scalar}, q[1][0]))",
            f"p, q = (q[0], p[0]), (p[1], (q[1][0], {scalar}))", f"q = (p[{self.index()}], q[1])",
        ))  # fmt: skip

    def index(self) -> str:
        return str(self.pick("0", "1", "-1", "len(p) - 1"))

    def unpacking(self) -> None:
        self.line("a, b = p")
        self.line(self.pick("c, (d, e) = q", "c, de = q\n" + "    " * self.depth + "d, e = de"))
        a, b = self.rng.sample(["a", "b", "c"], 2)
        self.line(f"p = ({self.calm(f'{a} * 2 + e')}, {b})")
        self.line(self.pick("q = (a, (e, d))", f"q = (b, (d + {self.rng.randint(0, 3)}, e))"))

    def branch(self) -> None:
        if self.depth > 3:
            return self.assignment()
        with self.block(f"if {self.condition()}:"):
            self.body(2)
        if self.chance(0.5):
            with self.block("else:"):
                self.body(1)

    def for_loop(self) -> None:
        if self.depth > 3:
            return self.assignment()
        self.loops += 1
        bounds = self.pick("n & 3", "3", "1, 4", "q[1][0] & 3", "0, 6, 2", "4, 0, -1")
        index = f"i{self.loops}"
        head = self.pick(f"for {index} in range({bounds}):", loop_head(self.rng, index, bounds))
        if self.chance(0.1):
            head = f"for {index} in tl.static_range({self.pick('3', '1, 4', 'len(p)')}):"
        with self.block(head):
            self.body(3)
            if self.chance(0.2):
                with self.block(f"if {self.condition()}:"):
                    self.line(self.pick("break", "continue"))
                self.assignment()

    def while_loop(self) -> None:
        if self.depth > 3:
            return self.assignment()
        name = self.fresh("w")
        self.line(f"{name} = (0, n & 3)")
        with self.block(f"while {name}[0] < {name}[1]:"):
            self.line(f"{name} = ({name}[0] + 1, {name}[1])")
            self.body(2)

    def over_items(self) -> None:
        """A loop over the items of a tuple, or a comprehension."""
        if self.chance(0.5):
            self.line(f"p = tuple([{self.calm('item * 3 - q[1][0]')} for item in p])")
            return
        self.line(f"total = tl.zeros({self.shape}, tl.{self.dtype})")
        with self.block(f"for item in {self.pick('p', '(p[0], q[0])', 'p + (q[0],)')}:"):
            self.line(f"total = {self.calm('total * 2 + item')}")
        self.line("q = (total, q[1])")

    def call(self) -> None:
        if not self.known:
            return self.assignment()
        self.line(
            f"p, q = {self.rng.choice(self.known)}(p, q, {self.pick('n', 'q[1][1]', 'n + 1')})"
        )

    def body(self, count: int) -> None:
        for _ in range(self.rng.randint(1, count)):
            self.statement()

    def helper(self, name: str) -> str:
        kept, self.lines, self.depth = self.lines, [], 1
        self.line("pid = tl.program_id(0)")
        self.body(2)
        if self.chance(0.4):
            with self.block(f"if {self.condition()}:"):
                self.line("return p, q")
            self.body(1)
        self.line("return p, q")
        head = f"@tilewright.jit\ndef {name}(p, q, n):\n"
        self.helpers.append(head + "\n".join(self.lines) + "\n")
        self.lines = kept
        return name


def write(rng: random.Random) -> Kernel:
    w = Tuples(rng)
    w.programs = (rng.choice([1, 2, 3]), 1, 1)
    n = w.number(rng.choice([0, 1, 2, 3, 5]))
    base = w.array("x", w.dtype, "small")
    if rng.random() < 0.6:
        w.known.append(w.helper("mixed"))
    w.line(f"n = {n} + pid")
    w.line(f"p = (tl.load({base} + lane), tl.load({base} + lane + 9))")
    w.line(f"q = (tl.load({base} + lane + 4), (n, pid))")
    w.body(5)
    for text in ("p[0]", "p[1]", "q[0]"):
        w.result(text, w.dtype)
    for text in ("q[1][0]", "q[1][1]"):
        w.result(text, "int32", ())
    return w.finish()
