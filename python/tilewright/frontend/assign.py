"""Assignments. A number that is assigned to a variable becomes a tensor, as in Triton.

With `x: tl.constexpr = ...` it stays a constant. A tensor stays a tensor in either case.
"""

from __future__ import annotations

import ast
from typing import Any

from tilewright.errors import TypeMismatchError, UnsupportedError
from tilewright.language import constexpr

from .aggregates import set_attribute
from .dispatch import Outcome, Rest, expression, statement
from .operators import apply_binary
from .values import Value, describe, fold_known, is_constant, is_tensor, materialize, unwrap
from .visitor import FunctionVisitor


@statement(ast.Assign)
def visit_assign(v: FunctionVisitor, node: ast.Assign, rest: Rest) -> Outcome:
    given = v.visit(node.value)
    value = None if all(isinstance(t, ast.Attribute) for t in node.targets) else materialize(given)
    for target in node.targets:
        # A field converts the value to its own type.
        assign(v, target, given if isinstance(target, ast.Attribute) else value)
    return None


@statement(ast.AugAssign)
def visit_aug_assign(v: FunctionVisitor, node: ast.AugAssign, rest: Rest) -> Outcome:
    target: ast.expr = node.target
    if isinstance(target, ast.Name):
        read: ast.expr = ast.Name(target.id, ast.Load())
    elif isinstance(target, ast.Attribute):
        read = ast.Attribute(target.value, target.attr, ast.Load())
    else:
        raise _not_assignable(target)
    left = v.visit(ast.copy_location(read, target))
    value = apply_binary(v, node.op, left, v.visit(node.value))
    assign(v, target, value if isinstance(target, ast.Attribute) else materialize(value))
    return None


@statement(ast.AnnAssign)
def visit_ann_assign(v: FunctionVisitor, node: ast.AnnAssign, rest: Rest) -> Outcome:
    if node.value is None:
        return None
    value = v.visit(node.value)
    known = fold_known(value)
    # Triton ignores tl.constexpr at a tensor, and published kernels contain it.
    if _is_constexpr_annotation(v, node.annotation) and is_constant(known):
        assign(v, node.target, constexpr(unwrap(known)))
    else:
        assign(v, node.target, materialize(value))
    return None


@expression(ast.NamedExpr)
def visit_named_expr(v: FunctionVisitor, node: ast.NamedExpr) -> Value:
    value = materialize(v.visit(node.value))
    assign(v, node.target, value)
    return value


def assign(v: FunctionVisitor, target: ast.expr, value: Value) -> None:
    """Binds a value to a name or to a tuple of targets, without converting it."""
    if isinstance(target, ast.Name):
        v.scope.set(target.id, value, target.lineno)
    elif isinstance(target, ast.Attribute):
        with v.at(target):
            set_attribute(v, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        with v.at(target):
            _unpack(v, target.elts, value)
    else:
        raise _not_assignable(target)


def _unpack(v: FunctionVisitor, targets: list[ast.expr], value: Value) -> None:
    is_items = isinstance(value, (tuple, list))
    items = value if is_tensor(value) or is_items else unwrap(value)
    if not isinstance(items, (tuple, list)):
        raise TypeMismatchError(f"cannot unpack {describe(value)} into {len(targets)} variables")
    starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if len(items) != len(targets) if not starred else len(items) < len(targets) - 1:
        raise TypeMismatchError(f"cannot unpack {len(items)} values into {len(targets)} variables")
    values: list[Any] = list(items)
    if starred:
        at, surplus = starred[0], len(items) - len(targets) + 1
        values[at : at + surplus] = [tuple(values[at : at + surplus])]
    for target, item in zip(targets, values, strict=True):
        assign(v, target.value if isinstance(target, ast.Starred) else target, item)


def _not_assignable(target: ast.expr) -> UnsupportedError:
    if isinstance(target, ast.Subscript):
        return UnsupportedError(
            "an element of a tile cannot be assigned",
            hint="tiles are immutable: use tl.where(mask, new, old), or tl.store to memory",
        )
    return UnsupportedError(
        f"`{ast.unparse(target)}` cannot be assigned in a kernel", hint="assign to a variable"
    )


def _is_constexpr_annotation(v: FunctionVisitor, annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.rpartition(".")[2] == "constexpr"
    name = (
        annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    )
    return name == "constexpr" or (bool(name) and v.build.record.variable(v.fn, name) is constexpr)
