"""Random kernels as Python source, with the memory that they are launched on.

The result of every kernel is unique: addresses are inside of the program's own part of each buffer,
a store has no address twice, divisors are not zero, and shifts are less than the width.
"""

from __future__ import annotations

import dataclasses
import math
import random
from typing import Any

from tiles import DType

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
DTYPES = ["int1", *INTS, *FLOATS]

HELPERS = """
@tilewright.jit
def compose(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@tilewright.jit
def count_greatest(v1, n1, v2, n2):
    best = tl.maximum(v1, v2)
    return best, tl.where(v1 == best, n1, 0) + tl.where(v2 == best, n2, 0)


@tilewright.jit
def extremes_and_sum(low1, high1, sum1, low2, high2, sum2):
    return tl.minimum(low1, low2), tl.maximum(high1, high2), sum1 + sum2


@tilewright.jit
def keep_later(a, b):
    return tl.where(b == 0, a, b)


@tilewright.jit
def both_bits(a, b):
    if a.dtype == tl.int1:
        return a & b
    else:
        return a ^ b
"""


@dataclasses.dataclass
class Var:
    name: str
    dtype: DType
    shape: tuple[int, ...]


@dataclasses.dataclass
class Buffer:
    """A pointer argument: `size` elements for each program, the first at element `start`."""

    name: str
    dtype: DType
    size: int
    base: int = 0  # the variable that it is a view of
    start: int = 0  # in elements from the start of the memory
    memory: str = ""


class Generator:
    """Writes one kernel.

    Attributes:
        operations: The kinds of statements: for each its weight and a function that writes it.
        floating: Whether floats are approximate; then only continuous functions are applied.
        any_size: Whether the sizes of tiles need not be powers of two.
    """

    def __init__(
        self,
        rng: random.Random,
        operations: dict[str, Any],
        size: int = 12,
        any_size: bool = False,
    ) -> None:
        self.any_size = any_size
        self.operations = operations
        self.rng = rng
        self.floating = self.rng.random() < 0.35
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.loops = 0
        self.budget = self.rng.randint(3, size)
        self.scopes: list[list[Var]] = [[]]
        self.scalars: list[str] = []  # int32 scalars that are small
        self.shape = self.choose_shape()
        self.programs = self.rng.choice(
            [(1, 1, 1), (1, 1, 1), (3, 1, 1), (2, 3, 1), (2, 1, 2), (5, 1, 1)]
        )
        self.buffers = self.choose_buffers()

    # memory and shapes

    def choose_shape(self) -> tuple[int, ...]:
        rank = self.rng.choice([1, 1, 2, 2, 2, 3])
        most = {1: 11, 2: 6, 3: 4}[rank]
        while True:
            if self.any_size:
                shape = tuple(self.size(2**most) for _ in range(rank))
                if math.prod(shape) <= 1024:
                    return shape
                continue
            shape = tuple(2 ** self.rng.choice([0, *range(most + 1)]) for _ in range(rank))
            if math.prod(shape) <= 2048:
                return shape

    def size(self, most: int) -> int:
        """A size of a tile; at random a power of two, or near one."""
        power = 2 ** self.rng.randint(0, most.bit_length() - 1)
        if not self.any_size:
            return power
        kinds = [power, power + 1, power - 1, 3 * power, 5 * power, self.rng.randint(1, most)]
        return min(max(self.rng.choice(kinds), 1), most)

    def choose_buffers(self) -> list[Buffer]:
        size = 4 * math.prod(self.shape) + self.rng.choice([0, 0, 5, 16])
        size = max(size, 16)
        buffers = []
        for i in range(self.rng.randint(2, 5)):
            floats = self.floating and self.rng.random() < 0.6
            dtype = DType(self.rng.choice(FLOATS if floats else DTYPES))
            buffers.append(
                Buffer(
                    f"p{i}", dtype, size, memory=f"m{i}", start=self.rng.choice([0, 0, 0, 1, 16])
                )
            )
        if self.programs == (1, 1, 1) and self.rng.random() < 0.5:
            other = self.rng.choice(buffers)
            shift = self.rng.choice([0, 1, 3, 16, size // 2])
            buffers.append(
                dataclasses.replace(other, name=f"p{len(buffers)}", start=other.start + shift)
            )
        return buffers

    # writing

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def assign(self, text: str, dtype: str, shape: tuple[int, ...]) -> Var:
        var = Var(self.fresh(), DType(dtype), tuple(shape))
        self.line(f"{var.name} = {text}")
        self.scopes[-1].append(var)
        return var

    def vars(self) -> list[Var]:
        return [var for scope in self.scopes for var in scope]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # addresses

    def range(self, shape: tuple[int, ...], dim: int) -> str:
        index = ", ".join(":" if d == dim else "None" for d in range(len(shape)))
        text = f"tl.arange(0, {shape[dim]})"
        return text if len(shape) == 1 else f"{text}[{index}]"

    def linear(self, shape: tuple[int, ...], unique: bool) -> tuple[str, int]:
        """Non-negative numbers of a tile's elements in some order, and their upper bound."""
        if not shape:
            return "0", 1
        order = list(range(len(shape)))
        if self.chance(0.3):
            self.rng.shuffle(order)
        terms, stride = [], 1
        for dim in reversed(order):
            index = self.range(shape, dim)
            if self.chance(0.15):
                index = f"({shape[dim] - 1} - {index})"
            here = 0 if not unique and self.chance(0.12) else stride
            terms.append(f"{index} * {here}" if here != 1 or self.chance(0.1) else index)
            stride *= shape[dim] * (
                2 if self.chance(0.1) and stride * shape[dim] < math.prod(shape) else 1
            )
        text = " + ".join(reversed(terms))
        total = stride
        count = math.prod(shape)
        if total == count and self.chance(0.15):
            factor = self.rng.choice([3, 5, 7])
            factor = factor if math.gcd(factor, count) == 1 else 1  # all remainders differ
            text = f"(({text}) * {factor} + {self.rng.randint(0, 9)}) % {count}"
        elif total == count and self.chance(0.08):
            flipped = self.rng.randrange(count)
            text = text if count & (count - 1) else f"({text}) ^ {flipped}"
        elif not unique and self.chance(0.08):
            text = f"({text}) // {self.rng.choice([2, 3, 4])}"
        return text, max(total, count)

    def address(self, buffer: Buffer, shape: tuple[int, ...], unique: bool) -> str:
        text, bound = self.linear(shape, unique)
        if bound > buffer.size:
            text, bound = self.plain(shape), math.prod(shape)
        if bound > buffer.size:
            text, bound = f"({text}) % {buffer.size}", buffer.size
        if not unique and shape and self.chance(0.15):
            tile = self.tile(shape, self.rng.choice(["int32", "int64", "int32", "uint32", "int16"]))
            text, bound = f"(({tile}) & {mask_below(min(buffer.size, 1 << 14))})", 1
            bound = mask_below(min(buffer.size, 1 << 14)) + 1
        shift = self.rng.choice([0, 0, 1, 16, buffer.size - bound])
        shift = min(shift, buffer.size - bound)
        offset = f"({text}) + {shift}" if shift else f"({text})"
        base = f"{buffer.name}b"
        if self.chance(0.2):
            return f"({base} + {shift}) + ({text})" if shift else f"{base} + ({text})"
        if self.chance(0.1):
            offset = f"({offset}).to(tl.int64)" if shape else f"tl.cast({offset}, tl.int64)"
        return f"{base} + ({offset})"

    def plain(self, shape: tuple[int, ...]) -> str:
        stride, terms = 1, []
        for dim in reversed(range(len(shape))):
            terms.append(f"{self.range(shape, dim)} * {stride}")
            stride *= shape[dim]
        return " + ".join(terms)

    def bounds(self, shape: tuple[int, ...]) -> str:
        """A comparison of indices with a number, as in kernels that mask the ends of arrays."""
        limit = self.rng.choice([*self.scalars, str(self.rng.randint(0, math.prod(shape)))])
        if self.chance(0.3):
            limit = f"({limit} * {self.rng.choice([2, 5, 16])} - {self.rng.randint(0, 20)})"
        dim = self.rng.randrange(len(shape))
        index = f"({self.rng.choice([self.plain(shape), self.range(shape, dim)])})"
        scalar = self.rng.choice(self.scalars)
        index = self.rng.choice(
            [
                index, index, index,
                f"({index} + {scalar})", f"({scalar} * {shape[dim]} + {index})",
                f"({index} - {self.rng.randint(1, 9)})", f"({shape[dim]} - {index})",
                f"({index} * 2)", f"({index} // 2)",
                f"{index}.to(tl.{self.rng.choice(['int64', 'int16', 'uint32'])})",
            ]
        )  # fmt: skip
        if "uint32" in index:
            limit = str(self.rng.randint(0, math.prod(shape)))
        compare = self.rng.choice(["<", "<", "<", "<=", ">=", ">", "!=", "=="])
        text = f"{index} {compare} {limit}" if self.chance(0.7) else f"{limit} {compare} {index}"
        if self.chance(0.2):
            text = f"({text}) & (({self.range(shape, dim)}) < {self.rng.randint(0, shape[dim])})"
        return f"({text})"

    def mask(self, shape: tuple[int, ...]) -> str:
        if not shape:
            return self.condition()
        if self.chance(0.7):
            return self.bounds(shape)
        return self.tile(shape, "int1")

    def load(self, shape: tuple[int, ...], dtype: str | None = None) -> Var:
        fitting = [b for b in self.buffers if dtype is None or b.dtype == dtype]
        buffer = self.rng.choice(fitting or self.buffers)
        address = self.address(buffer, shape, False)
        extra = ""
        if self.chance(0.35):
            extra = f", mask={self.mask(shape)}, other={self.other(buffer.dtype, shape)}"
        return self.assign(f"tl.load({address}{extra})", buffer.dtype, shape)

    def other(self, dtype: DType, shape: tuple[int, ...]) -> str:
        if self.chance(0.4):
            return self.tile(shape, dtype)
        return self.number(dtype)

    def number(self, dtype: str) -> str:
        if dtype == "int1":
            return f"tl.cast({self.rng.randint(0, 1)}, tl.int1)"
        if DType(dtype).is_float:
            return repr(self.rng.randint(-16, 16) / 8)
        low = 0 if dtype.startswith("u") else -9
        return str(self.rng.randint(low, 9))

    # values

    def tile(self, shape: tuple[int, ...], dtype: str) -> str:
        """The name of, or an expression for, a value of this shape and type."""
        known = [v for v in self.vars() if v.shape == shape]
        same = [v for v in known if v.dtype == dtype]
        if same and self.chance(0.75):
            return self.rng.choice(same[-6:]).name
        if known and self.chance(0.6):
            return self.converted(self.rng.choice(known[-8:]), dtype)
        if self.chance(0.5) or not shape:
            smaller = [
                v for v in self.vars() if len(v.shape) == len(shape) and _fits(v.shape, shape)
            ]
            if smaller and self.chance(0.4):
                var = self.rng.choice(smaller)
                return (
                    f"tl.broadcast_to({self.converted(var, dtype)}, {shape})"
                    if shape
                    else self.converted(var, dtype)
                )
            if self.chance(0.3):
                number = self.number(dtype)
                return f"tl.full({shape}, {number}, tl.{dtype})"
            if shape and self.chance(0.4):
                text = self.plain(shape)
                zero = f"tl.zeros({shape}, tl.int32)"
                return self.converted(self.assign(f"{zero} + ({text})", "int32", shape), dtype)
        return self.converted(self.load(shape, dtype), dtype)

    def converted(self, var: Var, dtype: str) -> str:
        if var.dtype == dtype:
            return var.name
        target = DType(dtype)
        if var.dtype.is_float and not target.is_float:
            if self.floating:
                # An approximate float can't be converted to an integer: use another value.
                return self.assign(
                    f"tl.full({var.shape}, {self.number(dtype)}, tl.{dtype})", dtype, var.shape
                ).name
            if dtype == "int1":
                return f"({var.name} > 0.5)"
            limit = "0.0, 100.0" if dtype.startswith("u") else "-100.0, 100.0"
            low, high = limit.split(", ")
            return (
                f"tl.minimum(tl.maximum({var.name}.to(tl.float32), {low}), {high}).to(tl.{dtype})"
            )
        return f"{var.name}.to(tl.{dtype})"

    def calmed(self, name: str, dtype: str) -> str:
        """Clamps floats in approximate kernels, which bounds their errors."""
        if not self.floating or not DType(dtype).is_float:
            return name
        return f"tl.minimum(tl.maximum({name}, -50.0), 50.0).to(tl.{dtype})"

    def condition(self) -> str:
        """A scalar of type int1."""
        kind = self.rng.random()
        scalar = self.rng.choice(self.scalars)
        if kind < 0.6:
            return f"({scalar} {self.rng.choice(['<', '>', '==', '!='])} {self.rng.randint(0, 5)})"
        if kind < 0.8:
            return f"(({scalar} & {self.rng.choice([1, 2, 3])}) == 0)"
        tiles = [v for v in self.vars() if v.shape and not v.dtype.is_float and v.dtype != "int1"]
        if not tiles:
            return f"({scalar} >= 1)"
        var = self.rng.choice(tiles)
        return f"((tl.sum({var.name}) & 3) < {self.rng.randint(0, 4)})"

    # statements

    def statements(self, count: int) -> None:
        weights = [weight for weight, _ in self.operations.values()]
        for _ in range(count):
            _, write = self.rng.choices(list(self.operations.values()), weights)[0]
            write(self)

    def kernel(self) -> str:
        parameters = [
            *(b.name for b in self.buffers),
            "n",
            "k",
            "GX: tl.constexpr",
            "GY: tl.constexpr",
        ]
        self.line("pid = tl.program_id(0) + GX * (tl.program_id(1) + GY * tl.program_id(2))")
        self.line("ns = tl.cast(n, tl.int32)")
        self.line("ks = tl.cast(k, tl.int32)")
        self.scalars = ["ns", "ks", "pid"]
        for b in self.buffers:
            self.line(f"{b.name}b = {b.name} + pid * {b.size}")
        self.scopes[-1] += [Var("pid", DType("int32"), ()), Var("ns", DType("int32"), ())]
        self.load(self.shape)
        self.statements(self.budget)
        if self.chance(0.1):
            self.line(f"if {self.condition()}:")
            self.line("    return")
            self.statements(2)
        self.finish()
        head = f"@tilewright.jit\ndef kernel({', '.join(parameters)}):\n"
        return head + "\n".join(self.lines) + "\n"

    def finish(self) -> None:
        """Stores all variables at the end of the kernel."""
        candidates = [v for v in self.vars() if v.name.startswith("v")]
        if self.floating:
            candidates = [v for v in candidates if v.dtype.is_float] or candidates
        for var in self.rng.sample(candidates, min(len(candidates), 3)):
            self.operations["store"][1](self, var)
        self.operations["store"][1](self, candidates[-1])

    def module(self) -> str:
        kernel = self.kernel()
        used = [
            text
            for text in HELPERS.split("\n\n\n")
            if text.split("def ")[1].split("(")[0] in kernel
        ]
        body = "\n\n\n".join([text.strip() for text in used] + [kernel])
        return f"import tilewright\nimport tilewright.language as tl\n\n\n{body}"


def mask_below(size: int) -> int:
    """The largest power of two not greater than `size`, minus one."""
    return (1 << (size.bit_length() - 1)) - 1


def _fits(have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    return all(a in (1, b) for a, b in zip(have, want, strict=True))
