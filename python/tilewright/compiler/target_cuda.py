"""The target for NVIDIA GPUs.

`cuda:90a` is an architecture; `cuda:sm_90a` and `cuda:90` are aliases. `cuda` alone is the
architecture of the current device.
"""

from __future__ import annotations

from typing import Any

from tilewright.compiler.assembler import ASSEMBLER_SETTINGS, find_assemblers
from tilewright.compiler.core import access_tuples, core
from tilewright.errors import DeviceError


class CudaTarget:
    """The TargetKind of NVIDIA's GPUs; see targets.py."""

    name = "cuda"
    assembly = "ptx"
    device_kind = "cuda"
    settings: tuple[str, ...] = ASSEMBLER_SETTINGS
    embeds_source_paths = False

    def architectures(self) -> list[str]:
        return [target.name.removeprefix("sm_") for target in core().nvidia_targets()]

    def summary(self) -> str:
        return ", ".join(["cuda", *(f"cuda:{arch}" for arch in self.architectures())])

    def find(self, arch: str, device: str | None) -> str | None:
        if not arch:
            return self._of_device(self.device(device))
        spelt = arch.removeprefix("sm_")
        # Code is always generated for one specific architecture, which the suffix "a" denotes.
        return next((known for known in self.architectures() if spelt in (known, known[:-1])), None)

    def core_name(self, arch: str) -> str:
        return f"cuda:{arch}"

    def key(self, arch: str) -> str:
        return f"cuda:{arch} {find_assemblers().identity()}"

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        assemblers = find_assemblers()
        return {**options, "nvjitlink": assemblers.nvjitlink, "ptxas": assemblers.ptxas}

    def facts(self, compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
        """
        shared_bytes: Bytes of dynamic shared memory per program.
        registers, spill_bytes: Per thread, as reported by the assembler.
        slots: The index of the leaf argument for each parameter of the code, in order.
        accesses: As in target_cpu.py.
        """
        return {
            "num_warps": options["num_warps"],
            "shared_bytes": compiled.shared_bytes,
            "registers": compiled.registers,
            "spill_bytes": compiled.spill_bytes,
            "slots": list(compiled.slots),
            "accesses": compiled.accesses if options["checks"] else None,
        }

    def sections(self, compiled: Any) -> dict[str, bytes]:
        return {"ptx": compiled.ptx.encode()}

    def load(self, kernel: Any, device: str | None) -> Any:
        device = self.device(device)
        platform = core().cuda_platform()
        ordinal = int(device.partition(":")[2])
        # If the device does not exist, the core reports the error.
        if ordinal < len(platform["devices"]):
            found, wanted = self._of_device(device), kernel.target.partition(":")[2]
            if found != wanted:
                name = platform["devices"][ordinal]["name"]
                raise DeviceError(
                    f"{kernel.name}: code for '{kernel.target}' can't run on {device} ({name}), "
                    f"which is 'cuda:{found}'"
                )
        facts = kernel.metadata
        return core().load_cuda(
            kernel.name,
            kernel.object,
            kernel.symbol,
            ordinal,
            threads=32 * facts["num_warps"],
            shared_bytes=facts["shared_bytes"],
            slots=facts["slots"],
            accesses=access_tuples(facts["accesses"]),
        )

    def device(self, device: str | None) -> str:
        # An array in pinned host memory has the device "cpu", but a GPU can access it.
        if device is not None and device.startswith("cuda:"):
            return device
        return f"cuda:{core().cuda_current_device()}"

    def remarks(self, kernel: Any) -> list[str]:
        used = f"{kernel.n_regs} registers, {kernel.shared} bytes of shared memory"
        spilt = kernel.metadata["spill_bytes"]
        if not spilt:
            return [used]
        return [f"{used}; {spilt} bytes spilled: smaller tiles or more warps need fewer registers"]

    def check_runnable(self, arch: str) -> None:
        platform = core().cuda_platform()
        if problem := platform["problem"]:
            raise DeviceError(f"code for 'cuda:{arch}' can't run here: {problem}")
        found = [self._of_device(f"cuda:{i}") for i in range(len(platform["devices"]))]
        if arch not in found:
            raise DeviceError(
                f"code for 'cuda:{arch}' can't run here: "
                f"the devices are {', '.join(sorted(set(found)))}"
            )

    def _of_device(self, device: str) -> str:
        """The architecture of a device, such as "90a"."""
        platform = core().cuda_platform()
        if problem := platform["problem"]:
            raise DeviceError(
                f"there is no CUDA device: {problem}\n"
                f"hint: choose an architecture to compile for: {self.summary()}"
            )
        ordinal = int(device.partition(":")[2])
        if ordinal >= len(platform["devices"]):
            raise DeviceError(f"there is no {device}, there are {len(platform['devices'])} devices")
        found = platform["devices"][ordinal]
        major, minor = found["capability"]
        arch = self.find(f"{major}{minor}", device)
        if arch is None:
            raise DeviceError(
                f"{device} ({found['name']}) has the compute capability {major}.{minor}, which is "
                f"not supported; supported are {', '.join(self.architectures())}"
            )
        return arch
