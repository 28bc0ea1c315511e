"""`if` and conditional expressions: chosen while compiling, or scf.if.

A branch that may return, break or continue takes in the statements that follow the `if`, so that
both branches reach the end of the region:

    if c:               %r = scf.if %c -> f32 {
        return a            scf.yield %a
    b = a + 1           } else {
    return b                %b = arith.addf %a, %one
                            scf.yield %b
                        }
                        return %r
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from .analysis import may_jump
from .dispatch import Exit, ExitKind, Rest, expression, statement
from .scope import Scope, Unavailable
from .values import (
    Value,
    describe,
    is_constant,
    leaves,
    materialise,
    same_constant,
    same_type,
    unwrap,
    with_handles,
)
from .visitor import FunctionVisitor


@statement(ast.If)
def visit_if(v: FunctionVisitor, node: ast.If, rest: Rest) -> Exit | None:
    condition = visit_condition(v, node.test)
    if is_constant(condition):
        return v.visit_block(node.body if unwrap(condition) else node.orelse, rest)
    return choose(
        v,
        node,
        condition,
        lambda: v.visit_block(node.body, rest),
        lambda: v.visit_block(node.orelse, rest),
        rest if may_jump([*node.body, *node.orelse]) else None,
    )


def choose(
    v: FunctionVisitor,
    node: ast.stmt,
    condition: Value,
    visit_then: Callable[[], Exit | None],
    visit_else: Callable[[], Exit | None],
    rest: Rest | None,
) -> Exit | None:
    """Builds both branches of an scf.if; each takes in the `rest` where one of them may jump."""
    if rest is None:
        _join_variables(v, Branches(v, condition, visit_then, visit_else), node)
        return None
    branches = Branches(
        v,
        condition,
        lambda: v.follow(visit_then() or rest()),
        lambda: v.follow(visit_else() or rest()),
    )
    return _join_exits(v, branches, node)


@expression(ast.IfExp)
def visit_if_exp(v: FunctionVisitor, node: ast.IfExp) -> Value:
    condition = visit_condition(v, node.test)
    if is_constant(condition):
        return v.visit(node.body if unwrap(condition) else node.orelse)
    branches = Branches(
        v,
        condition,
        lambda: materialise(v.visit(node.body)),
        lambda: materialise(v.visit(node.orelse)),
    )
    then_value, else_value = branches.outcomes
    if not same_type(then_value, else_value):
        raise TypeMismatchError(
            "both values of a conditional expression must have one type, found "
            f"{describe(then_value)} and {describe(else_value)}",
            hint="convert one of them with .to(...)",
        )
    [value] = branches.finish([(then_value, else_value)])
    return value


def visit_condition(v: FunctionVisitor, node: ast.expr) -> Value:
    """A condition: a constant, or a scalar of type int1."""
    condition = v.visit(node)
    if is_constant(condition):
        return condition
    with v.at(node):
        return to_condition(condition)


def to_condition(value: Value) -> Value:
    """A scalar tensor as int1."""
    if isinstance(value, tuple) or value.type.is_block() or value.type.is_ptr():
        raise TypeMismatchError(
            f"a condition must be a scalar, found {describe(value)}",
            hint="choose element by element with tl.where, or reduce with tl.max first",
        )
    return value if value.type.is_int1() else value.to(tl.int1)


class Branches:
    """An scf.if whose branches have been visited, each in a copy of the scope.

    `outcomes` is what visiting each branch gave, `scopes` the variables at its end. `finish` joins
    values of the two and completes the operation.
    """

    def __init__(
        self,
        v: FunctionVisitor,
        condition: Value,
        visit_then: Callable[[], Any],
        visit_else: Callable[[], Any],
    ) -> None:
        self.v = v
        self.condition = condition
        self.before: Scope = v.scope
        self.op = v.builder.create("scf.if", [condition.handle], types=[], regions=2)
        self.blocks = [self.op.region(i).add_block([], v.builder.loc) for i in range(2)]
        self.outcomes: list[Any] = []
        self.scopes: list[Scope] = []
        try:
            for block, visit in zip(self.blocks, (visit_then, visit_else), strict=True):
                v.scope = self.before.copy()
                with v.inserting_at_end(block):
                    self.outcomes.append(visit())
                self.scopes.append(v.scope)
        finally:
            v.scope = self.before

    def materialised(self, branch: int, value: Value) -> Value:
        """The value with numbers as tensors, built at the end of the branch."""
        with self.v.inserting_at_end(self.blocks[branch]):
            return materialise(value)

    def finish(self, pairs: list[tuple[Value, Value]]) -> list[Value]:
        """Ends both branches; from each pair of values of one type becomes one value."""
        builder = self.v.builder
        columns = [[leaf.handle for pair in pairs for leaf in leaves(pair[i])] for i in range(2)]
        op = self.op
        if columns[0]:
            types = [handle.type for handle in columns[0]]
            op = builder.create("scf.if", [self.condition.handle], types=types, regions=2)
            for index, block in enumerate(self.blocks):
                op.region(index).add_block([], builder.loc).splice(block)
        elif self.blocks[1].empty:
            self.blocks[1].erase()
        for index, handles in enumerate(columns):
            if not op.region(index).empty:
                with self.v.inserting_at_end(op.region(index).block):
                    builder.create("scf.yield", handles, types=[])
        if columns[0]:
            self.op.erase()
        results = iter(op.results)
        return [with_handles(value, results) for value, _ in pairs]


def _join_exits(v: FunctionVisitor, branches: Branches, node: ast.stmt) -> Exit:
    """Ends a region that both branches have left."""
    then_exit, else_exit = branches.outcomes
    if then_exit.kind is ExitKind.END:
        _join_variables(v, branches, node)
        return Exit(ExitKind.END)
    if not same_type(then_exit.value, else_exit.value):
        raise TypeMismatchError(
            f"`{v.fn.name}` returns {describe(then_exit.value)}{_at_line(then_exit)} "
            f"and {describe(else_exit.value)}{_at_line(else_exit)}",
            hint="every `return` must give the same type; convert with .to(...)",
        )
    [value] = branches.finish([(then_exit.value, else_exit.value)])
    return Exit(ExitKind.RETURN, value, then_exit.line)


def _at_line(exit: Exit) -> str:
    return f" at line {exit.line}" if exit.line else " at its end"


def _join_variables(v: FunctionVisitor, branches: Branches, node: ast.stmt) -> None:
    """Joins the variables that either branch has changed."""
    then_scope, else_scope = branches.scopes
    changed = dict.fromkeys(
        then_scope.changed_since(branches.before) + else_scope.changed_since(branches.before)
    )
    names, pairs = [], []
    for name in changed:
        pair = _joinable(branches, name, node)
        line = max(then_scope.lines.get(name, 0), else_scope.lines.get(name, 0))
        if isinstance(pair, Unavailable):
            v.scope.set(name, pair, line)
        elif pair[0] is pair[1] or (is_constant(pair) and same_constant(*pair)):
            v.scope.set(name, pair[0], line)
        else:
            names.append((name, line))
            pairs.append(pair)
    for (name, line), value in zip(names, branches.finish(pairs), strict=True):
        v.scope.set(name, value, line)


def _joinable(branches: Branches, name: str, node: ast.stmt) -> tuple[Value, Value] | Unavailable:
    """A variable's values at the ends of the branches, of one type; or why it is lost."""
    values = []
    for scope in branches.scopes:
        value = scope.values.get(name)
        if isinstance(value, Unavailable):
            return value
        if name not in scope.values:
            return Unavailable(
                f"is assigned in only one branch of the `if` at line {node.lineno}",
                "assign it before the `if`, or in both branches",
            )
        values.append(value)
    then_value, else_value = values
    if then_value is else_value or (is_constant(values) and same_constant(then_value, else_value)):
        return then_value, else_value
    then_value = branches.materialised(0, then_value)
    else_value = branches.materialised(1, else_value)
    if same_type(then_value, else_value):
        return then_value, else_value
    lines = [scope.lines[name] for scope in branches.scopes]
    return Unavailable(
        f"has the type {describe(then_value)} (line {lines[0]}) if the condition at line "
        f"{node.lineno} holds, and {describe(else_value)} (line {lines[1]}) if not",
        "give it the same type in both branches, with .to(...)",
        is_type_conflict=True,
    )
