"""The results of the axis analysis hold for the values of random index arithmetic."""

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))
TILEWRIGHT_OPT = BUILD / "bin" / "tilewright-opt"

Ints = NDArray[np.int64]
Environment = dict[str, Ints]
LIST = r"\[([\d, ]+)\]"
REMARK = re.compile(
    rf":(\d+):\d+: remark: contiguity = {LIST}, divisibility = {LIST}, constancy = {LIST}"
    r"(?:, value = (-?\d+))?"
)


class Undefined(Exception):
    """A sum overflows or a divisor is zero: the analysis guarantees nothing."""


def defined(values: Ints, low: int = -(2**31), high: int = 2**31 - 1) -> Ints:
    if (values < low).any() or (values > high).any():
        raise Undefined
    return values


def truncated(a: Ints, b: Ints) -> Ints:
    defined(abs(b), low=1)
    return np.sign(a) * np.sign(b) * (abs(a) // abs(b))


def unsigned(a: Ints) -> Ints:
    return a % 2**32


def signed(a: Ints) -> Ints:
    return (a + 2**31) % 2**32 - 2**31


OPERATIONS: dict[str, Callable[[Ints, Ints], Ints]] = {
    "arith.addi": lambda a, b: defined(a + b),
    "arith.subi": lambda a, b: defined(a - b),
    "arith.muli": lambda a, b: defined(a * b),
    "arith.divsi": truncated,
    "arith.remsi": lambda a, b: a - truncated(a, b) * b,
    "arith.floordivsi": lambda a, b: a // defined(b, low=1),
    "arith.divui": lambda a, b: signed(unsigned(a) // defined(unsigned(b), 1, 2**32)),
    "arith.remui": lambda a, b: signed(unsigned(a) % defined(unsigned(b), 1, 2**32)),
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.shli": lambda a, b: defined(a << defined(b, 0, 20)),
    "arith.shrsi": lambda a, b: a >> defined(b, 0, 31),
    "arith.shrui": lambda a, b: signed(unsigned(a) >> defined(b, 0, 31)),
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.minui": lambda a, b: signed(np.minimum(unsigned(a), unsigned(b))),
    "arith.maxui": lambda a, b: signed(np.maximum(unsigned(a), unsigned(b))),
}
ORDERS: dict[str, Callable[[Ints, Ints], Ints]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
COMPARISONS: dict[str, Callable[[Ints, Ints], Ints]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    **{f"s{name}": order for name, order in ORDERS.items()},
    **{
        f"u{name}": lambda a, b, o=order: o(unsigned(a), unsigned(b))
        for name, order in ORDERS.items()
    },
}


@dataclass
class Step:
    """One operation: its result, its text after `=`, and the bytes between consecutive values."""

    name: str
    text: str
    compute: Callable[[Environment], Ints]
    unit: int = 1


@dataclass
class Program:
    random: Random
    shape: tuple[int, int]
    divisors: list[int]
    steps: list[Step] = field(default_factory=list)
    tiles: list[str] = field(default_factory=list)

    def type(self, shape: tuple[int, ...], element: str = "i32") -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    def add(self, text: str, compute: Callable[[Environment], Ints], unit: int = 1) -> str:
        self.steps.append(Step(f"%v{len(self.steps)}", text, compute, unit))
        return self.steps[-1].name

    def scalar(self) -> None:
        name, type = f"%a{self.random.randrange(len(self.divisors))}", self.type(self.shape)
        splat = self.add(f"tile.splat {name} : {type}", lambda e: np.full(self.shape, e[name]))
        self.tiles.append(splat)

    def constant(self) -> None:
        value, type = (
            self.random.choice([1, 2, 3, 4, 7, 8, 12, 15, 31, -4, -8]),
            self.type(self.shape),
        )
        text = f"arith.constant dense<{value}> : {type}"
        self.tiles.append(self.add(text, lambda e: np.full(self.shape, value)))

    def range(self) -> None:
        start, axis = self.random.choice([0, 0, 3, 4, 16]), self.random.randrange(2)
        size = self.shape[1 - axis]
        line, flat = self.type((size,)), ((1, size), (size, 1))[axis]
        r = self.add(
            f"tile.make_range {start} to {start + size} : {line}",
            lambda e: np.arange(start, start + size),
        )
        x = self.add(
            f"tile.expand_dims {r} {axis} : {line} -> {self.type(flat)}",
            lambda e: np.expand_dims(e[r], axis),
        )
        text = f"tile.broadcast {x} : {self.type(flat)} -> {self.type(self.shape)}"
        self.tiles.append(self.add(text, lambda e: np.broadcast_to(e[x], self.shape)))

    def binary(self) -> None:
        name, (a, b) = self.random.choice(list(OPERATIONS)), self.random.choices(self.tiles, k=2)
        text = f"{name} {a}, {b} : {self.type(self.shape)}"
        self.tiles.append(self.add(text, lambda e: OPERATIONS[name](e[a], e[b])))

    def choice(self) -> None:
        name, (a, b) = self.random.choice(list(COMPARISONS)), self.random.choices(self.tiles, k=2)
        type, mask = self.type(self.shape), self.type(self.shape, "i1")
        text = f"arith.cmpi {name}, {a}, {b} : {type}"
        m = self.add(text, lambda e: COMPARISONS[name](e[a], e[b]))
        text = f"arith.select {m}, {b}, {a} : {mask}, {type}"
        self.tiles.append(self.add(text, lambda e: np.where(e[m], e[b], e[a])))

    def reshape(self) -> None:
        rows, columns = self.shape
        other = self.random.choice(
            [(rows * columns,), (rows * 2, columns // 2), (rows, 2, columns // 2)]
        )
        a, here, there = self.random.choice(self.tiles), self.type(self.shape), self.type(other)
        x = self.add(f"tile.reshape {a} : {here} -> {there}", lambda e: e[a].reshape(other))
        text = f"tile.reshape {x} : {there} -> {here}"
        self.tiles.append(self.add(text, lambda e: e[x].reshape(self.shape)))

    def address(self) -> None:
        a, type = self.random.choice(self.tiles), self.type(self.shape, "!tile.ptr<f32>")
        s = self.add(f"tile.splat %p : {type}", lambda e: np.full(self.shape, e["%p"]), 4)
        text = f"tile.addptr {s}, {a} : {type}, {self.type(self.shape)}"
        self.add(text, lambda e: e[s] + 4 * e[a], 4)

    def text(self) -> str:
        arguments = [
            f"%a{i}: i32 {{tile.divisibility = {d} : i32}}" for i, d in enumerate(self.divisors)
        ]
        arguments.append("%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}")
        body = [f"  {step.name} = {step.text}" for step in self.steps]
        return "\n".join([f"func.func @f({', '.join(arguments)}) {{", *body, "  return", "}", ""])

    def arguments(self) -> Environment:
        values = {f"%a{i}": d * self.random.randint(-3, 12) for i, d in enumerate(self.divisors)}
        values["%p"] = 16 * self.random.randint(1, 9)
        return {name: np.int64(value) for name, value in values.items()}


def random_program(random: Random) -> Program:
    program = Program(
        random,
        random.choice([(4, 8), (8, 4), (2, 24)]),
        [2 ** random.randrange(6) for _ in range(3)],
    )
    program.range()
    program.scalar()
    makers = [
        program.range,
        program.scalar,
        program.constant,
        program.reshape,
        program.address,
        program.choice,
    ]
    for _ in range(15):
        random.choice([*makers, program.binary, program.binary, program.binary, program.binary])()
    return program


def facts(text: str) -> dict[int, tuple[list[list[int]], int | None]]:
    """By line: contiguity, divisibility and constancy, and the value if it is known."""
    command = [TILEWRIGHT_OPT, "--test-axis-info", "-o", os.devnull, "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return {
        int(line): (
            [[int(entry) for entry in array.split(",")] for array in arrays],
            int(value) if value else None,
        )
        for line, *arrays, value in REMARK.findall(run.stderr)
    }


def check(values: Ints, unit: int, arrays: list[list[int]], value: int | None) -> None:
    assert value is None or (values == value).all()
    for axis, (contiguity, divisibility, constancy) in enumerate(zip(*arrays, strict=True)):
        lines = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
        runs, equal = lines.reshape(-1, contiguity), lines.reshape(-1, constancy)
        assert (runs == runs[:, :1] + unit * np.arange(contiguity)).all(), "contiguity"
        assert (runs[:, 0] % divisibility == 0).all(), "divisibility"
        assert (equal == equal[:, :1]).all(), "constancy"


@pytest.mark.parametrize("seed", range(40))
def test_facts_hold(seed: int) -> None:
    program = random_program(Random(seed))
    found = facts(program.text())
    for _ in range(10):
        environment = program.arguments()
        for line, step in enumerate(program.steps, start=2):
            try:
                environment[step.name] = np.asarray(step.compute(environment)).astype(np.int64)
            except (Undefined, KeyError):
                continue
            try:
                check(environment[step.name], step.unit, *found[line])
            except AssertionError as error:
                pytest.fail(
                    f"{error} of {step.name}: {found[line]}\n{environment}\n{program.text()}"
                )
