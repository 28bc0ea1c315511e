"""What the frontend knows about values.

A value is a `tl.tensor`, a constant (a `tl.constexpr` or any other Python object), or a tuple of
values. A tuple's tensors are its leaves; loops, branches and calls pass on leaves and put the tuple
together again.
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
    """Whether all of the value is known at compile time."""
    if isinstance(value, (tuple, list)):
        return all(is_constant(item) for item in value)
    return not isinstance(value, tensor)


def unwrap(value: Value) -> Value:
    """The Python object in a constexpr, also within tuples; tensors stay what they are.

    NumPy's scalars become Python's.
    """
    if isinstance(value, constexpr):
        value = value.value
    if isinstance(value, tuple):
        return retuple(value, [unwrap(item) for item in value])
    if isinstance(value, list):
        return [unwrap(item) for item in value]
    return python_scalar(value)


def truth(value: Value) -> bool:
    """Whether a constant counts as true."""
    current().record.use(value)
    return bool(unwrap(value))


def retuple(like: tuple[Value, ...], items: list[Value]) -> tuple[Value, ...]:
    """A tuple of the same class as `like`, which may be a named one."""
    if type(like) is tuple:
        return tuple(items)
    make = getattr(type(like), "_make", None)
    return make(items) if make else type(like)(items)


def materialise(value: Value) -> Value:
    """Numbers become scalar tensors, as on every assignment; other constants stay."""
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
    return map_leaves(value, lambda leaf: tensor(next(handles), leaf.type))


def same_type(a: Value, b: Value) -> bool:
    """Whether two values could be one variable at different times."""
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
    """Whether the value is equal to another only where nothing tells the two apart.

    A class of the user's may say of different objects that they are equal.
    """
    known = (bool, int, float, complex, str, bytes, type(None), range, type, Enum, FunctionType)
    return type(value) in known or isinstance(value, (dtype, Enum))


class _Identity:
    """Equal where it is made of the same object, which it keeps alive."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def key_of(value: Value) -> Any:
    """A hashable stand-in: equal for values that specialise a function in the same way."""
    if isinstance(value, tensor):
        return ("tensor", value.type)
    if isinstance(value, (tuple, list)):
        return (type(value), tuple(key_of(item) for item in value))
    plain = unwrap(value)
    if isinstance(plain, (tuple, list)):
        return key_of(plain)
    if isinstance(plain, float):
        return (float, repr(plain))  # tells 0.0 from -0.0, and a NaN equals itself
    return (type(plain), plain if _has_value(plain) else _Identity(plain))


def describe(value: Value) -> str:
    """The type of a value as a message names it."""
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
