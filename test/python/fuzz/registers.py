"""Inline assembly in NumPy: executes its text on the registers that hold the elements of tiles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from instructions import BY_NAME, NARROWING
from tiles import DType, Tile, lift, to_bfloat16

_UNITS = {"r": np.int32, "l": np.int64, "h": np.int16, "f": np.float32, "d": np.float64}
_LETTERS = {"h": "u2", "r": "u4", "f": "u4", "l": "u8", "d": "u8"}


def inline_asm_elementwise(
    asm: str, constraints: str, args: Any, dtype: Any, is_pure: bool, pack: int, cpu: Any = None
) -> Any:
    """Consecutive elements form a group: which do so is not specified, and must not matter."""
    values = [lift(x) for x in args]
    shape = np.broadcast_shapes(*(x.shape for x in values))
    count = int(np.prod(shape))
    types = [DType(x) for x in (dtype if isinstance(dtype, tuple) else (dtype,))]
    letters = [part.strip("=&") for part in constraints.split(",")]
    outputs = [len(_registers(np.zeros(1, _raw(t)), pack)) for t in types]
    machine = _Machine()
    at = sum(outputs)
    for value in values:
        whole = np.broadcast_to(value.exact(), shape).reshape(-1)
        for register in _registers(_stored(value.dtype, whole), pack):
            machine.known[f"${at}"] = register.astype(_LETTERS[letters[at]])
            at += 1
    machine.run(asm)
    results, at = [], 0
    for type_, many in zip(types, outputs, strict=True):
        found = [machine.known[f"${at + i}"] for i in range(many)]
        results.append(Tile(type_, _elements(found, type_, pack)[:count].reshape(shape)))
        at += many
    return tuple(results) if isinstance(dtype, tuple) else results[0]


# Elements and registers


def _raw(dtype: DType) -> str:
    return f"u{dtype.bits // 8}"


def _stored(dtype: DType, values: np.ndarray) -> np.ndarray:
    """The bits of the elements."""
    if dtype == "bfloat16":
        return (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(values).view(_raw(dtype))


def _registers(bits: np.ndarray, pack: int) -> list[np.ndarray]:
    """The registers of all groups: element i of each is of group i."""
    groups = -(-bits.size // pack)
    padded = np.concatenate([bits, np.repeat(bits[-1:], groups * pack - bits.size)])
    lanes = min(max(4 // bits.itemsize, 1), pack)
    rows = padded.reshape(groups, pack // lanes, lanes)
    if lanes * bits.itemsize < 4:
        return [rows[:, i, 0] for i in range(pack)]
    packed = np.ascontiguousarray(rows).view(f"u{lanes * bits.itemsize}")
    return [packed[:, i, 0] for i in range(pack // lanes)]


def _elements(registers: list[np.ndarray], dtype: DType, pack: int) -> np.ndarray:
    width = dtype.bits // 8
    lanes = min(max(4 // width, 1), pack)
    stacked = np.stack(registers, 1).astype(f"u{max(width, lanes * width)}")
    bits = np.ascontiguousarray(stacked).view(_raw(dtype)).reshape(-1)
    if dtype == "bfloat16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return bits.view(dtype.stored)


# Instructions


class _Machine:
    """Attributes:
    known: The bits of each register, by name; predicates as booleans.
    """

    def __init__(self) -> None:
        self.known: dict[str, np.ndarray] = {}

    def run(self, text: str) -> None:
        for line in text.strip("{} \n").split(";"):
            words = re.split(r"[ ,]+", line.strip())
            if words[0] and not words[0].startswith(".reg"):
                self.step(words[0], words[1:])

    def step(self, name: str, operands: list[str]) -> None:
        target, *sources = operands
        if name.startswith("mov"):
            self.known[target] = self.known[sources[0]]
            return
        if name in NARROWING.values():
            self.known[target] = self.narrowed(name, *sources)
            return
        instruction = BY_NAME[name]
        pairs = zip(instruction.operands, sources, strict=True)
        with np.errstate(all="ignore"):
            result = instruction.numpy(*(self.read(kind, source) for kind, source in pairs))
        self.known[target] = _bits(instruction.result, np.asarray(result))

    def read(self, kind: str, source: str) -> Any:
        if kind == "n":
            return int(source, 0)
        bits = self.known[source]
        if kind == "p":
            return bits
        if kind in "xy":
            halves = np.ascontiguousarray(bits.astype(np.uint32)).view(np.uint16).reshape(-1, 2)
            if kind == "x":
                return halves.view(np.float16)
            return (halves.astype(np.uint32) << 16).view(np.float32)
        type_ = np.dtype(_UNITS[kind])
        return np.ascontiguousarray(bits.astype(f"u{type_.itemsize}")).view(type_)

    def narrowed(self, name: str, upper: str, lower: str) -> np.ndarray:
        pair = np.stack([self.read("f", lower), self.read("f", upper)], 1)
        kind = "x" if "f16x2" in name and "bf16" not in name else "y"
        with np.errstate(all="ignore"):
            return _bits(kind, pair.astype(np.float16) if kind == "x" else to_bfloat16(pair))


def _bits(kind: str, result: np.ndarray) -> np.ndarray:
    if kind == "p":
        return result
    result = np.ascontiguousarray(result)
    if kind == "x":
        return result.view(np.uint32)[:, 0]
    if kind == "y":
        return np.ascontiguousarray((result.view(np.uint32) >> 16).astype(np.uint16)).view(
            np.uint32
        )[:, 0]
    return result.view(f"u{result.dtype.itemsize}")


def names() -> dict[str, Any]:
    return {"inline_asm_elementwise": inline_asm_elementwise}
