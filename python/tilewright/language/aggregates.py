"""Aggregates: classes of the program whose instances are values of a kernel.

The annotations of the class are the fields. Methods are `@jit` functions, constexpr functions, or
Python functions that run at compile time:

    @tilewright.aggregate
    class Span:
        start: tl.tensor
        size: tl.constexpr

        @tilewright.constexpr_function
        def __init__(self, start, size):
            self.start = start
            self.size = size

        @tilewright.jit
        def offsets(self):
            return self.start + tl.arange(0, self.size)

An instance is a structure (value.py): control flow and calls pass its fields. Fields of type
tl.constexpr stay constants. `aggregate_replace(span, size=4)` copies an instance with other values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from tilewright.language._build import to_tensor
from tilewright.language._context import current, is_building
from tilewright.language.constexpr import (
    ConstexprFunction,
    builtin,
    constexpr,
    constexpr_value,
    describe,
    known_value,
)
from tilewright.language.tensor import tensor
from tilewright.language.value import register

_Class = TypeVar("_Class", bound=type)

# The types of fields, for annotations in quotes.
_OF_LANGUAGE: dict[str, type] = {"tensor": tensor, "constexpr": constexpr, "tuple": tuple}

_FIELDS = "__tilewright_fields__"
_CONSTRUCTOR = "__tilewright_constructor__"  # its own; dependencies/contents.py reads it


def aggregate(cls: _Class) -> _Class:
    """Decorator for a class whose annotated attributes are the parts of a value in kernels.

    A field annotated `tl.tensor` takes tensors and numbers, which become scalars; one annotated
    `tl.constexpr` takes constants; one annotated with another class takes its instances. Without an
    `__init__` the class gets one that takes the fields in order, and in which a field has the value
    that the class assigns to it (`size: tl.constexpr = 8`) unless another one is given.

    A kernel can assign to a field of a variable: `span.start = x`. This changes the variable, and
    others that hold the same instance. A call passes copies.

    Raises:
        AttributeError: By a constructor: a field has no value, or something is assigned to an
            attribute that is not a field.
        TypeError: By an assignment: the value does not fit the annotation of the field.
    """
    made: Any = cls
    setattr(cls, _FIELDS, _annotated(cls))
    made.__init__ = _constructor(cls)
    made.__setattr__ = set_field
    register(cls, _flatten, _unflatten, keeps_numbers=True)
    return cls


def is_aggregate_class(value: Any) -> bool:
    """Whether the value is a class that `aggregate` has decorated, or derives from one."""
    return isinstance(value, type) and hasattr(value, _FIELDS)


def is_aggregate(value: Any) -> bool:
    return hasattr(type(value), _FIELDS)


def set_field(self: Any, name: str, value: Any) -> None:
    """Assigns to a field; the `__setattr__` of aggregates.

    Raises:
        AttributeError: There is no such field.
        TypeError: The value does not fit its annotation.
    """
    fields = getattr(type(self), _FIELDS)
    if name not in fields:
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
    object.__setattr__(self, name, _converted(self, name, value, fields[name]))


def aggregate_replace(instance: Any, **changes: Any) -> Any:
    """A copy of an aggregate in which the fields `changes` have other values.

    The copy is made by the constructor, which gets all fields by name.

    Raises:
        TypeError: `instance` is not an aggregate, or has no such field.
    """
    if not is_aggregate(instance):
        raise TypeError(f"aggregate_replace() takes an aggregate, found {describe(instance)}")
    fields = getattr(type(instance), _FIELDS)
    for name in changes:
        if name not in fields:
            raise TypeError(f"{type(instance).__name__} has no field {name!r}")
    values = {name: getattr(instance, name) for name in fields}
    return type(instance)(**{**values, **changes})


builtin(aggregate_replace)


def with_field(instance: Any, name: str, value: Any) -> Any:
    """A copy of an aggregate in which one field has another value; raises as `set_field`."""
    copy = object.__new__(type(instance))
    for field in getattr(type(instance), _FIELDS):
        if field in vars(instance):
            object.__setattr__(copy, field, vars(instance)[field])
    set_field(copy, name, value)
    return copy


def _annotated(cls: type) -> dict[str, Any]:
    """The annotations of the fields, those of base classes first."""
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        fields.update(vars(base).get("__annotations__", {}))
    return fields


def _constructor(cls: type) -> Callable[..., None]:
    """Calls the class's own constructor, and checks that it has initialized all fields."""
    given: Any = vars(cls).get("__init__") or _inherited(cls)
    setattr(cls, _CONSTRUCTOR, given)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if getattr(type(given), "__tilewright_kernel__", False):
            for name, value in vars(current().initialize(given, self, args, kwargs)).items():
                object.__setattr__(self, name, value)
        elif given is None:
            _initialize(self, args, kwargs)
        elif isinstance(given, ConstexprFunction):
            given.on_host(constexpr_value, self, *args, **kwargs)
        else:
            given(self, *args, **kwargs)
        for name in getattr(type(self), _FIELDS):
            if type(self) is cls and name not in vars(self):
                raise AttributeError(
                    f"constructor for {cls.__name__} did not initialize attribute {name!r}"
                )

    return __init__


def _inherited(cls: type) -> Any:
    return None if cls.__init__ is object.__init__ else cls.__init__  # type: ignore[misc]


def _initialize(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The constructor of a class that has none: takes the fields."""
    fields = list(getattr(type(self), _FIELDS))
    if len(args) > len(fields):
        raise TypeError(f"{type(self).__name__} takes {len(fields)} fields, found {len(args)}")
    given = dict(zip(fields, args, strict=False))
    if twice := [name for name in kwargs if name in given]:
        raise TypeError(f"{type(self).__name__} got two values for field {twice[0]!r}")
    for name, value in {**given, **kwargs}.items():
        set_field(self, name, value)
    for name in fields:
        if name not in vars(self) and hasattr(type(self), name):
            if is_building():
                current().record.attribute(type(self), name)
            set_field(self, name, getattr(type(self), name))


def _converted(self: Any, name: str, value: Any, annotation: Any) -> Any:
    """The value as a field of a type holds it."""
    annotation = _resolved(type(self), annotation)
    if annotation is constexpr:
        plain = known_value(value)
        if not isinstance(plain, tensor):
            return plain if is_aggregate(plain) else constexpr(plain)
    elif annotation is tensor and is_building():
        plain = constexpr_value(value)
        if isinstance(plain, (bool, int, float, tensor)):
            return to_tensor(plain)
    elif not isinstance(annotation, type):
        return value
    elif isinstance(plain := constexpr_value(value), annotation):
        return plain
    elif isinstance(plain, list) and issubclass(annotation, tuple):
        return tuple(plain)
    raise TypeError(
        f"Expected {getattr(annotation, '__name__', annotation)} for attribute {name!r} of "
        f"{type(self).__name__}, got {describe(value)}"
    )


def _resolved(cls: type, annotation: Any) -> Any:
    """The object that an annotation in quotes names; the text if it can't be found."""
    if not isinstance(annotation, str):
        return annotation
    first, *rest = annotation.strip("'\" ").split(".")
    if (value := _OF_LANGUAGE.get(rest[-1] if rest else first)) is not None:
        return value
    value = vars(sys.modules[cls.__module__]).get(first)
    for part in rest:
        value = getattr(value, part, None)
    return annotation if value is None else value


def _flatten(instance: Any) -> tuple[Sequence[Any], Hashable]:
    """The fields that have values, and their names. A constructor may not have set all yet."""
    held = vars(instance)
    names = tuple(name for name in getattr(type(instance), _FIELDS) if name in held)
    return [held[name] for name in names], names


def _unflatten(cls: Any, parts: Sequence[Any], key: Any) -> Any:
    instance = object.__new__(cls)
    for name, part in zip(key, parts, strict=True):
        object.__setattr__(instance, name, part)
    return instance
