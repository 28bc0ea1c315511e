"""The value protocol: how values that consist of other values are taken apart and put together.

A value of a kernel is a tensor, a constant, or a structure: a tuple, or an instance of a class that
is registered here. A structure has parts, which are values, and a key, which is known at compile
time. Control flow, calls, `return`, signatures and the launcher use nothing else of a structure:

    @value_class
    class Strided:
        def __init__(self, base, stride, unit):
            self.base, self.stride, self.unit = base, stride, unit

        def flatten(self):
            return (self.base, self.stride), self.unit

        @classmethod
        def unflatten(cls, parts, key):
            return cls(*parts, key)

Code is specialized on the class, on the key, and on the types of the parts. A loop carries the
tensors among the parts, and both branches of an `if` must have the same class and the same key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

_Class = TypeVar("_Class", bound=type)


class ValueClass(NamedTuple):
    """How the instances of a class are taken apart and put together.

    `flatten(value)` returns the parts and the key. `unflatten(cls, parts, key)` makes an instance
    of `cls`. The parts may be placeholders, so neither should depend on what they are. If
    `keeps_numbers`, an assignment of an instance does not turn numbers in it into tensors.
    """

    flatten: Callable[[Any], tuple[Sequence[Any], Hashable]]
    unflatten: Callable[[Any, Sequence[Any], Hashable], Any]
    keeps_numbers: bool = False


class ByValue(bytes):
    """Bytes that a kernel takes by value, as one part of a structure: a CUDA tensor map.

    There are at most 128 bytes, a multiple of the alignment, which is that of the class. The kernel
    gets them as a `ParameterBytes` (parameter_bytes.py).
    """

    __tilewright_by_value__ = 64  # the alignment, for the launcher


class Described(NamedTuple):
    """A structure in a signature: its class, its key, and the descriptions of its parts."""

    kind: type
    key: Hashable
    parts: tuple[Any, ...]


def _make_tuple(cls: Any, parts: Sequence[Any], key: Hashable) -> Any:
    """A tuple; a named tuple takes its items one by one."""
    if cls is tuple:
        return tuple(parts)
    return cls._make(parts) if hasattr(cls, "_make") else cls(parts)


# By class; None for classes without parts.
_CLASSES: dict[type, ValueClass | None] = {
    tuple: ValueClass(lambda value: (value, None), _make_tuple),
    list: ValueClass(lambda value: (value, None), lambda cls, parts, key: list(parts)),
}


def value_class(cls: _Class) -> _Class:
    """Registers a class with the methods `flatten` and `unflatten`; see the module's docstring."""
    made: Any = cls
    _CLASSES[cls] = ValueClass(
        lambda value: value.flatten(), lambda kind, parts, key: kind.unflatten(parts, key)
    )
    made.__tilewright_value__ = True  # for the launcher
    return cls


def register(
    cls: type,
    flatten: Callable[[Any], tuple[Sequence[Any], Hashable]],
    unflatten: Callable[[Any, Sequence[Any], Hashable], Any],
    keeps_numbers: bool = False,
) -> None:
    """Registers a class whose instances are structures in kernels, but not launch arguments."""
    _CLASSES[cls] = ValueClass(flatten, unflatten, keeps_numbers)


def value_class_of(cls: type) -> ValueClass | None:
    """How instances of a class, or of one that it derives from, are taken apart."""
    try:
        return _CLASSES[cls]
    except KeyError:
        bases = (_CLASSES.get(base) for base in cls.__mro__)
        return _CLASSES.setdefault(cls, next((found for found in bases if found), None))


def is_structure_class(cls: type) -> bool:
    return value_class_of(cls) is not None


def is_structure(value: Any) -> bool:
    return value_class_of(type(value)) is not None


def keeps_numbers(value: Any) -> bool:
    """Whether an assignment leaves the numbers in a structure as they are."""
    found = value_class_of(type(value))
    return found is not None and found.keeps_numbers


def flatten(value: Any) -> tuple[Sequence[Any], Hashable]:
    """The parts and the key of a structure; other values have neither."""
    found = value_class_of(type(value))
    return ((), None) if found is None else found.flatten(value)


def unflatten(cls: type, parts: Sequence[Any], key: Hashable) -> Any:
    """The structure of a registered class with these parts and this key."""
    found = value_class_of(cls)
    assert found is not None
    return found.unflatten(cls, parts, key)


def map_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """The structure with `change` applied to each of its parts, in order; others unchanged."""
    if not is_structure(value):
        return value
    parts, key = flatten(value)
    return unflatten(type(value), [change(part) for part in parts], key)
