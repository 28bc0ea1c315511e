"""What can be compiled for: parsing and naming of targets.

A target is written `kind` or `kind:arch`. Each kind has a file of its own, target_cpu.py,
target_cuda.py and target_emulator.py, and nothing outside of these asks which kind it is.
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
    """What a kind of target knows.

    A device is where kernels of the kind run, named as PyTorch does: "cpu", "cuda:1"; None stands
    for the one at hand.

    Attributes:
        name: "cpu"
        assembly: The phase whose text is the assembly.
        device_kind: What its devices' names begin with.
        embeds_source_paths: Whether compiled code has the whole paths of the sources in it.
        settings: The environment variables that `key` and `core_options` depend on.
    """

    name: str
    assembly: str
    device_kind: str
    embeds_source_paths: bool
    settings: tuple[str, ...]

    def architectures(self) -> list[str]:
        """What may stand after "kind:"."""

    def summary(self) -> str:
        """The targets of the kind, for people."""

    def find(self, arch: str, device: str | None) -> str | None:
        """An architecture as it is called here, or None for an unknown one; "" is the device's."""

    def core_name(self, arch: str) -> str:
        """The name that the core takes."""

    def key(self, arch: str) -> str:
        """What stands in a cache key for the architecture, and for the machine's tools for it."""

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """A compilation's options as the core takes them, with what it needs of this machine."""

    def facts(self, compiled: Any, options: dict[str, Any]) -> dict[str, Any]:
        """What the kernel's metadata keeps of a compilation beside what all kinds have."""

    def sections(self, compiled: Any) -> dict[str, bytes]:
        """What the cache keeps of it beside code and tile IR."""

    def device(self, device: str | None) -> str:
        """The device itself."""

    def load(self, kernel: Any, device: str | None) -> Any:
        """Brings a CompiledKernel's code to a device: the core's LoadedKernel."""

    def remarks(self, kernel: Any) -> list[str]:
        """What TILEWRIGHT_LOG says of a CompiledKernel."""

    def check_runnable(self, arch: str) -> None:
        """Raises DeviceError where code for the architecture can't run on this machine."""


_CUDA = CudaTarget()
KINDS: dict[str, TargetKind] = {
    kind.name: kind for kind in (CpuTarget(), _CUDA, EmulatorTarget(_CUDA))
}


class Target(NamedTuple):
    """`kind` is "cpu", "cuda" or "emulator"; `arch` is empty for the processor at hand."""

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
        """Whether what is kept of a compilation has the whole paths of the sources."""
        return KINDS[self.kind].embeds_source_paths

    @property
    def key(self) -> str:
        """What stands in a cache key for the target and the tools that make its code."""
        return KINDS[self.kind].key(self.arch)


def known_targets() -> list[str]:
    """Every target that can be named."""
    named = [f"{kind.name}:{arch}" for kind in KINDS.values() for arch in kind.architectures()]
    return [*KINDS, *named]


def resolve_target(name: str | Target | None = None, device: str | None = None) -> Target:
    """The target of that name; TILEWRIGHT_TARGET, else "cpu", where none is given.

    Args:
        device: The device that "at hand" means.

    Raises:
        DeviceError: there is no such target; the message names those there are.
    """
    if isinstance(name, Target):
        return name
    if name is not None and not isinstance(name, str):
        raise DeviceError(f"a target is named by a string such as 'cpu', not by {name!r}")
    text = _normalized(name or default_target() or "cpu")
    kind, _, arch = text.partition(":")
    found = KINDS[kind].find(arch, device) if kind in KINDS else None
    if found is None:
        raise DeviceError(_unknown(text, from_environment=not name))
    return Target(kind, found)


def launch_target(name: str | Target | None, device: str) -> Target:
    """The target of a launch on a device.

    What TILEWRIGHT_TARGET names counts on devices of its kind; it moves no launch elsewhere.

    Raises:
        DeviceError: there is no such target.
    """
    device_kind = device.partition(":")[0]
    if name is None:
        default = default_target()
        kind = KINDS.get(kind_of(default))
        elsewhere = kind is not None and kind.device_kind != device_kind
        name = device_kind if not default or elsewhere else None
    return resolve_target(name, device)


def kind_of(text: str) -> str:
    """The kind of the target of that name; empty where there is no such kind."""
    kind = _normalized(text).partition(":")[0]
    return kind if kind in KINDS else ""


def default_target() -> str:
    """What TILEWRIGHT_TARGET names, normalized; empty where it names nothing."""
    return _normalized(os.environ.get("TILEWRIGHT_TARGET", ""))


def _normalized(text: str) -> str:
    """A target as it is compared: names are in lower case, and blanks around one mean nothing."""
    return text.strip().lower()


_SETTINGS_OF_OPTIONS = {"debug": "TILEWRIGHT_DEBUG", "checks": "TILEWRIGHT_CHECKS"}


def settings_of(target: Target, has_target: bool, has: Iterable[str]) -> tuple[str, ...]:
    """The environment variables that decide what a launch compiles.

    Args:
        has_target: Whether the launch itself names a target, so that no setting counts.
        has: The options that it names.
    """
    names = KINDS[target.kind].settings
    names += tuple(name for option, name in _SETTINGS_OF_OPTIONS.items() if option not in has)
    return names if has_target else (*names, "TILEWRIGHT_TARGET")


def _unknown(text: str, from_environment: bool) -> str:
    import difflib

    close = difflib.get_close_matches(text, known_targets(), n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    source = " (from TILEWRIGHT_TARGET)" if from_environment else ""
    known = "\n".join(f"known targets: {kind.summary()}" for kind in KINDS.values())
    return f"unknown target '{text}'{source}{hint}\n{known}"


def check_runnable(target: str) -> None:
    """
    Raises:
        DeviceError: code for this target may hold instructions that this machine does not have.
    """
    found = resolve_target(target)
    KINDS[found.kind].check_runnable(found.arch)
