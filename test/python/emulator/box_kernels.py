"""Kernels at the level of threads that copy boxes of arrays, step by step.

Step n of a kernel is line n. Shared memory has barriers in its first 128 bytes and boxes behind
them. `x` and `out` are arrays of ROWS x COLUMNS 32-bit integers, of which a box is BOX_ROWS rows.
"""

from __future__ import annotations

import os
import struct
from typing import Any
from unittest import mock

import numpy as np
from instruction_kernels import _Compiled

import tilewright
from tilewright import _core
from tilewright.compiler.targets import target_kinds
from tilewright.language.value import ByValue

THREADS = 64
ROWS, COLUMNS, BOX_ROWS = 16, 32, 8
LINE_BYTES = 4 * COLUMNS
BOX_BYTES = BOX_ROWS * LINE_BYTES
SHARED_BYTES = 6 << 10
BOX, OTHER_BOX = 2 << 10, 4 << 10  # offsets in shared memory
_SLOTS = (0, 1, 8, 24, 40)  # of the parameters: tensor maps have 16, and begin at multiples of 8
_DATA_TYPES = {"int32": 3, "float16": 14}


def encoded(
    array: np.ndarray,
    box: tuple[int, int] = (BOX_ROWS, COLUMNS),
    rows: int = 0,
    swizzle: int = 0,
    address: int = 0,
) -> ByValue:
    """The tensor map of boxes of a matrix of i32 or float16, in the format of emulated GPUs.

    Args:
        rows, address: Others than those of the array.
    """
    rank, line = 2, array.shape[1] * array.itemsize
    fields = struct.pack(
        "<IBBBBQ4Q5I5H",
        *(1, _DATA_TYPES[array.dtype.name], rank, swizzle, 0),
        address or array.ctypes.data,
        *(line, 0, 0, 0),
        *(array.shape[1] - 1, (rows or array.shape[0]) - 1, 0, 0, 0),
        *(box[1], box[0], 0, 0, 0),
    ).ljust(112, b"\0")
    total = 0xCBF29CE484222325
    for byte in fields:
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return ByValue(struct.pack("<QQ", 0x50414D5253544C54, total) + fields)


class Steps:
    """The operations of a kernel. The line numbers of findings are those of `at`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.at(1)
        self.shared = self.value("thread.shared_memory")
        id = self.value("thread.id")
        self.first = self.value(f"arith.cmpi eq, {id}, {self.number(0)} : i32")
        self.index = self.value(f"arith.muli {id}, {self.number(4)} : i32")

    def at(self, line: int) -> Steps:
        self.line = line
        return self

    def add(self, text: str) -> None:
        self.lines.append(f'    {text} loc("kernel.py":{self.line}:1)')

    def value(self, text: str) -> str:
        self.count += 1
        self.add(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def number(self, value: int) -> str:
        return self.value(f"arith.constant {value} : i32")

    def offset(self, bytes: int) -> str:
        return self.value(
            f"llvm.getelementptr {self.shared}[{bytes}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8"
        )

    def words(self, base: str, space: int) -> str:
        """The address of the thread's four words behind `base`."""
        pointer = f"!llvm.ptr<{space}>"
        return self.value(
            f"llvm.getelementptr {base}[{self.index}] : ({pointer}, i32) -> {pointer}, i32"
        )

    def load(self, address: str, space: int) -> str:
        return self.value(
            f"llvm.load {address} {{alignment = 16 : i64}} : !llvm.ptr<{space}> -> vector<4xi32>"
        )

    def store(self, value: str, address: str, space: int) -> None:
        self.add(
            f"llvm.store {value}, {address} {{alignment = 16 : i64}} : "
            f"vector<4xi32>, !llvm.ptr<{space}>"
        )

    def on_first(self, *texts: str) -> None:
        """Operations of the first thread alone."""
        self.lines.append(f"    scf.if {self.first} {{")
        for text in texts:
            self.add(text)
        self.add("}")

    def module(self, target: str = "sm_90a") -> str:
        return module_of("\n".join(self.lines), THREADS, SHARED_BYTES, target)


def module_of(body: str, threads: int, shared_bytes: int, target: str = "sm_90a") -> str:
    """A kernel of the arrays %x and %out and the tensor maps %mx, %mo and %mz."""
    maps = ", ".join(f"%{name}: !llvm.ptr {{thread.tensor_map}}" for name in ("mx", "mo", "mz"))
    return f"""
module attributes {{tilegpu.target = "{target}", tilegpu.num_warps = {threads // 32} : i32,
                   tilegpu.shared_bytes = {shared_bytes} : i32}} {{
  func.func @kernel(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, {maps})
      attributes {{tile.kernel, tilegpu.slots = array<i32: {", ".join(map(str, _SLOTS))}>}} {{
{body}
    return
  }} loc("kernel.py":1:1)
}} loc("kernel.py":1:1)
"""


def compile_module(text: str, target: str, threads: int = THREADS) -> Any:
    """Compiles a module from the phase "thread" on."""
    module = _core.Module.parse(_core.Context(), text)
    kind = target_kinds()[target.partition(":")[0]]
    options = {"num_warps": threads // 32, "start_after": "thread"}
    with mock.patch.dict(os.environ):
        # The terminators of regions have no source location.
        os.environ.pop("TILEWRIGHT_VERIFY_LOCATIONS", None)
        return _core.compile(module, target, kind.core_options(options))


def compile_steps(steps: Steps, target: str) -> Any:
    return compile_module(steps.module("sm_" + target.removeprefix("cuda:")), target)


def execute(
    text: str,
    arguments: tuple[Any, ...],
    checked: bool = True,
    threads: int = THREADS,
    shared_bytes: int = SHARED_BYTES,
    programs: int = 1,
) -> None:
    """Launches a module on two arrays and three tensor maps."""
    made = compile_module(text, "emulator:cuda:90a" + ("+checks" if checked else ""), threads)
    sites = [tuple(site) for site in made.metadata["sites"]]
    code = _core.load_emulated(made.object, made.symbol, threads, shared_bytes, 90, checked, sites)

    @tilewright.jit
    def kernel(x, out, mx, mo, mz):
        pass

    kernel._compile = lambda *request: (_Compiled("kernel", code), None)  # type: ignore
    kernel[(programs,)](*arguments)


def run(steps: Steps, x: np.ndarray, last: ByValue, checked: bool = True) -> np.ndarray:
    """Launches the steps, whose third map is `last`, and returns `out`."""
    out = np.zeros((ROWS, COLUMNS), np.int32)
    execute(steps.module(), (x, out, encoded(x), encoded(out), last), checked)
    return out
