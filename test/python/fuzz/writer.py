"""Writes a kernel of one of the small families: lines, arrays, results, integer expressions."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kernel import Buffer, Kernel, launch_options
from tiles import DType, common_type

SCALARS = [
    0, 1, 2, 3, 7, 8, 16, 24, 32, 64, 100, -1, -2, -3, -8, -16, -32, -100,
    32760, 65528, 65536, -32770, 2**31 - 1, 2**31 - 16, -(2**31), -(2**31) + 8, 2**30,
]  # fmt: skip
INT32 = DType("int32")
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@dataclasses.dataclass(frozen=True)
class Value:
    """An integer expression: its text, its type, and whether it is a tile."""

    text: str
    dtype: DType = INT32
    is_tile: bool = True

    def __str__(self) -> str:
        return self.text


class Writer:
    """Writes one kernel, in which each program has its own part of the results.

    Attributes:
        shape: The shape of the kernel's tiles.
        scalars, tiles: The values from which expressions are built.
    """

    def __init__(self, rng: random.Random, shape: tuple[int, ...]) -> None:
        self.rng = rng
        self.shape = shape
        self.lines: list[str] = []
        self.helpers: list[str] = []
        self.depth = 1
        self.names = 0
        self.buffers: list[Buffer] = []
        self.numbers: dict[str, int] = {}
        self.constants: dict[str, Any] = {}
        self.hints: list[str] = []
        self.overlaps: list[tuple[str, str, int]] = []
        self.programs = (1, 1, 1)
        self.results: dict[str, int] = {}  # elements that each program stores, by type
        self.scalars: list[Value] = []
        self.tiles: list[Value] = []
        self.line("pid = tl.program_id(0)")
        self._positions()

    def _positions(self) -> None:
        """Defines variables for each element's index along each dimension and its linear index."""
        if len(self.shape) == 1:
            self.line(f"lane = tl.arange(0, {self.shape[0]})")
        else:
            rows, columns = self.shape
            self.line(f"row = tl.arange(0, {rows})[:, None]")
            self.line(f"column = tl.arange(0, {columns})[None, :]")
            self.line(f"lane = row * {columns} + column")
            self.tiles += [Value("row"), Value("column")]
        self.tiles.append(Value("lane"))
        self.scalars.append(Value("pid", is_tile=False))

    # text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        self.depth += 1
        before = len(self.lines)
        known = list(self.scalars), list(self.tiles)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.scalars, self.tiles = known
        self.depth -= 1

    def fresh(self, stem: str = "v") -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def assign(self, text: str) -> str:
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    # arguments

    def number(self, value: int) -> str:
        """A run-time integer."""
        name = f"n{len(self.numbers)}"
        self.numbers[name] = value
        self.line(f"{name} = tl.cast({name}, tl.int{32 if -(2**31) <= value < 2**31 else 64})")
        return name

    def array(self, name: str, dtype: str, fill: str = "any") -> str:
        """A pointer argument; elements on both sides of `NAMEb` may be accessed."""
        self.buffers.append(Buffer(name, DType(dtype), fill))
        arguments = self.pick(self.constants, self.constants, self.numbers)
        arguments[f"{name}_at"] = 0
        self.line(f"{name}b = {name} + {name}_at")
        return f"{name}b"

    def hint(self) -> str:
        """A constant as large as possible for a hint; see `hints.Unknown`."""
        name = f"H{len(self.hints)}"
        self.hints.append(name)
        self.constants[name] = 1
        return name

    def result(
        self, text: str, dtype: str, shape: tuple[int, ...] | None = None, times: str = ""
    ) -> None:
        """Stores a result; `times` is the iteration of the loop around it, less than 16."""
        shape = self.shape if shape is None else shape
        at = self.results.get(dtype, 0)
        size = math.prod(shape)
        self.results[dtype] = at + size * (16 if times else 1)
        place = f"out_{dtype} + pid * OUT_{dtype} + {at}"
        if times:
            place += f" + {times} * {size}"
        if shape == self.shape:
            place += " + lane"
        elif len(shape) == 1:
            place += f" + tl.arange(0, {shape[0]})"
        elif shape:
            columns = f"tl.arange(0, {shape[1]})[None, :]"
            place += f" + tl.arange(0, {shape[0]})[:, None] * {shape[1]} + {columns}"
        self.line(f"tl.store({place}, {text})")

    def finish(self, **options: Any) -> Kernel:
        buffers = list(self.buffers)
        for dtype, count in self.results.items():
            total = math.prod(self.programs) * count
            buffers.append(Buffer(f"out_{dtype}", DType(dtype), "any", total))
            self.constants[f"OUT_{dtype}"] = count
        parameters = [b.name for b in buffers] + list(self.numbers)
        parameters += [f"{name}: tl.constexpr" for name in self.constants]
        head = f"@tilewright.jit\ndef kernel({', '.join(parameters)}):\n"
        parts = [*self.helpers, head + "\n".join(self.lines) + "\n"]
        source = "import tilewright\nimport tilewright.language as tl\n\n\n" + "\n\n\n".join(parts)
        kernel = Kernel(
            source,
            buffers,
            self.numbers,
            self.constants,
            self.hints,
            self.programs,
            launch_options(self.rng),
            self.overlaps,
        )
        return dataclasses.replace(kernel, **options)

    # integer expressions

    def literal(self, dtype: DType) -> str:
        sizes = [1, 2, 3, 4, 5, 7, 8, 16, 32, 64]
        if dtype.bits > 8:
            sizes += [100, 128, 256, 1000]
        value = self.pick(*sizes)
        return f"({-value})" if dtype.is_signed and self.chance(0.25) else str(value)

    def scalar(self, depth: int = 1) -> Value:
        """A scalar, often a multiple of a power of two, sometimes negative."""
        if depth <= 0 or self.chance(0.3):
            return self.rng.choice(self.scalars)
        return self._combined(self.scalar(depth - 1), depth, self.scalar)

    def tile(self, depth: int = 2) -> Value:
        """A tile of integers: an expression of scalars and indices."""
        if depth <= 0:
            return self.rng.choice(self.tiles)
        if self.chance(0.5):  # as in typical addresses: the start of a block and an index in it
            block = self.pick(8, 16, 32, 64, *self.shape)
            start = self.scalar(1)
            if start.dtype.bits >= 32:
                dtype = common_type(start.dtype, DType("int32"))
                position = self.rng.choice(self.tiles)
                if position.dtype == "int32":
                    text = f"({start} * {block} + {position})"
                    return self._combined(Value(text, dtype), depth, self.tile)
        return self._combined(self.tile(depth - 1), depth, self.tile)

    def _combined(self, a: Value, depth: int, other: Any) -> Value:
        kind = self.pick(
            "+", "-", "*", "//", "//", "%", "%", "&", "|", "^", ">>", "<<",
            "cast", "cast", "number", "where", "extreme", "negative",
        )  # fmt: skip
        if kind == "cast":
            return Value(f"{a}.to(tl.{(t := DType(self.rng.choice(INTS)))})", t, a.is_tile)
        if kind == "negative":
            return Value(f"(-{a})", a.dtype, a.is_tile)
        if kind in ("<<", ">>"):  # a shift by 0 is no operation, whose result would wrap
            return Value(f"({a} {kind} {self.rng.randint(1, 7)})", a.dtype, a.is_tile)
        if kind == "number":
            kind = self.pick("+", "-", "*", "//", "%", "&")
            return Value(f"({a} {kind} {self.literal(a.dtype)})", a.dtype, a.is_tile)
        b = other(depth - 1) if self.chance(0.5) else self.scalar(0)
        tile = a.is_tile or b.is_tile
        if kind in ("//", "%", "where", "extreme") and a.dtype != b.dtype:
            b = Value(f"{b}.to(tl.{a.dtype})", a.dtype, b.is_tile)
        dtype = common_type(a.dtype, b.dtype)
        if kind == "where":
            return Value(f"tl.where({self.comparison(a)}, {a}, {b})", dtype, tile)
        if kind == "extreme":
            return Value(f"tl.{self.pick('minimum', 'maximum')}({a}, {b})", dtype, tile)
        return Value(f"({a} {kind} {b})", dtype, tile)

    def comparison(self, a: Value) -> str:
        """A condition on an integer, as in masks."""
        if self.chance(0.3):
            unsigned = DType(f"uint{a.dtype.bits}")
            a = Value(f"({a} - {self.rng.randint(0, 9)}).to(tl.{unsigned})", unsigned, a.is_tile)
        limit = self.literal(a.dtype)
        if self.chance(0.4):
            limit = f"{self.scalar(0)}.to(tl.{a.dtype})"
        return f"({a} {self.pick('<', '<', '<', '<=', '>', '>=', '==', '!=')} {limit})"

    def calm(self, value: Value) -> Value:
        """A value that is usually small enough for an address."""
        kind = self.rng.randint(0, 5)
        size = self.pick(16, 64, 256, 1024)
        if kind == 0:
            return Value(f"({value} & {min(size, 64)})", value.dtype, value.is_tile)
        if kind == 1 and value.dtype.bits > 16:
            return Value(f"({value} % {size})", value.dtype, value.is_tile)
        if kind == 2 and value.dtype.bits >= 32:
            return Value(f"({value} // {self.pick(2, 4, 16, 64)})", value.dtype, value.is_tile)
        return value
