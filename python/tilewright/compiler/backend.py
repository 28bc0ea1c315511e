"""A back end as programs for Triton see it: its options for a target, and what identifies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.compiler import extern_libs
from tilewright.compiler.core import build_identity
from tilewright.compiler.foreign_options import FOREIGN_OPTIONS
from tilewright.compiler.gpu_target import GPUTarget, target_of
from tilewright.compiler.options import Options
from tilewright.compiler.targets import target_kinds
from tilewright.dependencies import digest
from tilewright.errors import DeviceError

# What programs read of options besides those that Tilewright has.
_CONSTANTS: dict[str, Any] = {
    "supported_fp8_dtypes": ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"),
    "allowed_dot_input_precisions": ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"),
    "cluster_dims": (1, 1, 1),
}


class BackendOptions:
    """The options of a compilation as attributes: those of Options, and some that never vary."""

    def __init__(self, options: Options, target: GPUTarget) -> None:
        constants = {"backend_name": target.backend, "arch": target.arch}
        self.__dict__.update(_CONSTANTS, **constants, warp_size=target.warp_size)
        self.__dict__.update(dict(options))
        self.__dict__["extern_libs"] = extern_libs.parse(options.extern_libs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no option '{name}'")

    def chosen(self) -> dict[str, Any]:
        """The options that a compilation takes."""
        return {name: vars(self)[name] for name in Options.names()}

    def hash(self) -> str:
        """A digest of all names and values."""
        return digest(str(sorted(vars(self).items(), key=lambda item: item[0])))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"BackendOptions({values})"


class BaseBackend:
    """The compiler for a target.

    Args:
        target: The target.

    Raises:
        DeviceError: There is no such target.
    """

    def __init__(self, target: GPUTarget) -> None:
        self.target = target
        self._target = target_of(target)

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        """Whether there is such a target."""
        try:
            target_of(target)
        except DeviceError:
            return False
        return True

    @property
    def binary_ext(self) -> str:
        """The key of a kernel's code in its `asm`."""
        return target_kinds()[self._target.kind].code_name

    def hash(self) -> str:
        """Identifies the compiler and its tools for the target, which determine the code."""
        return f"{build_identity()}-{self._target.key}"

    def parse_options(self, opts: Mapping[str, Any]) -> BackendOptions:
        """The options of a compilation.

        Args:
            opts: Values by name, also of Triton's options that have no effect.

        Raises:
            ArgumentError: An option is unknown, or its value is invalid.
        """
        fixed = {*_CONSTANTS, "backend_name", "warp_size"} - FOREIGN_OPTIONS.keys() | {"arch"}
        given = {name: value for name, value in opts.items() if name not in fixed}
        return BackendOptions(Options.make(given), self.target)


def make_backend(target: GPUTarget) -> BaseBackend:
    """The compiler for a target.

    Raises:
        DeviceError: There is no such target.
    """
    return BaseBackend(target)
