"""The modules that programs see: Triton's names, each looked up when it is first used."""

from __future__ import annotations

import functools
import importlib
import inspect
from types import ModuleType
from typing import Any

from tilewright.compat.entries import Absent, Deferred, Module, Same
from tilewright.errors import UnsupportedError

PAGE = "docs/compat.md"
_MISSING = object()


class Facade(ModuleType):
    """One of Triton's modules, whose names are Tilewright's objects.

    The front end takes it for a module of Tilewright (dependencies/kinds.py). A name is looked up
    when it is used for the first time, and kept.
    """

    _table: Module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = public_names(self._table) if name == "__all__" else self._find(name)
        if value is _MISSING:
            raise AttributeError(self.__tilewright_missing__(name), name=name, obj=self)
        self.__dict__[name] = value
        return value

    def _find(self, name: str) -> Any:
        if not isinstance(self._table.names.get(name), Same) and name in submodules(self._table):
            return importlib.import_module(f"{self.__name__}.{name}")
        return find(self._table, name)

    def __setattr__(self, name: str, value: Any) -> None:
        # The import system stores a submodule in its package. `triton.runtime.driver` is both a
        # module and an object of its package; `triton.runtime.driver.active` reads the object.
        is_shadowed = isinstance(value, Facade) and isinstance(self._table.names.get(name), Same)
        if not (is_shadowed and value.__name__ == f"{self.__name__}.{name}"):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *public_names(self._table)})

    def __tilewright_missing__(self, name: str) -> str:
        """Says why there is no name `name`; the front end shows it for a name in a kernel."""
        entry = self._table.names.get(name)
        if entry is None or (isinstance(entry, Absent) and not entry.is_planned):
            return f"module {self.__name__!r}, which is Tilewright's, has no attribute {name!r}"
        return not_yet(f"{self.__name__}.{name}")


def not_yet(qualified: str) -> str:
    """The message for a name of Triton that Tilewright lacks."""
    return f"{qualified} is not in Tilewright yet; see {PAGE}"


def public_names(module: Module) -> list[str]:
    """The names for `from module import *`."""
    names = set(submodules(module))
    names.update(name for name in known_names(module) if is_found(find(module, name)))
    return sorted(name for name in names if not name.startswith("_"))


def known_names(module: Module) -> list[str]:
    """The names of the table's entries and of the sources, whether or not Tilewright has them."""
    names = set(module.names)
    for source in module.sources:
        names.update(_names_of(source))
    return sorted(names)


def find(module: Module, name: str) -> Any:
    """The object, other than a submodule, that a name stands for; a marker if there is none."""
    entry = module.names.get(name)
    if isinstance(entry, Same):
        return resolve(entry.target)
    for source in module.sources:
        if name in _names_of(source):
            value = getattr(importlib.import_module(source), name)
            return _numbered(value) if module.has_numbered_arguments else value
    if isinstance(entry, Deferred):
        return _placeholder(f"{module.name}.{name}", entry)
    return _MISSING


@functools.cache
def _numbered(function: Any) -> Any:
    """A function whose arguments can be given by position as arg0, arg1 and so on, too.

    Triton's functions of libdevice have these names, and the argument `_semantic`.
    """
    names = list(inspect.signature(function).parameters)
    numbers = {f"arg{index}": name for index, name in enumerate(names)}

    @functools.wraps(function)
    def call(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        return function(*args, **{numbers.get(name, name): kwargs[name] for name in kwargs})

    return call


def is_found(value: Any) -> bool:
    """Whether `find` found an object."""
    return value is not _MISSING


def resolve(target: str) -> Any:
    """The object "module:attribute", or a marker if Tilewright does not have it."""
    home, _, name = target.partition(":")
    try:
        value = importlib.import_module(home)
    except ModuleNotFoundError as error:
        # An import that fails inside of a module that exists is an error of Tilewright's.
        if error.name and (home == error.name or home.startswith(f"{error.name}.")):
            return _MISSING
        raise
    return getattr(value, name, _MISSING) if name else value


def _names_of(source: str) -> list[str]:
    """The public names of a module of Tilewright; without `__all__`, those that it defines."""
    module = resolve(f"{source}:")
    if module is _MISSING:
        return []
    names: list[str] | None = getattr(module, "__all__", None)
    if names is None:
        members = vars(module).items()
        names = [n for n, value in members if n[0] != "_" and _is_defined_in(source, value)]
    return [name for name in names if not isinstance(getattr(module, name), ModuleType)]


def _is_defined_in(source: str, value: Any) -> bool:
    home = getattr(value, "__module__", None)
    # The module of a constant is that of its class.
    return home == source or (not callable(value) and str(home).startswith("tilewright."))


def submodules(module: Module) -> list[str]:
    """The last parts of the names of a module's submodules."""
    from tilewright.compat.table import MODULES

    prefix = f"{module.name}."
    return [
        name.removeprefix(prefix)
        for name in MODULES
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    ]


def _placeholder(qualified: str, entry: Deferred) -> Any:
    """A function or class that raises an error when it is used."""
    name = qualified.rpartition(".")[2]

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise UnsupportedError(not_yet(qualified), hint=entry.note or None)

    fail.__doc__ = not_yet(qualified)
    marked = {"__tilewright_placeholder__": True}
    if entry.is_class:
        members = {"__init__": fail, "from_tensor": staticmethod(fail), "__doc__": fail.__doc__}
        return type(name, (), members | marked)
    from tilewright.language.constexpr import builtin

    fail.__name__ = fail.__qualname__ = name
    vars(fail).update(marked)
    return builtin(fail)
