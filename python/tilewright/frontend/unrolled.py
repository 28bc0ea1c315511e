"""Loops that are unrolled: those over tl.static_range, tuples and other constants."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from .assign import assign
from .dispatch import Outcome, Rest, break_code, continue_code
from .joins import resolve_exit
from .sequences import Step, StepSequence
from .values import Value, describe, is_tensor, unwrap
from .visitor import FunctionVisitor


def constant_items(v: FunctionVisitor, node: ast.expr) -> Sequence[Value]:
    """The items that an expression iterates over; their number is known at compile time."""
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
    """Visits the body once per item, in order."""
    depth = v.loop.depth + 1 if v.loop else 0

    def iterate(item: Value, rest: Rest) -> Outcome:
        with v.within_loop(is_unrolled=True):
            assign(v, node.target, item)
            outcome = v.visit_block(node.body)
        return resolve_exit(v, node, outcome, continue_code(depth))

    steps: list[tuple[ast.stmt, Step]] = [(node, partial(iterate, item)) for item in items]
    steps.append((node, lambda rest: v.visit_block(node.orelse)))
    return resolve_exit(v, node, StepSequence(v, steps).visit(), break_code(depth))
