"""`return`, `break` and `continue`."""

from __future__ import annotations

import ast

from tilewright.errors import TypeMismatchError, UnsupportedError

from .dispatch import Exit, ExitKind, Rest, statement
from .values import describe, materialise
from .visitor import FunctionVisitor


@statement(ast.Return)
def visit_return(v: FunctionVisitor, node: ast.Return, rest: Rest) -> Exit:
    if v.loop is not None and v.loop.is_within_running:
        raise UnsupportedError(
            "`return` inside a loop is not supported",
            hint="assign the result to a variable and return it after the loop",
        )
    value = None if node.value is None else materialise(v.visit(node.value))
    if v.is_kernel and value is not None:
        raise TypeMismatchError(
            f"a kernel cannot return a value, found {describe(value)}",
            hint="write it to memory with tl.store",
        )
    return Exit(ExitKind.RETURN, value, node.lineno)


@statement(ast.Break)
def visit_break(v: FunctionVisitor, node: ast.Break, rest: Rest) -> Exit:
    if v.loop is None or v.loop.on_break is None:
        raise UnsupportedError(
            "`break` is supported only in loops that are unrolled",
            hint="loop with `while` on a condition that says when to stop, or with tl.static_range",
        )
    return Exit(ExitKind.BREAK)


@statement(ast.Continue)
def visit_continue(v: FunctionVisitor, node: ast.Continue, rest: Rest) -> Exit:
    is_unrolled = v.loop is not None and v.loop.on_continue is not None
    return Exit(ExitKind.CONTINUE if is_unrolled else ExitKind.END)
