"""Kernels at the level of threads that copy boxes of arrays, step by step.

Step n of a kernel is line n. Shared memory has barriers in its first 128 bytes and boxes behind
them. `x` and `out` are arrays of ROWS x COLUMNS 32-bit integers, of which a box is BOX_ROWS rows.
"""

from __future__ import annotations

import struct
from typing import Any

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


def encoded(
    array: np.ndarray, rows: int = ROWS, swizzle: int = 0, address: int | None = None
) -> ByValue:
    """The tensor map of boxes of an array of i32, in the format of emulated GPUs."""
    i32, rank = 3, 2
    fields = struct.pack(
        "<IBBBBQ4Q5I5H",
        *(1, i32, rank, swizzle, 0),
        array.ctypes.data if address is None else address,
        *(LINE_BYTES, 0, 0, 0),
        *(COLUMNS - 1, rows - 1, 0, 0, 0),
        *(COLUMNS, BOX_ROWS, 0, 0, 0),
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
        maps = ", ".join(f"%{name}: !llvm.ptr {{thread.tensor_map}}" for name in ("mx", "mo", "mz"))
        body = "\n".join(self.lines)
        return f"""
module attributes {{tilegpu.target = "{target}", tilegpu.num_warps = {THREADS // 32} : i32,
                   tilegpu.shared_bytes = {SHARED_BYTES} : i32}} {{
  func.func @kernel(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, {maps})
      attributes {{tile.kernel, tilegpu.slots = array<i32: {", ".join(map(str, _SLOTS))}>}} {{
{body}
    return
  }} loc("kernel.py":1:1)
}} loc("kernel.py":1:1)
"""


def compile_steps(steps: Steps, target: str) -> Any:
    """Compiles the steps from the phase "thread" on."""
    name = target.removeprefix("emulator:").removeprefix("cuda:").removesuffix("+checks")
    module = _core.Module.parse(_core.Context(), steps.module(f"sm_{name}"))
    kind = target_kinds()[target.partition(":")[0]]
    options = {"num_warps": THREADS // 32, "start_after": "thread"}
    return _core.compile(module, target, kind.core_options(options))


def run(steps: Steps, x: np.ndarray, last: ByValue, checked: bool = True) -> np.ndarray:
    """Launches the steps, whose third map is `last`, and returns `out`."""
    made = compile_steps(steps, "emulator:cuda:90a" + ("+checks" if checked else ""))
    sites = [tuple(site) for site in made.metadata["sites"]]
    code = _core.load_emulated(made.object, made.symbol, THREADS, SHARED_BYTES, 90, checked, sites)
    out = np.zeros((ROWS, COLUMNS), np.int32)

    @tilewright.jit
    def kernel(x, out, mx, mo, mz):
        pass

    kernel._compile = lambda *request: (_Compiled("kernel", code), None)  # type: ignore
    kernel[(1,)](x, out, encoded(x), encoded(out), last)
    return out
