"""Which functions and globals a kernel reaches, as text for its cache key.

A name or a chain of attributes that the kernel reads is followed to its value: another @jit
function is entered, any other value goes into the text. Names that the function itself binds are
its own. What lies in tilewright.language is left out: the build's identity covers it.
"""

from __future__ import annotations

import ast
import builtins
import os
import types
import weakref
from typing import Any, NamedTuple

from tilewright.compiler.canonical import canonical

_MISSING = object()


class _Facts(NamedTuple):
    """What does not change over a function's life."""

    text: str
    references: tuple[tuple[str, ...], ...]


_known: weakref.WeakKeyDictionary[Any, _Facts] = weakref.WeakKeyDictionary()


def is_jit_function(value: Any) -> bool:
    """Whether the value is a function of the language with a source of its own."""
    return not isinstance(value, type) and hasattr(value, "tree") and hasattr(value, "params")


def reachable_text(fn: Any, with_folders: bool = False) -> str:
    """Text that changes when the kernel, a function that it reaches, or a global they read does.

    The same kernel in another checkout is the same kernel, unless `with_folders` says that the
    compiled code names its files.
    """
    walk = _Walk(with_folders)
    walk.visit(fn)
    return "\n".join(walk.parts)


def value_text(value: Any, with_folders: bool = False) -> str:
    """Text for a compile-time value, which may itself be a @jit function or hold some."""
    walk = _Walk(with_folders)
    return "\n".join([canonical(value, walk.enter), *walk.parts])


class _Walk:
    """Collects from a function and all those that it reaches."""

    def __init__(self, with_folders: bool = False) -> None:
        self.parts: list[str] = []
        self._with_folders = with_folders
        self._seen: set[int] = set()

    def visit(self, fn: Any) -> None:
        if id(fn) in self._seen:
            return
        self._seen.add(id(fn))
        facts = _facts(fn)
        self.parts.append(facts.text)
        if self._with_folders:
            self.parts.append(os.path.dirname(fn.source_file or ""))
        for parameter in fn.params:
            if not isinstance(parameter.default, type):  # inspect's mark of no default is one.
                default = canonical(parameter.default, self.enter)
                self.parts.append(f"{parameter.name}={default}")
        for reference in facts.references:
            value = _resolve(fn, reference)
            if not (value is _MISSING or isinstance(value, types.ModuleType) or _is_library(value)):
                self.parts.append(f"{'.'.join(reference)}={canonical(value, self.enter)}")

    def enter(self, value: Any) -> str | None:
        """The name of a @jit function, after what it reaches is collected; None for the rest."""
        if not is_jit_function(value):
            return None
        if not _is_library(value.fn):
            self.visit(value)
        return f"jit:{_function_name(value)}"


def _resolve(fn: Any, reference: tuple[str, ...]) -> Any:
    """The value at the end of the chain, or the last one that could be reached."""
    value = _lookup(fn, reference[0])
    for attribute in reference[1:]:
        if value is _MISSING or is_jit_function(value):
            break
        try:
            value = getattr(value, attribute)
        except Exception:  # A property may raise anything; then its owner stands for it.
            break
    return value


def _lookup(fn: Any, name: str) -> Any:
    code = getattr(fn.fn, "__code__", None)
    if code is not None and name in code.co_freevars:
        cell = fn.fn.__closure__[code.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:  # Not assigned yet.
            return _MISSING
    if name in fn.globals:
        return fn.globals[name]
    return getattr(builtins, name, _MISSING)


def _facts(fn: Any) -> _Facts:
    facts = _known.get(fn)
    if facts is None:
        tree = fn.tree()
        source = getattr(fn, "source", None)
        text = source if isinstance(source, str) else ast.dump(tree)
        # Messages in the compiled code show the name of the kernel's file and the line.
        place = f"{os.path.basename(fn.source_file or '')}:{fn.first_line}"
        facts = _Facts(f"{_function_name(fn)} at {place}\n{text}", _references(tree))
        _known[fn] = facts
    return facts


def _references(tree: ast.AST) -> tuple[tuple[str, ...], ...]:
    """The longest chains of names and attributes that the function reads and does not bind."""
    chains: set[tuple[str, ...]] = set()
    bound: set[str] = set()
    pending = list(ast.iter_child_nodes(tree))
    for decorator in getattr(tree, "decorator_list", ()):
        pending.remove(decorator)
    while pending:
        node = pending.pop()
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                chains.add((node.id, *reversed(attributes)))
            else:
                bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        pending += ast.iter_child_nodes(node)
    return tuple(sorted(chain for chain in chains if chain[0] not in bound))


def _is_library(value: Any) -> bool:
    """Whether the value is a function, class or module of the language.

    A constant that a user makes of one of its classes (`tl.constexpr(3)`) is not.
    """
    of_language = [
        str(getattr(owner, "__module__", "")).startswith("tilewright.language")
        for owner in (value, type(value))
    ]
    return of_language == [True, False]


def _function_name(fn: Any) -> str:
    return f"{getattr(fn.fn, '__module__', '')}.{getattr(fn.fn, '__qualname__', fn.name)}"
