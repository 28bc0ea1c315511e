"""Targets: their names, and finding the one to compile for.

A target is written `kind` or `kind:arch`. The kinds are registered in C++
(include/tilewright/Target/TargetKinds.def), which parses and prints the names of architectures,
declares the options, compiles and loads. Nothing in Python depends on the kind, except for the
external tools that a kind needs (assembler.py).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from tilewright.compiler.assembler import TOOLS
from tilewright.compiler.core import core
from tilewright.compiler.options import settings_of_options
from tilewright.errors import DeviceError

_ON = ("1", "true", "yes", "on")


class TargetKind:
    """A kind of target. Kernels of the kind run on devices, named as in PyTorch: "cpu", "cuda:1".

    Attributes:
        name: "cpu", "cuda", ...
        assembly: The phase whose text is the assembly.
        code_name: What the machine code is called: "obj", "cubin", ...
        phases: All phases, in order.
        device_kind: The first part of the names of its devices.
        embeds_source_paths: Whether compiled code contains the full paths of the sources.
        settings: The environment variables that `key` and `core_options` depend on.
        summary: The targets of the kind, as text for the user.
        architectures: The names that can follow "kind:".
        targets: The targets with an architecture, "kind:arch".
        needs_architecture: Whether the name of the kind alone is never a target.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self.name: str = kind.name
        self.assembly: str = kind.assembly_phase
        self.code_name: str = kind.code_name
        self.phases: list[str] = kind.phases
        self.device_kind: str = kind.device_kind
        self.embeds_source_paths: bool = kind.embeds_source_paths
        self.summary: str = kind.summary
        self.architectures: list[str] = kind.architectures
        self.targets = [f"{self.name}:{arch}" for arch in self.architectures]
        has_devices = self.device_kind != "cpu"
        self.needs_architecture = not has_devices and kind.find_architecture("") is None
        self._tools = TOOLS.get(self.name)
        self.settings: tuple[str, ...] = self._tools.settings if self._tools else ()

    def find(self, arch: str, device: str | None) -> str | None:
        """The canonical name of an architecture, or None if unknown; "" may mean the device's."""
        found: str | None = self._kind.find_architecture(arch)
        if found is None and not arch and self.device_kind != "cpu":
            return self._architecture_of(self.device(device))
        return found

    def key(self, arch: str) -> str:
        """The part of a cache key for the architecture and for the tools that are used for it."""
        key: str = self._kind.key(arch)
        return f"{key} {self._tools.identity()}" if self._tools else key

    def limits(self, arch: str) -> dict[str, Any]:
        """The limits of an architecture: `lanes_per_warp`, `shared_bytes` and `registers` per
        program; None for what programs of this kind do not have.
        """
        limits: dict[str, Any] = self._kind.limits(arch)
        return limits

    def terms(self, arch: str) -> dict[str, str]:
        """What the vendor of an architecture calls the parts of a GPU, by NVIDIA's names: `warp`,
        `multiprocessor`, `shared` memory, `transfer` of global memory, `wavefront`, `matrix_units`;
        and `copies_ahead`: how loops copy to shared memory ahead.
        """
        terms: dict[str, str] = self._kind.terms(arch)
        return terms

    def core_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options that the core takes, including paths of tools on this machine."""
        return {**options, **self._tools.paths()} if self._tools else options

    def device(self, device: str | None) -> str:
        """The name of the device; resolves None to the current one."""
        if self.device_kind == "cpu":
            return "cpu"
        # An array in pinned host memory has the device "cpu", but a GPU can access it.
        if device is not None and device.startswith(f"{self.device_kind}:"):
            return device
        return f"{self.device_kind}:{core().current_device(self.device_kind)}"

    def load(self, kernel: Any, device: str | None) -> Any:
        """Loads a CompiledKernel's code on a device; returns the core's LoadedKernel.

        Raises:
            DeviceError: The device or this machine's processor can't run the code.
        """
        device, arch = self.device(device), kernel.target.partition(":")[2]
        self._check_processor(arch)
        ordinal = int(device.partition(":")[2] or 0)
        devices = core().devices(self.device_kind)["devices"]
        # If the device does not exist, the core reports the error.
        if ordinal < len(devices) and (found := self._architecture_of(device)) != arch:
            raise DeviceError(
                f"{kernel.name}: code for '{kernel.target}' can't run on {device} "
                f"({devices[ordinal]['name']}), which is '{self.name}:{found}'"
            )
        return core().load(
            kernel.target, kernel.name, kernel.object, kernel.symbol, ordinal, kernel.metadata
        )

    def check_runnable(self, arch: str) -> None:
        """Raises DeviceError if code for the architecture can't run on this machine."""
        self._check_processor(arch)
        if self.device_kind == "cpu":
            return
        found = core().devices(self.device_kind)
        if problem := found["problem"]:
            raise DeviceError(f"code for '{self.name}:{arch}' can't run here: {problem}")
        there = {
            self._architecture_of(f"{self.device_kind}:{i}") for i in range(len(found["devices"]))
        }
        if arch not in there:
            raise DeviceError(
                f"code for '{self.name}:{arch}' can't run here: "
                f"the devices are {', '.join(sorted(there))}"
            )

    def _check_processor(self, arch: str) -> None:
        if why := self._kind.why_not_runnable(arch):
            target = f"{self.name}:{arch}" if arch else self.name
            raise DeviceError(f"code for '{target}' can't run here: {why}")

    def _architecture_of(self, device: str) -> str:
        """The architecture of a device, such as "90a"."""
        found = core().devices(self.device_kind)
        if problem := found["problem"]:
            raise DeviceError(
                f"there is no {self.device_kind.upper()} device: {problem}\n"
                f"hint: choose an architecture to compile for: {', '.join(self.targets)}"
            )
        devices, ordinal = found["devices"], int(device.partition(":")[2])
        if ordinal >= len(devices):
            raise DeviceError(f"there is no {device}, there are {len(devices)} devices")
        arch: str | None = self._kind.find_architecture(devices[ordinal]["architecture"])
        if arch is None:
            raise DeviceError(
                f"{device} ({devices[ordinal]['name']}) has {devices[ordinal]['capability']}, "
                f"which is not supported; supported are {', '.join(self.architectures)}"
            )
        return arch


@functools.cache
def target_kinds() -> dict[str, TargetKind]:
    """The kinds of targets, by name."""
    return {kind.name: TargetKind(kind) for kind in core().target_kinds()}


class Target(NamedTuple):
    """`kind` is "cpu", "cuda" or "emulator"; `arch` is empty for the host's processor."""

    kind: str
    arch: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.arch}" if self.arch else self.kind

    @property
    def embeds_source_paths(self) -> bool:
        """Whether compiled code contains the full paths of the sources."""
        return target_kinds()[self.kind].embeds_source_paths

    @property
    def key(self) -> str:
        """The part of a cache key for the target and for the tools that generate its code."""
        return target_kinds()[self.kind].key(self.arch)


def known_targets() -> list[str]:
    """The names of all targets."""
    kinds = target_kinds().values()
    return [
        *(kind.name for kind in kinds if not kind.needs_architecture),
        *(target for kind in kinds for target in kind.targets),
    ]


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
    kinds = target_kinds()
    found = kinds[kind].find(arch, device) if kind in kinds else None
    if found is None:
        raise DeviceError(_unknown_target_text(text, from_environment=not name))
    return Target(kind, found)


def hardware_terms(target: str | Target) -> dict[str, str]:
    """The names of a GPU's parts (TargetKind.terms), of a target such as "emulator:cuda:90a"."""
    kind, _, arch = str(target).partition(":")
    return target_kinds()[kind].terms(arch)


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
        kind = target_kinds().get(default.partition(":")[0])
        elsewhere = kind is not None and kind.device_kind != device_kind
        name = device_kind if not default or elsewhere else None
    return resolve_target(name, device)


def default_target() -> str:
    """The value of TILEWRIGHT_TARGET, normalized; if it is not set, "cpu" or empty.

    Triton runs kernels in its interpreter, on the host, if TRITON_INTERPRET is set. Here the CPU
    target is what runs there.
    """
    named = _normalized(os.environ.get("TILEWRIGHT_TARGET", ""))
    interprets = os.environ.get("TRITON_INTERPRET", "").strip().lower() in _ON
    return named or ("cpu" if interprets else "")


def _normalized(text: str) -> str:
    """The name of a target in lower case without surrounding blanks."""
    return text.strip().lower()


def settings_of(target: Target, has_target: bool, has: Iterable[str]) -> tuple[str, ...]:
    """The environment variables that determine what a launch compiles.

    Args:
        target: The target of the launch.
        has_target: Whether the launch names a target, so that TILEWRIGHT_TARGET does not matter.
        has: The options that the launch names.
    """
    names = (*target_kinds()[target.kind].settings, *settings_of_options(has))
    return names if has_target else (*names, "TILEWRIGHT_TARGET", "TRITON_INTERPRET")


def _unknown_target_text(text: str, from_environment: bool) -> str:
    import difflib

    close = difflib.get_close_matches(text, known_targets(), n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    source = " (from TILEWRIGHT_TARGET)" if from_environment else ""
    known = "\n".join(f"known targets: {kind.summary}" for kind in target_kinds().values())
    what = f"unknown target '{text}'"
    if text in target_kinds():
        what = f"the target '{text}' needs an architecture"
    return f"{what}{source}{hint}\n{known}"


def check_runnable(target: str) -> None:
    """Checks that code for a target can run on this machine.

    Raises:
        DeviceError: The code may contain instructions that this machine does not support.
    """
    found = resolve_target(target)
    target_kinds()[found.kind].check_runnable(found.arch)
