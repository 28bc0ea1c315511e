"""Python interface of the stand-ins for drivers (test/fake_gpu), and arrays on their devices."""

from __future__ import annotations

import ctypes
import json
import os
import struct
from pathlib import Path
from typing import Any, ClassVar

import pytest

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))

HOST, CUDA, VULKAN, ROCM, ROCM_HOST, MANAGED = 1, 2, 7, 10, 11, 13  # DLPack's numbers

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_NAME = b"dlpack_exchange_api"  # kept alive here, because the capsule does not copy it


class Driver:
    """A stand-in, by the name of its library."""

    def __init__(self, name: str) -> None:
        self.path = str(BUILD / "test" / name / f"lib{name}.so")
        if not os.path.exists(self.path):
            pytest.skip(
                f"the stand-in for the driver is not built: {self.path}", allow_module_level=True
            )
        self.api = ctypes.CDLL(self.path)
        self.api.fake_report.restype = ctypes.c_char_p
        self.api.fake_exchange_table.restype = ctypes.c_void_p
        self.api.fake_set_stream.argtypes = [ctypes.c_size_t]

    def configure(self, words: str = "") -> None:
        """Resets the driver; test/fake_gpu/Script.h lists the words."""
        self.api.fake_configure(words.encode())

    def report(self) -> dict[str, Any]:
        return dict(json.loads(self.api.fake_report()))

    def launches(self) -> list[dict[str, Any]]:
        return list(self.report()["launches"])

    def current_device(self) -> int:
        """The current device of this thread; -1 if none is."""
        return int(self.api.fake_current())

    def make_current(self, device: int) -> None:
        self.api.fake_make_current(device)

    def set_stream(self, stream: int) -> None:
        """Sets the current stream of the tensors' framework."""
        self.api.fake_set_stream(stream)

    def exchange_table(self) -> Any:
        """The capsule with DLPack's exchange table of the tensors' framework."""
        return _new_capsule(self.api.fake_exchange_table(), _NAME, None)


def address(device: int, offset: int = 0) -> int:
    """An address in a device's memory."""
    return (device + 1 << 40) + offset


class TensorBase(bytes):
    """A tensor of a framework with DLPack's exchange table; the bytes are its DLTensor."""

    memory: ClassVar[int]  # DLPack's number
    shape: Any
    device: str

    @classmethod
    def make(
        cls,
        device: int = 0,
        offset: int = 0,
        kind: int | None = None,
        elements: int = 16,
        bits: int = 32,
    ) -> Any:
        """Floats in a device's memory, or in another kind of memory that DLPack defines."""
        shape = (ctypes.c_int64 * 1)(elements)
        number = cls.memory if kind is None else kind
        data = (
            *(address(device, offset), number, device, 1, 2, bits, 1),
            *(ctypes.addressof(shape), 0, 0),
        )
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
