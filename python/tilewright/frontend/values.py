"""The values of the front end.

A value is a leaf, which has a value in the IR (a `tl.tensor`, or bytes passed by value), a constant
(a `tl.constexpr` or any other Python object), or a structure of values, such as a tuple
(tilewright/language/value.py). Loops, branches and calls pass the leaves of a structure and rebuild
it from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, TypeAlias, TypeGuard

from tilewright.dependencies.kinds import is_scalar_of_library
from tilewright.language import constexpr, dtype, tensor, to_tensor
from tilewright.language._build import known_integer
from tilewright.language._context import current
from tilewright.language.constexpr import python_scalar
from tilewright.language.formatted_text import FormattedText
from tilewright.language.parameter_bytes import ParameterBytes
from tilewright.language.value import flatten, is_structure, keeps_numbers, map_parts

Value: TypeAlias = Any
Leaf: TypeAlias = tensor | ParameterBytes


def is_tensor(value: Value) -> bool:
    return isinstance(value, tensor)


def is_leaf(value: Value) -> TypeGuard[Leaf]:
    return isinstance(value, (tensor, ParameterBytes))


def use_class(cls: type) -> None:
    """Records the code of a class of structures that runs while compiling."""
    record = current().record
    record.use(cls)
    for name in ("flatten", "unflatten"):
        record.use(record.attribute(cls, name))


def is_constant(value: Value) -> bool:
    """Whether the whole value is known at compile time."""
    return not leaves(value)


def fold_known(value: Value) -> Value:
    """The value with scalars whose value is known replaced by constants, also within structures.

    Requires that the value is used as a constant: constants have no dtype in arithmetic.
    """
    if is_leaf(value):
        known = getattr(value, "known", None)
        return value if known is None else constexpr(known)
    return map_parts(value, fold_known)


def unwrap(value: Value) -> Value:
    """The Python object in a constexpr, also within tuples and lists; tensors are unchanged.

    NumPy scalars become Python numbers.
    """
    if isinstance(value, constexpr):
        value = value.value
    return map_parts(value, unwrap) if isinstance(value, (tuple, list)) else python_scalar(value)


def unwrap_outer(value: Value) -> Value:
    """The tuple or list in a constexpr; its items are not unwrapped."""
    return value if isinstance(value, (tuple, list)) else unwrap(value)


def truth(value: Value) -> bool:
    """The truth value of a constant."""
    current().record.use(value)
    return bool(unwrap(value))


def materialize(value: Value) -> Value:
    """Converts numbers to scalar tensors, as every assignment does; keeps other constants."""
    if is_leaf(value):
        return value
    plain = value if is_structure(value) else unwrap(value)
    if keeps_numbers(plain):
        return plain
    if is_structure(plain):
        return map_parts(tuple(plain) if isinstance(plain, list) else plain, materialize)
    return to_tensor(plain) if isinstance(plain, (bool, int, float)) else plain


def leaves(value: Value) -> list[Leaf]:
    """The leaves of a value, in order."""
    if is_leaf(value):
        return [value]
    return [leaf for part in flatten(value)[0] for leaf in leaves(part)]


def map_leaves(value: Value, change: Callable[[Leaf], Value]) -> Value:
    """The value with `change` applied to each of its leaves, in order."""
    if is_leaf(value):
        return change(value)
    return map_parts(value, lambda part: map_leaves(part, change))


def with_handles(value: Value, handles: Iterator[Any]) -> Value:
    """The value with its leaves replaced by others of the same types."""

    return map_leaves(value, lambda leaf: _with_handle(leaf, next(handles)))


def _with_handle(leaf: Leaf, handle: Any) -> Leaf:
    if isinstance(leaf, ParameterBytes):
        return ParameterBytes(handle, leaf.type)
    return tensor(handle, leaf.dtype)


def across_call(value: Value, handles: Iterator[Any]) -> Value:
    """`with_handles` for an argument or a result of a call: a known value stays known.

    There is a handle for each leaf. Those of known values are not used.
    """

    def change(leaf: Leaf) -> Leaf:
        handle = next(handles)
        if isinstance(leaf, tensor) and leaf.known is not None:
            return known_integer(leaf.known, leaf.dtype)
        return _with_handle(leaf, handle)

    return map_leaves(value, change)


def same_type(a: Value, b: Value) -> bool:
    """Whether a variable may have both values at different times: equal types or constants."""
    if is_leaf(a) or is_leaf(b):
        return type(a) is type(b) and bool(a.type == b.type)
    if not (is_structure(a) or is_structure(b)):
        return same_constant(a, b)
    (parts, key), (others, other_key) = flatten(a), flatten(b)
    if type(a) is not type(b) or key != other_key or len(parts) != len(others):
        return False
    return all(map(same_type, parts, others))


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
    if is_leaf(value):
        return (type(value), value.type, getattr(value, "known", None))
    plain = value if is_structure(value) else unwrap(value)
    if is_structure(plain):
        parts, key = flatten(plain)
        return (type(plain), key, tuple(key_of(part) for part in parts))
    if isinstance(plain, float):
        return (float, repr(plain))  # distinguishes 0.0 from -0.0, and equates NaN with NaN
    return (type(plain), plain if _has_value(plain) else _Identity(plain))


def describe(value: Value) -> str:
    """Describes the type of a value for an error message."""
    if is_leaf(value):
        return str(value.type)
    if isinstance(value, FormattedText):
        return f"f{value.as_written()!r}"
    if is_structure(value):
        name = "" if type(value) in (tuple, list) else type(value).__name__
        return f"{name}({', '.join(map(describe, flatten(value)[0]))})"
    plain = unwrap(value)
    if plain is None:
        return "None"
    if isinstance(plain, (bool, int, float, str)):
        return f"the constant {plain!r}"
    if isinstance(plain, ModuleType):
        return f"the module {plain.__name__!r}"
    text = repr(plain)
    return f"a Python {type(plain).__name__}" if " object at 0x" in text else text
