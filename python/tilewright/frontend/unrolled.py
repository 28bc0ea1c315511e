"""Loops that are unrolled: over tl.static_range, tuples and other constants."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from .assign import assign
from .dispatch import Exit, ExitKind, Rest
from .values import Value, describe, is_tensor, unwrap
from .visitor import FunctionVisitor, LoopContext


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


def unroll(v: FunctionVisitor, node: ast.For, items: Sequence[Value], rest: Rest) -> Exit | None:
    """Visits the body once per item, one after the other."""
    outer = v.loop
    after = v.in_loop(outer, rest)

    def to_end(start: int) -> Exit:
        return run(start) or rest()

    def run(start: int) -> Exit | None:
        for index in range(start, len(items)):
            following = v.in_loop(outer, partial(to_end, index + 1))
            running = outer is not None and outer.is_within_running
            with v.within_loop(LoopContext(running, after, following)):
                assign(v, node.target, items[index])
                exit = v.visit_block(node.body, following)
            if exit is None or exit.kind is ExitKind.CONTINUE:
                continue
            return None if exit.kind is ExitKind.BREAK else exit
        return v.visit_block(node.orelse, rest)

    return run(0)
