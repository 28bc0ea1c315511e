"""Python interface of the fake HIP runtime (test/fake_hip), and tensors on its devices."""

from __future__ import annotations

import ctypes
from typing import Any

from fake_gpu import HOST, ROCM, ROCM_HOST, Address, CudaArray, Driver, TensorBase, address

from tilewright import _core

__all__ = [
    "HOST", "LIBRARY", "ROCM_HOST", "Address", "CudaArray", "Tensor", "address", "allocated",
    "code_object", "configure", "copied", "current_device", "last_error", "launches", "load",
    "make_current", "replay", "report", "set_stream",
]  # fmt: skip

_driver = Driver("fake_hip")
_driver.api.fake_code_object.restype = ctypes.c_void_p
_driver.api.fake_copied.restype = ctypes.c_uint64
_driver.api.fake_allocated.restype = ctypes.c_uint64
LIBRARY = _driver.path
configure, report, launches = _driver.configure, _driver.report, _driver.launches
current_device, make_current = _driver.current_device, _driver.make_current
set_stream = _driver.set_stream


def copied() -> int:
    """The last value that was copied to a variable of a module."""
    return int(_driver.api.fake_copied())


def allocated() -> int:
    """The address of the memory that was allocated last for the host and devices."""
    return int(_driver.api.fake_allocated())


def replay() -> None:
    """Launches the graph of the captured stream."""
    _driver.api.fake_replay()


def last_error() -> int:
    """This thread's last error, which the next call of PyTorch would report."""
    return int(_driver.api.fake_last_error())


def code_object(text: str, architecture: str = "gfx942") -> bytes:
    """A code object of kernels without code, one per line; test/fake_hip/fake_hip.cpp says how."""
    size = ctypes.c_size_t()
    made = _driver.api.fake_code_object(f"{architecture}\n{text}".encode(), ctypes.byref(size))
    return ctypes.string_at(made, size.value)


def load(kernel: str, parameters: str, device: int = 0, **options: Any) -> _core.HipKernel:
    """A kernel whose arguments have these sizes in bytes, such as "8,8,4"."""
    image = code_object(f"{kernel} registers=32 parameters={parameters}")
    return _core.load_hip(kernel, image, kernel, device, **{"threads": 256, **options})


class Tensor(TensorBase):
    memory = ROCM
    __dlpack_c_exchange_api__ = _driver.exchange_table()
