"""The target for emulated GPUs: the code for another target, executed by the host.

`emulator:cuda:90a` runs on the host the code that `cuda:90a` runs on a GPU.
`emulator:cuda:90a+checks` is the same code with a call of the emulator at every memory access, to
check and count them.
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
        """The key; it has the host's features, because the code runs on the host."""
        host = ",".join(sorted(host_target().split(",")))
        return f"{self.name}:{arch} {host}"

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options

    def facts(self, compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
        """
        shared_bytes: Bytes of dynamic shared memory per program.
        sites: The source positions to which the code refers by number: file, line, column,
            instruction.
        accesses: As in target_cpu.py; those that the code checks itself.
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
        """Checks that the host is x86-64.

        Only there do shared memory addresses fit in 32 bits and are the kernel's faults caught.
        """
        machine = platform.machine()
        if machine.lower() not in ("x86_64", "amd64"):
            raise DeviceError(f"emulated GPUs run only on x86-64 processors, not on '{machine}'")
