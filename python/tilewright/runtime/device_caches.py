"""`function.device_caches`: the kernels that were compiled for launches, by device."""

from __future__ import annotations

from typing import Any

from tilewright.compiler import CompiledKernel
from tilewright.compiler.gpu_target import GPUTarget


class DeviceCaches(dict[int, Any]):
    """By the ordinal of a device a tuple: kernels by their keys, an empty dictionary, a GPUTarget,
    None, None. It is 0 for the host. Launches do not read it: removing an item has no effect.
    """

    def __missing__(self, ordinal: int) -> Any:
        self[ordinal] = ({}, {}, None, None, None)
        return self[ordinal]

    def add(self, ordinal: int, kernel: CompiledKernel) -> None:
        kernels: dict[str, CompiledKernel] = self[ordinal][0]
        kernels[kernel.key] = kernel
        target: GPUTarget = kernel.metadata.target
        self[ordinal] = (kernels, {}, target, None, None)
