"""`function.device_caches`: the kernels that were compiled for launches, by device."""

from __future__ import annotations

from typing import Any

from tilewright.compiler import CompiledKernel
from tilewright.compiler.gpu_target import GPUTarget


class DeviceCaches(dict[int, Any]):
    """A tuple for each device, by its ordinal (0 for the host): a dictionary of kernels by key, an
    empty dictionary, a GPUTarget, None, None. Launches do not read it: removing an item has no
    effect.
    """

    def __missing__(self, ordinal: int) -> Any:
        self[ordinal] = ({}, {}, None, None, None)
        return self[ordinal]

    def add(self, ordinal: int, kernel: CompiledKernel) -> None:
        """Enters a kernel that was compiled for a launch on a device."""
        kernels: dict[str, CompiledKernel] = self[ordinal][0]
        kernels[kernel.key] = kernel
        target: GPUTarget = kernel.metadata.target
        self[ordinal] = (kernels, {}, target, None, None)
