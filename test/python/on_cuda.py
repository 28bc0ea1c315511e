"""Runs the tests' launches on a CUDA or HIP device, with their arrays copied there and back.

A test is written once, for arrays on the CPU. With `--targets cuda` every launch gets copies of
its arrays on the device, and their contents are copied back when the kernel has finished. Arrays
that share memory also share it on the device. PyTorch calls the devices of HIP "cuda", too.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import emulated_beside
import numpy as np

from tilewright.runtime.function import JITFunction
from tilewright.runtime.reinterpreted import TensorWrapper, reinterpret
from tilewright.tools.tensor_descriptor import TensorDescriptor


class _Memory:
    """A range of host memory and its copy on the device."""

    def __init__(self, host: Any) -> None:
        self.host = host  # a torch tensor of bytes
        self.device = host.cuda()

    def view(self, address: int, dtype: Any, shape: Any, strides: Any) -> Any:
        import torch

        offset = address - self.host.data_ptr()
        size = torch.empty(0, dtype=dtype).element_size()
        assert offset % size == 0, "an array that is not aligned to its elements"
        typed = torch.empty(0, dtype=dtype, device="cuda")
        return typed.set_(self.device.untyped_storage(), offset // size, shape, strides)

    def copy_back(self) -> None:
        self.host.copy_(self.device)


class _Launch:
    """The arguments of one launch on the device."""

    def __init__(self) -> None:
        self.memories: dict[int, _Memory] = {}
        self.arrays: list[tuple[Any, Any]] = []  # on the host, and on the device

    def moved(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(value)
        if is_cpu_tensor(value):
            return self._tensor(value)
        if isinstance(value, TensorWrapper):
            return reinterpret(self.moved(value.base), value.dtype)
        if isinstance(value, TensorDescriptor):
            moved = copy.copy(value)
            moved.base = self.moved(value.base)
            return moved
        if isinstance(value, tuple):
            parts = [self.moved(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    def _array(self, array: np.ndarray) -> Any:
        import torch

        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        if isinstance(root.base, torch.Tensor):
            return self._tensor(torch.from_numpy(array))
        low, high = bounds(root)
        memory = self._memory(low, lambda: torch.from_numpy(_bytes(low, high)))
        dtype = torch.from_numpy(np.empty(0, array.dtype)).dtype
        strides = [stride // array.itemsize for stride in array.strides]
        return self._note(
            torch.from_numpy(array),
            memory.view(array.__array_interface__["data"][0], dtype, array.shape, strides),
        )

    def _tensor(self, tensor: Any) -> Any:
        import torch

        storage = tensor.untyped_storage()

        def make() -> Any:
            return torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))

        memory = self._memory(storage.data_ptr(), make)
        return self._note(
            tensor.detach(),
            memory.view(tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()),
        )

    def _note(self, host: Any, device: Any) -> Any:
        self.arrays.append((host, device))
        return device

    def _memory(self, address: int, make: Any) -> _Memory:
        if address not in self.memories:
            self.memories[address] = _Memory(make())
        return self.memories[address]

    def copy_back(self) -> None:
        for memory in self.memories.values():
            memory.copy_back()


def bounds(array: np.ndarray) -> tuple[int, int]:
    """The addresses of an array's first byte and of the byte after its last."""
    low = high = array.__array_interface__["data"][0]
    if array.size == 0:
        return low, high
    for size, stride in zip(array.shape, array.strides, strict=True):
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high + array.itemsize


def _bytes(low: int, high: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))


def is_cpu_tensor(value: Any) -> bool:
    return hasattr(value, "untyped_storage") and value.device.type == "cpu"


class OnCuda:
    """The result of `kernel[grid]`."""

    def __init__(self, bound: Any, kind: str = "cuda", compare: bool = False) -> None:
        self.bound = bound
        self.kind = kind
        self.compare = compare

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        import torch

        launch = _Launch()
        moved = [launch.moved(value) for value in args]
        named = {name: launch.moved(value) for name, value in kwargs.items()}
        if not launch.memories:
            named.setdefault("target", self.kind)
        try:
            result = self.bound(*moved, **named)
            torch.cuda.synchronize()
            if self.compare:
                with emulated_beside.emulating(launch.arrays):
                    self.bound(*args, **kwargs)
            return result
        finally:
            torch.cuda.synchronize()
            launch.copy_back()
            ctypes.CDLL(None).fflush(None)  # the kernel's output


@contextmanager
def launching(kind: str, compare: bool) -> Iterator[None]:
    """Runs every launch on the device, and with `compare` also on an emulated one."""
    bind = JITFunction.__getitem__
    JITFunction.__getitem__ = lambda self, grid: OnCuda(bind(self, grid), kind, compare)  # type: ignore
    try:
        yield
    finally:
        JITFunction.__getitem__ = bind  # type: ignore[method-assign]
