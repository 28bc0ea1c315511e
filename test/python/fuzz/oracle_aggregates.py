"""Aggregates while the oracle runs: classes with annotated fields, copied by calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tiles import Tile, lift


class tensor:
    """The annotation of fields that hold tiles and scalars."""


def constexpr(value: Any) -> Any:
    """The annotation of constants, and a constant."""
    return int(value) if isinstance(value, Tile) else value


def aggregate(cls: Any) -> Any:
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        fields.update(vars(base).get("__annotations__", {}))

    def set_field(self: Any, name: str, value: Any) -> None:
        kind = fields[name]
        if kind is tensor:
            value = lift(value)
        elif kind is constexpr:
            value = constexpr(value)
        object.__setattr__(self, name, value)

    def take_fields(self: Any, *args: Any, **kwargs: Any) -> None:
        for name, value in {**dict(zip(fields, args, strict=False)), **kwargs}.items():
            set_field(self, name, value)

    cls.__setattr__ = set_field
    if cls.__init__ is object.__init__:
        cls.__init__ = take_fields
    cls.is_aggregate = True
    return cls


def copied(value: Any) -> Any:
    """A copy of an instance, with those that it holds."""
    if isinstance(value, tuple):
        return tuple(copied(item) for item in value)
    if not getattr(value, "is_aggregate", False):
        return value
    made = object.__new__(type(value))
    for name, held in vars(value).items():
        object.__setattr__(made, name, copied(held))
    return made


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a kernel: it gets copies of instances."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(copied, args), **{k: copied(v) for k, v in kwargs.items()})

    return call


def names() -> dict[str, Any]:
    return {"tensor": tensor, "constexpr": constexpr, "tuple": tuple}
