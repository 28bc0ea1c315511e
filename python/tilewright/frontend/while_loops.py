"""`while`: scf.while, with the condition in its first region and the body in its second."""

from __future__ import annotations

import ast
from collections.abc import Callable

import tilewright.language as tl
from tilewright.errors import UnsupportedError

from .analysis import assigned_names
from .branches import Branches
from .carried import Carried
from .conditionals import to_condition, visit_condition
from .dispatch import END, Outcome, Rest, statement
from .early_exit import EarlyExits
from .scope import Unavailable
from .values import Value, is_constant, materialise, truth
from .visitor import FunctionVisitor


@statement(ast.While)
def visit_while(v: FunctionVisitor, node: ast.While, rest: Rest) -> Outcome:
    exits = EarlyExits(v, node)
    if exits.names:
        exits.declare()
    carried = Carried(v, node, "while", [node.test, *node.body], exits.names)

    def condition() -> Value:
        return _unless_left(v, node, exits) if exits.names else visit_condition(v, node.test)

    def visit_body() -> None:
        for name in assigned_names([node.test]):
            if name not in carried.names:
                reason = "is assigned in the condition of a `while`"
                v.scope.set(name, Unavailable(reason, "assign it in the body"), node.lineno)
        v.visit_block(node.body, END)

    holds = build_while(v, carried, condition, visit_body)
    if holds:
        raise UnsupportedError(
            "the condition of this `while` is always true, so the loop never ends",
            hint="loop on a condition that the body changes, or `break`",
        )
    return exits.finish(rest)


def build_while(
    v: FunctionVisitor,
    carried: Carried,
    condition: Callable[[], Value],
    visit_body: Callable[[], None],
) -> bool | None:
    """Builds an scf.while; if the condition is constant, builds nothing and returns its value."""
    op = v.builder.create("scf.while", carried.handles, types=carried.types, regions=2)
    before = op.region(0).add_block(carried.types, v.builder.loc)
    body = op.region(1).add_block(carried.types, v.builder.loc)
    carried.enter(before.args)
    with v.inserting_at_end(before):
        holds = condition()
        if not is_constant(holds):
            v.builder.create("scf.condition", [holds.handle, *carried.collect()], types=[])
    if is_constant(holds):
        op.erase()
        v.scope = carried.before
        return truth(holds)
    carried.rebind(body.args)
    with v.inserting_at_end(body), v.within_loop(is_unrolled=False):
        visit_body()
        v.builder.create("scf.yield", carried.collect(), types=[])
    carried.leave(op.results)
    return None


def _unless_left(v: FunctionVisitor, node: ast.While, exits: EarlyExits) -> Value:
    """The condition, which is no longer evaluated once the loop has exited."""
    if assigned_names([node.test]):
        raise UnsupportedError(
            "an assignment in the condition of a `while` with `break` or `return` is not supported",
            hint="assign in the body",
        )
    branches = Branches(
        v,
        exits.is_running(),
        lambda: to_condition(materialise(visit_condition(v, node.test))),
        lambda: tl.to_tensor(False),
    )
    [holds] = branches.finish([tuple(branches.outcomes)])
    return holds
