"""Kernels whose functions access memory through pointers and tiles of pointers they are given.

Most functions stay functions on GPUs (`noinline`). They load, store, and change memory by atomics,
with and without masks; they take and return tiles, masks, scalars and pointers in any order, or
return nothing; they call one another, in loops and under conditions. The kernel accesses the same
memory between the calls.
"""

from __future__ import annotations

import dataclasses
import math
import random

import helpers
from helpers import Helpers
from kernel import Kernel

INT_MAX = 2**31 - 1
# Parameters and local variables, besides the tile `v` and the number `n`: `p` and `r` point to
# elements of the tile's type, and `q` to integers; `at` is a tile of pointers, `m` a mask, `w` a
# tile of another shape, `i` a scalar, and `K` a constant. For each, the probability that a function
# has it.
OPTIONAL = {"p": 0.85, "q": 0.7, "r": 0.4, "at": 0.3, "m": 0.4, "w": 0.35, "i": 0.3, "K": 0.3}
RESULTS = ["v", "i", "p", "r", "q", "at", "m", "w"]
WIDTH = 16  # of `w`
STRIDE = 4096  # elements from a program's part of an array to the next one's


@dataclasses.dataclass
class Function:
    name: str
    parameters: list[str]
    results: list[str]


class MemoryCalls(Helpers):
    """Attributes:
    functions: Those that the current function may call.
    current: The current function; None in the kernel.
    """

    def __init__(self, rng: random.Random, shape: tuple[int, ...]) -> None:
        super().__init__(rng, shape)
        self.functions: list[Function] = []
        self.current: Function | None = None
        self.size = math.prod(shape)

    def has(self, *names: str) -> bool:
        known = self.current.parameters if self.current else [*OPTIONAL]
        return all(name in known for name in names)

    # values

    def calm(self, text: str) -> str:
        if not self.dtype.startswith("int"):
            text = f"tl.minimum(tl.maximum({text}, -64.0), 64.0)"
        return f"({text}).to(tl.{self.dtype})"

    def value(self) -> str:
        """An expression of the tile `v`, which may exchange elements between threads."""
        if self.has("K") and self.chance(0.15):
            return self.calm("v + K")
        if self.chance(0.75):
            return super().value()
        if len(self.shape) == 1:
            return self.calm(self.pick("v - tl.max(v, 0)", "tl.flip(v, 0)", "v + tl.min(v, 0)"))
        axis = self.pick(0, 1)
        kept = "[None, :]" if axis == 0 else "[:, None]"
        texts = [f"v - tl.max(v, {axis}){kept}", f"v + tl.min(v, {axis}, keep_dims=True)"]
        if self.shape[0] == self.shape[1]:
            texts.append("tl.trans(v)")
            if self.size >= 256:
                texts += [self.product()] * 2
        return self.calm(self.rng.choice(texts))

    def product(self) -> str:
        if self.dtype.startswith("int"):
            other = "tl.load(p + lane)" if self.has("p") else "v"
            return f"tl.dot((v & 3).to(tl.int8), ({other} & 3).to(tl.int8))"
        small = "tl.floor(tl.minimum(tl.maximum(v.to(tl.float32), -4.0), 4.0)).to(tl.float16)"
        return f"tl.dot({small}, {small})"

    def pointer(self) -> str:
        return self.rng.choice([name for name in ("p", "r") if self.has(name)])

    def order(self, is_unique: bool) -> str:
        """The offsets of a tile's elements."""
        order = self.pick("lane", "lane", "lane", f"({self.size - 1} - lane)", "lane * 2")
        if not is_unique and self.chance(0.4):
            order = self.pick("(lane & 7)", "(lane // 4)", "(lane * 0)")
        offset = self.pick("", "", " + 3", " + 16", " + (n & 7)", " + K" if self.has("K") else "")
        return f"{order}{offset}"

    def place(self) -> str:
        """A tile of pointers to different elements."""
        if self.has("at") and self.chance(0.4):
            return self.pick("at", "at", "at + 8")
        return f"{self.pointer()} + {self.order(is_unique=True)}"

    def mask(self) -> str:
        texts = ["lane % 3 != 1", f"lane < n * {self.pick(1, 5, 16)}", f"lane >= {self.size // 2}"]
        texts += ["m", "~m", "m & (lane < 9)"] if self.has("m") else []
        texts += ["lane < K"] if self.has("K") else []
        return self.rng.choice(texts)

    def masked(self, probability: float = 0.4) -> str:
        return f", mask={self.mask()}" if self.chance(probability) else ""

    # statements

    def statement(self) -> None:
        kinds = []
        if self.has("p") or self.has("r"):
            kinds += [self.load, self.load, self.store, self.store, self.exchange, self.move]
        if self.has("q"):
            kinds += [self.atomic, self.atomic, self.element, self.loaded_loop]
        if self.has("w"):
            kinds += [self.other_tile, self.other_tile]
        if self.has("m"):
            kinds += [lambda: self.line(f"m = {self.pick('~m', f'm & ({self.mask()})')}")]
        if self.functions:
            kinds += [self.call] * (5 if self.current is None else 2)
        if kinds and self.chance(0.65):
            self.rng.choice(kinds)()
        else:
            super().statement()

    def load(self) -> None:
        mask = self.masked()
        other = f", other={self.constant()}" if mask else ""
        load = f"tl.load({self.place()}{mask}{other})"
        if self.chance(0.4):  # used only after another access
            name = self.assign(load)
            self.store()
            load = name
        self.line(f"v = {self.calm(self.pick(load, f'v + {load}', f'v * 3 + {load}'))}")

    def store(self) -> None:
        value = self.pick("v", self.value(), f"(lane + n).to(tl.{self.dtype})")
        self.line(f"tl.store({self.place()}, {value}{self.masked()})")

    def exchange(self) -> None:
        """Stores elements where other threads have loaded."""
        pointer = self.pointer()
        name = self.assign(f"tl.load({pointer} + {self.size - 1} - lane)")
        self.line(f"tl.store({pointer} + lane, {name}{self.masked(0.2)})")

    def move(self) -> None:
        """Changes a pointer."""
        kinds = [
            f"{name} += {self.pick(8, 16, 1, 'n', 'i & 7')}" for name in "pr" if self.has(name)
        ]
        if self.has("p", "r"):
            kinds += ["p, r = r, p", "p = r", f"r = tl.where({self.scalar_condition()}, p, r)"]
        if self.has("q"):
            kinds.append("q += 4")
        if self.has("at"):
            kinds += [f"at = {self.pointer()} + {self.order(is_unique=True)}", "at += 8"]
            if self.has("m"):
                kinds.append(f"at = tl.where(m, at, at + {self.size})")
        self.line(self.rng.choice(kinds))

    def scalar_condition(self) -> str:
        return f"{self.pick('n', 'i')} {self.pick('<', '>', '==')} {self.pick(0, 1, 2, 3)}"

    def atomic(self) -> None:
        kind = self.pick("add", "add", "max", "min", "and", "or", "xor", "xchg")
        is_unique = kind == "xchg" or self.chance(0.5)
        operand = self.pick("lane", "lane * n", "(lane ^ n)", f"tl.full({self.shape}, 1, tl.int32)")
        mask = self.masked(0.3)
        call = f"tl.atomic_{kind}(q + {self.order(is_unique)}, {operand}{mask})"
        if is_unique and not mask and self.chance(0.6):
            if self.has("m") and self.chance(0.5):
                self.line(f"m = ({call} & 3) > 1")
            else:
                self.line(f"v = {self.calm(f'v + ({call} & 7)')}")
        elif self.has("p") and self.chance(0.2):
            self.line(f"tl.atomic_add(p + lane, v{mask})")
        else:
            self.line(call)

    def element(self) -> None:
        """An access of one element by the whole program."""
        at = f"q + {self.rng.randint(0, 40)}"
        kind = self.rng.randint(0, 5)
        if kind == 0:
            self.line(f"tl.store({at}, {self.pick('i', 'n', 'n * 2')})")
        elif kind == 1:
            self.line(f"i = tl.load({at}) & 7")
        elif kind == 2:
            name = self.pick("add", "max", "xor", "xchg")
            self.line(f"i += tl.atomic_{name}({at}, {self.pick('n', 'i', 1)}) & 7")
        elif kind == 3:
            self.line(f"i = tl.atomic_cas({at}, {self.pick(0, 'i')}, n) & 15")
        elif kind == 4 and len(self.shape) == 1:
            self.line(f"i = tl.max(tl.load({at} + lane), 0) & 7")
        else:
            self.line(f"tl.store({at}, tl.sum(({self.mask()}).to(tl.int32)))")

    def other_tile(self) -> None:
        """Changes the tile of the other shape, or uses it."""
        lines = [
            f"w = {self.pick('tl.flip(w, 0)', 'tl.cumsum(w, 0) & 63', 'w * 2 + n', 'w ^ i')}",
            f"w = tl.where(w > {self.pick(0, 3)}, {self.pick('w - 1', 'n')}, w)",
            "i = tl.max(w, 0) & 7",
            f"v = {self.calm('v + (tl.sum(w, 0) & 7)')}",
        ]
        if self.has("q"):
            place = f"q + tl.arange(0, {WIDTH}){self.pick('', ' * 2', ' + 5')}"
            lines += [
                f"w = tl.load({place}) + w",
                f"tl.store({place}, w, mask=w > {self.pick(0, 'n')})",
                f"w = tl.atomic_{self.pick('add', 'max', 'xchg')}({place}, w & 15)",
            ]
        self.line(self.rng.choice(lines))

    def loaded_loop(self) -> None:
        if self.depth > 4:
            return self.element()
        count, index = self.assign(f"tl.load(q + {self.rng.randint(0, 9)}) & 3"), self.fresh("t")
        step = self.pick(1, 2, 3, 5, 16)
        bounds = self.pick(
            count, f"0, {count}", f"{count} * {step}, 0, -{step}",
            f"{INT_MAX} - {count} * {step}, {INT_MAX}, {step}",
            f"{count} * {step} - {INT_MAX}, -{INT_MAX}, -{step}",
        )  # fmt: skip
        with self.loop(f"for {index} in {self.pick('range', 'tl.range')}({bounds}):"):
            self.body(3)

    # functions

    def argument(self, name: str) -> str:
        """What a call gives for a parameter."""
        count = self.pick("n", "n", "n + 1", "i", "n - i", "n & 3")
        choices = {"v": ["v", self.value()], "n": [count], "i": ["i", "n"], "K": ["0", "3", "17"]}
        choices["m"] = [f"({self.mask()})"]
        choices["q"] = ["q", "q", "q + 16"]
        choices["w"] = [f"tl.arange(0, {WIDTH}) * n", f"tl.zeros(({WIDTH},), tl.int32) + i"]
        pointers = [name for name in ("p", "r") if self.has(name)]
        if pointers:
            pointer = self.rng.choice(pointers)
            choices["p"] = choices["r"] = [*pointers, f"{pointer} + 8", f"{pointer} + {self.size}"]
            choices["at"] = [f"{pointer} + {self.order(is_unique=True)}"]
            if len(pointers) == 2:
                choices["p"].append(f"tl.where({self.scalar_condition()}, p, r)")
        if self.has(name):
            choices[name] = [name, *choices[name]]
        return self.rng.choice(choices[name])

    def can_call(self, function: Function) -> bool:
        needs_pointer = not {"p", "r", "at"}.isdisjoint(function.parameters)
        has_pointer = self.has("p") or self.has("r")
        return (has_pointer or not needs_pointer) and (
            self.has("q") or "q" not in function.parameters
        )

    def call(self) -> None:
        possible = [function for function in self.functions if self.can_call(function)]
        if not possible:
            return self.assignment()
        function = self.rng.choice(possible)
        by_name = self.chance(0.2)
        arguments = []
        for name in function.parameters:
            text = self.argument(name)
            arguments.append(f"{name}={text}" if by_name and name not in "vn" else text)
        kept = {"v", "i", *[name for name in OPTIONAL if self.has(name)]}
        targets = [name if name in kept else self.fresh() for name in function.results]
        left = f"{', '.join(targets)} = " if targets else ""
        self.line(f"{left}{function.name}({', '.join(arguments)})")

    def early_return(self) -> None:
        """Returns early."""
        with self.block(f"if {self.condition()}:"):
            if self.current:
                self.line(self.returned())
            else:
                self.result("v", self.dtype)
                self.line("return")

    def returned(self) -> str:
        """A `return` of the current function."""
        assert self.current
        values = {name: name for name in RESULTS}
        values |= {"v": self.pick("v", self.value()), "i": self.pick("i", "i + 1")}
        return f"return {', '.join(values[name] for name in self.current.results)}".strip()

    def helper(self, level: int) -> str:
        kept, self.lines, self.depth = self.lines, [], 1
        optional = [name for name, part in OPTIONAL.items() if self.chance(part)]
        if not {"p", "r"} & {*optional}:
            optional = [name for name in optional if name != "at"]
        self.rng.shuffle(optional)
        possible = ["v", "i", *[name for name in RESULTS[2:] if name in optional]]
        results = self.rng.sample(possible, self.rng.randint(0, len(possible)))
        self.current = Function(f"helper{level}", ["v", "n", *optional], results)
        if "i" not in optional:
            self.line("i = 0")
        self._positions()
        self.body(4)
        if results:
            self.line(self.returned())
        parameters = [
            f"{name}: tl.constexpr" if name == "K" else name for name in ["v", "n", *optional]
        ]
        option = self.pick("", "(noinline=True)", "(noinline=True)", "(noinline=True)")
        head = f"@tilewright.jit{option}\ndef helper{level}({', '.join(parameters)}):\n"
        self.helpers.append(head + "\n".join(self.lines) + "\n")
        self.functions.append(self.current)
        self.lines, self.current = kept, None
        return f"helper{level}"


SHAPES = [(16,), (64,), (128,), (1,), (512,), (8, 8), (16, 1), (16, 16), (32, 32), (4, 64), (48,)]


def write(rng: random.Random) -> Kernel:
    """A kernel of helpers.py, or one whose functions access memory."""
    if rng.random() < 0.4:
        return helpers.write(rng)
    w = MemoryCalls(rng, rng.choice(SHAPES))
    w.programs = (rng.choice([1, 1, 2, 3]), 1, 1)
    n = w.number(rng.choice([0, 1, 2, 3, 6]))
    arrays = [w.array(name, w.dtype, "small") for name in ("x", "y")]
    counts = w.array("z", "int32", "small")
    for level in range(rng.randint(1, helpers.DEEPEST + 1)):
        w.helper(level)
    w.line("K: tl.constexpr = 5")
    for name, base in zip("prq", [*arrays, counts], strict=True):
        w.line(f"{name} = {base} + pid * {STRIDE}")
    w.line(f"v = tl.load({w.pick('p', 'r')} + lane)")
    w.line(f"n = {n} + pid")
    w.line("i = 0")
    w.line("m = lane < n * 8")
    w.line(f"w = tl.arange(0, {WIDTH}) - 3")
    w.line(f"at = r + {w.order(is_unique=True)}")
    w.body(4)
    w.call()
    w.result("v", w.dtype)
    w.body(3)
    w.call()
    w.result("v", w.dtype)
    w.result("m.to(tl.int32)", "int32")
    w.result("w", "int32", (WIDTH,))
    w.result("i", "int32", ())
    if w.programs == (1, 1, 1) and w.chance(0.2):
        w.overlaps.append(("y", "x", w.pick(0, 1, 8, w.size)))
    return w.finish()
