"""Loops that are unrolled: over tl.static_range, tuples and other constants."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from .assign import assign
from .branches import arrive, guarded
from .dispatch import Exit, Maybe, Outcome, break_code, continue_code
from .values import Value, describe, is_tensor, unwrap
from .visitor import FunctionVisitor


def constant_items(v: FunctionVisitor, node: ast.expr) -> Sequence[Value]:
    """The items that an expression iterates over, their number known while compiling."""
    return items_of(v.visit(node))


def items_of(value: Value) -> Sequence[Value]:
    if isinstance(value, tl.static_range):
        return [tl.constexpr(i) for i in range(value.start, value.stop, value.step)]
    items = value if is_tensor(value) or isinstance(value, (tuple, list)) else unwrap(value)
    if isinstance(items, (tuple, list, range)):
        return items
    raise TypeMismatchError(
        f"cannot loop over {describe(value)}",
        hint="loop over range, tl.range, tl.static_range or a tuple",
    )


def unroll(v: FunctionVisitor, node: ast.For, items: Sequence[Value]) -> Outcome:
    """Visits the body once per item, one after the other."""
    depth = v.loop.depth + 1 if v.loop else 0

    def run(start: int) -> Outcome:
        for index in range(start, len(items)):
            with v.within_loop(is_unrolled=True):
                assign(v, node.target, items[index])
                outcome = v.visit_block(node.body, is_tail=False)
            outcome = arrive(v, outcome, continue_code(depth))
            if isinstance(outcome, Exit):
                return outcome
            if isinstance(outcome, Maybe):
                return guarded(v, node, outcome, partial(run, index + 1))
        return v.visit_block(node.orelse, is_tail=False)

    return arrive(v, run(0), break_code(depth))
