"""Emulated GPUs as a kind of target: the code of another target, executed by the host.

`emulator:cuda:90a` runs what `cuda:90a` would run on a GPU, without one.
`emulator:cuda:90a+checks` is the same code with calls of the emulator at every access of memory,
which checks and counts them.
"""

from __future__ import annotations

import platform
from typing import Any

from tilewright.compiler.core import access_tuples, core, host_target
from tilewright.compiler.target_cuda import CudaTarget
from tilewright.errors import DeviceError

CHECKED = "+checks"


class EmulatorTarget:
    """The TargetKind of emulated GPUs; see targets.py."""

    name = "emulator"
    assembly = "asm"
    device_kind = "cpu"
    settings: tuple[str, ...] = ()
    embeds_source_paths = True

    def __init__(self, emulated: CudaTarget) -> None:
        self._emulated = emulated

    def architectures(self) -> list[str]:
        return [f"{self._emulated.name}:{arch}" for arch in self._emulated.architectures()]

    def summary(self) -> str:
        return ", ".join(f"{self.name}:{arch}" for arch in self.architectures())

    def find(self, arch: str, device: str | None) -> str | None:
        emulated = arch.removesuffix(CHECKED)
        kind, _, arch_of_kind = emulated.partition(":")
        if kind != self._emulated.name or not arch_of_kind:
            return None
        found = self._emulated.find(arch_of_kind, None)
        return None if found is None else f"{kind}:{found}{arch[len(emulated) :]}"

    def core_name(self, arch: str) -> str:
        return f"{self.name}:{arch}"

    def key(self, arch: str) -> str:
        """The code is the host's."""
        host = ",".join(sorted(host_target().split(",")))
        return f"{self.name}:{arch} {host}"

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options

    def facts(self, compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
        """
        shared_bytes: of dynamic shared memory that each program asks for.
        sites: the places in the source that the code names by number: file, line, column,
            instruction.
        accesses: as in target_cpu.py; those that the code checks itself.
        """
        return {
            "num_warps": options["num_warps"],
            "shared_bytes": compiled.shared_bytes,
            "sites": [list(site) for site in compiled.sites],
            "accesses": compiled.accesses if options["checks"] else None,
        }

    def sections(self, compiled: Any) -> dict[str, bytes]:
        return {}

    def load(self, kernel: Any, device: str | None) -> Any:
        self.check_runnable(kernel.target.partition(":")[2])
        facts = kernel.metadata
        return core().load_emulated(
            kernel.object,
            kernel.symbol,
            threads=32 * facts["num_warps"],
            shared_bytes=facts["shared_bytes"],
            architecture=int("".join(filter(str.isdigit, kernel.target.partition(CHECKED)[0]))),
            checked=kernel.target.endswith(CHECKED),
            sites=[tuple(site) for site in facts["sites"]],
            accesses=access_tuples(facts["accesses"]),
        )

    def device(self, device: str | None) -> str:
        return "cpu"

    def remarks(self, kernel: Any) -> list[str]:
        return [f"{kernel.shared} bytes of shared memory"]

    def check_runnable(self, arch: str) -> None:
        """Addresses of shared memory have 32 bits, and faults are caught, on these hosts only."""
        machine = platform.machine()
        if machine.lower() not in ("x86_64", "amd64"):
            raise DeviceError(f"emulated GPUs run on x86-64 processors, and this is '{machine}'")
