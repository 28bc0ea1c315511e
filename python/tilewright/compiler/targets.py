"""What can be compiled for: parsing and naming of targets.

A target is written `kind` or `kind:arch`: "cpu" is the processor at hand, "cpu:avx2" any processor
with AVX2. The default is TILEWRIGHT_TARGET, else "cpu".
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from tilewright.compiler.core import host_target
from tilewright.errors import DeviceError

# Names of our own for instruction sets, and the processor that LLVM knows them by.
CPU_LEVELS = {
    "sse2": "x86-64",
    "sse4": "x86-64-v2",
    "avx2": "x86-64-v3",
    "avx512": "x86-64-v4",
}
# LLVM's names that are taken as they are.
CPU_NAMES = (
    *("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
    *("haswell", "broadwell", "skylake", "skylake-avx512", "cascadelake", "icelake-server"),
    *("sapphirerapids", "graniterapids", "znver2", "znver3", "znver4", "znver5"),
)


@dataclass(frozen=True)
class Target:
    """`kind` is "cpu"; `arch` is empty for the machine at hand."""

    kind: str
    arch: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.arch}" if self.arch else self.kind

    @property
    def core_name(self) -> str:
        """The name that the core takes."""
        arch = CPU_LEVELS.get(self.arch, self.arch)
        return f"{self.kind}:{arch}" if arch else self.kind

    @property
    def key(self) -> str:
        """What stands for the target in a cache key; the host is spelt out with its features."""
        return self.core_name if self.arch else host_target()


def known_targets() -> list[str]:
    """Every target that can be named."""
    return ["cpu", *(f"cpu:{arch}" for arch in (*CPU_LEVELS, *CPU_NAMES))]


def resolve_target(name: str | Target | None = None) -> Target:
    """The target of that name, or the default.

    Raises:
        DeviceError: there is no such target; the message names those there are.
    """
    if isinstance(name, Target):
        return name
    text = (name or os.environ.get("TILEWRIGHT_TARGET") or "cpu").strip().lower()
    kind, _, arch = text.partition(":")
    if text == "cpu:host":
        return Target("cpu")
    if text in known_targets():
        return Target(kind, arch)
    import difflib

    known = known_targets()
    close = difflib.get_close_matches(text, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    source = "" if name else " (from TILEWRIGHT_TARGET)"
    levels = ", ".join(["cpu", *(f"cpu:{arch}" for arch in CPU_LEVELS)])
    raise DeviceError(
        f"unknown target '{text}'{source}{hint}\n"
        f"known targets: {levels}, or cpu: and one of {', '.join(CPU_NAMES)}"
    )
