"""Kernels that test pointers selected by control flow: scalars and tiles, carried by loops.

The pointers swap and rotate between arrays, advance under a condition, depend on loaded values, and
are read while the arrays are written through other pointers.
"""

from __future__ import annotations

import random

from bounds import loaded_range
from kernel import Kernel
from writer import Writer

STEPS = 4  # maximum trip count of a loop


class Pointers(Writer):
    """Attributes:
    pointers: Variables that hold pointers, all of one type; appending `tail` gives a tile.
    room: The distance by which they may advance.
    """

    def __init__(self, rng: random.Random, shape: tuple[int, ...]) -> None:
        super().__init__(rng, shape)
        self.dtype = rng.choice(["int32", "int32", "int16", "int64", "float32", "float16"])
        self.are_tiles = rng.random() < 0.6
        self.tail = "" if self.are_tiles else " + lane"
        self.bases: list[str] = []
        self.pointers: list[str] = []
        self.stored: list[str] = []
        self.loops = 0
        self.writes = rng.random() < 0.7

    def begin(self) -> None:
        for i in range(self.rng.randint(2, 3)):
            base = self.array(f"x{i}", self.dtype, f"below {min(self.size, 64)}")
            self.bases.append(self.assign(f"{base} + pid * 2048"))
        for base in self.bases[: self.rng.randint(1, 3)]:
            self.pointers.append(self.assign(self.start(base)))
        self.line(f"total = tl.zeros({self.shape}, tl.{self.dtype})")
        self.line("turn = 0")

    @property
    def size(self) -> int:
        size = 1
        for side in self.shape:
            size *= side
        return size

    def start(self, base: str) -> str:
        """A pointer into an array, of the type of `pointers`."""
        if not self.are_tiles:
            return base + self.pick("", "", f" + {self.rng.randint(0, 9)}", f" + {self.size}")
        order = self.pick("lane", "lane", f"({self.size - 1} - lane)", "lane * 2", "(lane ^ 1)")
        if self.dtype.startswith("int") and self.chance(0.15):
            order = f"tl.load({base} + lane)"
        if self.chance(0.3):
            order = f"({order} + {self.pick(1, 3, 16, self.size)})"
        return f"{base} + {order}"

    def condition(self) -> str:
        scalar = self.pick("turn", "turn", "n0", "pid", "turn + n0")
        tail = self.pick("% 2 == 0", "% 3 != 1", "> 1", "< 2", "== 1")
        return f"({scalar}) {tail}"

    # statements

    def load(self) -> None:
        pointer = self.rng.choice(self.pointers)
        value = f"tl.load({pointer}{self.tail})"
        if self.chance(0.2):
            limit = self.rng.randint(0, self.size)
            value = f"tl.load({pointer}{self.tail}, mask=lane < {limit}, other=1)"
        if self.chance(0.4):  # used only after the following statements
            value = self.assign(value)
            self.store()
            if self.chance(0.4):
                self.move()
        self.line(f"total = {self.calmed(f'total * 3 + {value}')}")

    def calmed(self, text: str) -> str:
        """Clamps floats to small whole numbers, whose sums are exact."""
        if self.dtype.startswith("int"):
            return text
        return f"tl.minimum(tl.maximum({text}, -64.0), 64.0).to(tl.{self.dtype})"

    def store(self) -> None:
        """Stores through an array's parameter or through a pointer."""
        if not self.writes:
            return self.load()
        place = f"{self.rng.choice(self.bases)} + lane"
        if self.chance(0.4):
            place = f"{self.rng.choice(self.pointers)}{self.tail}"
        value = self.pick("total", f"total + {self.rng.randint(1, 50)}")
        if self.chance(0.6):
            value = f"(lane + turn * {self.pick(1, 5)}).to(tl.{self.dtype})"
        if self.dtype == "int32" and self.chance(0.3):
            value = f"(({value}) & {min(self.size, 64) - 1})"
        self.line(f"tl.store({place}, {value})")

    def move(self) -> None:
        """Changes a pointer."""
        pointer = self.rng.choice(self.pointers)
        others = [p for p in self.pointers if p != pointer]
        kind = self.rng.choice(["advance", "swap", "swap", "restart", "where", "where", "follow"])
        if kind == "swap" and others:
            names = self.rng.sample(self.pointers, self.rng.randint(2, len(self.pointers)))
            self.line(f"{', '.join(names)} = {', '.join(names[1:] + names[:1])}")
        elif kind == "where":
            base = self.start(self.rng.choice(self.bases))
            condition = self.condition()
            if self.are_tiles and self.chance(0.5):
                condition = f"lane < {self.rng.randint(0, self.size)}"
            self.line(f"{pointer} = tl.where({condition}, {self.pick(pointer, *others)}, {base})")
        elif kind == "restart":
            self.line(f"{pointer} = {self.start(self.rng.choice(self.bases))}")
        elif kind == "follow" and self.are_tiles and self.dtype.startswith("int"):
            self.line(f"{pointer} = {self.rng.choice(self.bases)} + (tl.load({pointer}) & 63)")
        else:
            step = self.pick(1, 4, 8, 16, self.size, "n0", -1, -8, "turn")
            self.line(f"{pointer} += {step}")

    def read_before_write(self) -> None:
        """Uses a value loaded through a pointer after a store through an array's parameter."""
        loaded = self.assign(f"tl.load({self.rng.choice(self.pointers)}{self.tail})")
        value = f"(lane + turn * 5 + {self.rng.randint(0, 20)}).to(tl.{self.dtype})"
        self.line(f"tl.store({self.rng.choice(self.bases)} + lane, {value})")
        if self.chance(0.5):
            self.result(loaded, self.dtype, times="(turn & 15)")
        self.line(f"total = {self.calmed(f'total * 3 + {loaded}')}")
        self.move()

    def body(self, count: int) -> None:
        if self.writes and self.depth == 2 and self.chance(0.5):
            self.read_before_write()
            count //= 2
        for _ in range(count):
            self.rng.choice([self.load, self.load, self.store, self.move, self.move, self.nest])()

    def nest(self) -> None:
        if self.depth > 4:
            return self.load()
        kind = self.rng.choice(["if", "if", "else", "for", "for", "while"])
        if kind in ("if", "else"):
            with self.block(f"if {self.condition()}:"):
                self.body(self.rng.randint(1, 2))
            if kind == "else":
                with self.block("else:"):
                    self.body(self.rng.randint(1, 2))
            return
        self.loop(kind)

    def loop(self, kind: str) -> None:
        self.loops += 1
        index = f"t{self.loops}"
        if kind == "for":
            bounds = self.pick("n0", "3", "turn, 3", "4")
            if self.chance(0.25):
                bounds = loaded_range(self, index).arguments
            with self.block(f"for {index} in range({bounds}):"):
                self.body(self.rng.randint(2, 4))
                self.line("turn += 1")
            return
        self.line(f"{index} = 0")
        with self.block(f"while {index} < {self.pick('n0', '3')}:"):
            self.body(self.rng.randint(2, 4))
            self.line(f"{index} += 1")
            self.line("turn += 1")


def write(rng: random.Random) -> Kernel:
    w = Pointers(rng, rng.choice([(16,), (32,), (64,), (128,), (512,), (8, 8), (16, 4), (1, 32)]))
    w.programs = (rng.choice([1, 1, 2]), 1, 1)
    w.number(rng.choice([0, 1, 2, 3, STEPS]))
    w.begin()
    w.loop(rng.choice(["for", "for", "while"]))
    w.body(rng.randint(0, 2))
    w.load()
    w.result("total", w.dtype)
    if w.programs == (1, 1, 1) and w.chance(0.2):
        w.overlaps.append(("x1", "x0", w.pick(0, 0, 1, 8, w.size)))
    return w.finish()
