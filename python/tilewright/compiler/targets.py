"""Targets: their names, and finding the one to compile for.

A target is written `kind` or `kind:arch`. Each kind is implemented in its own file, target_cpu.py,
target_cuda.py or target_emulator.py; no other file depends on the kind.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from tilewright.compiler.target_cpu import CpuTarget
from tilewright.compiler.target_cuda import CudaTarget
from tilewright.compiler.target_emulator import EmulatorTarget
from tilewright.errors import DeviceError


class TargetKind(Protocol):
    """The interface of a kind of target.

    Kernels of the kind run on devices, named as in PyTorch: "cpu", "cuda:1"; None is the current
    device.

    Attributes:
        name: "cpu", "cuda", ...
        assembly: The phase whose text is the assembly.
        device_kind: The first part of the names of its devices.
        embeds_source_paths: Whether compiled code contains the full paths of the sources.
        settings: The environment variables that `key` and `core_options` depend on.
    """

    name: str
    assembly: str
    device_kind: str
    embeds_source_paths: bool
    settings: tuple[str, ...]

    def architectures(self) -> list[str]:
        """The names that can follow "kind:"."""

    def summary(self) -> str:
        """The targets of the kind, as text for the user."""

    def find(self, arch: str, device: str | None) -> str | None:
        """The canonical name of an architecture, or None if unknown; "" means the device's."""

    def core_name(self, arch: str) -> str:
        """The name that the core takes."""

    def key(self, arch: str) -> str:
        """The part of a cache key for the architecture and for the tools that are used for it."""

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options that the core takes, including paths of tools on this machine."""

    def facts(self, compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
        """The metadata of a compiled kernel that is specific to the kind."""

    def sections(self, compiled: Any) -> dict[str, bytes]:
        """The sections of the cache entry besides code and Tile IR."""

    def device(self, device: str | None) -> str:
        """The name of the device; resolves None to the current one."""

    def load(self, kernel: Any, device: str | None) -> Any:
        """Loads a CompiledKernel's code on a device; returns the core's LoadedKernel."""

    def remarks(self, kernel: Any) -> list[str]:
        """What TILEWRIGHT_LOG prints about a CompiledKernel."""

    def check_runnable(self, arch: str) -> None:
        """Raises DeviceError if code for the architecture can't run on this machine."""


_CUDA = CudaTarget()
KINDS: dict[str, TargetKind] = {
    kind.name: kind for kind in (CpuTarget(), _CUDA, EmulatorTarget(_CUDA))
}


class Target(NamedTuple):
    """`kind` is "cpu", "cuda" or "emulator"; `arch` is empty for the host's processor."""

    kind: str
    arch: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.arch}" if self.arch else self.kind

    @property
    def core_name(self) -> str:
        """The name that the core takes."""
        return KINDS[self.kind].core_name(self.arch)

    @property
    def embeds_source_paths(self) -> bool:
        """Whether compiled code contains the full paths of the sources."""
        return KINDS[self.kind].embeds_source_paths

    @property
    def key(self) -> str:
        """The part of a cache key for the target and for the tools that generate its code."""
        return KINDS[self.kind].key(self.arch)


def known_targets() -> list[str]:
    """The names of all targets."""
    named = [f"{kind.name}:{arch}" for kind in KINDS.values() for arch in kind.architectures()]
    return [*KINDS, *named]


def resolve_target(name: str | Target | None = None, device: str | None = None) -> Target:
    """The target with a name; by default TILEWRIGHT_TARGET, else "cpu".

    Args:
        name: Such as "cpu:avx2"; case and surrounding blanks do not matter.
        device: The device whose architecture a name without one means; by default the current one.

    Raises:
        DeviceError: The target is unknown; the message lists the known ones.
    """
    if isinstance(name, Target):
        return name
    if name is not None and not isinstance(name, str):
        raise DeviceError(f"a target must be a string such as 'cpu', not {name!r}")
    text = _normalized(name or default_target() or "cpu")
    kind, _, arch = text.partition(":")
    found = KINDS[kind].find(arch, device) if kind in KINDS else None
    if found is None:
        raise DeviceError(_unknown_target_text(text, from_environment=not name))
    return Target(kind, found)


def launch_target(name: str | Target | None, device: str) -> Target:
    """The target of a launch on a device.

    TILEWRIGHT_TARGET applies only if it runs on this kind of device: it never moves a launch to
    another device.

    Raises:
        DeviceError: The target is unknown.
    """
    device_kind = device.partition(":")[0]
    if name is None:
        default = default_target()
        kind = KINDS.get(kind_of(default))
        elsewhere = kind is not None and kind.device_kind != device_kind
        name = device_kind if not default or elsewhere else None
    return resolve_target(name, device)


def kind_of(text: str) -> str:
    """The kind in the name of a target; empty if it is unknown."""
    kind = _normalized(text).partition(":")[0]
    return kind if kind in KINDS else ""


def default_target() -> str:
    """The value of TILEWRIGHT_TARGET, normalized; empty if it is not set."""
    return _normalized(os.environ.get("TILEWRIGHT_TARGET", ""))


def _normalized(text: str) -> str:
    """The name of a target in lower case without surrounding blanks."""
    return text.strip().lower()


_SETTINGS_OF_OPTIONS = {"debug": "TILEWRIGHT_DEBUG", "checks": "TILEWRIGHT_CHECKS"}


def settings_of(target: Target, has_target: bool, has: Iterable[str]) -> tuple[str, ...]:
    """The environment variables that determine what a launch compiles.

    Args:
        target: The target of the launch.
        has_target: Whether the launch names a target, so that TILEWRIGHT_TARGET does not matter.
        has: The options that the launch names.
    """
    names = KINDS[target.kind].settings
    names += tuple(name for option, name in _SETTINGS_OF_OPTIONS.items() if option not in has)
    return names if has_target else (*names, "TILEWRIGHT_TARGET")


def _unknown_target_text(text: str, from_environment: bool) -> str:
    import difflib

    close = difflib.get_close_matches(text, known_targets(), n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    source = " (from TILEWRIGHT_TARGET)" if from_environment else ""
    known = "\n".join(f"known targets: {kind.summary()}" for kind in KINDS.values())
    return f"unknown target '{text}'{source}{hint}\n{known}"


def check_runnable(target: str) -> None:
    """Checks that code for a target can run on this machine.

    Raises:
        DeviceError: The code may contain instructions that this machine does not support.
    """
    found = resolve_target(target)
    KINDS[found.kind].check_runnable(found.arch)
