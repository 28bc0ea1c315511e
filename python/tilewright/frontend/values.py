"""The values of the front end.

A value is a `tl.tensor`, a constant (a `tl.constexpr` or any other Python object), or a tuple of
values. The tensors in a tuple are its leaves. Loops, branches and calls pass the leaves and rebuild
the tuple from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType
from typing import Any, TypeAlias

from tilewright.dependencies.kinds import is_scalar_of_library
from tilewright.language import constexpr, dtype, tensor, to_tensor
from tilewright.language._context import current
from tilewright.language.constexpr import python_scalar

Value: TypeAlias = Any


def is_tensor(value: Value) -> bool:
    return isinstance(value, tensor)


def is_constant(value: Value) -> bool:
    """Whether the whole value is known at compile time."""
    if isinstance(value, (tuple, list)):
        return all(is_constant(item) for item in value)
    return not isinstance(value, tensor)


def unwrap(value: Value) -> Value:
    """The Python object in a constexpr, also within tuples and lists; tensors are unchanged.

    NumPy scalars become Python numbers.
    """
    if isinstance(value, constexpr):
        value = value.value
    if isinstance(value, tuple):
        return retuple(value, [unwrap(item) for item in value])
    if isinstance(value, list):
        return [unwrap(item) for item in value]
    return python_scalar(value)


def truth(value: Value) -> bool:
    """The truth value of a constant."""
    current().record.use(value)
    return bool(unwrap(value))


def retuple(like: tuple[Value, ...], items: list[Value]) -> tuple[Value, ...]:
    """A tuple of the same class as `like`, which may be a named tuple."""
    if type(like) is tuple:
        return tuple(items)
    make = getattr(type(like), "_make", None)
    return make(items) if make else type(like)(items)


def materialise(value: Value) -> Value:
    """Converts numbers to scalar tensors, as every assignment does; keeps other constants."""
    if isinstance(value, tensor):
        return value
    if isinstance(value, (tuple, list)):
        return retuple(
            tuple(value) if isinstance(value, list) else value, [materialise(v) for v in value]
        )
    plain = unwrap(value)
    if isinstance(plain, tuple):
        return materialise(plain)
    return to_tensor(plain) if isinstance(plain, (bool, int, float)) else plain


def leaves(value: Value) -> list[tensor]:
    """The tensors in a value, in order."""
    if isinstance(value, tensor):
        return [value]
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return []


def map_leaves(value: Value, change: Callable[[tensor], Value]) -> Value:
    """The value with `change` applied to each of its tensors, in order."""
    if isinstance(value, tensor):
        return change(value)
    if isinstance(value, tuple):
        return retuple(value, [map_leaves(item, change) for item in value])
    return value


def with_handles(value: Value, handles: Iterator[Any]) -> Value:
    """The value with its tensors replaced by others of the same types."""
    return map_leaves(value, lambda leaf: tensor(next(handles), leaf.dtype))


def same_type(a: Value, b: Value) -> bool:
    """Whether a variable may have both values at different times: equal types or constants."""
    if isinstance(a, tensor) or isinstance(b, tensor):
        return isinstance(a, tensor) and isinstance(b, tensor) and a.type == b.type
    if isinstance(a, tuple) or isinstance(b, tuple):
        if type(a) is not type(b) or len(a) != len(b):
            return False
        return all(same_type(x, y) for x, y in zip(a, b, strict=True))
    return same_constant(a, b)


def same_constant(a: Value, b: Value) -> bool:
    a, b = unwrap(a), unwrap(b)
    if a is b or type(a) is not type(b):
        return a is b
    return repr(a) == repr(b) if is_scalar_of_library(a) else _has_value(a) and bool(a == b)


def _has_value(value: Value) -> bool:
    """Whether equality implies that two such values are interchangeable.

    A user-defined class may compare equal for objects that differ.
    """
    known = (bool, int, float, complex, str, bytes, type(None), range, type, Enum, FunctionType)
    return type(value) in known or isinstance(value, (dtype, Enum))


class _Identity:
    """Compares an object by identity, and keeps it alive."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def key_of(value: Value) -> Any:
    """A hashable key, equal for values that give the same specialization of a function."""
    if isinstance(value, tensor):
        return ("tensor", value.type)
    if isinstance(value, (tuple, list)):
        return (type(value), tuple(key_of(item) for item in value))
    plain = unwrap(value)
    if isinstance(plain, (tuple, list)):
        return key_of(plain)
    if isinstance(plain, float):
        return (float, repr(plain))  # distinguishes 0.0 from -0.0, and equates NaN with NaN
    return (type(plain), plain if _has_value(plain) else _Identity(plain))


def describe(value: Value) -> str:
    """Describes the type of a value for an error message."""
    if isinstance(value, tensor):
        return str(value.type)
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(describe(item) for item in value) + ")"
    plain = unwrap(value)
    if plain is None:
        return "None"
    if isinstance(plain, (bool, int, float, str)):
        return f"the constant {plain!r}"
    return f"{plain!r}"
