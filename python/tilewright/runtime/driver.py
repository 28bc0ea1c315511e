"""The active driver: the target, device and stream of launches, as programs for Triton ask for it.

    from tilewright.runtime import driver
    driver.active.get_current_target()          GPUTarget("cuda", 90, 32)
    driver.active.utils.get_device_properties(0)["multiprocessor_count"]

`driver` is an object in this module, and the module has its attributes, too, so that either can be
used by this name. Without `set_active`, the active driver is

    EmulatedDriver   in a `with tilewright.emulate(...)`, or where TILEWRIGHT_TARGET emulates a GPU
    CudaDriver       where there is a CUDA device, unless TILEWRIGHT_TARGET names another kind
    HipDriver        the same for an AMD GPU
    CpuDriver        elsewhere

Programs read the active driver; it has no effect on launches, which run where their arrays are.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from typing import Any

from tilewright import _core
from tilewright.compiler.gpu_target import GPUTarget, current_target, gpu_target_of
from tilewright.compiler.streams import current_stream
from tilewright.compiler.targets import Target, resolve_target, target_kinds
from tilewright.errors import DeviceError


def _torch() -> Any:
    """PyTorch, imported now if it was not.

    Raises:
        DeviceError: It is not installed.
    """
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise DeviceError(f"PyTorch is needed, but can't be imported: {error}") from error


class DeviceUtils:
    """`driver.active.utils`."""

    def __init__(self, driver: DriverBase) -> None:
        self._driver = driver

    def get_device_properties(self, device: int) -> dict[str, int]:
        """Properties of a device.

        Returns:
            multiprocessor_count, max_shared_mem (bytes per program), max_num_regs (per program),
            warpSize, sm_clock_rate and mem_clock_rate (kHz), and mem_bus_width (bits); 0 for what
            is unknown or does not exist.

        Raises:
            DeviceError: There is no such device.
        """
        return self._driver._properties(device)


class DriverBase:
    """The base class of drivers; `utils.get_device_properties(device)` describes a device."""

    def __init__(self) -> None:
        self.utils = DeviceUtils(self)

    @classmethod
    def is_active(cls) -> bool:
        """Whether this driver is active if none was chosen by `set_active`."""
        return type(_default()) is cls

    @property
    def target(self) -> Target:
        """The target that launches compile for, as Tilewright names it."""
        raise NotImplementedError

    def get_current_target(self) -> GPUTarget:
        """`target` in Triton's form."""
        return gpu_target_of(self.target)

    def get_current_device(self) -> int:
        """The ordinal of the current device."""
        return 0

    def set_current_device(self, device: int) -> None:
        """Makes a device the current one.

        Raises:
            DeviceError: There is no such device.
        """
        self._check(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """The driver's handle of the current stream of a device; 0 where there are no streams."""
        return 0

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """The compute capability; (0, 0) on the CPU."""
        arch = self.get_current_target().arch
        return divmod(arch, 10) if isinstance(arch, int) else (0, 0)

    def get_active_torch_device(self) -> Any:
        """The torch.device of tensors for launches."""
        return _torch().device("cpu")

    def get_device_interface(self) -> Any:
        """The module of PyTorch for the device: torch.cuda or torch.cpu."""
        return _torch().cpu

    def get_benchmarker(self) -> Any:
        """The function that measures times: tilewright.testing.do_bench."""
        from tilewright.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        """A tensor that is larger than the device's caches."""
        from tilewright.testing.timing import flush_buffer

        return flush_buffer(_torch(), self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        """Writes the tensor of `get_empty_cache_for_benchmark`, which evicts other data."""
        cache.zero_()

    def _check(self, device: int) -> dict[str, Any]:
        """What the core reports of a device."""
        if device != 0:
            raise DeviceError(f"there is no device {device}; the only one is 0")
        return {}

    def _properties(self, device: int) -> dict[str, int]:
        self._check(device)
        return _limits(self.target)


def _limits(target: Target) -> dict[str, int]:
    """The properties of an architecture, as far as the compiler knows them."""
    limits = target_kinds()[target.kind].limits(target.arch)
    return {
        "multiprocessor_count": 0,
        "max_shared_mem": limits["shared_bytes"] or 0,
        "max_num_regs": limits["registers"] or 0,
        "warpSize": limits["lanes_per_warp"] or 1,
        "sm_clock_rate": 0,
        "mem_clock_rate": 0,
        "mem_bus_width": 0,
    }


class CpuDriver(DriverBase):
    """The host: its cores are its multiprocessors, and programs have no shared memory."""

    @property
    def target(self) -> Target:
        named = current_target()
        return named if named is not None and named.kind == "cpu" else resolve_target("cpu")

    def _properties(self, device: int) -> dict[str, int]:
        return {**super()._properties(device), "multiprocessor_count": os.cpu_count() or 1}


class GPUDriver(DriverBase):
    """The base class of drivers of GPUs."""


class EmulatedDriver(GPUDriver):
    """A GPU that the host emulates. Tensors are in host memory, and there is one device.

    The number of multiprocessors is that of the host's cores.
    """

    @property
    def target(self) -> Target:
        named = current_target()
        if named is None or named.kind != "emulator":
            raise DeviceError("no GPU is emulated here; enter `with tilewright.emulate(...)`")
        return named

    def _properties(self, device: int) -> dict[str, int]:
        return {**super()._properties(device), "multiprocessor_count": os.cpu_count() or 1}


class TorchDriver(GPUDriver):
    """The devices of one kind. The current device and stream are PyTorch's, if it is imported.

    PyTorch has the same names for the GPUs of all vendors: those of CUDA.
    """

    kind: str

    @property
    def target(self) -> Target:
        named = current_target()
        if named is not None and named.kind == self.kind:
            return named
        return resolve_target(self.kind, f"{self.kind}:{self.get_current_device()}")

    def get_current_device(self) -> int:
        return _core.current_device(self.kind)

    def set_current_device(self, device: int) -> None:
        self._check(device)
        _torch().cuda.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        return current_stream(device)

    def get_active_torch_device(self) -> Any:
        return _torch().device("cuda", self.get_current_device())

    def get_device_interface(self) -> Any:
        return _torch().cuda

    def _check(self, device: int) -> dict[str, Any]:
        found = _core.devices(self.kind)
        devices: list[dict[str, Any]] = found["devices"]
        if device not in range(len(devices)):
            why = found["problem"] or f"there are {len(devices)} devices"
            raise DeviceError(f"there is no {self.kind}:{device}: {why}")
        return devices[device]

    def _properties(self, device: int) -> dict[str, int]:
        found = self._check(device)
        return {
            "multiprocessor_count": found["multiprocessors"],
            "max_shared_mem": found["shared_bytes_per_block"],
            "max_num_regs": found["registers_per_block"],
            "warpSize": found["warp_size"],
            "sm_clock_rate": found["clock_kilohertz"],
            "mem_clock_rate": found["memory_clock_kilohertz"],
            "mem_bus_width": found["memory_bus_bits"],
        }


class CudaDriver(TorchDriver):
    """The CUDA devices."""

    kind = "cuda"

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        found = self._check(self.get_current_device() if device is None else device)
        return divmod(int(found["architecture"]), 10)


class HipDriver(TorchDriver):
    """The AMD GPUs. They have no compute capability; PyTorch reports parts of the architecture's
    name as one, such as (9, 4) for gfx942.
    """

    kind = "hip"

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        found = self._check(self.get_current_device() if device is None else device)
        digits = re.fullmatch(r"gfx(\d+)([0-9a-f])[0-9a-f]", found["architecture"])
        return (int(digits[1]), int(digits[2], 16)) if digits else (0, 0)


_drivers = {
    "cpu": CpuDriver(),
    "emulator": EmulatedDriver(),
    "cuda": CudaDriver(),
    "hip": HipDriver(),
}


def _default() -> DriverBase:
    named = current_target()
    if named is not None:
        return _drivers[named.kind]
    for kind, driver in _drivers.items():
        if isinstance(driver, TorchDriver) and kind in target_kinds() and _has_devices(kind):
            return driver
    return _drivers["cpu"]


def _has_devices(kind: str) -> bool:
    """Whether there are devices of the kind.

    A process that was forked from one that uses a device, such as a compile worker of PyTorch,
    can't ask the driver; PyTorch remembers what it found before.
    """
    found = _core.devices(kind)
    if not found["problem"].startswith(("cuInit", "hipInit")):
        return bool(found["devices"]) and not found["problem"]
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return False
    return (torch.version.hip is not None) == (kind == "hip")


class DriverConfig:
    """`tilewright.runtime.driver`."""

    def __init__(self) -> None:
        self._chosen: Any = None

    @property
    def default(self) -> DriverBase:
        """The driver that is active if none was chosen."""
        return _default()

    @property
    def active(self) -> Any:
        """The driver that `set_active` chose, else `default`."""
        return _default() if self._chosen is None else self._chosen

    def set_active(self, driver: Any) -> None:
        """Makes a driver the active one, until `reset_active`."""
        self._chosen = driver

    def reset_active(self) -> None:
        """Makes `default` the active driver."""
        self._chosen = None


driver = DriverConfig()
set_active = driver.set_active
reset_active = driver.reset_active


def __getattr__(name: str) -> Any:
    if name in ("active", "default"):
        return getattr(driver, name)
    raise AttributeError(f"module 'tilewright.runtime.driver' has no attribute {name!r}")
