"""Kernels that load tiles along the other dimension than they store them.

Elements are consecutive along the rows of some arrays and along the columns of others, at even
distances or not. Masks combine a condition of one dimension with a constant range of the other.
"""

from __future__ import annotations

import random

from edges import Index, mask
from kernel import Kernel
from tiles import DType
from writer import Value, Writer

DTYPES = [
    "float32", "float32", "float32", "float16", "bfloat16", "float64",
    "int8", "int16", "int32", "int64", "uint8", "int1",
]  # fmt: skip
SIZES = [1, 2, 4, 8, 16, 16, 32, 32, 64, 128]
MOST = 4096


class Transposes(Writer):
    """Attributes:
    dtype: The type of the arrays.
    loaded: The names of the tiles that were loaded in the current block.
    """

    def __init__(self, rng: random.Random) -> None:
        rows, columns = rng.choice(SIZES), rng.choice(SIZES)
        super().__init__(rng, (rows, min(columns, MOST // rows)))
        self.dtype = DType(rng.choice(DTYPES))
        self.loaded: list[str] = []

    def begin(self) -> None:
        self.programs = (self.pick(1, 1, 2), 1, 1)
        self.limits = [self.number(self.rng.choice([0, 1, 3, 8, *self.shape])) for _ in range(2)]
        self.scalars += [Value(name, is_tile=False) for name in self.limits]
        fill = self.pick("any", "small")
        bases = [self.array(name, self.dtype, fill) for name in ("x", "y", "z")]
        self.sources = [self.assign(f"{base} + pid * 65536") for base in bases]
        self.table = self.array("table", "int32", self.pick("permutation 64", "rising"))
        self.line(f"m, n = tl.arange(0, {self.shape[0]}), tl.arange(0, {self.shape[1]})")

    # addresses

    def distances(self, dim: int) -> str:
        """What the index along a dimension is multiplied by, and the index, expanded."""
        index = ("m", "n")[dim]
        expanded = ("[:, None]", "[None, :]")[dim]
        other = self.shape[1 - dim]
        kind = self.rng.randint(0, 7)
        if kind == 0:
            index = f"tl.load({self.table} + {index})"
        elif kind == 1:
            index = f"({index} % {self.pick(3, 4, 8)})"
        return f"{index}{expanded} * {self.pick(other, other, other + 1, 128, 100, 'n0', 0)}"

    def offset(self) -> str:
        """Offsets that are consecutive along one dimension, most often along the columns."""
        dim = self.pick(0, 0, 0, 1)
        consecutive = ("m[:, None]", "n[None, :]")[dim]
        shift = self.pick("", "", " + 1", " + 16", " + n1")
        return f"{self.distances(1 - dim)} + {consecutive}{shift}"

    def mask(self) -> str:
        limits = (*self.limits, "t + 1") if self.depth > 1 else tuple(self.limits)
        row = Index("m[:, None]", self.shape[0], limits)
        return mask(self, row, Index("n[None, :]", self.shape[1], limits))

    # statements

    def load(self) -> None:
        masked = ""
        if self.chance(0.6):
            other = "" if self.dtype == "int1" else self.pick("", ", other=0", ", other=1")
            masked = f", mask={self.mask()}{other}"
        source, step = self.rng.choice(self.sources), self.pick("", "", " + t * 16")
        step = step if self.depth > 1 else ""
        self.loaded.append(self.assign(f"tl.load({source}{step} + {self.offset()}{masked})"))

    def value(self) -> str:
        """A tile with one or two of those that were loaded."""
        one, other = self.rng.choice(self.loaded), self.rng.choice(self.loaded)
        kind = self.rng.randint(0, 5)
        if kind == 0:
            return f"tl.where({self.mask()}, {one}, {other})"
        if kind == 1 and self.shape[0] == self.shape[1]:
            return f"tl.where(row > column, {one}.T, {other})"
        if kind == 2 and not self.dtype.is_float and self.dtype != "int1":
            return f"{one} + {other}"
        return str(self.pick(one, one, f"tl.where({one} == {other}, {one}, {other})"))

    def store(self) -> None:
        """Stores a tile by rows or by columns, in an array that is read or not."""
        rows, columns = self.shape
        place = self.pick(
            f"row * {self.pick(columns, columns + 3)} + column",
            f"row + column * {self.pick(rows, rows + 3)}",
        )
        masked = f", mask={self.mask()}" if self.chance(0.5) else ""
        self.line(f"tl.store({self.rng.choice(self.sources)} + {place}, {self.value()}{masked})")

    def statements(self) -> None:
        self.load()
        for _ in range(self.rng.randint(0, 3)):
            self.load() if self.chance(0.6) else self.store()
        times = "t" if self.depth > 1 else ""
        self.result(self.value(), self.dtype, times=times)
        if self.chance(0.3):
            self.line(f"tl.store(copies + row + column * {self.shape[0]}, {self.value()})")


def write(rng: random.Random) -> Kernel:
    w = Transposes(rng)
    w.begin()
    w.line(f"copies = {w.array('w', w.dtype)} + pid * 65536")
    w.statements()
    if w.chance(0.4):
        with w.block(f"for t in range({w.pick('n1 % 4', 2, 3)}):"):
            w.scalars.append(Value("t", is_tile=False))
            w.loaded = []
            w.statements()
    return w.finish()
