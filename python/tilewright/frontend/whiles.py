"""`while`: scf.while, with the condition in its first region and the body in its second."""

from __future__ import annotations

import ast

from tilewright.errors import UnsupportedError

from .analysis import assigned_names
from .carried import Carried
from .conditionals import visit_condition
from .dispatch import Exit, ExitKind, Rest, statement
from .scope import Unavailable
from .values import is_constant, unwrap
from .visitor import FunctionVisitor, LoopContext


@statement(ast.While)
def visit_while(v: FunctionVisitor, node: ast.While, rest: Rest) -> Exit | None:
    carried = Carried(v, node, "while", [node.test, *node.body])
    op = v.builder.create("scf.while", carried.handles, types=carried.types, regions=2)
    before = op.region(0).add_block(carried.types, v.builder.loc)
    body = op.region(1).add_block(carried.types, v.builder.loc)
    running = LoopContext("while", is_within_running=True)
    carried.enter(before.args)
    with v.inserting_at_end(before):
        condition = visit_condition(v, node.test)
        if not is_constant(condition):
            handles = carried.collect()
            v.builder.create("scf.condition", [condition.handle, *handles], types=[])
    if is_constant(condition):
        op.erase()
        v.scope = carried.before
        return _constant_condition(v, node, bool(unwrap(condition)), rest)
    for name in assigned_names([node.test]):
        if name not in carried.names:
            lost = Unavailable("is assigned in the condition of a `while`", "assign it in the body")
            v.scope.set(name, lost, node.lineno)
    carried.rebind(body.args)
    with v.inserting_at_end(body), v.within_loop(running):
        v.visit_block(node.body, lambda: Exit(ExitKind.END))
        v.builder.create("scf.yield", carried.collect(), types=[])
    carried.leave(op.results)
    return v.visit_block(node.orelse, rest)


def _constant_condition(
    v: FunctionVisitor, node: ast.While, holds: bool, rest: Rest
) -> Exit | None:
    """A loop that never runs, or never ends."""
    if holds:
        raise UnsupportedError(
            "the condition of this `while` is always true, so the loop never ends",
            hint="loop on a condition that the body changes",
        )
    return v.visit_block(node.orelse, rest)
