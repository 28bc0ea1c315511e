"""The variables outside of a kernel that it and the functions it calls read.

The launcher compares their values with what they were when it last looked (by identity, some
nanoseconds each), so that a kernel is compiled anew when one has changed.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any, TypeAlias

_MISSING = object()

# (dict or cell, name, value), without the value where there is none.
Watched: TypeAlias = "tuple[Any, str, Any] | tuple[Any, str]"


def watched_variables(fn: Any) -> list[Watched]:
    """Globals, variables of enclosing functions and attributes of modules that `fn` reaches."""
    walk = _Walk()
    walk.visit(fn)
    return walk.found


class _Walk:
    """Collects from a function and all those that it reaches."""

    def __init__(self) -> None:
        self.found: list[Watched] = []
        self._seen: set[int] = set()

    def visit(self, fn: Any) -> None:
        if id(fn) in self._seen:
            return
        self._seen.add(id(fn))
        names, attributes = _references(fn.tree())
        for name in sorted(names.difference(fn.fn.__code__.co_varnames)):
            value = self._watch_name(fn.fn, name)
            if isinstance(value, types.ModuleType) and not _is_own(value.__name__):
                for attribute in sorted(attributes.get(name, ())):
                    self._enter(self._watch(vars(value), attribute))
            self._enter(value)

    def _enter(self, value: Any) -> None:
        is_function = hasattr(value, "tree") and hasattr(value, "fn")
        if is_function and not isinstance(value, type) and not _is_own(value.fn.__module__):
            self.visit(value)

    def _watch_name(self, function: types.FunctionType, name: str) -> Any:
        free = function.__code__.co_freevars
        if name in free and function.__closure__:
            cell = function.__closure__[free.index(name)]
            try:
                self.found.append((cell, name, cell.cell_contents))
            except ValueError:  # Not assigned yet.
                self.found.append((cell, name))
                return _MISSING
            return cell.cell_contents
        if name not in function.__globals__ and hasattr(builtins, name):
            return _MISSING
        return self._watch(function.__globals__, name)

    def _watch(self, namespace: dict[str, Any], name: str) -> Any:
        value = namespace.get(name, _MISSING)
        if value is _MISSING:
            self.found.append((namespace, name))
        # The name of a module is hardly ever given to something else.
        elif not isinstance(value, types.ModuleType):
            self.found.append((namespace, name, value))
        return value


def _is_own(module: str | None) -> bool:
    """Whether a module is part of Tilewright, which does not change while a program runs."""
    return str(module).partition(".")[0] == "tilewright"


def _references(tree: ast.FunctionDef) -> tuple[set[str], dict[str, set[str]]]:
    """The names in a function's body, and the attributes that are taken of each."""
    names: set[str] = set()
    attributes: dict[str, set[str]] = {}
    for statement in tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                attributes.setdefault(node.value.id, set()).add(node.attr)
    return names, attributes
