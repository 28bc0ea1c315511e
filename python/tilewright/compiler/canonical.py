"""Compile-time values as text that is equal exactly when the values mean the same.

The text is the same in every process, except for objects without a value of their own (an instance
of a class that only compares by identity); these get a token that is only good in this process.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
import os
import types
from collections.abc import Callable, Iterable
from typing import Any

_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))
# Contains no character that repr leaves unescaped in a string, so nobody writes it by accident.
_PROCESS = f"\x01{os.urandom(8).hex()}"
_counter = itertools.count()
_numbered: dict[int, tuple[Any, int]] = {}


def canonical(value: Any, special: Callable[[Any], str | None] = lambda _: None) -> str:
    """Text that stands for the value.

    `special` is asked first, about the value and all parts of it: what it gives a text for is not
    looked into.
    """
    text = special(value)
    if text is not None:
        return text
    kind = type(value)
    if kind in _PLAIN:
        return f"{kind.__name__}:{value!r}"
    parts = _parts(value)
    if parts is not None:
        texts = [canonical(part, special) for part in parts]
        if isinstance(value, (set, frozenset)):
            texts.sort()
        return f"{_name(kind)}({','.join(texts)})"
    return _whole(value)


def _parts(value: Any) -> Iterable[Any] | None:
    """The values that make up a value, or None where it is one by itself."""
    if isinstance(value, enum.Enum):
        return (value.name, value.value)
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return [(field.name, getattr(value, field.name)) for field in fields]
    if type(value).__module__.startswith("tilewright.") and hasattr(value, "value"):
        return (value.value,)  # constexpr
    return None


def _whole(value: Any) -> str:
    kind = type(value)
    if isinstance(value, types.ModuleType):
        return f"module:{value.__name__}"
    if isinstance(value, type):
        return f"type:{_name(value)}"
    if isinstance(value, types.FunctionType):
        return f"function:{_name(value)}:{_code(value.__code__)}"
    if isinstance(value, types.BuiltinFunctionType):
        return f"builtin:{_name(value)}"
    if not (text := repr(value)).startswith("<") or " at 0x" not in text:
        return f"{_name(kind)}:{text}"
    return f"{_name(kind)}:{_token(value)}"


def is_portable(text: str) -> bool:
    """Whether text made by `canonical` means the same in another process."""
    return _PROCESS not in text


def _name(value: Any) -> str:
    module = getattr(value, "__module__", None)
    return f"{module}.{getattr(value, '__qualname__', repr(value))}"


def _token(value: Any) -> str:
    # The object is kept, so that its address never stands for another one.
    _, number = _numbered.setdefault(id(value), (value, next(_counter)))
    return f"{_PROCESS}:{number}"


def _code(code: types.CodeType) -> str:
    constants = (
        _code(item) if isinstance(item, types.CodeType) else canonical(item)
        for item in code.co_consts
    )
    return f"{code.co_code.hex()}({','.join(constants)})({','.join(code.co_names)})"
