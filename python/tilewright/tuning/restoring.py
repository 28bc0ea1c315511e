"""Sets arrays to zero, and saves and restores them, around trial launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tilewright.errors import ArgumentError


def set_to_zero(array: Any) -> None:
    """Sets all elements of a PyTorch tensor, a NumPy array or the like to zero."""
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0


def copy_of(array: Any) -> Any:
    """A copy with memory of its own."""
    return array.detach().clone() if hasattr(array, "detach") else array.copy()


def copy_into(array: Any, source: Any) -> None:
    """Overwrites all elements of an array."""
    if hasattr(array, "copy_"):
        with_data = array.detach() if hasattr(array, "detach") else array
        with_data.copy_(source)
    else:
        array[...] = source


def arrays_named(names: Iterable[str], arguments: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The arrays among the arguments that have these names; None is left out.

    Raises:
        ArgumentError: An argument is no array, or not given.
    """
    found = {}
    for name in names:
        if name not in arguments:
            raise ArgumentError(f"autotune: {what} names '{name}', which the launch does not pass")
        value = arguments[name]
        if value is None:
            continue
        if not hasattr(value, "dtype"):
            raise ArgumentError(f"autotune: {what} names '{name}', which is {value!r}, no array")
        found[name] = value
    return found
