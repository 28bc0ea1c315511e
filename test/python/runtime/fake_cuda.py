"""Python interface of the fake CUDA driver (test/fake_cuda), and tensors on its devices."""

from __future__ import annotations

from typing import Any

from fake_gpu import CUDA, HOST, MANAGED, VULKAN, Address, CudaArray, Driver, TensorBase, address

from tilewright import _core

__all__ = [
    "HOST", "LIBRARY", "MANAGED", "VULKAN", "Address", "CudaArray", "Tensor", "address",
    "configure", "current_device", "launches", "load", "make_current", "report", "set_stream",
]  # fmt: skip

_driver = Driver("fake_cuda")
LIBRARY = _driver.path
configure, report, launches = _driver.configure, _driver.report, _driver.launches
current_device, make_current = _driver.current_device, _driver.make_current
set_stream = _driver.set_stream


def load(kernel: str, parameters: str, device: int = 0, **options: Any) -> _core.CudaKernel:
    """A kernel whose parameters have these sizes in bytes, such as "8,8,4"."""
    image = f"{kernel} registers=32 parameters={parameters}".encode()
    return _core.load_cuda(kernel, image, kernel, device, **{"threads": 128, **options})


class Tensor(TensorBase):
    memory = CUDA
    __dlpack_c_exchange_api__ = _driver.exchange_table()
