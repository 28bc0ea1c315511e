"""The CPU target: `cpu` is the host's processor, `cpu:avx2` any x86-64 processor with AVX2."""

from __future__ import annotations

from typing import Any

from tilewright.compiler.core import access_tuples, core, host_target
from tilewright.errors import DeviceError

# Tilewright's names for instruction set levels: LLVM's name of the processor, and the features that
# a machine needs to run the code.
_LEVELS = {
    "sse2": ("x86-64", ()),
    "sse4": ("x86-64-v2", ("sse4.2", "popcnt")),
    "avx2": ("x86-64-v3", ("avx2", "fma", "bmi2", "f16c")),
    "avx512": ("x86-64-v4", ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
}
# LLVM's processor names that are also accepted, by level.
_PROCESSORS = {
    "sse2": "x86-64",
    "sse4": "x86-64-v2",
    "avx2": "x86-64-v3 haswell broadwell skylake alderlake znver1 znver2 znver3",
    "avx512": "x86-64-v4 skylake-avx512 cascadelake cooperlake icelake-client icelake-server "
    "tigerlake rocketlake sapphirerapids emeraldrapids graniterapids znver4 znver5",
}
_NAMES = {name: level for level, names in _PROCESSORS.items() for name in names.split()}


class CpuTarget:
    """The CPU's TargetKind; see targets.py."""

    name = "cpu"
    assembly = "asm"
    device_kind = "cpu"
    settings: tuple[str, ...] = ()
    embeds_source_paths = False

    def architectures(self) -> list[str]:
        return [*_LEVELS, *_NAMES]

    def summary(self) -> str:
        levels = ", ".join(["cpu", *(f"cpu:{level}" for level in _LEVELS)])
        return f"{levels}, or cpu: and one of {', '.join(_NAMES)}"

    def find(self, arch: str, device: str | None) -> str | None:
        if arch in ("", "host"):
            return ""
        return arch if arch in self.architectures() else None

    def core_name(self, arch: str) -> str:
        arch = _LEVELS[arch][0] if arch in _LEVELS else arch
        return f"cpu:{arch}" if arch else "cpu"

    def key(self, arch: str) -> str:
        """The key; for the host, LLVM's name of the processor and all its features."""
        host = ",".join(sorted(host_target().split(",")))
        if not arch:
            return host
        # If the architecture is the host's, LLVM uses the features that the host has.
        name = self.core_name(arch)
        return f"{name} {host}" if name in host else name

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        return options

    def facts(self, compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
        """
        scratch_bytes: Bytes of scratch memory per thread.
        accesses: With bounds checks, the memory accesses by number: what each does, the bytes of
            an element, whether all its pointers come from arguments, file, line and column.
        """
        accesses = compiled.accesses if options["checks"] else None
        return {"scratch_bytes": compiled.scratch_bytes, "accesses": accesses}

    def sections(self, compiled: Any) -> dict[str, bytes]:
        return {}

    def load(self, kernel: Any, device: str | None) -> Any:
        self.check_runnable(kernel.target.partition(":")[2])
        accesses = access_tuples(kernel.metadata["accesses"])
        return core().load(kernel.object, kernel.symbol, kernel.scratch_bytes, accesses)

    def device(self, device: str | None) -> str:
        return "cpu"

    def remarks(self, kernel: Any) -> list[str]:
        return []

    def check_runnable(self, arch: str) -> None:
        if not arch:
            return
        level = _NAMES.get(arch, arch)
        host = host_target().replace(",", " ").split()
        missing = [feature for feature in _LEVELS[level][1] if f"+{feature}" not in host]
        if missing:
            raise DeviceError(
                f"code for 'cpu:{arch}' can't run here: the processor lacks {', '.join(missing)}\n"
                "hint: `tilewright compile` prints code for other processors without running it"
            )
