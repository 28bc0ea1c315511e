"""The texts and the binary of a compiled kernel, as a mapping: `kernel.asm["ptx"]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tilewright.compiler.disassembler import disassemble, find_disassembler

if TYPE_CHECKING:
    from tilewright.compiler.kernel import CompiledKernel

# Triton's names of phases, and the phases of Tilewright with the same content.
_ALIASES = {"ttir": "tile", "ttgir": "tilegpu", "llir": "llvm"}
_DISASSEMBLY = "sass"
_DISASSEMBLED = "cubin"
_ELF = b"\x7fELF"


class Assembly(Mapping[str, "str | bytes"]):
    """The texts of a kernel by phase, and its code; texts that were not kept are generated again.

    Keys are the phases ("source", "tile", "llvm", "ptx", "asm", ...; `kernel.phase_names()`) and
    Triton's names: "ttir", "ttgir" (GPU) and "llir". "cubin" is the code for an NVIDIA GPU if an
    assembler was found, "hsaco" that for an AMD GPU, "obj" the object file for the host; all are
    bytes. "sass" is the disassembly of a cubin, if the CUDA toolkit's nvdisasm is found.
    """

    def __init__(self, kernel: CompiledKernel) -> None:
        self._kernel = kernel

    def __getitem__(self, name: str) -> str | bytes:
        if name not in self:
            raise KeyError(name)
        if name == self._binary_name():
            return self._kernel.object
        if name == _DISASSEMBLY:
            return disassemble(self._kernel.object)
        return self._kernel.ir(_ALIASES.get(name, name))

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        return f"<texts of {self._kernel.name}: {', '.join(self)}>"

    def _names(self) -> list[str]:
        phases = [p for p in self._kernel.known_phases() if p != "source"]
        aliases = [alias for alias, phase in _ALIASES.items() if phase in phases]
        binary = self._binary_name()
        has_disassembly = binary == _DISASSEMBLED and find_disassembler() is not None
        names = ["source", *phases, *aliases, *([binary] if binary else [])]
        return [*names, _DISASSEMBLY] if has_disassembly else names

    def _binary_name(self) -> str:
        """The key of the code; empty if it is the text of PTX, which the driver assembles."""
        return self._kernel.code_name if self._kernel.object.startswith(_ELF) else ""
