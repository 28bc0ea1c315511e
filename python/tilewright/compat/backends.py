"""`triton.backends.backends`: the back ends that compilers such as PyTorch's Inductor look for."""

from __future__ import annotations

from typing import NamedTuple

from tilewright.compiler.backend import BaseBackend
from tilewright.compiler.gpu_target import GPUTarget
from tilewright.runtime.driver import CpuDriver, CudaDriver, DriverBase


class Backend(NamedTuple):
    """The classes of a back end: `compiler(target)` and `driver()` make its objects."""

    compiler: type[BaseBackend]
    driver: type[DriverBase]


class CpuBackend(BaseBackend):
    """The compiler for the host."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cpu" and BaseBackend.supports_target(target)


class CudaBackend(BaseBackend):
    """The compiler for NVIDIA GPUs."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cuda" and BaseBackend.supports_target(target)


backends: dict[str, Backend] = {
    "cpu": Backend(CpuBackend, CpuDriver),
    "nvidia": Backend(CudaBackend, CudaDriver),
}
