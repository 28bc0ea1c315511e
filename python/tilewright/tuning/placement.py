"""Where a launch with given arguments runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tilewright import _core
from tilewright.compiler.gpu_target import thread_target
from tilewright.compiler.targets import Target, launch_target


def is_array(value: Any) -> bool:
    """Whether a value is a tensor or an array, not a NumPy scalar."""
    return hasattr(value, "dtype") and (
        hasattr(value, "data_ptr")
        or bool(getattr(value, "ndim", 0))
        or hasattr(value, "__dlpack__")
    )


def is_structure(value: Any) -> bool:
    """Whether a value is of a class of structures, such as a tensor descriptor."""
    return hasattr(type(value), "__tilewright_value__")


def device_of(values: Iterable[Any]) -> str:
    """The device of the first array that is not in host memory ("cuda:0"), else "cpu"."""
    for value in _arrays_in(values):
        device = str(getattr(value, "device", "cpu"))
        if hasattr(value, "__dlpack_device__") and not hasattr(value, "data_ptr"):
            device = _name_of(*value.__dlpack_device__())
        name, _, ordinal = device.partition(":")
        # PyTorch for ROCm calls its devices "cuda".
        kind = _core.device_kind_called(name)
        if kind in _DEVICES:
            return f"{kind}:{ordinal or 0}"
    return "cpu"


def torch_name(device: str) -> str:
    """What PyTorch calls a GPU: "cuda:1" also for "hip:1"."""
    return f"cuda:{device.partition(':')[2]}"


def _arrays_in(values: Iterable[Any]) -> Iterator[Any]:
    """The arrays among values, and in tuples and other structures of them."""
    for value in values:
        if isinstance(value, tuple):
            yield from _arrays_in(value)
        elif is_structure(value):
            yield from _arrays_in(value.flatten()[0])
        elif is_array(value):
            yield value


# The kinds of devices, with DLPack's numbers.
_DEVICES = {"cuda": 2, "hip": 10}


def _name_of(number: int, ordinal: int) -> str:
    kind = next((name for name, known in _DEVICES.items() if known == number), "cpu")
    return kind if kind == "cpu" else f"{kind}:{ordinal}"


def place_of(values: Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[str, Any]:
    """The device and the target, if one is named: other places may need another choice."""
    return device_of(values), kwargs.get("target", thread_target())


def target_of(values: Iterable[Any], kwargs: Mapping[str, Any]) -> Target:
    """The target of a launch.

    Raises:
        DeviceError: It is unknown.
    """
    return launch_target(kwargs.get("target", thread_target()), device_of(values))
