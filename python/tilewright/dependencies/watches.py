"""What the launcher compares before each launch; see `holds` in lib/Launcher/Watches.cpp.

A watch is a conservative filter. If one fails, the record is read again and compared by value. A
watch may therefore fail although nothing has changed, but must not hold if something has.

    (dict, key, value), (dict, key)      an entry of a dictionary; its absence
    (cell, name, value), (cell, name)    a variable of an enclosing function
    (object, name, value)                an attribute
    (list | dict | set, None, content)   all items of a container
    (class, None, content)               all members of a class
    (file, "content", digest)            the content of a file; an attribute, too
    (None, None)                         never holds
"""

from __future__ import annotations

import os
from types import CellType, MethodType, ModuleType
from typing import Any, TypeAlias

from tilewright.dependencies.files import File

Watch: TypeAlias = "tuple[Any, Any, Any] | tuple[Any, Any]"

HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class whose members can be assigned
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()
NEVER: Watch = (None, None)


class Watches:
    """The watches of one record, without duplicates."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, Any], Watch] = {}

    @property
    def all(self) -> list[Watch]:
        never = next((watch for watch in self._found.values() if watch is NEVER), None)
        return list(self._found.values()) if never is None else [never]

    def never(self) -> None:
        """Adds a watch that never holds, for what can only be compared by reading it again."""
        self._add(NEVER)

    def entry(self, container: dict[Any, Any], key: Any) -> Any:
        """The value of an entry, or MISSING; watches it."""
        value = container.get(key, MISSING)
        self._add((container, key) if value is MISSING else (container, key, value))
        return value

    def cell(self, cell: CellType, name: str) -> Any:
        """The value of a variable of an enclosing function, or MISSING; watches it."""
        try:
            value = cell.cell_contents
        except ValueError:  # not assigned yet
            self._add((cell, name))
            return MISSING
        self._add((cell, name, value))
        return value

    def content(self, container: Any) -> None:
        """Watches all items of a list, a dictionary or a set, or all members of a class."""
        items = vars(container) if isinstance(container, type) else container
        if hasattr(items, "items"):
            items = [part for item in items.items() for part in item]
        self._add((container, None, tuple(items)))

    def file(self, file: File) -> str:
        """A digest of the content of a file; watches it."""
        content = file.content
        self._add((file, "content", content))
        return content

    def attribute(self, owner: Any, name: str) -> Any:
        """The value of an attribute, or MISSING; watches it."""
        if isinstance(owner, ModuleType) and name in vars(owner):
            return self.entry(vars(owner), name)
        try:
            value = getattr(owner, name)
        except AttributeError:
            self._absent(owner, name)
            return MISSING
        if isinstance(value, MethodType) and not isinstance(owner, type):
            self._method(owner, name, value)
        elif _runs_code(owner, name) or getattr(owner, name, MISSING) is not value:
            self.never()
        else:
            self._add((owner, name, value))
        return value

    def _absent(self, owner: Any, name: str) -> None:
        """Watches the absence of an attribute of an object or a class."""
        kind = type(owner)
        if isinstance(owner, ModuleType) or hasattr(kind, "__getattr__") or _runs_code(owner, ""):
            self.never()
            return
        bases = [*owner.__mro__, *kind.__mro__] if isinstance(owner, type) else kind.__mro__
        for base in bases:
            if base.__flags__ & HEAP_TYPE:  # no members can be added to others
                self.content(base)
        self._add((owner, "__class__", kind))
        if type(instance := getattr(owner, "__dict__", None)) is dict:
            self._add((owner, "__dict__", instance))
            self.entry(instance, name)

    def _method(self, owner: Any, name: str, value: MethodType) -> None:
        """Watches a method; reading it gives a new object each time."""
        kind = type(owner)
        if getattr(kind, name, None) is not value.__func__ or value.__self__ is not owner:
            self.never()
            return
        self._add((owner, "__class__", kind))
        self._add((kind, name, value.__func__))
        if type(instance := getattr(owner, "__dict__", None)) is dict:
            self._add((owner, "__dict__", instance))
            self.entry(instance, name)

    def _add(self, watch: Watch) -> None:
        # Keeps the first value that was seen, so that the watch fails if it has changed since.
        self._found.setdefault((id(watch[0]), watch[1]), watch)


def _runs_code(owner: Any, name: str) -> bool:
    """Whether reading the attribute runs Python code, such as a property or `__getattr__`."""
    kind: Any = type(owner)
    if isinstance(owner, type):
        return bool(kind.__getattribute__ is not type.__getattribute__)
    if isinstance(owner, ModuleType):
        return True  # its dictionary does not have the name, so __getattr__ may be called
    if kind.__getattribute__ is not object.__getattribute__:
        return True
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if found is None:
        return hasattr(kind, "__getattr__") and name not in getattr(owner, "__dict__", {})
    getter = getattr(type(found), "__get__", None)
    return isinstance(found, property) or hasattr(getter, "__code__")


def setting_watch(name: str) -> Watch:
    """The watch of an environment variable."""
    data = getattr(os.environ, "_data", None)
    if type(data) is not dict:
        return NEVER
    key = os.environ.encodekey(name)
    return (data, key, data[key]) if key in data else (data, key)
