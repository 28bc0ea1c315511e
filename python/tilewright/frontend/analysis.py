"""Analyses of the syntax tree that need no values."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

_OWN_SCOPE = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes in source order; does not descend into nodes that open a new scope."""
    remaining = [*nodes][::-1]
    while remaining:
        node = remaining.pop()
        yield node
        if not isinstance(node, _OWN_SCOPE):
            remaining += [*ast.iter_child_nodes(node)][::-1]


def assigned_names(statements: Iterable[ast.AST]) -> list[str]:
    """The names that the statements may assign, in order of appearance."""
    return list(dict.fromkeys(name for node in statements for name in _assigned_in(node)))


@functools.lru_cache(maxsize=4096)  # because each loop asks again for the statements in it
def _assigned_in(statement: ast.AST) -> tuple[str, ...]:
    stores = (
        node for node in _walk([statement]) if isinstance(getattr(node, "ctx", None), ast.Store)
    )
    return tuple(name for name in map(_assigned_name, stores) if name)


def _assigned_name(target: ast.AST) -> str | None:
    """The variable that an assignment to a name, or to `name.field`, changes."""
    while isinstance(target, ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def names_of_inner_loops(statements: Iterable[ast.AST]) -> set[str]:
    """The names that the statements assign only as targets of `for`, and read only in its body."""
    targets: set[str] = set()
    others: set[str] = set()

    def visit(node: ast.AST, bound: frozenset[str]) -> None:
        if isinstance(node, ast.For) and (own := _target_names(node.target)) is not None:
            targets.update(own)
            visit(node.iter, bound)
            parts: list[tuple[ast.AST, frozenset[str]]]
            parts = [(child, bound | own) for child in node.body]
            parts += [(child, bound) for child in node.orelse]
        else:
            parts = [(child, bound) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Name) and (isinstance(node.ctx, ast.Store) or node.id not in bound):
            others.add(node.id)
        for child, inner in parts:
            visit(child, inner)

    for statement in statements:
        visit(statement, frozenset())
    return targets - others


def _target_names(target: ast.expr) -> frozenset[str] | None:
    """The names in the target of a `for`; None if it has something else."""
    if isinstance(target, ast.Name):
        return frozenset({target.id})
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    parts = [_target_names(item) for item in target.elts]
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


# Cached, because a loop is visited again for each call of its function with other types.
@functools.lru_cache(maxsize=4096)
def returns_in(loop: ast.For | ast.While) -> tuple[ast.Return, ...]:
    """The `return` statements in a loop's body."""
    return tuple(node for node in _statements(loop.body) if isinstance(node, ast.Return))


def _statements(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements and those in them. Expressions are left out: most nodes are in them."""
    for node in statements:
        yield node
        if not isinstance(node, _OWN_SCOPE):
            children = ast.iter_child_nodes(node)
            yield from _statements(child for child in children if not isinstance(child, ast.expr))


@functools.lru_cache(maxsize=4096)
def has_break(loop: ast.For | ast.While) -> bool:
    """Whether a loop's body contains a `break` of that loop."""
    return _may_break(loop.body)


def _may_break(statements: Iterable[ast.AST]) -> bool:
    for node in statements:
        if isinstance(node, ast.Break):
            return True
        inner = node.orelse if isinstance(node, (ast.For, ast.While)) else _substatements(node)
        if _may_break(inner):
            return True
    return False


def _substatements(node: ast.AST) -> list[ast.stmt]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
