"""Sets arrays to zero, and saves and restores them, around trial launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tilewright.errors import ArgumentError
from tilewright.runtime.reinterpreted import TensorWrapper


def set_to_zero(array: Any) -> None:
    """Sets all elements of a PyTorch tensor, a NumPy array or a similar object to zero."""
    array = _memory_of(array)
    if hasattr(array, "zero_"):
        _without_replicas(_detached(array)).zero_()
    else:
        array[...] = 0


def copy_of(array: Any) -> Any:
    """A copy with memory of its own, of the dtype that the memory has."""
    array = _memory_of(array)
    return array.detach().clone() if hasattr(array, "detach") else array.copy()


def copy_into(array: Any, source: Any) -> None:
    """Overwrites all elements of an array with those of a copy of it.

    A read-only array is left alone: no kernel that is launched writes to it.
    """
    array = _memory_of(array)
    if hasattr(array, "copy_"):
        # PyTorch refuses to write to an expanded tensor.
        _without_replicas(_detached(array)).copy_(_first_of_replicas(source, array))
    elif getattr(getattr(array, "flags", None), "writeable", True):
        array[...] = source


def _memory_of(array: Any) -> Any:
    """The tensor or array of a reinterpreted one."""
    return array.base if isinstance(array, TensorWrapper) else array


def _detached(array: Any) -> Any:
    """The tensor without autograd, which refuses writes to a leaf that requires a gradient."""
    return array.detach() if hasattr(array, "detach") else array


def _without_replicas(tensor: Any) -> Any:
    """The part of a tensor that has each element of an expanded dimension once."""
    return _first_of_replicas(tensor, tensor)


def _first_of_replicas(tensor: Any, expanded: Any) -> Any:
    """The first element of each dimension in which `expanded` has a stride of zero."""
    for axis, stride in enumerate(expanded.stride()):
        if stride == 0 and expanded.shape[axis] > 1:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor


def arrays_named(names: Iterable[str], arguments: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The arrays among the arguments that have these names; None is left out.

    Raises:
        ArgumentError: An argument is not an array, or is not given.
    """
    found = {}
    for name in names:
        if name not in arguments:
            raise ArgumentError(f"autotune: {what} names '{name}', which the launch does not pass")
        value = arguments[name]
        if value is None:
            continue
        if not hasattr(value, "dtype"):
            raise ArgumentError(
                f"autotune: {what} names '{name}', which is {value!r}, not an array"
            )
        found[name] = value
    return found
