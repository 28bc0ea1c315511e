"""`if` and conditional expressions: decided at compile time, or an scf.if (joins.py)."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from .dispatch import Outcome, Rest, expression, statement
from .joins import Branches, choose, resolve_exit
from .steps import MAX_NESTED, Step, StepSequence
from .values import (
    Value,
    describe,
    fold_known,
    is_constant,
    is_tensor,
    materialize,
    same_type,
    truth,
)

if TYPE_CHECKING:
    from .visitor import FunctionVisitor


@statement(ast.If)
def visit_if(v: FunctionVisitor, node: ast.If, rest: Rest) -> Outcome:
    chain = _chain(node)
    if len(chain) > MAX_NESTED:
        return _visit_chain(v, chain)
    condition = visit_condition(v, node.test)
    if is_constant(condition):
        return v.visit_block(node.body if truth(condition) else node.orelse, rest.end)
    return choose(
        v,
        node,
        condition,
        lambda: v.visit_block(node.body, rest.end),
        lambda: v.visit_block(node.orelse, rest.end),
        rest,
    )


def _chain(node: ast.If) -> list[ast.If]:
    """The `if` and each `elif`; the syntax tree nests an `elif` in the preceding `else`."""
    chain = [node]
    while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
        chain.append(chain[-1].orelse[0])
    return chain


def _visit_chain(v: FunctionVisitor, chain: list[ast.If]) -> Outcome:
    """Visits a long chain: each branch exits to the end of the chain, to avoid deep nesting."""
    code = next(v.build.exit_codes)

    def visit_branch(node: ast.If, rest: Rest) -> Outcome:
        with v.at(node):
            condition = visit_condition(v, node.test)
            if is_constant(condition):
                return v.visit_block(node.body, code) if truth(condition) else None
            return choose(
                v, node, condition, lambda: v.visit_block(node.body, code), lambda: None, rest
            )

    steps: list[tuple[ast.stmt, Step]] = [(node, partial(visit_branch, node)) for node in chain]
    steps.append((chain[-1], lambda rest: v.visit_block(chain[-1].orelse)))
    return resolve_exit(v, chain[0], StepSequence(v, steps).visit(), code)


@expression(ast.IfExp)
def visit_if_exp(v: FunctionVisitor, node: ast.IfExp) -> Value:
    condition = visit_condition(v, node.test)
    if is_constant(condition):
        return v.visit(node.body if truth(condition) else node.orelse)
    branches = Branches(
        v,
        condition,
        lambda: materialize(v.visit(node.body)),
        lambda: materialize(v.visit(node.orelse)),
    )
    then_value, else_value = branches.outcomes
    if not same_type(then_value, else_value):
        raise TypeMismatchError(
            "both values of a conditional expression must have the same type, found "
            f"{describe(then_value)} and {describe(else_value)}",
            hint="convert one of them with .to(...)",
        )
    [value] = branches.finish([(then_value, else_value)])
    return value


def visit_condition(v: FunctionVisitor, node: ast.expr) -> Value:
    """A condition: a constant, or a scalar of type int1."""
    condition = v.visit(node)
    if isinstance(condition, tl.condition):
        condition = condition.condition
    condition = fold_known(condition)
    if is_constant(condition):
        return condition
    with v.at(node):
        return to_condition(condition)


def to_condition(value: Value) -> Value:
    """Converts a scalar tensor to int1. A pointer is true unless it is null."""
    if not is_tensor(value) or value.type.is_block():
        raise TypeMismatchError(
            f"a condition must be a scalar, found {describe(value)}",
            hint="choose element by element with tl.where, or reduce with tl.max first",
        )
    if value.type.is_ptr():
        value = value.to(tl.int64) != 0
    return value if value.type.is_int1() else value.to(tl.int1)
