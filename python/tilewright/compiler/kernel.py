"""A compiled kernel: machine code for one signature, and what is known about it."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from tilewright.cache.format import Entry
from tilewright.compiler import stages
from tilewright.compiler.core import core
from tilewright.compiler.targets import check_runnable


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
        object: The code, a relocatable object file.
        symbol: The entry point in it.
        metadata: JSON-serialisable facts: target, options, signature, scratch_bytes, phases.
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
        self._texts: dict[str, str] | None = None
        self._loaded: Any = None
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
                "asm", or any other that `phase_names` tells. All but the first are produced anew
                when one of them is first asked for.
        """
        if phase == "source":
            return stages.without_locations(self._tile)
        texts = self._all_texts()
        if phase not in texts:
            raise ValueError(f"no phase '{phase}'; the phases are {', '.join(self.phase_names())}")
        return texts[phase]

    def phase_names(self) -> list[str]:
        """The phases that `ir` can show, in order."""
        return list(self._all_texts())

    def asm(self) -> str:
        """The host assembly."""
        return self._all_texts()["asm"]

    def load(self) -> Any:
        """The code linked into this process, once.

        Raises:
            DeviceError: this processor lacks instructions that the target has.
        """
        with self._lock:
            if self._loaded is None:
                check_runnable(self.target)
                self._loaded = core().load(self.object, self.symbol, self.scratch_bytes)
            return self._loaded

    def _all_texts(self) -> dict[str, str]:
        with self._lock:
            if self._texts is None:
                metadata = self.metadata
                self._texts = stages.all_texts(
                    self._tile, metadata["core_target"], metadata["options"]
                )
            return self._texts
