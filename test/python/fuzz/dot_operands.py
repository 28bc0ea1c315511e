"""Kernels that test where operands of dots are in memory, and which of their elements are masked.

The distances of their rows are even, uneven, or depend on the iteration, and so does whether masks
hold everywhere. Operands are loaded along either dimension, in or before the loop of their dot, and
memory may be written between the two. Integers of 8 bits have all values.
"""

from __future__ import annotations

import random

from edges import Index, mask
from kernel import Kernel
from tiles import DType
from writer import Value, Writer

DTYPES = [
    "float16", "bfloat16", "bfloat16", "float32", "float32", "float64", "int8", "int8", "int8",
    "float8e4nv",
]  # fmt: skip


class Operands(Writer):
    """Attributes:
    rows, columns, inner: The sizes M, N and K of a dot.
    sizes: The same sizes by the names of the indices.
    operand, sum: The types of operands and sums.
    stores_in_loop: Whether a loop stores the sums in each iteration, by a mask that moves.
    """

    def __init__(self, rng: random.Random) -> None:
        sides = [1, 4, 8, 16, 16, 32, 32, 64]
        self.rows, self.columns = rng.choice(sides), rng.choice(sides)
        self.inner = rng.choice([8, 16, 16, 32, 32, 64])
        self.sizes = {"m": self.rows, "n": self.columns, "k": self.inner}
        super().__init__(rng, (self.rows, self.columns))
        self.operand = DType(rng.choice(DTYPES))
        self.sum = {"int8": "int32", "float64": "float64"}.get(self.operand, "float32")
        self.stores_in_loop = False

    def begin(self) -> None:
        self.programs = (self.pick(1, 1, 1, 3), 1, 1)
        self.number(self.pick(0, 1, 2, 3, 4))
        self.number(self.rng.choice([1, 8, 16, self.inner, 3 * self.inner, 2 * self.inner - 3]))
        self.number(self.rng.choice([1, 3, self.rows, self.inner, self.columns, 100]))
        fill = self.pick("any", "any", "of -128 127 -1 0 1") if self.operand == "int8" else "small"
        self.a = self.array("a", self.operand, fill)
        self.b = self.array("b", self.operand, fill)
        self.table = self.array("table", "int32", self.pick("permutation 64", "rising", "below 9"))
        self.flags = self.array("flags", self.pick("int8", "int32"), "below 9")
        self.scalars += [Value(name, is_tile=False) for name in self.numbers]
        for name, size in self.sizes.items():
            self.line(f"{name} = tl.arange(0, {size})")
        self.line(f"acc = tl.full({self.shape}, {self.pick(0, 0, 1, -3)}, tl.{self.sum})")
        self.line(f"needed = {self.mask_of_sums()}")
        if self.programs == (1, 1, 1) and self.chance(0.3):
            self.overlaps.append(("b", "a", self.pick(0, 1, 16, 100)))

    # operands

    def positions(self, index: str) -> str:
        """Row numbers at even distances, at uneven ones, or at one or the other by iteration."""
        size, step = self.sizes[index], "t" if self.depth > 1 else "n0"
        kinds = [
            index, index, index, index,
            f"({index} + {step})", f"{index} * 2", f"({size - 1} - {index})", f"{index} * {step}",
            f"{index} % {self.pick(3, 4, 'n2', size)}", f"({index} + {step}) % {size}",
            f"{index} // 2", f"({index} ^ {step})",
            f"tl.load({self.table} + {index})",
            f"tl.load({self.table} + {step} * {size} + {index})",
            f"tl.minimum({index}, {self.pick('n2', f'{step} * 8', size)})",
            f"tl.where({index} < {step} * {self.pick(8, size)}, {index}, 0)",
        ]  # fmt: skip
        return self.rng.choice(kinds)

    def indices(self, rows: str, columns: str) -> list[Index]:
        """The indices of a tile for its masks, with limits that move with the iteration."""
        indices = []
        for name, axis in ((rows, "[:, None]"), (columns, "[None, :]")):
            size = self.sizes[name]
            limits: tuple[str, ...] = ("n1", "n2")
            if self.depth > 1 and name == "k":
                limits = (f"n1 - t * {size}",) * 4
            elif self.depth > 1:
                limits = ("n2", f"{size} - t", f"(n0 - 1 - t) * {size}")
            indices.append(Index(f"{name}{axis}", size, limits))
        return indices

    def masked(self, rows: str, columns: str) -> str:
        """The arguments of a load for its mask, if it has one."""
        if self.chance(0.4):
            return ""
        indices = self.indices(rows, columns)
        moving = indices[columns == "k"]
        text = f"{moving.text} < {self.rng.choice(moving.limits)}"
        if self.chance(0.6):
            text = mask(self, *indices)
        if self.chance(0.15):
            flag = f"tl.load({self.flags} + {rows})[:, None] > {self.pick(-1, -1, 0, 3)}"
            text = f"({flag}) & ({text})"
        other = "" if self.operand.is_float8 else self.pick("", "", ", other=0", ", other=-3")
        return f", mask={text}{other}"

    def load(self, base: str, rows: str, columns: str) -> str:
        """Loads a tile of one of the operands, of which `k` is one of the dimensions."""
        down = self.positions(rows)
        across = self.pick(columns, columns, columns, f"({columns} + n2)", f"{columns} % 8")
        if self.depth > 1 and columns == "k":
            across = f"({across} + t * {self.inner})"
        elif self.depth > 1:
            down = f"({down} + t * {self.inner})"
        if self.chance(0.8):
            pitch = self.pick(self.sizes[columns], 64, 200, 67, 0, -64, "n1")
            place = f"({down})[:, None] * {pitch} + ({across})[None, :]"
        else:
            pitch = self.pick(self.sizes[rows], 64, 65)
            place = f"({down})[:, None] + ({across})[None, :] * {pitch}"
        shift = self.pick("", "", " + 1", " + 16", " + pid")
        return f"tl.load({base} + {place}{shift}{self.masked(rows, columns)})"

    def operand_of(self, name: str, base: str, rows: str, columns: str) -> None:
        """Assigns an operand, which is loaded as it is or transposed, or computed from that."""
        if self.chance(0.2):
            self.line(f"{name} = {self.load(base, columns, rows)}.T")
        else:
            self.line(f"{name} = {self.load(base, rows, columns)}")
        while not self.operand.is_float8 and self.chance(0.3):
            self.line(f"{name} = {self.computed(name, base, rows, columns)}")

    def computed(self, name: str, base: str, rows: str, columns: str) -> str:
        """An operand of the same type: scaled by numbers or rows, masked, or a sum of two."""
        index, axis = self.pick((rows, "[:, None]"), (columns, "[None, :]"))
        size = self.sizes[index]
        cast = f".to(tl.{self.operand})"
        scale = self.pick(
            "2", "n0", f"({index} % 3 - 1){axis}", f"(tl.load({self.table} + {index}) & 3){axis}"
        )
        kinds = [
            f"({name} * ({scale}){{}}){cast}",
            f"({name} * ({scale}){{}}){cast}",
            f"tl.where({index}{axis} < {self.pick('n1', 'n2', size // 2)}, {name}, 0){cast}",
            f"({name} + {self.load(base, rows, columns)}){cast}",
            f"tl.where({name} > 0, {name}, {self.load(base, rows, columns)}){cast}",
            f"tl.maximum({name}, 0){cast}",
        ]
        text = self.rng.choice(kinds)
        plain = scale in ("2", "n0") and not (scale == "n0" and self.operand.is_float)
        return text.format("" if plain else f".to({name}.dtype)" if scale != "n0" else " * 1.0")

    # statements

    def interfere(self) -> None:
        """Writes elements that an operand may have, or the next iteration's."""
        if self.programs != (1, 1, 1) or self.chance(0.75):
            return
        base, index = self.pick(self.a, self.b), self.pick("m", "n", "k")
        value = f"({index} % 3 - 1).to(tl.float32).to(tl.{self.operand})"
        place = f"{index} * {self.pick(1, 1, 3)} + {self.pick(0, 0, 5, 64)}"
        self.line(f"tl.store({base} + {place}, {value})")

    def calmed(self) -> str:
        low, high = (-8, 8) if self.sum == "int32" else (-8.0, 8.0)
        return f"tl.minimum(tl.maximum(acc, {low}), {high})"

    def add(self, left: str, right: str) -> None:
        precise = self.operand == "float32" or (self.operand == "bfloat16" and self.chance(0.3))
        tail = ', input_precision="ieee"' if precise else ""
        if self.chance(0.25):
            self.line(f"acc += tl.dot({left}, {right}{tail})")
        else:
            self.line(f"acc = tl.dot({left}, {right}, acc{tail})")

    def also(self, name: str) -> None:
        """Uses an operand outside of the dot, too."""
        wide = self.sum if self.operand.is_float else "int32"
        self.line(f"also += tl.sum(tl.sum({name}.to(tl.{wide}), {self.pick(0, 1)}), 0)")

    def dot(self, known: str = "") -> None:
        """Loads operands, except one that is known, and multiplies them."""
        if known != "left":
            self.operand_of("left", self.a, "m", "k")
        self.interfere()
        if known != "right":
            self.operand_of("right", self.b, "k", "n")
        self.interfere()
        if self.chance(0.1):
            self.also(self.pick("left", "right"))
        right = "right"
        if self.rows == self.columns and self.chance(0.1):
            right = "left.T"
        if self.chance(0.15):
            with self.block(f"if {self.pick('n0 > 1', 'n2 > 3')}:"):
                self.add("left", right)
        else:
            self.add("left", right)
        self.interfere()

    def loop(self) -> None:
        known = self.pick("", "", "", "left", "right")
        if known:
            base, dims = (self.a, ("m", "k")) if known == "left" else (self.b, ("k", "n"))
            self.operand_of(known, base, *dims)
        bounds = self.pick("n0", "n0", "0, n0", "3", "n0, 0, -1")
        stages = f", num_stages={self.rng.randint(1, 4)}" if self.chance(0.3) else ""
        with self.block(f"for t in tl.range({bounds}{stages}):"):
            self.scalars.append(Value("t", is_tile=False))
            stores = not self.stores_in_loop and self.chance(0.2)
            if stores:
                side = self.pick("m[:, None]", "n[None, :]")
                self.line(f"now = {side} < n2 + t * {self.pick(4, 16, -8)}")
            self.dot(known)
            if stores:
                self.store_part("acc", "now")
                self.stores_in_loop = True
            if self.chance(0.2):
                self.line(f"acc = {self.calmed()}")

    def store_sums(self) -> None:
        """Stores all sums, or by a mask that is often known before they are computed."""
        if self.chance(0.4):
            self.result("acc", self.sum)
            return
        value = self.pick("acc", "acc", "acc * 2", f"tl.where({self.mask_of_sums()}, acc, 1)")
        stored = self.pick("needed", "needed", self.mask_of_sums())
        self.store_part(value, stored)

    def store_part(self, value: str, needed: str) -> None:
        part = self.array("part", self.sum, "small")
        place = f"pid * 4096 + m[:, None] * {self.columns} + n[None, :]"
        self.line(f"tl.store({part} + {place}, {value}, mask={needed})")

    def mask_of_sums(self) -> str:
        return mask(
            self,
            Index("m[:, None]", self.rows, ("n1", "n2")),
            Index("n[None, :]", self.columns, ("n1", "n2")),
        )


def write(rng: random.Random) -> Kernel:
    w = Operands(rng)
    w.begin()
    w.line(f"also = tl.cast(0, tl.{w.sum})")
    for _ in range(rng.choice([1, 1, 2])):
        w.loop() if w.chance(0.7) else w.dot()
    if not w.stores_in_loop:  # sums that are stored twice are all needed
        w.store_sums()
    w.result("also", w.sum, ())
    return w.finish()
