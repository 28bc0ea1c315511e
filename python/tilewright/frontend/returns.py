"""`return`, `break` and `continue`."""

from __future__ import annotations

import ast

import tilewright.language as tl
from tilewright.errors import TypeMismatchError, UnsupportedError

from .dispatch import END, RETURN, Exit, Rest, break_code, continue_code, statement
from .early_exit import STOP, emit_return
from .values import describe, materialise
from .visitor import FunctionVisitor


@statement(ast.Return)
def visit_return(v: FunctionVisitor, node: ast.Return, rest: Rest) -> Exit:
    value = None if node.value is None else materialise(v.visit(node.value))
    if v.is_kernel and value is not None:
        raise TypeMismatchError(
            f"a kernel cannot return a value, found {describe(value)}",
            hint="write it to memory with tl.store",
        )
    if v.loop is None or not v.loop.is_within_running:
        return Exit(RETURN, value, node.lineno)
    if value is not None:
        raise UnsupportedError(
            "`return` with a value inside a loop is not supported",
            hint="assign the value to a variable, `break`, and return it after the loop",
        )
    return emit_return(v, node.lineno)


@statement(ast.Break)
def visit_break(v: FunctionVisitor, node: ast.Break, rest: Rest) -> Exit:
    if v.loop is not None and v.loop.is_unrolled:
        return Exit(break_code(v.loop.depth))
    v.scope.set(STOP, tl.to_tensor(True), node.lineno)
    return Exit(END)


@statement(ast.Continue)
def visit_continue(v: FunctionVisitor, node: ast.Continue, rest: Rest) -> Exit:
    if v.loop is not None and v.loop.is_unrolled:
        return Exit(continue_code(v.loop.depth))
    return Exit(END)
