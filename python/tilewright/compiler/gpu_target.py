"""GPUTarget: a target as programs written for Triton name it.

GPUTarget("cuda", 90, 32)     "cuda:90a", and "emulator:cuda:90a" where that GPU is emulated
GPUTarget("cpu", 0, 1)        "cpu"
GPUTarget("cpu", "avx2", 1)   "cpu:avx2"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tilewright.compiler.core import core
from tilewright.compiler.targets import Target, default_target, resolve_target, target_kinds
from tilewright.errors import DeviceError

_HOST = "cpu"
_EMULATOR = "emulator"


@dataclass(frozen=True)
class GPUTarget:
    """A target.

    Attributes:
        backend: "cuda" or "cpu".
        arch: The compute capability as an integer, such as 90, or the name of an architecture;
            0 or empty for the host's processor.
        warp_size: Lanes per warp; 1 on the CPU.
    """

    backend: str
    arch: int | str
    warp_size: int


def gpu_target_of(target: Target) -> GPUTarget:
    """The GPUTarget of a target. That of an emulated GPU is the GPU itself."""
    kind, arch = target.kind, target.arch
    if kind == _EMULATOR:
        kind, _, arch = arch.partition("+")[0].partition(":")
    if kind == _HOST:
        return GPUTarget(_HOST, arch or 0, 1)
    number = re.match(r"\d+", arch)
    return GPUTarget(kind, int(number[0]) if number else arch, lanes_per_warp(kind, arch))


def lanes_per_warp(kind: str, arch: str) -> int:
    """Lanes per warp of a kind of target; 1 where programs have no warps."""
    return int(target_kinds()[kind].limits(arch)["lanes_per_warp"] or 1)


def target_of(target: Any) -> Target:
    """The target that a GPUTarget, a name or a Target denotes; None denotes the default one.

    Raises:
        DeviceError: There is no such target.
    """
    if target is None or isinstance(target, (str, Target)):
        return resolve_target(target)
    backend, arch = getattr(target, "backend", None), getattr(target, "arch", None)
    if not isinstance(backend, str):
        raise DeviceError(f"a target must be a GPUTarget or a name such as 'cpu', not {target!r}")
    emulated = _emulated_here()
    if emulated is not None and gpu_target_of(emulated) == target:
        return emulated
    if backend not in target_kinds():
        return resolve_target(backend)  # reports the known targets
    return resolve_target(f"{backend}:{arch}" if arch else backend)


def _emulated_here() -> Target | None:
    """The target that launches of this thread emulate by default, or None."""
    default = current_target()
    return default if default is not None and default.kind == _EMULATOR else None


def thread_target() -> str | None:
    """The default target of launches of this thread, which `tilewright.emulate` sets, or None."""
    name: str | None = core().exchange_default_target(None)
    core().exchange_default_target(name)
    return name


def current_target() -> Target | None:
    """The target of launches of this thread that name none, or None if their arrays decide."""
    name = thread_target() or default_target()
    return resolve_target(name) if name else None
