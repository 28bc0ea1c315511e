"""Python interface of the fake CUDA driver (test/fake_cuda), and tensors on its devices."""

from __future__ import annotations

import ctypes
import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from tilewright import _core

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))
LIBRARY = str(BUILD / "test" / "fake_cuda" / "libfake_cuda.so")

if not os.path.exists(LIBRARY):
    pytest.skip(f"the stand-in for the driver is not built: {LIBRARY}", allow_module_level=True)
_api = ctypes.CDLL(LIBRARY)
_api.fake_cuda_report.restype = ctypes.c_char_p
_api.fake_cuda_exchange_table.restype = ctypes.c_void_p
_api.fake_cuda_set_stream.argtypes = [ctypes.c_size_t]


def configure(words: str = "") -> None:
    """Resets the driver; test/fake_cuda/fake_cuda.cpp lists the words."""
    _api.fake_cuda_configure(words.encode())


def report() -> dict[str, Any]:
    return dict(json.loads(_api.fake_cuda_report()))


def launches() -> list[dict[str, Any]]:
    return list(report()["launches"])


def current_device() -> int:
    """The device whose context is current on this thread; -1 if none is."""
    return int(_api.fake_cuda_current())


def make_current(device: int) -> None:
    _api.fake_cuda_make_current(device)


def set_stream(stream: int) -> None:
    """Sets the current stream of the tensors' framework."""
    _api.fake_cuda_set_stream(stream)


def load(kernel: str, parameters: str, device: int = 0, **options: Any) -> _core.CudaKernel:
    """A kernel whose parameters have these sizes in bytes, such as "8,8,4"."""
    image = f"{kernel} registers=32 parameters={parameters}".encode()
    return _core.load_cuda(kernel, image, kernel, device, **{"threads": 128, **options})


def address(device: int, offset: int = 0) -> int:
    """An address in a device's memory."""
    return (device + 1 << 40) + offset


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_NAME = b"dlpack_exchange_api"  # kept alive here, because the capsule does not copy it

HOST, CUDA, MANAGED, VULKAN = 1, 2, 13, 7


class Tensor(bytes):
    """A tensor of a framework with DLPack's exchange table; the bytes are its DLTensor."""

    __dlpack_c_exchange_api__ = _new_capsule(_api.fake_cuda_exchange_table(), _NAME, None)
    shape: Any
    device: str

    @classmethod
    def make(
        cls, device: int = 0, offset: int = 0, kind: int = CUDA, elements: int = 16, bits: int = 32
    ) -> Tensor:
        """Floats in a device's memory, or in another kind of memory that DLPack defines."""
        shape = (ctypes.c_int64 * 1)(elements)
        data = (address(device, offset), kind, device, 1, 2, bits, 1, ctypes.addressof(shape), 0, 0)
        tensor = cls(struct.pack("=QiiiBBHQQQ", *data))
        tensor.shape = shape
        tensor.device = f"cuda:{device}"
        return tensor


class CudaArray:
    """Has only `__cuda_array_interface__`, like Numba's arrays."""

    def __init__(self, device: int = 0, offset: int = 0, **changes: Any) -> None:
        data = (address(device, offset), False)
        self.interface = {"shape": (16,), "typestr": "<f4", "data": data, "version": 3, **changes}
        self.dtype = changes.get("dtype", "float32")

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.interface


class Address:
    """Has only an address, a dtype and a device, like a tensor of a PyTorch without DLPack."""

    dtype = "float32"

    def __init__(self, device: int = 0, offset: int = 0) -> None:
        self.device = f"cuda:{device}"
        self.address = address(device, offset)

    def data_ptr(self) -> int:
        return self.address
