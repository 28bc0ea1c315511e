"""Values as text, including everything that Python code could reach from them.

This is used for values that are passed to code which the front end does not analyze: functions that
are called at compile time, their arguments, and operators of user-defined classes. A function is
represented by its bytecode, defaults, closure and globals, an object by its class and attributes.

Modules and classes are too large to be included as a whole. Only members whose names occur in the
code, as an attribute or as a string, are included.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from tilewright.dependencies import kinds
from tilewright.dependencies.code import IMPORT, reads_of
from tilewright.dependencies.kinds import Untrackable
from tilewright.dependencies.texts import Texts, digest
from tilewright.dependencies.watches import MISSING, Watches

# Builtins that read things that do not appear as names in the code.
_BLIND = ("globals", "locals", "eval", "exec", "open", "input", "compile", "__import__")
# If the code may compute the name of an attribute, all members of a module or a class count.
_INDIRECT = frozenset(("getattr", "vars", "dir", "__dict__", "attrgetter"))
_WRAPPED = (property, staticmethod, classmethod, functools.cached_property)
# Classes written in C whose objects have no state other than attributes.
_OPEN = (object, types.SimpleNamespace)
# The constructor of an aggregate (language/aggregates.py), of which `__init__` is only a wrapper.
_CONSTRUCTOR = "__tilewright_constructor__"
# The maximum number of objects that are followed.
_MOST = 20_000


def content_text(values: list[Any], watches: Watches, home: str, with_folders: bool) -> str:
    """A digest of values and of everything that Python code could reach from them.

    Raises:
        Untrackable: The value of a reachable object can't be tracked.
    """
    contents = _Contents(watches, home, with_folders)
    try:
        text = contents.of(tuple(values))
        contents.finish()
    except RecursionError:
        raise Untrackable("too many functions that call one another") from None
    return digest("\n".join([text, *contents.parts]))


class _Contents(Texts):
    """Texts in which opaque objects are expanded, each once."""

    def __init__(self, watches: Watches, home: str, with_folders: bool) -> None:
        super().__init__(watches, home, with_folders)
        self.parts: list[str] = []
        self.names: set[str] = set()
        # Modules and classes, each with the names that have been looked up in it.
        self._namespaces: list[tuple[Any, set[str]]] = []
        self._pending: list[Any] = []

    def opaque(self, value: Any) -> str:
        if self.numbers.find(value) is None:
            self._pending.append(value)
            if len(self._pending) > _MOST:
                raise Untrackable("too many objects")
        return super().opaque(value)

    def finish(self) -> None:
        """Expands the objects that were found, and those found while expanding."""
        done = 0
        while True:
            while done < len(self._pending):
                value = self._pending[done]
                done += 1
                number = self.numbers.find(value)
                self.parts.append(f"#{number}: {self._expand(value)}")
            for namespace, seen in self._namespaces:
                for name in sorted(self._names_in(namespace) - seen):
                    seen.add(name)
                    self._member(namespace, name)
            if done == len(self._pending):
                return

    def _expand(self, value: Any) -> str:
        if isinstance(value, types.ModuleType):
            return self._module(value)
        if isinstance(value, type):
            return self._class(value)
        if kinds.is_jit_function(value):
            return self._function(value.fn)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, types.MethodType):
            return f"{self.of(value.__func__)} of {self.of(value.__self__)}"
        if isinstance(value, _WRAPPED):
            names = ("fget", "fset", "func", "__func__")
            return ",".join(self.of(getattr(value, name, None)) for name in names)
        if isinstance(value, functools.partial):
            return self.of((value.func, value.args, value.keywords))
        if isinstance(value, types.BuiltinFunctionType):
            return f"{value.__name__} of {self.of(value.__self__)}"
        if kinds.is_enum_member(value) or kinds.is_user_class(type(value)) or type(value) in _OPEN:
            return self._state(value)
        return self._foreign(value)

    # Functions

    def _function(self, function: types.FunctionType) -> str:
        reads = reads_of(function.__code__)
        watch = self.watches.attribute
        parts = [digest(reads.text), self.of(watch(function, "__code__").co_name)]
        parts.append(self.of(watch(function, "__defaults__")))
        parts.append(self.of(watch(function, "__kwdefaults__")))
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            parts.append(f"{name}={self._found(self.watches.cell(cell, name))}")
        if vars(function):
            parts.append(self.of(vars(function)))
        module = str(function.__globals__.get("__name__"))
        if kinds.is_own(module):
            return ";".join(parts)
        if kinds.is_library(module, self.home):
            if module.partition(".")[0] == "importlib":
                raise Untrackable(
                    f"`{function.__qualname__}`, which imports modules by their names"
                )
            return ";".join([*parts, kinds.version_of(module)])
        self.names |= reads.names
        parts += [f"{'.'.join(chain)}={self._chain(function, chain)}" for chain in reads.chains]
        return ";".join(parts)

    def _chain(self, function: types.FunctionType, chain: tuple[str, ...]) -> str:
        """The text of the first object in a chain of names that is not a followed module."""
        if chain[0] == IMPORT:
            return self._imported(function, chain[1])
        value = self.watches.entry(function.__globals__, chain[0])
        if value is MISSING:
            value = self.watches.entry(_builtins_of(function), chain[0])
            if chain[0] in _BLIND and value is not MISSING:
                raise Untrackable(f"what is read through `{chain[0]}`")
        for name in chain[1:]:
            if not isinstance(value, types.ModuleType) or kinds.is_own_thing(value):
                break
            value = self.watches.attribute(value, name)
        return self._found(value)

    def _imported(self, function: types.FunctionType, name: str) -> str:
        package = function.__globals__.get("__package__")
        for full in (name, f"{package}.{name}" if name else str(package)):
            module = self.watches.entry(sys.modules, full)
            if module is not MISSING:
                return self.of(module)
        return "not imported yet"

    def _found(self, value: Any) -> str:
        return "missing" if value is MISSING else self.of(value)

    # Modules and classes

    def _module(self, module: types.ModuleType) -> str:
        if kinds.is_library(module.__name__, self.home):
            return kinds.version_of(module.__name__)
        self._namespaces.append((module, set()))
        return ""

    def _class(self, kind: type) -> str:
        if kinds.is_library(kind.__module__, self.home):
            return kinds.version_of(kind.__module__)
        if not kinds.is_user_class(kind) and not issubclass(kind, type):
            return ""
        self._namespaces.append((kind, set()))
        self.watches.content(kind)
        bases = ",".join([self.of(base) for base in kind.__mro__[1:]])
        special = [
            f"{name}={self.of(member)}"
            for name, member in sorted(vars(kind).items())
            if name == _CONSTRUCTOR
            or (name.startswith("__") and isinstance(member, types.FunctionType))
        ]
        return f"{bases};{';'.join(special)}"

    def _names_in(self, namespace: Any) -> set[str]:
        """The names that may be looked up in a module or a class."""
        if not self.names & _INDIRECT or getattr(namespace, "__name__", "") == "os":
            return self.names
        members = vars(namespace).items()
        own = {name for name, value in members if not isinstance(value, types.ModuleType)}
        return self.names | own

    def _member(self, namespace: Any, name: str) -> None:
        """Adds the text of a member of a module or a class, and watches a module's entry."""
        if name.startswith("__") and name.endswith("__"):
            return
        if isinstance(namespace, types.ModuleType):
            value = self.watches.entry(vars(namespace), name)
        else:
            value = vars(namespace).get(name, MISSING)
        if value is not MISSING:
            number = self.numbers.find(namespace)
            self.parts.append(f"#{number}.{name}={self.of(value)}")

    # Other objects

    def _state(self, value: Any) -> str:
        """All attributes of an object of a class written in Python."""
        parts = []
        self.watches.attribute(value, "__class__")
        instance = getattr(value, "__dict__", None)
        if type(instance) is dict:
            self.watches.attribute(value, "__dict__")
            self.watches.content(instance)
            parts += [f"{name}={self.of(item)}" for name, item in instance.items()]
        for name in kinds.slots_of(type(value)):
            parts.append(f"{name}={self._found(self.watches.attribute(value, name))}")
        return ",".join(parts)

    def _foreign(self, value: Any) -> str:
        """The text of an object of a class written in C: its name, if a library exports it."""
        wrapped = getattr(value, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType):  # functools.lru_cache
            return self.of(wrapped)
        module, name = kinds.module_of(value), getattr(value, "__name__", None)
        if not module and type(value).__name__ == "ufunc":
            module = type(value).__module__
        if (
            module
            and isinstance(name, str)
            and getattr(sys.modules.get(module), name, None) is value
        ):
            return f"{module}.{name} {kinds.version_of(module)}"
        kind = type(value)
        raise Untrackable(f"an object of type {kind.__module__}.{kind.__qualname__}")


def _builtins_of(function: types.FunctionType) -> dict[str, Any]:
    found = function.__globals__.get("__builtins__")
    return vars(found) if isinstance(found, types.ModuleType) else found or {}
