"""Kernels of one instruction: each lane reads its operands, executes it, and writes its results.

The same module in the LLVM dialect is compiled for a GPU and for the emulator, so that their
results can be compared bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tilewright
from tilewright import _core
from tilewright.compiler.targets import target_kinds

LANES = 32
_BITS = {
    "i1": 1,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
}
_BITS |= {"vector<2xf16>": 32, "vector<2xbf16>": 32}
_ALIGNED = "{alignment = 8 : i64}"
SHARED = "shared"  # the type of an operand that is an offset into shared memory


@dataclass(frozen=True)
class Form:
    """An LLVM intrinsic with its types.

    Attributes:
        intrinsic: The name with the overloaded types.
        operands, results: Types of the LLVM dialect; an operand "i32=31" is that constant.
        shared: The size of shared memory in bytes, which is initialized from `memory`.
    """

    intrinsic: str
    operands: tuple[str, ...]
    results: tuple[str, ...]
    shared: int = 0

    @property
    def variables(self) -> list[str]:
        """The operands that are not constants."""
        return [operand for operand in self.operands if "=" not in operand]


class _Text:
    """The lines of a function's body."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def value(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"    %{self.count} = {text}")
        return f"%{self.count}"

    def constant(self, value: int, type: str = "i64") -> str:
        return self.value(f"llvm.mlir.constant({value} : {type}) : {type}")

    def address(self, base: str, index: str, space: int = 1, element: str = "i64") -> str:
        pointer = f"!llvm.ptr<{space}>"
        return self.value(
            f"llvm.getelementptr {base}[{index}] : ({pointer}, i64) -> {pointer}, {element}"
        )

    def from_slot(self, slot: str, type: str) -> str:
        if type == "i64":
            return slot
        narrow = slot
        if _BITS[type] < 64:
            narrow = self.value(f"llvm.trunc {slot} : i64 to i{_BITS[type]}")
        if type == f"i{_BITS[type]}":
            return narrow
        return self.value(f"llvm.bitcast {narrow} : i{_BITS[type]} to {type}")

    def to_slot(self, value: str, type: str) -> str:
        bits = _BITS[type]
        if type != f"i{bits}":
            value = self.value(f"llvm.bitcast {value} : {type} to i{bits}")
        return value if bits == 64 else self.value(f"llvm.zext {value} : i{bits} to i64")


def module_of(form: Form) -> str:
    """The module, in the form that it has after the phase "llvm"."""
    text = _Text()
    lane = text.value("nvvm.read.ptx.sreg.tid.x : i32")
    program = text.value("nvvm.read.ptx.sreg.ctaid.x : i32")
    size = text.constant(LANES, "i32")
    first = text.value(f"llvm.mul {program}, {size} : i32")
    thread = text.value(f"llvm.zext {text.value(f'llvm.add {first}, {lane} : i32')} : i32 to i64")
    shared = _fill_shared(text, form, text.value(f"llvm.zext {lane} : i32 to i64"))
    values = _read(text, form, thread, shared)
    types = [_type_of(operand) for operand in form.operands]
    results = form.results
    returned = (
        f"!llvm.struct<({', '.join(results)})>" if len(results) > 1 else (results or ("()",))[0]
    )
    call = f'llvm.call_intrinsic "{form.intrinsic}"({", ".join(values)}) : ({", ".join(types)}) -> '
    if not results:
        text.lines.append(f"    {call}()")
    else:
        _write(text, form, thread, text.value(call + returned), returned)
    if form.shared:
        _write_shared(text, form, lane)
    body = "\n".join(text.lines)
    parameters = ", ".join(f"%{name}: !llvm.ptr<1>" for name in ("in", "out", "memory"))
    return f"""
module attributes {{tilegpu.shared_bytes = {form.shared} : i32}} {{
  llvm.mlir.global external @tilewright_shared() {{addr_space = 3 : i32, alignment = 128 : i64}}
      : !llvm.array<0 x i8>
  llvm.func @kernel({parameters})
      attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {LANES}>}} {{
{body}
    llvm.return
  }}
}}
"""


def _type_of(operand: str) -> str:
    return "!llvm.ptr<3>" if operand == SHARED else operand.partition("=")[0]


def _read(text: _Text, form: Form, thread: str, shared: str) -> list[str]:
    width = text.constant(max(1, len(form.variables)))
    base = text.value(f"llvm.mul {thread}, {width} : i64")
    values, index = [], 0
    for operand in form.operands:
        type, constant, number = operand.partition("=")
        if constant:
            values.append(text.constant(int(number), type))
            continue
        at = text.value(f"llvm.add {base}, {text.constant(index)} : i64")
        slot = text.value(f"llvm.load {text.address('%in', at)} {_ALIGNED} : !llvm.ptr<1> -> i64")
        index += 1
        is_address = operand == SHARED
        values.append(
            text.address(shared, slot, 3, "i8") if is_address else text.from_slot(slot, type)
        )
    return values


def _write(text: _Text, form: Form, thread: str, result: str, type: str) -> None:
    base = text.value(f"llvm.mul {thread}, {text.constant(len(form.results))} : i64")
    for index, element in enumerate(form.results):
        value = result
        if len(form.results) > 1:
            value = text.value(f"llvm.extractvalue {result}[{index}] : {type}")
        at = text.value(f"llvm.add {base}, {text.constant(index)} : i64")
        slot = text.to_slot(value, element)
        text.lines.append(
            f"    llvm.store {slot}, {text.address('%out', at)} {_ALIGNED} : i64, !llvm.ptr<1>"
        )


def _fill_shared(text: _Text, form: Form, lane: str) -> str:
    """Copies `memory` to shared memory, one 64-bit word of each lane at a time."""
    if not form.shared:
        return ""
    shared = text.value("llvm.mlir.addressof @tilewright_shared : !llvm.ptr<3>")
    for word in range(0, form.shared // 8, LANES):
        at = text.value(f"llvm.add {lane}, {text.constant(word)} : i64")
        value = text.value(
            f"llvm.load {text.address('%memory', at)} {_ALIGNED} : !llvm.ptr<1> -> i64"
        )
        text.lines.append(
            f"    llvm.store {value}, {text.address(shared, at, 3)} {_ALIGNED} : i64, !llvm.ptr<3>"
        )
    text.lines.append("    nvvm.barrier0")
    return shared


def _write_shared(text: _Text, form: Form, lane: str) -> None:
    """Copies shared memory of the first program back to `memory`."""
    text.lines.append("    nvvm.barrier0")
    wide = text.value(f"llvm.zext {lane} : i32 to i64")
    shared = text.value("llvm.mlir.addressof @tilewright_shared : !llvm.ptr<3>")
    for word in range(0, form.shared // 8, LANES):
        at = text.value(f"llvm.add {wide}, {text.constant(word)} : i64")
        value = text.value(
            f"llvm.load {text.address(shared, at, 3)} {_ALIGNED} : !llvm.ptr<3> -> i64"
        )
        text.lines.append(
            f"    llvm.store {value}, {text.address('%memory', at)} {_ALIGNED} : i64, !llvm.ptr<1>"
        )


#
# Running
#


class _Compiled:
    """A stand-in for a compiled kernel that a launch loads."""

    launch_conditions: tuple[int, ...] = ()
    written_slots: tuple[int, ...] = ()
    asserts: tuple[Any, ...] = ()

    def __init__(self, name: str, loaded: Any) -> None:
        self.name = name
        self.loaded = loaded

    def load(self, device: str) -> Any:
        return self.loaded


def _launch(code: Any, programs: int, *arrays: Any) -> None:
    @tilewright.jit
    def kernel(inputs, out, memory):
        pass

    kernel._compile = lambda *request: (code, None)  # type: ignore[method-assign]
    kernel[(programs,)](*arrays)


def _compile(form: Form, target: str) -> Any:
    module = _core.Module.parse(_core.Context(), module_of(form))
    options = {"num_warps": 1, "start_after": "llvm"}
    return _core.compile(
        module, target, target_kinds()[target.partition(":")[0]].core_options(options)
    )


def _arrays(form: Form, inputs: np.ndarray, memory: np.ndarray | None) -> list[np.ndarray]:
    programs = len(inputs) // LANES
    out = np.zeros((programs * LANES, max(1, len(form.results))), np.uint64)
    given = np.zeros(1, np.uint64) if memory is None else memory.copy()
    return [np.ascontiguousarray(inputs, np.uint64), out, given]


def emulate(
    form: Form, inputs: np.ndarray, memory: np.ndarray | None = None, arch: str = "90a"
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the results and the final contents of shared memory.

    Args:
        inputs: One row of slots (uint64) for each lane of each program.
        memory: The initial contents of shared memory, as 64-bit words.
    """
    made = _compile(form, f"emulator:cuda:{arch}")
    sites = [tuple(site) for site in made.metadata["sites"]]
    number = int(arch.rstrip("a"))
    code = _core.load_emulated(made.object, made.symbol, LANES, form.shared, number, False, sites)
    arrays = _arrays(form, inputs, memory)
    _launch(_Compiled("kernel", code), len(inputs) // LANES, *arrays)
    return arrays[1], arrays[2]


def execute(
    form: Form, inputs: np.ndarray, memory: np.ndarray | None = None, arch: str = "90a"
) -> tuple[np.ndarray, np.ndarray]:
    """Does the same on the GPU of this machine."""
    import torch

    made = _compile(form, f"cuda:{arch}")
    code = _core.load_cuda("kernel", made.object, made.symbol, 0, LANES, form.shared)
    arrays = [torch.from_numpy(x.view(np.int64)).cuda() for x in _arrays(form, inputs, memory)]
    _launch(_Compiled("kernel", code), len(inputs) // LANES, *arrays)
    return tuple(x.cpu().numpy().view(np.uint64) for x in arrays[1:])  # type: ignore[return-value]


def slots(values: np.ndarray | Sequence[Any], dtype: Any = None) -> np.ndarray:
    """Converts values of up to 64 bits to slots."""
    array = np.asarray(values, dtype)
    return array.view(f"u{array.itemsize}").astype(np.uint64)
