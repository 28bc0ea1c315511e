"""Random programs of accesses to shared memory, and their execution along every path.

An execution is a list of events: the accesses of an operation, its commit, its wait, or a barrier.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))
TILEWRIGHT_OPT = BUILD / "bin" / "tilewright-opt"
ITERATIONS = range(4)
MOST_PATHS = 300

HEADER = """
#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], \
block = [] : 64>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
"""
BUFFER = "!tilegpu.buffer<64xf32, #shared>"
OFFSETS = (0, 256, 384)  # of buffers with 256 bytes: the last two overlap


@dataclass
class Writer:
    """Writes a random function."""

    rng: Random
    lines: list[str] = field(default_factory=list)
    names: Iterator[int] = field(default_factory=itertools.count)

    def function(self, number: int) -> str:
        self.lines = [
            f"func.func @f{number}(%p: tensor<64x!tile.ptr<f32>, #line>, "
            "%x: tensor<64xf32, #line>, %n: i32, %c: i1) {",
            "%c0 = arith.constant 0 : i32",
            "%c1 = arith.constant 1 : i32",
            *(f"%b{at} = tilegpu.local_alloc at {at} : {BUFFER}" for at in OFFSETS),
            "%t = tilegpu.async_commit",
        ]
        self.block(["%t"], depth=0, length=self.rng.randint(3, 9))
        return "\n".join([*self.lines, "return", "}"])

    def name(self) -> str:
        return f"%v{next(self.names)}"

    def block(self, tokens: list[str], depth: int, length: int) -> list[str]:
        """Writes operations; returns the tokens that these may use and have defined."""
        tokens = list(tokens)
        copies: list[str] = []
        for _ in range(length):
            buffer, name = f"%b{self.rng.choice(OFFSETS)}", self.name()
            kind = self.rng.choice(["store", "load", "load", "copy", "wait", "wait", "if", "for"])
            if kind == "store":
                self.lines.append(
                    f"tilegpu.local_store %x, {buffer} : tensor<64xf32, #line> -> {BUFFER}"
                )
            elif kind == "load":
                self.lines.append(
                    f"{name} = tilegpu.local_load {buffer} : {BUFFER} -> tensor<64xf32, #line>"
                )
            elif kind == "copy":
                self.lines.append(
                    f"{name} = tilegpu.async_copy %p, {buffer} "
                    f": tensor<64x!tile.ptr<f32>, #line> -> {BUFFER}"
                )
                copies.append(name)
                if self.rng.random() < 0.7:
                    token = self.name()
                    self.lines.append(f"{token} = tilegpu.async_commit of {', '.join(copies)}")
                    tokens.append(token)
                    copies = []
            elif kind == "wait":
                some = self.rng.sample(tokens, min(len(tokens), self.rng.choice([1, 1, 2])))
                self.lines.append(f"{name} = tilegpu.async_wait {', '.join(some)}")
            elif depth < 2:
                tokens.append(self.branch(kind, name, tokens, depth))
        return tokens

    def branch(self, kind: str, name: str, tokens: list[str], depth: int) -> str:
        length = self.rng.randint(1, 4)
        if kind == "for":
            index, argument = self.name(), self.name()
            self.lines.append(
                f"{name} = scf.for {index} = %c0 to %n step %c1 "
                f"iter_args({argument} = {self.rng.choice(tokens)}) -> !tilegpu.token : i32 {{"
            )
            inside = self.block([*tokens, argument], depth + 1, length)
            self.lines += [f"scf.yield {self.rng.choice(inside[-3:])} : !tilegpu.token", "}"]
            return name
        self.lines.append(f"{name} = scf.if %c -> !tilegpu.token {{")
        inside = self.block(tokens, depth + 1, length)
        self.lines += [f"scf.yield {self.rng.choice(inside[-3:])} : !tilegpu.token", "} else {"]
        inside = self.block(tokens, depth + 1, self.rng.randint(0, 2))
        self.lines += [f"scf.yield {self.rng.choice(inside[-3:])} : !tilegpu.token", "}"]
        return name


@dataclass
class Op:
    text: str
    result: str
    operands: list[str]
    regions: list[list[Op]] = field(default_factory=list)


def run_passes(programs: list[str], *passes: str, header: str = HEADER) -> list[list[Op]]:
    text = header + "\n".join(programs) + "\n}\n"
    done = subprocess.run(
        [TILEWRIGHT_OPT, *passes], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    functions = done.stdout.split("func.func")[1:]
    return [_parse(iter(function.splitlines()[1:])) for function in functions]


def _parse(lines: Iterator[str]) -> list[Op]:
    ops: list[Op] = []
    for line in lines:
        text = line.strip()
        if text == "}":
            return ops
        if text == "} else {":
            ops.append(Op("else", "", []))
            continue
        result, _, rest = text.rpartition(" = ") if text.startswith("%") else ("", "", text)
        if text.startswith("%"):
            result, rest = text.split(" = ", 1)
        ops.append(Op(rest, result, re.findall(r"%\w+", rest.split(" : ")[0])))
        if text.endswith("{"):
            inside = _parse(lines)
            split = [i for i, op in enumerate(inside) if op.text == "else"]
            at = split[0] if split else len(inside)
            ops[-1].regions = [inside[:at], inside[at + 1 :]]
    return ops


Token = tuple[str, int, tuple[tuple[Op, str], ...]]
"""The kind, the number of its group, and its copies: the operations with their buffers."""


@dataclass
class Event:
    kind: str  # access, barrier, commit, wait
    op: Op
    buffer: str = ""
    isWrite: bool = False
    starts: bool = True  # may conflict with what precedes it
    ends: bool = True  # may conflict with what follows it
    required: int | None = None  # the number of groups that a wait may leave in flight


class Path:
    """Executes a function along a path: `choices` are the branches taken and the trip counts."""

    def __init__(self, choices: list[int]) -> None:
        self.choices = choices
        self.taken: list[tuple[int, int]] = []  # the choice, and the number of choices
        self.events: list[Event] = []
        self.values: dict[str, Token] = {}
        self.groups = 0

    def choose(self, count: int) -> int:
        index = len(self.taken)
        choice = self.choices[index] if index < len(self.choices) else 0
        self.taken.append((choice, count))
        return choice

    def run(self, ops: list[Op]) -> list[Token]:
        for op in ops:
            name = op.text.split(" ")[0]
            if name == "scf.yield":
                return [self.values[operand] for operand in op.operands]
            if name == "scf.for":
                self._loop(op)
            elif name == "scf.if":
                results = self.run(op.regions[self.choose(2)])
                self.values[op.result] = results[0]
            elif name.startswith("tilegpu."):
                self._execute(name.removeprefix("tilegpu."), op)
        return []

    def _loop(self, op: Op) -> None:
        argument, init = re.findall(r"iter_args\((%\w+) = (%\w+)\)", op.text)[0]
        token = self.values[init]
        for _ in range(self.choose(len(ITERATIONS))):
            self.values[argument] = token
            token = self.run(op.regions[0])[0]
        self.values[op.result] = token

    def _execute(self, name: str, op: Op) -> None:
        if name == "barrier":
            self.events.append(Event("barrier", op))
        elif name == "local_store":
            self.events.append(Event("access", op, op.operands[1], isWrite=True))
        elif name == "local_load":
            self.events.append(Event("access", op, op.operands[0]))
        elif name == "async_copy":
            buffer = op.operands[1]
            self.events.append(Event("access", op, buffer, isWrite=True, ends=False))
            self.values[op.result] = ("copy", self.groups + 1, ((op, buffer),))
        elif name == "async_commit":
            self.groups += 1
            copies = [self.values[operand] for operand in op.operands]
            self.values[op.result] = ("group", self.groups, sum((c[2] for c in copies), ()))
        elif name == "async_wait":
            tokens = [self.values[operand] for operand in op.operands]
            in_flight = [self.groups - number for kind, number, _ in tokens if kind == "group"]
            required = min(in_flight) if in_flight else None
            self.events.append(Event("wait", op, required=required))
            for copy, buffer in (copy for token in tokens for copy in token[2]):
                self.events.append(Event("access", copy, buffer, isWrite=True, starts=False))
            self.values[op.result] = ("done", 0, ())


def paths(function: list[Op]) -> list[list[Event]] | None:
    """The executions along all paths; None if there are too many."""
    found: list[list[Event]] = []
    choices: list[int] | None = []
    while choices is not None:
        path = Path(choices)
        path.run(function)
        found.append(path.events)
        if len(found) > MOST_PATHS:
            return None
        choices = None
        for index in reversed(range(len(path.taken))):
            choice, count = path.taken[index]
            if choice + 1 < count:
                choices = [c for c, _ in path.taken[:index]] + [choice + 1]
                break
    return found


def offsets(function: list[Op]) -> dict[str, int]:
    allocs = [op for op in function if op.text.startswith("tilegpu.local_alloc")]
    return {op.result: int(op.text.split(" ")[2]) for op in allocs}
