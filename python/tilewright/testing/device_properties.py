"""Properties of a CUDA device, from NVIDIA's driver."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from tilewright.errors import DeviceError


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
    devices = _devices()
    if not 0 <= ordinal < len(devices):
        raise DeviceError(f"there is no CUDA device {ordinal}; the driver has {len(devices)}")
    return devices[ordinal]


def _devices() -> list[DeviceProperties]:
    """All CUDA devices.

    Raises:
        DeviceError: There are none.
    """
    from tilewright import _core

    found = _core.devices("cuda")
    if found["problem"]:
        raise DeviceError(f"there is no CUDA device: {found['problem']}")
    return [
        DeviceProperties(
            capability=divmod(int(device["architecture"]), 10),
            multiprocessor_count=device["multiprocessors"],
            clock_rate=device["clock_kilohertz"],
            memory_clock_rate=device["memory_clock_kilohertz"],
            memory_bus_width=device["memory_bus_bits"],
        )
        for device in found["devices"]
    ]


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
    raise DeviceError(f"{device!r} is not a CUDA device")
