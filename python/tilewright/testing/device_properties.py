"""Properties of a CUDA device, from NVIDIA's driver."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from typing import Any

from tilewright.errors import DeviceError

# The numbers of CUdevice_attribute in cuda.h.
_CLOCK_RATE = 13
_MULTIPROCESSOR_COUNT = 16
_MEMORY_CLOCK_RATE = 36
_MEMORY_BUS_WIDTH = 37
_CAPABILITY_MAJOR = 75
_CAPABILITY_MINOR = 76


@dataclass(frozen=True)
class DeviceProperties:
    """What determines the peak rates of a device.

    Attributes:
        capability: The compute capability, such as (9, 0).
        multiprocessor_count: The number of streaming multiprocessors (SMs).
        clock_rate: The highest clock of the SMs in kHz.
        memory_clock_rate: The highest clock of the memory in kHz; 0 if the driver does not know it.
        memory_bus_width: The width of the memory's bus in bits.
    """

    capability: tuple[int, int]
    multiprocessor_count: int
    clock_rate: int
    memory_clock_rate: int
    memory_bus_width: int


def device_properties(device: Any = None) -> DeviceProperties:
    """The properties of a CUDA device.

    Args:
        device: Its ordinal, a name such as "cuda:1", or a torch.device; by default the current
            device of PyTorch, or 0 if PyTorch has not initialized CUDA.

    Raises:
        DeviceError: There is no driver or no such device.
    """
    ordinal = _ordinal(device)
    driver = _driver()
    _check(driver.cuInit(0), "cuInit")
    count = ctypes.c_int()
    _check(driver.cuDeviceGetCount(ctypes.byref(count)), "cuDeviceGetCount")
    if not 0 <= ordinal < count.value:
        raise DeviceError(f"there is no CUDA device {ordinal}; the driver has {count.value}")
    handle = ctypes.c_int()
    _check(driver.cuDeviceGet(ctypes.byref(handle), ordinal), "cuDeviceGet")

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        status = driver.cuDeviceGetAttribute(ctypes.byref(value), number, handle)
        _check(status, f"cuDeviceGetAttribute of attribute {number}")
        return value.value

    return DeviceProperties(
        capability=(attribute(_CAPABILITY_MAJOR), attribute(_CAPABILITY_MINOR)),
        multiprocessor_count=attribute(_MULTIPROCESSOR_COUNT),
        clock_rate=attribute(_CLOCK_RATE),
        memory_clock_rate=attribute(_MEMORY_CLOCK_RATE),
        memory_bus_width=attribute(_MEMORY_BUS_WIDTH),
    )


def _ordinal(device: Any) -> int:
    torch: Any = sys.modules.get("torch")
    index = getattr(device, "index", None) if not isinstance(device, str) else None
    if isinstance(device, int):
        return device
    if isinstance(index, int):  # of a torch.device
        return index
    kind, _, number = str(device).partition(":")
    if number.isdigit() and kind == "cuda":
        return int(number)
    if device is None or str(device) == "cuda":
        initialized = torch and torch.cuda.is_initialized()
        return int(torch.cuda.current_device()) if initialized else 0
    raise DeviceError(f"{device!r} is no CUDA device")


def _driver() -> Any:
    library = os.environ.get("TILEWRIGHT_LIBCUDA") or "libcuda.so.1"
    try:
        return ctypes.CDLL(library)
    except OSError as error:
        raise DeviceError(
            f"there is no CUDA device: NVIDIA's driver is missing ({error})"
        ) from None


def _check(status: int, call: str) -> None:
    if status:
        raise DeviceError(f"{call} of NVIDIA's driver failed with error {status}")
