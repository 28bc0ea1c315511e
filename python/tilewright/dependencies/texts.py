"""Values as text, equal exactly if a compilation can't distinguish the values.

The text of a number, a string or another plain value is the value itself; that of a tuple, list,
set or dictionary has the texts of its items. Any other object is opaque: its text is its kind and a
number that identifies it in the record, and what is read of it is recorded separately. The number
distinguishes two names of one object from names of two objects.
"""

from __future__ import annotations

import hashlib
import os
import types
import weakref
from typing import Any

from tilewright.dependencies import kinds
from tilewright.dependencies.watches import Watches

_PLAIN = (float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented), range)
_CONTAINERS = (tuple, list, dict, set, frozenset)
_BUILTINS = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
# Deeper nesting is rejected before it exhausts Python's stack.
_DEEPEST = 100


# The texts of @jit functions by `with_folders`, until `forget_text`.
_jit_texts: weakref.WeakKeyDictionary[Any, dict[bool, str]] = weakref.WeakKeyDictionary()


class Numbers:
    """Numbers objects in the order of their first appearance, and keeps them alive."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}

    def find(self, value: Any) -> int | None:
        return self._numbers.get(id(value))

    def add(self, value: Any) -> int:
        number = self._numbers.setdefault(id(value), len(self.objects))
        if number == len(self.objects):
            self.objects.append(value)
        return number


class Texts:
    """Converts values to text, numbers the opaque objects in them, and watches the containers.

    Args:
        watches: Receives watches of what the texts depend on.
        home: The name of the kernel's module.
        with_folders: Whether the texts of functions contain the folders of their files.
    """

    def __init__(self, watches: Watches, home: str, with_folders: bool) -> None:
        self.watches = watches
        self.home = home
        self.with_folders = with_folders
        self.numbers = Numbers()
        self._depth = 0

    def of(self, value: Any) -> str:
        """The text of a value.

        Raises:
            Untrackable: The value is nested too deeply.
        """
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise kinds.Untrackable("values that are nested too deeply, or contain themselves")
            return self._text(value)
        finally:
            self._depth -= 1

    def _text(self, value: Any) -> str:
        kind = type(value)
        if kind is int:
            return f"int:{value:x}"
        if kind in _PLAIN:
            return f"{kind.__name__}:{value!r}"
        if kind in _CONTAINERS:
            return f"{kind.__name__}{self._items(value)}"
        if kinds.is_constexpr(value):
            return f"constexpr({self.of(value.value)})"
        named = self._named(value)
        return self.opaque(value) if named is None else named

    def _items(self, value: Any) -> str:
        """The text of a container's items; watches mutable containers."""
        if isinstance(value, (list, dict, set)):
            self.watches.content(value)
        if isinstance(value, dict):
            pairs = [f"{self.of(key)}:{self.of(item)}" for key, item in value.items()]
            return f"{{{','.join(pairs)}}}"
        if isinstance(value, (set, frozenset)):
            # Numbers would depend on the iteration order, which differs between processes.
            texts = [self.of(item) if is_plain(item) else self._unordered(item) for item in value]
            return f"{{{','.join(sorted(texts))}}}"
        return f"({','.join([self.of(item) for item in value])})"

    def _unordered(self, item: Any) -> str:
        if isinstance(item, (tuple, frozenset)):
            return Texts(self.watches, self.home, self.with_folders).of(item)
        return self.kind_of(item)

    def _named(self, value: Any) -> str | None:
        """The text of an object identified by its name or its repr; None for opaque objects."""
        kind = type(value)
        if kinds.is_own(kind.__module__) and hasattr(value, "primitive_bitwidth"):
            return _dtype_text(value)
        if kinds.is_own_thing(value):
            return f"own:{_name(value)}"
        if kinds.is_scalar_of_library(value):
            return f"{_name(kind)}:{value!r}"
        if isinstance(value, type) and value.__module__ == "builtins":
            return f"class:{_name(value)}"
        if isinstance(value, _BUILTINS) and isinstance(
            getattr(value, "__self__", None), (types.ModuleType, type(None))
        ):
            return f"builtin:{_name(value)}"
        return None

    def opaque(self, value: Any) -> str:
        """The text of an opaque object: its kind and its number, or only the number if known."""
        known = self.numbers.find(value)
        if known is not None:
            return f"#{known}"
        number = self.numbers.add(value)
        return f"{self.kind_of(value)}#{number}{self._base_value(value)}"

    def kind_of(self, value: Any) -> str:
        """The kind of an opaque object, as text."""
        if isinstance(value, types.ModuleType):
            return f"module:{value.__name__}"
        if isinstance(value, type):
            return f"class:{_name(value)}"
        if kinds.is_jit_function(value):
            return jit_text(value, self.with_folders)
        if isinstance(value, types.FunctionType):
            return f"function:{_name(value)}"
        return f"instance:{self.of(type(value))}"

    def _base_value(self, value: Any) -> str:
        """The value of an object as an instance of the builtin class that it derives from."""
        kind = type(value)
        if kinds.is_enum_member(value):
            return f".{value.name}({self.of(value.value)})"
        if isinstance(value, _CONTAINERS):
            return self._items(value)
        for base in (int, float, complex, str, bytes):
            if isinstance(value, base) and kind is not base:
                return f"={base.__repr__(value)}"
        return ""


def is_plain(value: Any) -> bool:
    """Whether the text of a value is the value itself."""
    return type(value) is int or type(value) in _PLAIN


def _dtype_text(value: Any) -> str:
    parts = [repr(value), getattr(value, "address_space", ""), getattr(value, "const", "")]
    return f"{type(value).__name__}:{':'.join(map(str, parts))}"


def _name(value: Any) -> str:
    """Module and qualified name of a function or a class; a module's name."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    if kinds.is_jit_function(value):
        return function_name(value)
    return f"{kinds.module_of(value)}.{getattr(value, '__qualname__', '')}"


def function_name(fn: Any) -> str:
    """Module and qualified name of a @jit function."""
    return f"{getattr(fn.fn, '__module__', '')}.{getattr(fn.fn, '__qualname__', fn.name)}"


def jit_text(fn: Any, with_folders: bool) -> str:
    """The text of a @jit function: its source, its position, and how parameters are passed.

    The position matters because messages in the compiled code contain the file name and the line.
    """
    known = _jit_texts.setdefault(fn, {})
    if with_folders not in known:
        known[with_folders] = _make_jit_text(fn, with_folders)
    return known[with_folders]


def forget_text(fn: Any) -> None:
    """Must be called when the source of a @jit function has been replaced."""
    _jit_texts.pop(fn, None)


def _make_jit_text(fn: Any, with_folders: bool) -> str:
    file = fn.source_file or ""
    place = f"{file if with_folders else os.path.basename(file)}:{fn.first_line}"
    parameters = [
        (p.name, p.is_constexpr, getattr(p, "scalar_type", None), hasattr(p, "default"))
        for p in fn.params
    ]
    is_apart = bool(getattr(fn, "noinline", False))
    text = f"{place}\0{parameters}\0{is_apart}\0{_source(fn)}"
    return f"jit:{function_name(fn)}:{digest(text)}"


def _source(fn: Any) -> str:
    source = getattr(fn, "source", None)
    if isinstance(source, str):
        return source
    import ast

    return ast.dump(fn.tree())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
