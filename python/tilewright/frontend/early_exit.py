"""`return`, `break` and `continue`, and loops that they exit early: scf.while with flags.

Outside of loops, and in unrolled ones, these statements only tell where control continues
(joins.py joins the paths). In a loop that is executed at run time, `continue` ends the body.

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

The core counts the iterations of such a loop before it, where it can (while-to-for).

The flags are variables of the scope, so branches join them and loops carry them like any variable.

So is the value that a `return` in a loop returns, `.result`. As a variable that a loop carries it
needs a value before the loop, of the type that is only known where the loop returns. The outermost
loop is therefore visited up to its first `return` with a value, to learn the type, and once more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from . import dispatch
from .analysis import has_break, returns_in
from .dispatch import Exit, Outcome, Rest, break_code, continue_code, statement
from .joins import check_returned, choose, placeholder
from .values import Value, describe, materialize
from .visitor import FunctionVisitor

STOP = ".stop"
RETURN = ".return"
RESULT = ".result"
INDEX = ".index"


class _ReturnFound(Exception):
    """Ends the first visit of a loop at a `return` with a value."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class EarlyExits:
    """The flags of one loop, declared before it and removed after it.

    Attributes:
        names: The flags that the loop needs; empty for a loop without early exits.
    """

    def __init__(self, v: FunctionVisitor, node: ast.For | ast.While) -> None:
        self.v, self.node = v, node
        self.has_return = bool(returns_in(node))
        self.names: list[str] = []
        self.outer = v.scope
        if self.has_return:
            self.names = [STOP, RETURN]
            if RESULT in v.scope.values:
                self.names.append(RESULT)
        elif has_break(node):
            self.names = [STOP]

    def declare(self, index: Value | None = None) -> None:
        """Initializes the flags, and the index of a `for`, before the loop."""
        if index is not None:
            self.names.append(INDEX)
        scope = self.v.scope = self.outer.copy()
        for name in self.names:
            if name != RESULT:
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
        if _is_endless(node):
            return emit_return(v, node.lineno)
        return choose(v, node, returned, lambda: emit_return(v, node.lineno), otherwise, rest)


def _is_endless(node: ast.For | ast.While) -> bool:
    """Whether control can leave the loop by `return` only."""
    test = node.test if isinstance(node, ast.While) else None
    return isinstance(test, ast.Constant) and bool(test.value) and not has_break(node)


def emit_return(v: FunctionVisitor, line: int) -> Exit:
    """Returns `.result` from the function, exiting all loops around the statement."""
    if v.loop is None or not v.loop.is_within_runtime_loop:
        return Exit(dispatch.RETURN, v.scope.values.get(RESULT), line)
    v.returns_in_loops += 1
    for name in (STOP, RETURN):
        v.scope.set(name, tl.to_tensor(True), line)
    return Exit(dispatch.END)


def visit_loop(
    v: FunctionVisitor,
    node: ast.For | ast.While,
    build: Callable[[EarlyExits], None],
    rest: Rest,
) -> Outcome:
    """Visits a loop, which `build` builds, and what follows it.

    If the loop may return a value, `.result` is declared before it.
    """
    is_outermost = v.loop is None or not v.loop.is_within_runtime_loop
    if is_outermost and not v.is_kernel and _returns_value(node):
        result = _placeholder_of_returned(v, lambda: build(EarlyExits(v, node)))
        if result is not None:
            v.scope = v.scope.copy()
            v.scope.set(RESULT, result, node.lineno)
    exits = EarlyExits(v, node)
    before = v.returns_in_loops
    build(exits)
    exits.has_return = v.returns_in_loops > before  # others are under conditions that are false
    return exits.finish(rest)


def _returns_value(loop: ast.For | ast.While) -> bool:
    return any(node.value is not None for node in returns_in(loop))


def _placeholder_of_returned(v: FunctionVisitor, visit: Callable[[], None]) -> Value:
    """A value of the type that statements return; None if they return none.

    What the statements build is removed.
    """
    scope, v.scope = v.scope, v.scope.copy()
    v.scope.values.pop(RESULT, None)
    unused = v.builder.create("scf.if", [tl.to_tensor(False).handle], types=[], regions=2)
    try:
        with v.inserting_at_end(unused.region(0).add_block([], v.builder.loc)):
            visit()
    except _ReturnFound as found:
        return placeholder(found.value)
    finally:
        v.scope = scope
        unused.erase()
    return None


# The statements


@statement(ast.Return)
def visit_return(v: FunctionVisitor, node: ast.Return, rest: Rest) -> Exit:
    value = None if node.value is None else materialize(v.visit(node.value))
    if v.is_kernel and value is not None:
        raise TypeMismatchError(
            f"a kernel cannot return a value, found {describe(value)}",
            hint="write it to memory with tl.store",
        )
    if v.loop is None or not v.loop.is_within_runtime_loop:
        return Exit(dispatch.RETURN, value, node.lineno)
    result = v.scope.values.get(RESULT)
    if result is not None:
        earlier = Exit(dispatch.RETURN, result, v.scope.lines[RESULT])
        check_returned(v, earlier, Exit(dispatch.RETURN, value, node.lineno))
        v.scope.set(RESULT, value, node.lineno)
    elif value is not None:
        raise _ReturnFound(value)
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
