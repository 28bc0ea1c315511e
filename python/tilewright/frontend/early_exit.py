"""`return`, `break` and `continue`, and loops that they exit early: scf.while with flags.

Outside of loops, and in unrolled ones, these statements only tell where control continues
(branches.py joins the paths). In a loop that is executed at run time, `continue` ends the body.

A loop has a single exit, its condition. `break` therefore sets a flag that the condition reads, and
ends the iteration. `return` sets a second flag as well, which is tested after the loop:

    for i in range(n):            .stop, .return, .index = false, false, 0
        if a: break               while .index < n and not .stop:
        if b: return                  i = .index
        f(i)                          if a: .stop = true
    g()                               elif b: .stop, .return = true, true
                                      else: f(i)
                                      .index = i + 1
                                  if not .return: g()

The flags are variables of the scope, so branches join them and loops carry them like any variable.
"""

from __future__ import annotations

import ast

import tilewright.language as tl
from tilewright.errors import TypeMismatchError, UnsupportedError

from . import dispatch
from .analysis import find_return, has_break
from .branches import choose
from .dispatch import Exit, Outcome, Rest, break_code, continue_code, statement
from .values import Value, describe, materialize
from .visitor import FunctionVisitor

STOP = ".stop"
RETURN = ".return"
INDEX = ".index"


class EarlyExits:
    """The flags of one loop, declared before it and removed after it.

    Attributes:
        names: The flags that the loop needs; empty for a loop without early exits.
    """

    def __init__(self, v: FunctionVisitor, node: ast.For | ast.While) -> None:
        self.v, self.node = v, node
        self.has_return = find_return(node.body) is not None
        self.names: list[str] = []
        self.outer = v.scope
        if self.has_return:
            self.names = [STOP, RETURN]
        elif has_break(node.body):
            self.names = [STOP]

    def declare(self, index: Value | None = None) -> None:
        """Initializes the flags, and the index of a `for`, before the loop."""
        if index is not None:
            self.names.append(INDEX)
        scope = self.v.scope = self.outer.copy()
        for name in self.names:
            value = index if name == INDEX else tl.to_tensor(False)
            scope.set(name, value, self.node.lineno)

    def is_running(self) -> Value:
        """Whether the loop has not exited yet."""
        return tl.logical_not(self.v.scope.values[STOP])

    def finish(self, rest: Rest) -> Outcome:
        """Builds what follows the loop: its `else`, skipped after `break`, and the return."""
        v, node = self.v, self.node
        stop, returned = (v.scope.values.get(name) for name in (STOP, RETURN))
        for name in (STOP, INDEX):
            v.scope.values.pop(name, None)
            if name in self.outer.values:
                v.scope.values[name] = self.outer.values[name]

        def otherwise() -> Outcome:
            if not node.orelse or not self.names:
                return v.visit_block(node.orelse)
            return choose(v, node, stop, lambda: None, lambda: v.visit_block(node.orelse))

        if not self.has_return:
            return otherwise()
        return choose(v, node, returned, lambda: emit_return(v, node.lineno), otherwise, rest)


def emit_return(v: FunctionVisitor, line: int) -> Exit:
    """Returns from the function without a value, exiting all loops around the statement."""
    if v.loop is None or not v.loop.is_within_running:
        return Exit(dispatch.RETURN, None, line)
    for name in (STOP, RETURN):
        v.scope.set(name, tl.to_tensor(True), line)
    return Exit(dispatch.END)


# The statements


@statement(ast.Return)
def visit_return(v: FunctionVisitor, node: ast.Return, rest: Rest) -> Exit:
    value = None if node.value is None else materialize(v.visit(node.value))
    if v.is_kernel and value is not None:
        raise TypeMismatchError(
            f"a kernel cannot return a value, found {describe(value)}",
            hint="write it to memory with tl.store",
        )
    if v.loop is None or not v.loop.is_within_running:
        return Exit(dispatch.RETURN, value, node.lineno)
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
    return Exit(dispatch.END)


@statement(ast.Continue)
def visit_continue(v: FunctionVisitor, node: ast.Continue, rest: Rest) -> Exit:
    if v.loop is not None and v.loop.is_unrolled:
        return Exit(continue_code(v.loop.depth))
    return Exit(dispatch.END)
