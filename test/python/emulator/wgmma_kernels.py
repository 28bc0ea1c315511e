"""Kernels of one warp group that execute wgmma instructions in inline assembly.

The threads copy `memory` to shared memory and read their accumulators; then they execute the lines
that a test gives, and write the accumulators. The module has the form of the phase "llvm".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from instruction_kernels import _Compiled, _launch

from tilewright import _core
from tilewright.compiler.targets import target_kinds

THREADS = 128
SHARED_BYTES = 96 << 10
_FILE = '"kernel.py"'
_DEBUG_INFO = """
#file = #llvm.di_file<"kernel.py" in "">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_Python, file = #file,
  isOptimized = true, emissionKind = LineTablesOnly>
#subprogram = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #file,
  name = "kernel", file = #file, line = 1, scopeLine = 1, subprogramFlags = "Definition|Optimized",
  type = #llvm.di_subroutine_type<>>
"""


@dataclass
class Registers:
    """The accumulators, as one value of a structure type."""

    count: int
    type: str  # "f32" or "i32"

    @property
    def letter(self) -> str:
        return "f" if self.type == "f32" else "r"

    @property
    def struct(self) -> str:
        return f"!llvm.struct<({', '.join([self.type] * self.count)})>"


@dataclass
class Body:
    """The lines of a kernel. The line numbers of findings are those of `at`."""

    accumulators: Registers
    lines: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)  # the current accumulators
    count: int = 0
    line: int = 1

    def at(self, line: int) -> Body:
        self.line = line
        return self

    def add(self, text: str) -> None:
        self.lines.append(f"    {text} loc({_FILE}:{self.line}:1)")

    def value(self, text: str) -> str:
        self.count += 1
        self.add(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value: int, type: str = "i64") -> str:
        return self.value(f"llvm.mlir.constant({value} : {type}) : {type}")

    def assembly(self, text: str) -> None:
        """Executes a text without operands."""
        self.add(f'llvm.inline_asm has_side_effects "{text}", "" : () -> ()')

    def with_accumulators(
        self, text: str, operands: list[tuple[str, str, str]], tie_last: bool = True
    ) -> None:
        """Executes a text whose results are the accumulators, which are tied to operands.

        Args:
            operands: The value, the constraint and the type of each other operand.
        """
        registers = self.accumulators
        outputs = [f"={registers.letter}"] * registers.count
        ties = [str(i) for i in range(registers.count)]
        own = [constraint for _, constraint, _ in operands]
        constraints = ",".join([*outputs, *(own + ties if tie_last else ties + own)])
        given = [value for value, _, _ in operands]
        types = [type for _, _, type in operands]
        tied_types = [registers.type] * registers.count
        values = given + self.values if tie_last else self.values + given
        all_types = types + tied_types if tie_last else tied_types + types
        result = registers.struct if registers.count > 1 else registers.type
        made = self.value(
            f'llvm.inline_asm has_side_effects asm_dialect = att "{text}", "{constraints}" '
            f"{', '.join(values)} : ({', '.join(all_types)}) -> {result}"
        )
        self.values = [
            self.value(f"llvm.extractvalue {made}[{i}] : {result}") for i in range(registers.count)
        ]

    def wait(self, groups: int) -> None:
        self.with_accumulators(f"wgmma.wait_group.sync.aligned {groups};", [])

    def barrier(self) -> None:
        self.add("nvvm.barrier0")

    def address(self, base: str, index: str, space: int = 1) -> str:
        pointer = f"!llvm.ptr<{space}>"
        return self.value(
            f"llvm.getelementptr {base}[{index}] : ({pointer}, i64) -> {pointer}, i32"
        )

    def load(self, address: str, type: str = "i32", space: int = 1) -> str:
        return self.value(f"llvm.load {address} : !llvm.ptr<{space}> -> {type}")

    def store(self, value: str, address: str, type: str = "i32", space: int = 1) -> None:
        self.add(f"llvm.store {value}, {address} : {type}, !llvm.ptr<{space}>")

    def descriptor(self, bits: int) -> str:
        """A descriptor whose start is an offset in shared memory."""
        base = self.value("llvm.ptrtoint %shared : !llvm.ptr<3> to i32")
        masked = self.value(f"llvm.and {base}, {self.constant(0x3FFFF, 'i32')} : i32")
        encoded = self.value(f"llvm.lshr {masked}, {self.constant(4, 'i32')} : i32")
        wide = self.value(f"llvm.zext {encoded} : i32 to i64")
        signed = bits - (1 << 64) if bits >= 1 << 63 else bits
        return self.value(f"llvm.add {wide}, {self.constant(signed)} : i64")

    def begin(self, early_fence: bool = False) -> None:
        """Fills shared memory, and reads the accumulators."""
        if early_fence:
            self.assembly("fence.proxy.async.shared::cta;")
        self.add("%shared = llvm.mlir.addressof @tilewright_shared : !llvm.ptr<3>")
        self.add("%tid = nvvm.read.ptx.sreg.tid.x : i32")
        self.add("%thread = llvm.zext %tid : i32 to i64")
        base = self.value(f"llvm.mul %thread, {self.constant(SHARED_BYTES // 4 // THREADS)} : i64")
        self.fill_shared(base)
        first = self.value(f"llvm.mul %thread, {self.constant(self.accumulators.count)} : i64")
        for i in range(self.accumulators.count):
            at = self.value(f"llvm.add {first}, {self.constant(i)} : i64")
            self.values.append(self.load(self.address("%in", at), self.accumulators.type))

    def fill_shared(self, base: str) -> None:
        """Copies the thread's part of `memory` with a loop."""
        none, step = self.constant(0), self.constant(4)
        size = self.constant(SHARED_BYTES // 4 // THREADS)
        self.add(f"llvm.br ^loop({none} : i64)")
        self.lines.append("  ^loop(%i: i64):")
        at = self.value(f"llvm.add {base}, %i : i64")
        value = self.load(self.address("%memory", at), "vector<4xi32>")
        self.store(value, self.address("%shared", at, 3), "vector<4xi32>", 3)
        following = self.value(f"llvm.add %i, {step} : i64")
        more = self.value(f'llvm.icmp "ult" {following}, {size} : i64')
        self.add(f"llvm.cond_br {more}, ^loop({following} : i64), ^done")
        self.lines.append("  ^done:")

    def end(self) -> str:
        """Writes the accumulators, and returns the module."""
        first = self.value(f"llvm.mul %thread, {self.constant(self.accumulators.count)} : i64")
        for i, value in enumerate(self.values):
            at = self.value(f"llvm.add {first}, {self.constant(i)} : i64")
            self.store(value, self.address("%out", at), self.accumulators.type)
        parameters = ", ".join(f"%{name}: !llvm.ptr<1>" for name in ("in", "out", "memory"))
        body = "\n".join(self.lines)
        return f"""{_DEBUG_INFO}
module attributes {{tilegpu.shared_bytes = {SHARED_BYTES} : i32}} {{
  llvm.mlir.global external @tilewright_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}}
      : !llvm.array<0 x i8>
  llvm.func @kernel({parameters})
      attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {THREADS}>}} {{
{body}
    llvm.return
  }} loc(fused<#subprogram>[{_FILE}:1:1])
}}
"""


def run(
    text: str, accumulators: np.ndarray, memory: np.ndarray, target: str = "emulator:cuda:90a"
) -> np.ndarray:
    """The accumulators of each thread, [THREADS, registers], that the module writes."""
    module = _core.Module.parse(_core.Context(), text)
    options: dict[str, Any] = {"num_warps": 4, "start_after": "llvm"}
    made = _core.compile(
        module, target, target_kinds()[target.partition(":")[0]].core_options(options)
    )
    sites = [tuple(site) for site in made.metadata["sites"]]
    checked = target.endswith("+checks")
    code = _core.load_emulated(made.object, made.symbol, THREADS, SHARED_BYTES, 90, checked, sites)
    out = np.zeros_like(accumulators)
    given = np.zeros(SHARED_BYTES, np.uint8)
    given[: memory.nbytes] = memory.view(np.uint8).ravel()
    _launch(_Compiled("kernel", code), 1, accumulators, out, given)
    return out
