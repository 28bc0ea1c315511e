"""Kernels with aggregates: tensors and constants as fields, nested, through all control flow.

The statements are those of helpers.py, of the fields of instances. Functions take and return
several instances; methods return new ones, or change a copy.
"""

from __future__ import annotations

import random
import re

from helpers import Helpers
from kernel import Kernel

CONSTRUCTORS = [
    "",
    """
    @tilewright.constexpr_function
    def __init__(self, v, i, k):
        self.v = v
        self.i = i
        self.k = k
""",
    """
    @tilewright.jit
    def __init__(self, v, i, k):
        self.k = k
        self.v = v
        self.i = i
""",
]

LEAF = """
@tilewright.aggregate
class Leaf:
    v: tl.tensor
    i: tl.tensor
    k: tl.constexpr
{constructor}
    @tilewright.jit
    def stepped(self, v):
        i = self.i
        for t in tl.static_range(self.k):
            i = i * 2 + t
        return Leaf(v, i & 1023, self.k)

    @tilewright.jit
    def counted(self, by):
        self.i += by
        return self

    @tilewright.jit
    def chosen(self, other, n):
        if n > self.k:
            return other
        else:
            return self

    @tilewright.jit
    def __add__(self, other):
        return Leaf({sum}, self.i + other.i, self.k)

    @tilewright.jit
    def __lt__(self, limit):
        return self.i < limit

    @tilewright.jit
    def __getitem__(self, at):
        return self.v[at]

    @staticmethod
    @tilewright.jit
    def of(v, i):
        return Leaf(v, i, {k})

    @property
    def twice(self):
        return self.k * 2
"""

NODE = """
@tilewright.aggregate
class Node:
    leaf: Leaf
    w: tl.tensor
    pair: tl.tuple

    @tilewright.jit
    def turned(self, w):
        return Node(self.leaf.counted(self.pair[0]), w, (self.pair[1], self.pair[0]))
"""


class Instances(Helpers):
    """Attributes:
    source: Where the tile that values are computed from is.
    """

    source = "s.v"

    def value(self) -> str:
        self.source = self.pick("s.v", "s.v", "t.v", "m.leaf.v", "m.w")
        text = super().value().replace("(i)", "(s.i)")
        for name, field in (("v", self.source), ("i", self.pick("s.i", "t.i"))):
            text = _renamed(text, name, field)
        return text

    def condition(self) -> str:
        if self.chance(0.15):
            return f"s < {self.pick(1, 3, 'n')}"
        text = _renamed(super().condition(), "v", "s.v")
        return _renamed(text, "i", self.pick("s.i", "t.i", "m.pair[0]"))

    def assignment(self) -> None:
        value, scalar = self.value(), self.pick("s.i", "t.i", "n", "s.twice", "m.pair[1]")
        name = self.pick("s", "t")
        self.line(self.pick(
            f"{name}.v = {value}", f"{name}.v = {value}", f"m.w = {value}", f"m.leaf.v = {value}",
            f"m.leaf.i += {scalar}", f"{name} = {name}.stepped({value})",
            f"{name} = Leaf({value}, {scalar}, {name}.k)", f"{name} = Leaf.of({value}, {scalar})",
            "s, t = t, s", "s = s + t", f"s = t.counted({scalar})", "t = m.leaf.counted(1)",
            f"s = s.chosen(t, {scalar})", f"m = m.turned({value})",
            f"m = Node(s.counted(0), {value}, (t.i, {scalar} + 0 * n))", self.part(name),
        ))  # fmt: skip

    def part(self, name: str) -> str:
        """Adds an element or the sum of a part of a tile."""
        size = self.shape[0]
        index = self.pick("0", str(self.rng.randrange(-size, size)), f"(n & 255) % {size}")
        if len(self.shape) == 1:
            item = f"{self.pick(name, name + '.v')}[{index}]"
        else:
            item = f"{name}.v[{index}, :][None, :]"
        if self.chance(0.4):
            start = self.rng.randrange(size)
            kept = "" if len(self.shape) == 1 else "[None, :]"
            item = f"tl.max({name}.v[{start}:{self.pick('', size)}], 0){kept}"
        return f"{name}.v = {self.calm(f'{name}.v + {item}')}"

    def calm(self, text: str) -> str:
        if not self.dtype.startswith("int"):
            text = f"tl.minimum(tl.maximum({text}, -64.0), 64.0)"
        return f"({text}).to(tl.{self.dtype})"

    def count(self) -> None:
        field = self.pick("s.i", "t.i", "m.leaf.i")
        self.line(self.pick(
            f"{field} = 1", f"{field} += 2", f"{field} = n + 0", f"{field} = {field} * 2 - n",
            "m.pair = (m.pair[1], m.pair[0])", "m.pair = (s.i, m.pair[0] + 1)",
        ))  # fmt: skip

    def call(self) -> None:
        if not self.known:
            return self.assignment()
        name = self.rng.choice(self.known)
        count = self.pick("n", "n + 1", "s.i", "n - t.i")
        self.line(f"s, t, m = {name}({self.pick('s', 't', 's + t')}, t, m, {count})")

    def early_return(self) -> None:
        with self.block(f"if {self.condition()}:"):
            if self.is_helper:
                self.line(self.pick("return s, t, m", "return t, s, m", "return s, s + t, m"))
            else:
                self.line("return")

    def helper(self, level: int) -> str:
        kept, self.lines, self.depth = self.lines, [], 1
        self.is_helper, name = True, f"helper{level}"
        self.body(3)
        self.line("return s, t, m")
        head = f"@tilewright.jit\ndef {name}(s, t, m, n):\n"
        self.helpers.append(head + "\n".join(self.lines) + "\n")
        self.lines, self.is_helper = kept, False
        return name


def _renamed(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<![\w.]){name}(?![\w(])", other, text)


def write(rng: random.Random) -> Kernel:
    shapes = [(16,), (64,), (128,), (1,), (256,), (8, 8), (16, 1), (12,), (5, 8)]
    w = Instances(rng, rng.choice(shapes))
    w.programs = (rng.choice([1, 2, 3]), 1, 1)
    constructor, k = rng.choice(CONSTRUCTORS), rng.choice([0, 1, 2, 3])
    total = w.calm("self.v + other.v")
    w.helpers += [LEAF.format(constructor=constructor, sum=total, k=k).strip(), NODE.strip()]
    n = w.number(rng.choice([0, 1, 2, 3, 6]))
    base = w.array("x", w.dtype, "small")
    for level in range(rng.randint(1, 2)):
        w.known.append(w.helper(level))
    w.line(f"n = {n} + pid")
    w.line(f"s = Leaf(tl.load({base} + lane), n, {k})")
    w.line(f"t = Leaf.of(tl.load({base} + lane + 7), pid)")
    w.line("m = Node(s + t, t.v, (n, pid))")
    w.call()
    w.result("s.v", w.dtype)
    w.body(3)
    for text in ("s.v", "t.v", "m.leaf.v", "m.w"):
        w.result(text, w.dtype)
    for text in ("s.i", "t.i", "m.leaf.i", "m.pair[0]", "m.pair[1]"):
        w.result(text, "int32", ())
    return w.finish()
