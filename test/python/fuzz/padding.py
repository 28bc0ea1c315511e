"""Kernels that reduce tiles larger than what their masks let through.

What masked loads give beyond their ends has all kinds of values: those that a reduction does not
notice, and others. Elements of the padding also come from `tl.where`, are used again, scanned,
stored by other masks, or overwrite what was loaded. Sums are exact, as all numbers are small.
"""

from __future__ import annotations

import dataclasses
import random

from kernel import Kernel
from tiles import DType
from writer import Writer

SHAPES = [
    (512,), (512,), (1024,), (1024,), (2048,), (4096,), (300,), (64,),
    (2, 512), (4, 256), (512, 2), (64, 16), (16, 64), (8, 300),
]  # fmt: skip
DTYPES = [
    "float32",
    "float32",
    "float32",
    "int32",
    "int32",
    "float64",
    "int64",
    "float16",
    "int8",
    "bfloat16",
    "int16",
]
MULTIPLY = """@tilewright.jit
def product(a, b):
    return a * b"""
LARGER = """@tilewright.jit
def larger(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)"""


@dataclasses.dataclass(frozen=True)
class Tile:
    """An expression of the kernel's shape."""

    name: str
    dtype: DType


class Padding(Writer):
    """Attributes:
    limits: Run-time numbers that end masks.
    known: The tiles so far; all of their elements are small integers, infinite or not numbers.
    """

    def begin(self) -> None:
        self.programs = (self.pick(1, 1, 2, 3), 1, 1)
        size = max(self.shape)
        bounds = [0, 1, size - 1, size, size + 5, size // 2, size // 2 + 1, size * 3 // 4, -3]
        self.limits = [self.number(self.rng.choice(bounds)) for _ in range(self.pick(1, 1, 2))]
        self.known: list[Tile] = []
        self.helpers += [MULTIPLY, LARGER]

    def end_of(self) -> str:
        number = self.rng.choice(self.limits)
        return self.pick(number, number, number, f"{number} - pid", f"tl.minimum({number}, 700)")

    def mask(self) -> str:
        along = "lane" if len(self.shape) == 1 else self.pick("column", "column", "row")
        if self.chance(0.1):
            return f"{along}.to(tl.{self.pick('int64', 'uint32')}) < {self.rng.choice(self.limits)}"
        end = self.end_of()
        mask = self.pick(
            f"{along} < {end}", f"{end} > {along}", f"{along} <= {end}", f"{along} + 5 < {end}",
            f"{along} - 3 < {end}", f"~({along} >= {end})",
        )  # fmt: skip
        if len(self.shape) == 2 and self.chance(0.5):
            mask = f"({mask}) & (row < {self.pick(1, self.shape[0] - 1, self.shape[0])})"
        if self.chance(0.1):
            mask = f"({mask}) {self.pick('&', '|')} ({along} >= {self.pick(3, 200)})"
        return mask

    def padding(self, dtype: DType) -> str:
        numbers = ["0", "0", "0", "1", "2"] + (["-1"] if dtype.is_signed else [])
        if dtype.is_float:
            numbers += ["-float('inf')", "-float('inf')", "float('inf')", "-0.0", "float('nan')"]
        return self.rng.choice(numbers)

    def load(self) -> None:
        dtype = DType(self.rng.choice(DTYPES))
        base = self.array(f"x{len(self.buffers)}", str(dtype), "small")
        name = self.pick("inside", "outside")
        if len(self.known) == 0 or self.chance(0.3):
            self.line(f"inside = {self.mask()}")
            self.line(f"outside = {self.mask()}")
        place = f"{base} + pid * {self.pick(64, 4096)} + lane"
        loaded = f"tl.load({place}, {name}, other={self.padding(dtype)})"
        if self.chance(0.1):
            loaded = f"tl.where({name}, tl.load({place}), {self.padding(dtype)})"
        tile = Tile(self.assign(f"{loaded}.to(tl.{dtype})"), dtype)
        self.known.append(tile)
        if self.chance(0.15):  # what the mask covers is overwritten later, and read before
            self.line(f"tl.store({place}, {self.value(tile.dtype)}, {name})")

    def value(self, dtype: DType) -> str:
        """An expression of small numbers, of the given type."""
        a, b = (self.rng.choice(self.known).name + f".to(tl.{dtype})" for _ in range(2))
        number = self.pick(0, 1, 2, -1)
        condition = self.pick(
            "inside", "outside", f"{a} > {b}", f"lane < {self.rng.choice(self.limits)}"
        )
        text = self.pick(
            a, a, f"{a} + {number}", f"tl.minimum({a}, {b})", f"tl.abs({a})", f"{a} * 1",
            f"tl.where({condition}, {a}, {number})", f"tl.where({condition}, {a}, {b})",
        )  # fmt: skip
        return f"({text}).to(tl.{dtype})"

    def exact(self, dtype: DType) -> tuple[str, str]:
        """A type whose sums of such tiles are exact, and a value of it."""
        wide = {"float16": "float32", "bfloat16": "float32", "int8": "int32", "int16": "int32"}.get(
            str(dtype), str(dtype)
        )
        return wide, f"{self.value(dtype)}.to(tl.{wide})"

    def reduce(self) -> None:
        dtype, value = self.exact(self.rng.choice(self.known).dtype)
        if self.chance(0.4):
            self.known.append(Tile(self.assign(value), DType(dtype)))
            value = self.known[-1].name
        axis = self.rng.randrange(len(self.shape))
        rest = tuple(n for d, n in enumerate(self.shape) if d != axis)
        kind = self.pick("sum", "sum", "sum", "max", "min", "xor_sum", "argmax", "product", "pair")
        if kind == "xor_sum" and dtype.startswith("float"):
            kind = "max"
        if kind == "argmax":
            self.result(self.assign(f"tl.argmax({value}, {axis})"), "int32", rest)
        elif kind == "product":
            signs = f"tl.where({value} > 0, {value} * 0 + 1, {value} * 0 - 1)"
            self.result(self.assign(f"tl.reduce({signs}, {axis}, product)"), dtype, rest)
        elif kind == "pair":
            a, b = self.fresh(), self.fresh()
            second = self.pick("lane", "lane * 0 + 7", "tl.where(inside, lane, -1)")
            self.line(f"{a}, {b} = tl.reduce(({value}, {second}), {axis}, larger)")
            self.result(a, dtype, rest)
            self.result(b, "int32", rest)
        else:
            name = self.assign(f"tl.{kind}({value}, {axis})")
            self.result(name, dtype, rest)
            if self.chance(0.5):
                kept = name if len(self.shape) == 1 else f"tl.expand_dims({name}, {axis})"
                self.known.append(
                    Tile(self.assign(f"{self.value(DType(dtype))} - {kept}"), DType(dtype))
                )

    def use(self) -> None:
        tile = self.rng.choice(self.known)
        kind = self.pick("store", "masked", "scan")
        if kind == "store":
            self.result(tile.name, str(tile.dtype))
        elif kind == "masked":
            target = self.array(f"t{len(self.buffers)}", str(tile.dtype), "small")
            mask = self.pick("inside", "outside")
            self.line(f"tl.store({target} + pid * 4096 + lane, {tile.name}, {mask})")
        else:
            wide, value = self.exact(tile.dtype)
            self.result(f"tl.cumsum({value}, {self.rng.randrange(len(self.shape))})", wide)


def write(rng: random.Random) -> Kernel:
    w = Padding(rng, rng.choice(SHAPES))
    w.begin()
    w.load()
    for _ in range(w.pick(1, 2, 3)):
        if w.chance(0.4):
            w.load()
        if w.chance(0.15):
            known = list(w.known)
            with w.block(f"for t in range({w.pick(1, 2)}):"):
                w.reduce()
            w.known = known
        else:
            w.reduce()
        if w.chance(0.5):
            w.use()
    return w.finish()
