"""A compiled kernel: machine code for one signature, with its metadata."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tilewright import knobs
from tilewright.cache.format import Entry
from tilewright.compiler import stages
from tilewright.compiler.assembly import Assembly
from tilewright.compiler.kernel_attributes import KernelAttributes, handles_of
from tilewright.compiler.metadata import KernelMetadata
from tilewright.compiler.sources import ASTSource
from tilewright.compiler.streams import on_stream
from tilewright.compiler.targets import TargetKind, target_kinds
from tilewright.errors import LaunchError

if TYPE_CHECKING:
    from tilewright.compiler.direct_launch import DirectLauncher


class KernelAssert(NamedTuple):
    """An assertion in a kernel: its message and its position in the user's source.

    The position is that in the innermost function; the file is empty if it is unknown.
    """

    message: str
    file: str
    line: int
    column: int


class _Runtime:
    """What a kernel has in this process; a copy in another process starts without it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.texts: dict[str, str] | None = None
        self.loaded: dict[str, Any] = {}
        self.launcher: DirectLauncher | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _Runtime, ()


class CompiledKernel(KernelAttributes):
    """Machine code of one kernel for one signature. It can be pickled.

    `compiled[grid](*arguments)` launches it, with all arguments by position or with all but the
    constants. It refuses arguments of other types, constants or alignments than it was compiled
    for. For arrays that share memory, and for larger ranges, it compiles a variant of itself.

    Attributes:
        name: The name of the kernel, as profilers show it.
        key: Its key in the cache.
        object: The code: a relocatable object file, or a cubin for a GPU.
        symbol: The entry point of the code.
        src: The @jit function, and what it was compiled for.
        metadata: JSON-serializable metadata: target, options, signature, phases, checked accesses,
            and what the kind of target adds (include/tilewright/Pipeline/Cpu.h, Cuda.h and
            Emulator.h); and by attribute what metadata.py lists.
        origin: "compiled" or "disk".
    """

    def __init__(self, key: str, entry: Entry, origin: str, src: ASTSource | None = None) -> None:
        self.key = key
        self.src = src
        self._metadata = KernelMetadata(entry.metadata)
        self.origin = origin
        self.name: str = entry.metadata["name"]
        self.symbol: str = entry.metadata["symbol"]
        self.object = entry.sections["object"]
        self._source_ir = entry.sections["source"].decode()
        self._kept = entry.sections
        self._runtime = _Runtime()

    def __repr__(self) -> str:
        signature = ", ".join(f"{n}={v}" for n, v in self.metadata["signature"].items())
        return f"<CompiledKernel {self.name}({signature}) for {self.metadata['target']}>"

    @property
    def metadata(self) -> KernelMetadata:
        # A property, because Inductor's copies have an item `metadata` of another type in __dict__.
        return self._metadata

    @property
    def target(self) -> str:
        return str(self.metadata["target"])

    @property
    def runs_on_host(self) -> bool:
        return self._kind.device_kind == "cpu"

    @property
    def scratch_bytes(self) -> int:
        """Bytes of scratch memory that each host thread needs to run the kernel's programs."""
        return int(self.metadata.get("scratch_bytes", 0))

    @property
    def n_regs(self) -> int:
        """32-bit registers per thread on a GPU; 0 on the CPU."""
        return int(self.metadata.get("registers", 0))

    @property
    def n_spills(self) -> int:
        """The number of spills and reloads of 32-bit registers in a GPU's code."""
        return int(self.metadata.get("spill_bytes", 0)) // 4

    @property
    def shared(self) -> int:
        """Bytes of shared memory per program on a GPU."""
        return int(self.metadata.get("shared_bytes", 0))

    @property
    def launch_conditions(self) -> list[int]:
        """What the code assumes of a launch; include/tilewright/Runtime/LaunchConditions.h."""
        conditions: list[int] = self.metadata["launch_conditions"]
        return conditions

    @property
    def tensor_maps(self) -> list[int]:
        """The tensor maps that each launch makes for the code, a GPU's; encoded as in
        include/tilewright/Runtime/TensorMapParameters.h.
        """
        maps: list[int] = self.metadata.get("tensor_maps", [])
        return maps

    @property
    def written_slots(self) -> list[int]:
        """The indices of the launch's arguments whose memory the code may write."""
        slots: list[int] = self.metadata["written_slots"]
        return slots

    @property
    def asserts(self) -> list[KernelAssert]:
        """The assertions that are checked, in the order of the numbers that the code reports."""
        return [KernelAssert(*fields) for fields in self.metadata.get("asserts", ())]

    @property
    def omits_asserts(self) -> bool:
        """Whether the source has assertions that were not compiled because debug was off."""
        return bool(self.metadata["omits_asserts"])

    @property
    def phases(self) -> list[tuple[str, float]]:
        """The phases of the compilation, in order, with their durations in seconds."""
        return [(name, seconds) for name, seconds in self.metadata["phases"]]

    def ir(self, phase: str = "tile") -> str:
        """The kernel's IR after a phase.

        Args:
            phase: "source" (the Tile IR that the front end built), "tile", "vector", "llvm", "asm"
                (for a GPU "tile", "tilegpu", "thread", "llvm", "ptx"), or any other of
                `phase_names`. IR that was not kept is regenerated on first use.

        Raises:
            ValueError: The target has no such phase.
        """
        if phase == "source":
            return stages.without_locations(self._source_ir)
        if phase in self._kept.keys() - {"source", "object"}:
            return self._kept[phase].decode()
        texts = self._all_texts()
        if phase not in texts:
            raise ValueError(f"no phase '{phase}'; the phases are {', '.join(self.phase_names())}")
        return texts[phase]

    def source_text(self) -> str:
        """The Tile IR that the front end built, with locations."""
        return self._source_ir

    def phase_names(self) -> list[str]:
        """The phases that `ir` accepts, in order."""
        return list(self._all_texts())

    def known_phases(self) -> list[str]:
        """The phases of the kind of target, in order."""
        return self._kind.phases

    @property
    def code_name(self) -> str:
        """What the machine code is called: "obj", "cubin", ..."""
        return self._kind.code_name

    def assembly(self) -> str:
        """The text of the assembly: the host's, or PTX for a GPU."""
        return self.ir(self._kind.assembly)

    @property
    def asm(self) -> Assembly:
        """The texts by phase, and the code: `asm["ptx"]`; see assembly.py."""
        return Assembly(self)

    def load(self, device: str | None = None) -> Any:
        """Loads the code on a device, once per device, and returns the loaded kernel.

        Args:
            device: "cpu", "cuda:1"; by default the current device.

        Raises:
            DeviceError: The device does not exist, or can't run code for the target.
            OutOfResourcesError: The kernel needs more resources than the device has.
        """
        device = self._kind.device(device)
        with self._runtime.lock:
            if device not in self._runtime.loaded:
                knobs.runtime.kernel_load_start_hook(None, None, self.name, {}, self.key)
                loaded = self._runtime.loaded[device] = self._kind.load(self, device)
                knobs.runtime.kernel_load_end_hook(*handles_of(loaded), self.name, {}, self.key)
            return self._runtime.loaded[device]

    # Launching

    @property
    def source(self) -> ASTSource:
        """`src`, which kernels from launches and from `compile` have.

        Raises:
            LaunchError: The kernel has no source.
        """
        source: ASTSource | None = self.src
        if source is None or source.fn is None:
            raise LaunchError(f"{self.name} can't be launched: it has no function")
        return source

    def set_source(self, source: ASTSource) -> None:
        """Sets `src`, which must describe the same code."""
        with self._runtime.lock:
            self.src = source
            self._runtime.launcher = None

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        """A function that launches the kernel: `compiled[grid](*arguments, stream=None)`."""

        def launch(*args: Any, stream: int | None = None) -> None:
            with on_stream(None if self.runs_on_host else stream):
                self._launcher().start(grid, args)

        return launch

    @property
    def run(self) -> Callable[..., None]:
        """Launches: `run(x, y, z, stream, function, packed_metadata, launch_metadata, enter_hook,
        exit_hook, *arguments)`.

        `function` and the metadata are those of this kernel, and are not needed. The hooks are
        called with `launch_metadata`, unless they are those of `tilewright.knobs.runtime`, which
        every launch calls.
        """
        from tilewright.compiler.direct_launch import runner

        return runner(self)

    def close(self) -> None:
        """Frees what is loaded on devices; a later launch loads it again."""
        with self._runtime.lock:
            self._runtime.loaded.clear()
            self._runtime.launcher = None

    def _launcher(self) -> DirectLauncher:
        from tilewright.compiler.direct_launch import DirectLauncher

        with self._runtime.lock:
            if self._runtime.launcher is None:
                self._runtime.launcher = DirectLauncher(self)
            return self._runtime.launcher

    def remarks(self) -> list[str]:
        """The resources of the target that the kernel uses, as text for the user."""
        used = []
        if "registers" in self.metadata:
            used.append(f"{self.n_regs} registers")
        if "shared_bytes" in self.metadata:
            used.append(f"{self.shared} bytes of shared memory")
        text = ", ".join(used)
        if spilled := self.metadata.get("spill_bytes", 0):
            text += f"; {spilled} bytes spilled: smaller tiles or more warps need fewer registers"
        return [text] if text else []

    @property
    def _kind(self) -> TargetKind:
        return target_kinds()[self.target.partition(":")[0]]

    def _all_texts(self) -> dict[str, str]:
        with self._runtime.lock:
            if self._runtime.texts is None:
                self._runtime.texts = stages.all_texts(
                    self._source_ir, self.metadata["target"], self.metadata["options"]
                )
            return self._runtime.texts
