"""Knobs: attributes that are environment variables, and groups of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

_Value = TypeVar("_Value")
_TRUE = ("1", "true", "yes", "on", "y")
_FALSE = ("", "0", "false", "no", "off", "n")


class Variable(Generic[_Value]):
    """An attribute whose value is that of an environment variable.

    Args:
        variable: The environment variable.
        default: The value if it is not set.
        read: Converts its text.
        write: Converts a value to text.
    """

    def __init__(
        self,
        variable: str,
        default: _Value,
        read: Callable[[str], _Value],
        write: Callable[[_Value], str] = str,
    ) -> None:
        self.variable = variable
        self._default = default
        self._read = read
        self._write = write

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"{owner.__name__.lower()}.{name}"

    def __get__(self, group: Any, owner: type | None = None) -> _Value:
        if group is None:
            return self  # type: ignore[return-value]  # of the class
        text = os.environ.get(self.variable)
        if text is None:
            return self._default
        try:
            return self._read(text)
        except ValueError as error:
            raise ValueError(f"{self.variable}={text!r}: {error}") from None

    def __set__(self, group: Any, value: _Value | None) -> None:
        if value is None:
            os.environ.pop(self.variable, None)
            return
        text = self._write(value)
        try:
            self._read(text)
        except ValueError as error:
            raise ValueError(f"knobs.{self._name} = {value!r}: {error}") from None
        os.environ[self.variable] = text

    def __delete__(self, group: Any) -> None:
        os.environ.pop(self.variable, None)


def _to_flag(text: str) -> bool:
    if text.strip().lower() in _TRUE:
        return True
    if text.strip().lower() in _FALSE:
        return False
    raise ValueError("expected 1 or 0")


def flag(variable: str, default: bool = False) -> Variable[bool]:
    """A knob that is on or off."""
    return Variable(variable, default, _to_flag, lambda value: "1" if value else "0")


def text(variable: str, default: str | None = None) -> Variable[str | None]:
    """A knob that is a text, or None."""
    return Variable(variable, default, str)


def number(variable: str, default: int) -> Variable[int]:
    """A knob that is an integer."""
    return Variable(variable, default, int)


class Knobs:
    """A group of knobs."""

    @classmethod
    def _variables(cls) -> dict[str, Variable[Any]]:
        found: dict[str, Variable[Any]] = {}
        for base in reversed(cls.__mro__):
            found |= {name: knob for name, knob in vars(base).items() if isinstance(knob, Variable)}
        return found

    @property
    def knobs(self) -> dict[str, Any]:
        """The values of all knobs that are environment variables, by name."""
        return {name: getattr(self, name) for name in self._variables()}

    def reset(self) -> Knobs:
        """Unsets the variables and removes what was assigned to the other attributes."""
        for knob in self._variables().values():
            os.environ.pop(knob.variable, None)
        for name in list(vars(self)):
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Restores all values of the group at the end of the `with` statement."""
        variables = [knob.variable for knob in self._variables().values()]
        before = {name: os.environ.get(name) for name in variables}
        attributes = self._saved()
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            self._restore(attributes)

    def _saved(self) -> dict[str, Any]:
        return dict(vars(self))

    def _restore(self, attributes: dict[str, Any]) -> None:
        vars(self).clear()
        vars(self).update(attributes)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.knobs.items())
        return f"{type(self).__name__.lower()}({values})"
