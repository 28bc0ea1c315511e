"""Kernels that map functions of scalars over tiles: branches, loops and several results."""

from __future__ import annotations

import math
import random

from generate import FLOATS, INTS
from operations import COMPARE, any_shape
from tiles import DType
from with_helpers import WithHelpers, family

MOST = 256  # elements, each of which the oracle computes on its own
TYPES = [*INTS, "int32", "int32", *FLOATS]


class _Body:
    """Writes the body of a function of scalars, all of one type.

    Attributes:
        names: The variables that may be read.
    """

    def __init__(self, rng: random.Random, dtype: DType, names: list[str], results: int) -> None:
        self.rng, self.dtype, self.names, self.results = rng, dtype, names, results
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def constant(self) -> str:
        if self.dtype.is_float:
            return self.rng.choice(["0.5", "2.0", "0.25", "1.0", "3.0"])
        return self.rng.choice(["1", "2", "3", "7", "100"])

    def value(self) -> str:
        a, b = self.rng.choice(self.names), self.rng.choice([*self.names, self.constant()])
        other = self.rng.choice(self.names)
        kinds = [
            f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"tl.minimum({a}, {b})",
            f"tl.maximum({a}, {b})", f"tl.abs({a})", f"{other} if {self.condition()} else {a}",
            f"tl.where({self.condition()}, {a}, {b})",
        ]  # fmt: skip
        if self.dtype.is_float:
            text = f"tl.minimum(tl.maximum({self.rng.choice(kinds)}, -64.0), 64.0)"
        else:
            kinds += [f"{a} ^ {b}", f"{a} & {b}", f"{a} | {b}", f"~{a}", f"{a} >> 1", f"{a} << 3"]
            kinds += [f"{a} // (({b} & 7) + 1)", f"{a} % (({b} & 7) + 1)"]
            text = self.rng.choice(kinds)
        return f"({text}).to(tl.{self.dtype})"

    def condition(self) -> str:
        text = f"{self.rng.choice(self.names)} {self.rng.choice(COMPARE)} "
        text += self.rng.choice([*self.names, self.constant()])
        if self.rng.random() < 0.2:
            other = f"{self.rng.choice(self.names)} > {self.constant()}"
            text = f"({text}) {self.rng.choice(['and', 'or'])} ({other})"
        return text

    def statements(self, count: int) -> None:
        for _ in range(count):
            kinds = [self.assignment] * 2
            if self.depth < 3:
                kinds += [self.branch, self.branch, self.for_loop, self.while_loop]
            self.rng.choice(kinds)()

    def assignment(self) -> None:
        self.line(f"{self.rng.choice(['r', 's'])} = {self.value()}")

    def branch(self) -> None:
        self.line(f"if {self.condition()}:")
        self.block(2)
        if self.rng.random() < 0.6:
            self.line("else:")
            self.block(1)

    def block(self, count: int) -> None:
        self.depth += 1
        self.statements(self.rng.randint(1, count))
        self.depth -= 1

    def trip_count(self) -> str:
        """A number from 0 to 3, which differs between elements."""
        name = self.rng.choice(self.names)
        if self.dtype.is_float:
            return f"({name} > 0).to(tl.int32) + ({name} > 2).to(tl.int32)"
        return f"({name} & 3).to(tl.int32)"

    def for_loop(self) -> None:
        self.loops += 1
        self.line(f"for i{self.loops} in range({self.trip_count()}):")
        self.block(2)

    def while_loop(self) -> None:
        self.loops += 1
        index = f"k{self.loops}"
        self.line(f"{index} = {self.trip_count()}")
        self.line(f"while {index} > 0:")
        self.block(2)
        self.line(f"    {index} -= 1")

    def write(self) -> None:
        self.line(f"r = {self.rng.choice(self.names)}")
        self.line(f"s = {self.value()}")
        self.names = [*self.names, "r", "s"]
        self.statements(self.rng.randint(1, 3))
        if self.rng.random() < 0.4:
            self.line(f"if {self.condition()}:")
            self.line(f"    return {self.returned()}")
            self.statements(1)
        self.line(f"return {self.returned()}")

    def returned(self) -> str:
        return ", ".join([self.rng.choice(["r", "s", self.value()]) for _ in range(self.results)])


def mapped(g: WithHelpers) -> None:
    """Defines a function and maps it, sometimes in groups of elements."""
    shape = any_shape(g)
    if not shape or math.prod(shape) > MOST:
        return
    dtype = DType(g.rng.choice(TYPES if not g.floating else INTS))
    operands, results = g.rng.randint(1, 3), g.rng.choice([1, 1, 2, 3])
    names = [f"x{i}" for i in range(operands)]
    body = _Body(g.rng, dtype, names, results)
    body.write()
    function = f"scalar{len(g.helpers)}"
    g.add(f"@tilewright.jit\ndef {function}({', '.join(names)}):\n" + "\n".join(body.lines))
    args = [_operand(g, shape, dtype, i) for i in range(operands)]
    pack = g.rng.choice([1, 1, 2, 4])
    if pack > 1:
        function = _packed(g, function, operands, results, pack)
    call = f"tl.map_elementwise({function}, {', '.join(args)}"
    if pack > 1 or results > 1:
        tail = f", pack={pack})" if pack > 1 else ")"
        g.several([(dtype, shape)] * results, call + tail)
    else:
        g.assign(call + ")", dtype, shape)


def _operand(g: WithHelpers, shape: tuple[int, ...], dtype: DType, index: int) -> str:
    """A tile, or for a later operand one that is broadcast."""
    if index and g.chance(0.25):
        return f"{g.rng.choice(g.scalars)}.to(tl.{dtype})"
    if index and g.chance(0.2):
        shape = tuple(1 if g.chance(0.5) else size for size in shape)
    return f"({g.tile(shape, dtype)}).to(tl.{dtype})"


def _packed(g: WithHelpers, scalar: str, operands: int, results: int, pack: int) -> str:
    """A function that calls one of scalars for each element of a group."""
    function = f"{scalar}_{pack}"
    lines = []
    for i in range(pack):
        made = ", ".join(f"r{k}_{i}" for k in range(results))
        given = ", ".join(f"x{k}_{i}" for k in range(operands))
        lines.append(f"    {made} = {scalar}({given})")
    listed = ", ".join(f"r{k}_{i}" for k in range(results) for i in range(pack))
    parameters = ", ".join(f"x{k}_{i}" for k in range(operands) for i in range(pack))
    body = "\n".join([*lines, f"    return {listed}"])
    g.add(f"@tilewright.jit\ndef {function}({parameters}):\n{body}")
    return function


write = family({"mapped": (60, mapped)}, size=7)
