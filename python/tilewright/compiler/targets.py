"""What can be compiled for: parsing and naming of targets.

A target is written `kind` or `kind:arch`: "cpu" is the processor at hand, "cpu:avx2" any processor
with AVX2. The default is TILEWRIGHT_TARGET, else "cpu".
"""

from __future__ import annotations

import os
from typing import NamedTuple

from tilewright.compiler.core import host_target
from tilewright.errors import DeviceError

# Names of our own for instruction sets: the processor that LLVM knows each by, and features that a
# machine must have to run its code.
CPU_LEVELS = {
    "sse2": ("x86-64", ()),
    "sse4": ("x86-64-v2", ("sse4.2", "popcnt")),
    "avx2": ("x86-64-v3", ("avx2", "fma", "bmi2", "f16c")),
    "avx512": ("x86-64-v4", ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
}
# LLVM's names that are taken as they are.
_PROCESSORS = {
    "sse2": "x86-64",
    "sse4": "x86-64-v2",
    "avx2": "x86-64-v3 haswell broadwell skylake alderlake znver1 znver2 znver3",
    "avx512": "x86-64-v4 skylake-avx512 cascadelake cooperlake icelake-client icelake-server "
    "tigerlake rocketlake sapphirerapids emeraldrapids graniterapids znver4 znver5",
}
CPU_NAMES = {name: level for level, names in _PROCESSORS.items() for name in names.split()}


class Target(NamedTuple):
    """`kind` is "cpu"; `arch` is empty for the machine at hand."""

    kind: str
    arch: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.arch}" if self.arch else self.kind

    @property
    def core_name(self) -> str:
        """The name that the core takes."""
        arch = CPU_LEVELS[self.arch][0] if self.arch in CPU_LEVELS else self.arch
        return f"{self.kind}:{arch}" if arch else self.kind

    @property
    def key(self) -> str:
        """What stands for the target in a cache key; the host is spelt out with its features."""
        host = ",".join(sorted(host_target().split(",")))
        if not self.arch:
            return host
        # The host's own name stands for the host with the features it has.
        return f"{self.core_name} {host}" if self.core_name in host else self.core_name


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


def check_runnable(target: str) -> None:
    """
    Raises:
        DeviceError: code for this target may hold instructions that this processor does not have.
    """
    arch = resolve_target(target).arch
    if not arch:
        return
    level = CPU_NAMES.get(arch, arch)
    host = host_target().replace(",", " ").split()
    missing = [feature for feature in CPU_LEVELS[level][1] if f"+{feature}" not in host]
    if missing:
        raise DeviceError(
            f"code for '{target}' can't run here: the processor lacks {', '.join(missing)}\n"
            "hint: `tilewright compile` prints code for other processors without running it"
        )
