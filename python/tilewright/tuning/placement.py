"""Where a launch with given arguments runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tilewright import _core
from tilewright.compiler.targets import Target, launch_target


def is_array(value: Any) -> bool:
    """Whether a value is a tensor or an array, not a NumPy scalar."""
    return hasattr(value, "dtype") and (
        hasattr(value, "data_ptr")
        or bool(getattr(value, "ndim", 0))
        or hasattr(value, "__dlpack__")
    )


def device_of(values: Iterable[Any]) -> str:
    """The device of the first array that is not in host memory, else "cpu"."""
    for value in values:
        if not is_array(value):
            continue
        device = str(getattr(value, "device", "cpu"))
        if hasattr(value, "__cuda_array_interface__") and not device.startswith("cuda"):
            device = f"cuda:{getattr(getattr(value, 'device', None), 'id', 0)}"
        if device.startswith("cuda"):
            return device if ":" in device else device + ":0"
    return "cpu"


def place_of(values: Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[str, Any]:
    """What distinguishes places that may need another choice: the device, and a named target."""
    return device_of(values), kwargs.get("target", _default_target())


def target_of(values: Iterable[Any], kwargs: Mapping[str, Any]) -> Target:
    """The target of a launch.

    Raises:
        DeviceError: It is unknown.
    """
    return launch_target(kwargs.get("target", _default_target()), device_of(values))


def _default_target() -> Any:
    """The target of `with tilewright.emulate(...)`, or None."""
    target = _core.exchange_default_target(None)
    _core.exchange_default_target(target)
    return target
