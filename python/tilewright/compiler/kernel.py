"""A compiled kernel: machine code for one signature, and what is known about it."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from tilewright.cache.format import Entry
from tilewright.compiler import stages
from tilewright.compiler.targets import KINDS, TargetKind


class KernelAssert(NamedTuple):
    """An assertion in a kernel: what it says, and where it stands in the user's source.

    The position is that of the innermost function; the file is empty where it is not known.
    """

    message: str
    file: str
    line: int
    column: int


class CompiledKernel:
    """Machine code of one kernel for one signature.

    Attributes:
        name: The Python function's name.
        key: What names it in the cache.
        object: The code: a relocatable object file, for a GPU a cubin.
        symbol: The entry point in it.
        metadata: JSON-serialisable facts: target, options, signature, phases, and what the kind of
            target adds (`facts` in target_cpu.py, target_cuda.py).
        origin: "compiled" or "disk".
    """

    def __init__(self, key: str, entry: Entry, origin: str) -> None:
        self.key = key
        self.metadata = entry.metadata
        self.origin = origin
        self.name: str = entry.metadata["name"]
        self.symbol: str = entry.metadata["symbol"]
        self.object = entry.sections["object"]
        self._tile = entry.sections["tile"].decode()
        self._kept = entry.sections
        self._texts: dict[str, str] | None = None
        self._loaded: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        signature = ", ".join(f"{n}={v}" for n, v in self.metadata["signature"].items())
        return f"<CompiledKernel {self.name}({signature}) for {self.metadata['target']}>"

    @property
    def target(self) -> str:
        return str(self.metadata["target"])

    @property
    def scratch_bytes(self) -> int:
        """Bytes of memory that each thread needs while it runs programs of the kernel."""
        return int(self.metadata["scratch_bytes"])

    @property
    def n_regs(self) -> int:
        """Registers of 32 bits that each thread has on a GPU; 0 on the CPU."""
        return int(self.metadata.get("registers", 0))

    @property
    def n_spills(self) -> int:
        """How many times a register of 32 bits is spilt or brought back in a GPU's code."""
        return int(self.metadata.get("spill_bytes", 0)) // 4

    @property
    def shared(self) -> int:
        """Bytes of a GPU's shared memory that each program has."""
        return int(self.metadata.get("shared_bytes", 0))

    @property
    def launch_conditions(self) -> list[int]:
        """What the code assumes of a launch, as lib/Runtime/LaunchConditions.h encodes it."""
        conditions: list[int] = self.metadata["launch_conditions"]
        return conditions

    @property
    def asserts(self) -> list[KernelAssert]:
        """The assertions that are checked; the n-th, from 1, ends a program with the status n."""
        return [KernelAssert(*fields) for fields in self.metadata["asserts"]]

    @property
    def omits_asserts(self) -> bool:
        """Whether the source has assertions that were not compiled, for want of `debug=True`."""
        return bool(self.metadata["omits_asserts"])

    @property
    def phases(self) -> list[tuple[str, float]]:
        """The phases of the compilation that made it, in order, with their seconds."""
        return [(name, seconds) for name, seconds in self.metadata["phases"]]

    def ir(self, phase: str = "tile") -> str:
        """The kernel's IR as a phase left it.

        Args:
            phase: "source" (the tile IR as the front end built it), "tile", "vector", "llvm",
                "asm" (for a GPU "tile", "tilegpu", "thread", "llvm", "ptx"), or any other that
                `phase_names` tells. What was not kept is produced anew when first asked for.
        """
        if phase == "source":
            return stages.without_locations(self._tile)
        if phase in self._kept.keys() - {"tile", "object"}:
            return self._kept[phase].decode()
        texts = self._all_texts()
        if phase not in texts:
            raise ValueError(f"no phase '{phase}'; the phases are {', '.join(self.phase_names())}")
        return texts[phase]

    def phase_names(self) -> list[str]:
        """The phases that `ir` can show, in order."""
        return list(self._all_texts())

    def asm(self) -> str:
        """The assembly: the host's, for a GPU PTX."""
        return self.ir(self._kind.assembly)

    def load(self, device: str | None = None) -> Any:
        """The code where it can run, which happens once per device.

        Args:
            device: "cpu", "cuda:1"; the one at hand where none is named.

        Raises:
            DeviceError: the device is not there, or can't run code for the target.
            OutOfResourcesError: the kernel needs more than the device has.
        """
        device = self._kind.device(device)
        with self._lock:
            if device not in self._loaded:
                self._loaded[device] = self._kind.load(self, device)
            return self._loaded[device]

    def remarks(self) -> list[str]:
        """What it takes of its target's resources, for people."""
        return self._kind.remarks(self)

    @property
    def _kind(self) -> TargetKind:
        return KINDS[self.target.partition(":")[0]]

    def _all_texts(self) -> dict[str, str]:
        with self._lock:
            if self._texts is None:
                metadata = self.metadata
                self._texts = stages.all_texts(
                    self._tile, metadata["core_target"], metadata["options"]
                )
            return self._texts
