"""Runs the output of `tilegpu-to-thread` for all threads of a program at once, with NumPy.

A value is an array whose first axis is the thread; a vector has a second axis. Only straight-line
code without memory accesses is supported: layout changes, reductions, scans, gathers.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))
TILEWRIGHT_OPT = BUILD / "bin" / "tilewright-opt"
LANES = 32

Array = NDArray[np.generic]
DTYPES: dict[str, type[np.generic]] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "!llvm.ptr<1>": np.int64,
}
UNSIGNED = {np.int8: np.uint8, np.int16: np.uint16, np.int32: np.uint32, np.int64: np.uint64}


def unsigned(values: Array) -> Array:
    return values.view(UNSIGNED.get(values.dtype.type, values.dtype.type))


@dataclass
class Operation:
    result: str
    name: str
    operands: list[str]
    properties: str
    type: str

    def dtype(self) -> type[np.generic]:
        element = re.fullmatch(r"vector<\d+x(.*)>", self.type)
        return DTYPES[element[1] if element else self.type]

    def length(self) -> int | None:
        vector = re.match(r"vector<(\d+)x", self.type)
        return int(vector[1]) if vector else None

    def property(self, pattern: str) -> str:
        found = re.search(pattern, self.properties)
        assert found, f"{pattern} in {self.properties}"
        return found[1]

    def integers(self, pattern: str) -> list[int]:
        return [int(text) for text in self.property(pattern).split(",")]


@dataclass
class Function:
    arguments: list[str] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)


def constant(op: Operation) -> Array:
    text = op.property(r"value = (?:dense<)?(.*?)(?:> : .*| : .*)?$")
    values = [{"true": 1.0, "false": 0.0}.get(word) for word in re.findall(r"[\w.+-]+", text)]
    words = re.findall(r"[\w.+-]+", text)
    numbers = [float(w) if v is None else v for w, v in zip(words, values, strict=True)]
    array = np.array(numbers).astype(op.dtype())
    length = op.length()
    return array[0] if length is None else np.broadcast_to(array, (length,))


# By predicate of arith.cmpi; those from 6 on compare unsigned numbers.
INTEGER_PREDICATES = [
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.less, np.less_equal, np.greater, np.greater_equal,
]  # fmt: skip
FLOAT_PREDICATES = {1: np.equal, 2: np.greater, 4: np.less}


def compare_integers(op: Operation, a: Array, b: Array) -> Array:
    predicate = int(op.property(r"predicate = (\d+)"))
    if predicate >= 6:
        a, b = unsigned(a), unsigned(b)
    return np.asarray(INTEGER_PREDICATES[predicate](a, b))


def select(op: Operation, condition: Array, a: Array, b: Array) -> Array:
    if condition.ndim < a.ndim:
        condition = condition[:, None]
    return np.where(condition, a, b)


def shuffle_lanes(op: Operation, value: Array, lane: Array) -> Array:
    threads = np.arange(value.shape[0])
    source = threads % LANES ^ lane if "<xor>" in op.properties else lane
    assert ((source >= 0) & (source < LANES)).all(), "a shuffle from a lane that does not exist"
    return value[threads - threads % LANES + source]


REDUCTIONS: dict[str, Callable[..., Array]] = {
    "add": lambda v: v.sum(axis=1, dtype=v.dtype),
    "minsi": lambda v: v.min(axis=1),
    "maxsi": lambda v: v.max(axis=1),
    "minui": lambda v: unsigned(v).min(axis=1).view(v.dtype),
    "maxui": lambda v: unsigned(v).max(axis=1).view(v.dtype),
    "and": lambda v: np.bitwise_and.reduce(v, axis=1),
    "or": lambda v: np.bitwise_or.reduce(v, axis=1),
    "xor": lambda v: np.bitwise_xor.reduce(v, axis=1),
}


def reduce_warp(op: Operation, value: Array) -> Array:
    kind = op.property(r"#vector\.kind<(\w+)>")
    return np.repeat(REDUCTIONS[kind](value.reshape(-1, LANES)), LANES)


def broadcast(op: Operation, a: Array) -> Array:
    return np.repeat(a.reshape(len(a), -1), op.length() or 1, axis=1)


def bitcast(op: Operation, a: Array) -> Array:
    return np.ascontiguousarray(a).view(op.dtype())


OPERATIONS: dict[str, Callable[..., Array]] = {
    "arith.addf": lambda op, a, b: a + b,
    "arith.addi": lambda op, a, b: a + b,
    "arith.andi": lambda op, a, b: a & b,
    "arith.bitcast": bitcast,
    "arith.cmpf": lambda op, a, b: FLOAT_PREDICATES[int(op.property(r"predicate = (\d+)"))](a, b),
    "arith.cmpi": compare_integers,
    "arith.extui": lambda op, a: unsigned(a).astype(op.dtype()),
    "arith.maxsi": lambda op, a, b: np.maximum(a, b),
    "arith.muli": lambda op, a, b: a * b,
    "arith.ori": lambda op, a, b: a | b,
    "arith.select": select,
    "arith.shli": lambda op, a, b: a << b,
    "arith.shrui": lambda op, a, b: (unsigned(a) >> unsigned(b)).view(a.dtype),
    "arith.subi": lambda op, a, b: a - b,
    "arith.trunci": lambda op, a: (a & 1 if op.dtype() is np.bool_ else a).astype(op.dtype()),
    "arith.xori": lambda op, a, b: a ^ b,
    "llvm.inttoptr": lambda op, a: a,
    "llvm.ptrtoint": lambda op, a: a,
    "thread.reduce": reduce_warp,
    "thread.shuffle": shuffle_lanes,
    "vector.bitcast": bitcast,
    "vector.broadcast": broadcast,
    "vector.extract": lambda op, a: a[:, op.integers(r"static_position = array<i64: (\d+)>")[0]],
    "vector.from_elements": lambda op, *elements: np.stack(elements, axis=1),
    "vector.shuffle": lambda op, a, b: np.concatenate([a, b], axis=1)[
        :, op.integers(r"mask = array<i64: ([\d, ]+)>")
    ],
}

INDICES: dict[str, Callable[[Array], Array]] = {
    "thread.id": lambda thread: thread,
    "thread.lane": lambda thread: thread % LANES,
    "thread.warp": lambda thread: thread // LANES,
}

LINE = re.compile(
    r'(?:(%\w+) = )?"(?P<name>[\w.]+)"\((?P<operands>.*?)\)'
    r"(?: \[\^bb\d+\])?(?: <\{(?P<properties>.*)\}>)? : \(.*\) -> (?P<type>.*)"
)


def parse(text: str) -> dict[str, Function]:
    """The functions of a module in generic form, by name."""
    functions: dict[str, Function] = {}
    function = Function()
    for line in map(str.strip, text.splitlines()):
        if line.startswith('"func.func"'):
            name = re.search(r'sym_name = "(\w+)"', line)
            assert name
            function = functions[name[1]] = Function()
        elif line.startswith("^bb0"):
            function.arguments = re.findall(r"(%\w+):", line)
        elif match := LINE.fullmatch(line):
            operands = re.findall(r"%\w+", match["operands"])
            function.operations.append(
                Operation(
                    match[1], match["name"], operands, match["properties"] or "", match["type"]
                )
            )
    return functions


def lower(module: str) -> dict[str, Function]:
    passes = ["--tilegpu-to-thread", "--canonicalize", "--cse"]
    command = [TILEWRIGHT_OPT, *passes, "--mlir-print-op-generic"]
    made = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return parse(made.stdout)


def run(function: Function, *arguments: Array) -> list[Array]:
    """The results; the arguments are the initial values in each thread."""
    threads = len(arguments[0])
    values = dict(zip(function.arguments, arguments, strict=True))
    for op in function.operations:
        operands = [values[name] for name in op.operands]
        if op.name == "func.return":
            return operands
        if op.name == "arith.constant":
            number = constant(op)
            values[op.result] = np.broadcast_to(number, (threads, *number.shape))
        elif op.name in INDICES:
            values[op.result] = INDICES[op.name](np.arange(threads, dtype=np.int32))
        else:
            with np.errstate(over="ignore"):
                values[op.result] = OPERATIONS[op.name](op, *operands)
    raise AssertionError("a function ends with a return")
