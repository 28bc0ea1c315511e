"""Members of aggregates: methods, operators, and assignments to fields.

A method that is a @jit function is called like a function of the language, with the instance as its
first argument. A method that is a Python function runs at compile time on a copy of the instance.

An assignment to a field makes a new instance, which replaces the old one in all variables:

    pair.first = x        %pair = (%x, %pair.second)
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from tilewright.dependencies import is_jit_function
from tilewright.errors import TilewrightError, TypeMismatchError, UnsupportedError
from tilewright.language._context import current
from tilewright.language.aggregates import is_aggregate, is_aggregate_class, with_field
from tilewright.language.constexpr import ConstexprFunction
from tilewright.language.semantic import Semantic
from tilewright.language.value import flatten, is_structure, map_parts

from .scope import Unavailable
from .values import Value, describe, is_leaf
from .visitor import FunctionVisitor


@dataclass(frozen=True)
class Method:
    """A method of a structure, or a static one of an aggregate (`owner` is its class)."""

    function: Any
    owner: Value

    @property
    def is_static(self) -> bool:
        return isinstance(self.owner, type)


def find_method(owner: Value, name: str) -> Method | None:
    """A method that the language calls otherwise than Python does; None for other attributes."""
    if is_structure(owner):
        kind = type(owner)
    elif is_aggregate_class(owner):
        kind = owner
    else:
        return None
    member = inspect.getattr_static(kind, name, None)
    is_static = isinstance(member, staticmethod)
    function = member.__func__ if isinstance(member, staticmethod) else member
    is_python = is_aggregate_class(kind) and isinstance(function, (FunctionType, ConstexprFunction))
    if isinstance(member, classmethod) and is_aggregate_class(kind):
        return Method(getattr(kind, name), kind)
    if not is_jit_function(function) and not is_python:
        return None
    current().record.use(kind, with_functions=False)
    current().record.attribute(kind, name)
    return Method(function, kind if is_static or kind is owner else owner)


def call_method(
    v: FunctionVisitor,
    method: Method,
    args: list[Value],
    kwargs: dict[str, Value],
    guarded: Callable[..., Value],
) -> Value:
    """Calls a method; `guarded(function, args, kwargs)` calls a Python function."""
    function, owner = method.function, method.owner
    if is_jit_function(function):
        return v.context.call(function, args if method.is_static else [owner, *args], kwargs)
    v.build.record.use((function, *args, *kwargs.values()))
    plain = function.fn if isinstance(function, ConstexprFunction) else function
    if "_semantic" in inspect.signature(plain).parameters:
        kwargs = {**kwargs, "_semantic": Semantic()}
    if method.is_static:
        return guarded(function, args, kwargs)
    instance = _copy(owner)
    before = _fields(instance)
    result = guarded(function, [instance, *args], kwargs)
    if _fields(instance) != before:
        _replace_changed(v, owner, instance)
    return owner if result is instance else result


def _copy(value: Value) -> Value:
    """A copy of a structure and of those in it."""
    return value if is_leaf(value) else map_parts(value, _copy)


def _fields(value: Value) -> list[int]:
    """What a structure holds: the identities of everything in it."""
    if is_leaf(value) or not is_structure(value):
        return [id(value)]
    return [number for part in flatten(value)[0] for number in _fields(part)]


def _replace_changed(v: FunctionVisitor, old: Value, new: Value) -> None:
    if v.loop is not None and v.loop.is_within_runtime_loop:
        raise UnsupportedError(
            f"a Python method changes {describe(old)} in a loop",
            hint="decorate the method with @tilewright.jit, let it return the changed instance, "
            "and assign that to the variable",
        )
    replace(v, old, new)


def set_attribute(v: FunctionVisitor, target: ast.Attribute, value: Value) -> None:
    """Assigns to a field of an aggregate.

    Raises:
        UnsupportedError: Its owner is not an aggregate.
        TypeMismatchError: There is no such field, or the value does not fit.
    """
    owner = v.visit(target.value)
    if not is_aggregate(owner):
        raise UnsupportedError(
            f"`{ast.unparse(target)}` cannot be assigned in a kernel: {describe(owner)} is not an "
            "aggregate",
            hint="assign to a variable",
        )
    current().record.use(type(owner))
    try:
        changed = with_field(owner, target.attr, value)
    except TilewrightError:
        raise
    except (AttributeError, TypeError) as error:
        raise TypeMismatchError(str(error)) from None
    replace(v, owner, changed)


def replace(v: FunctionVisitor, old: Value, new: Value) -> None:
    """Replaces a structure in all variables, also where it is part of another structure."""
    for name, value in v.scope.values.items():
        if not isinstance(value, Unavailable):
            v.scope.values[name] = _replaced(value, old, new)


def _replaced(value: Value, old: Value, new: Value) -> Value:
    if value is old:
        return new
    if is_leaf(value) or not is_structure(value):
        return value
    parts = flatten(value)[0]
    changed = [_replaced(part, old, new) for part in parts]
    if all(part is other for part, other in zip(parts, changed, strict=True)):
        return value
    remaining = iter(changed)
    return map_parts(value, lambda part: next(remaining))


def find_operator(name: str, reflected: str | None, left: Value, right: Value) -> Any:
    """A structure's method for `left op right` that is a @jit function, and its arguments.

    Returns:
        The method and the other operand, or None.
    """
    if is_leaf(left) and is_leaf(right):
        return None
    if (method := _jit_method(left, name)) is not None:
        return method, right
    if reflected and (method := _jit_method(right, reflected)) is not None:
        return method, left
    return None


def _jit_method(owner: Value, name: str) -> Method | None:
    method = find_method(owner, name) if is_structure(owner) and not is_leaf(owner) else None
    return method if method is not None and is_jit_function(method.function) else None
