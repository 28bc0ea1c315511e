"""Loops: scf.for, scf.while, or unrolled.

A `for` over range or tl.range becomes scf.for; one over anything else is unrolled. A `while`, and a
`for` that may exit early (early_exit.py), becomes scf.while, with the condition in its first region
and the body in its second. Variables that the body assigns and that are defined before the loop
become loop-carried values (carried.py):

    acc = 0.0                     %acc = scf.for %i = %c0 to %n step %c1
    for i in range(n):                iter_args(%a = %zero) -> f32 : i32 {
        acc += f(i)                   ...
                                      scf.yield %b : f32
                                  }
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import tilewright.language as tl
from tilewright.errors import ConstantError, TypeMismatchError, UnsupportedError
from tilewright.language._context import current
from tilewright.language.debug import has_assertions

from .analysis import assigned_names
from .assign import assign
from .branches import to_condition, visit_condition
from .carried import Carried
from .dispatch import END, Outcome, Rest, break_code, continue_code, statement
from .early_exit import INDEX, EarlyExits, visit_loop
from .expressions import items_of, visit_items
from .joins import Branches, choose, resolve_exit
from .scope import Unavailable
from .steps import Step, StepSequence
from .values import (
    Value,
    describe,
    is_constant,
    is_tensor,
    materialize,
    truth,
    unwrap,
)
from .visitor import FunctionVisitor

# `while`


@statement(ast.While)
def visit_while(v: FunctionVisitor, node: ast.While, rest: Rest) -> Outcome:
    return visit_loop(v, node, partial(_build_while_statement, v, node), rest)


def _build_while_statement(v: FunctionVisitor, node: ast.While, exits: EarlyExits) -> None:
    if exits.names:
        exits.declare()
    carried = Carried(v, node, "while", [node.test, *node.body], exits.names)

    def condition() -> Value:
        return (
            _condition_if_running(v, node, exits) if exits.names else visit_condition(v, node.test)
        )

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


def build_while(
    v: FunctionVisitor,
    carried: Carried,
    condition: Callable[[], Value],
    visit_body: Callable[[], None],
    attrs: dict[str, Any] | None = None,
) -> bool | None:
    """Builds an scf.while; if the condition is constant, builds nothing and returns its value."""
    types, attrs = carried.types, attrs or {}
    op = v.builder.create("scf.while", carried.handles, types=types, attrs=attrs, regions=2)
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


def _condition_if_running(v: FunctionVisitor, node: ast.While, exits: EarlyExits) -> Value:
    """The condition, which is no longer evaluated once the loop has exited."""
    if assigned_names([node.test]):
        raise UnsupportedError(
            "an assignment in the condition of a `while` with `break` or `return` is not supported",
            hint="assign in the body",
        )
    branches = Branches(
        v,
        exits.is_running(),
        lambda: to_condition(materialize(visit_condition(v, node.test))),
        lambda: tl.to_tensor(False),
    )
    [holds] = branches.finish([tuple(branches.outcomes)])
    return holds


# `for`


# The attributes of tl.range that are set as `tile.<name>` on the loop.
_INT_ATTRIBUTES = ("num_stages",)
_FLAG_ATTRIBUTES = (
    "disallow_acc_multi_buffer",
    "flatten",
    "warp_specialize",
    "disable_licm",
)


@dataclass
class LoopRange:
    """The bounds of a loop that is not unrolled, as the user wrote them."""

    start: Value
    stop: Value
    step: Value
    attrs: dict[str, Any] = field(default_factory=dict)
    unroll_factor: int = 1


@statement(ast.For)
def visit_for(v: FunctionVisitor, node: ast.For, rest: Rest) -> Outcome:
    with v.at(node.iter):
        bounds = _iteration(v, node.iter)
        if isinstance(bounds, LoopRange):
            loop = _Loop(v, bounds)
        else:
            items = items_of(bounds)
    if not isinstance(bounds, LoopRange):
        return unroll(v, node, items)
    if not isinstance(node.target, ast.Name):
        raise UnsupportedError("the variable of a loop over a range must be a single name")
    build = partial(loop.build_any, node, node.target, bounds.unroll_factor)
    return visit_loop(v, node, build, rest)


def _iteration(v: FunctionVisitor, node: ast.expr) -> Any:
    """The iterable of a loop: a LoopRange, or a value."""
    if isinstance(node, ast.Call) and v.visit(node.func) is builtins.range:
        args = visit_items(v, node.args)
        if node.keywords or not 1 <= len(args) <= 3:
            raise TypeMismatchError("`range` takes one to three positional arguments")
        if len(args) == 1:
            return LoopRange(0, args[0], 1)
        return LoopRange(args[0], args[1], args[2] if len(args) == 3 else 1)
    value = v.visit(node)
    if isinstance(value, tl.range):
        bounds = (value.start, value.stop, value.step)
        return LoopRange(*bounds, _attributes(v, value), value.loop_unroll_factor or 1)
    return value


def _attributes(v: FunctionVisitor, value: Any) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    for name in _INT_ATTRIBUTES:
        number = unwrap(getattr(value, name, None))
        if number is not None:
            attrs[f"tile.{name}"] = v.ctx.int_attr(v.ctx.type("i32"), number)
    for name in _FLAG_ATTRIBUTES:
        if unwrap(getattr(value, name, False)):
            attrs[f"tile.{name}"] = v.ctx.unit_attr()
    return attrs


class _Loop:
    """Builds one loop. The constructor checks the bounds, so errors have the range's position."""

    def __init__(self, v: FunctionVisitor, bounds: LoopRange) -> None:
        self.v = v
        self.attrs = bounds.attrs
        step = unwrap(bounds.step)
        if is_constant(step) and step == 0:
            raise ConstantError("the step of a range must not be 0")
        self.is_reversed = is_constant(step) and isinstance(step, int) and step < 0
        if self.is_reversed:
            step = -step
        if is_tensor(step):
            _assert_positive(step)
        values = [unwrap(bounds.start), unwrap(bounds.stop), step]
        self.type = _induction_type(values)
        tensors = [
            value.to(self.type) if is_tensor(value) else tl.to_tensor(value, self.type)
            for value in values
        ]
        self.start, self.stop, self.step = tensors
        # The type of a number of iterations: signed if all of them are known to fit.
        low, is_unsigned = values[1 if self.is_reversed else 0], self.type.is_int_unsigned()
        fits = (isinstance(low, int) and low >= 0 and not is_unsigned) or (
            is_constant(step) and step > 2
        )
        self.counter = _integer(self.type.int_bitwidth, not fits)

    def build_any(self, node: ast.For, target: ast.Name, factor: int, exits: EarlyExits) -> None:
        """Builds the loop in the form that its body needs."""
        if exits.names:
            self.build_while(node, target, exits, factor)
        elif factor > 1:
            self.build_unrolled(node, target, factor)
        else:
            self.build(node, target)

    def build(self, node: ast.For, target: ast.Name) -> None:
        low, high = self._rising()
        unsigned = {"unsignedCmp": self.v.ctx.unit_attr()} if self.type.is_int_unsigned() else {}
        self._build_for(node, target, (low, high, self.step), self.attrs | unsigned, lambda i: [i])

    def build_unrolled(self, node: ast.For, target: ast.Name, factor: int) -> None:
        """Builds a loop whose body has `factor` copies, and one for the remaining iterations.

        Both count their own iterations, since the index after the last one may not fit its type:

            for k in range(n // factor): body(low + (k * factor) * step), ...
            for k in range(n % factor): body(low + (n // factor * factor + k) * step)
        """
        low, high = self._rising()
        trips = self._trips(low, high)
        whole = trips // factor
        count = _integer(self.type.int_bitwidth, False)
        zero, one = tl.to_tensor(0, count), tl.to_tensor(1, count)

        def index(trip: Any) -> Value:
            return low + trip.to(self.type) * self.step

        self._build_for(
            node,
            target,
            (zero, whole.to(count), one),
            self.attrs,
            lambda k: [index(k * factor + copy) for copy in range(factor)],
        )
        done = (whole * factor).to(count)
        rest = (zero, trips.to(count) - done, one)
        self._build_for(node, target, rest, self.attrs, lambda k: [index(done + k)])

    def _build_for(
        self,
        node: ast.For,
        target: ast.Name,
        bounds: tuple[tl.tensor, tl.tensor, tl.tensor],
        attrs: dict[str, Any],
        indices: Callable[[Value], list[Value]],
    ) -> None:
        """Builds an scf.for with a copy of the body for each of the indices."""
        v = self.v
        carried = Carried(v, node, "for", [target, *node.body], (), {target.id: self.type})
        operands = [*(bound.handle for bound in bounds), *carried.handles]
        op = v.builder.create("scf.for", operands, types=carried.types, attrs=attrs, regions=1)
        counter = bounds[0].type
        block = op.region(0).add_block([v.context.ir(counter), *carried.types], v.builder.loc)
        carried.enter(block.args[1:])
        with v.inserting_at_end(block), v.within_loop(is_unrolled=False):
            for index in indices(tl.tensor(block.arg(0), counter)):
                outcome = self._visit_body(node, target, index)
                resolve_exit(v, node, outcome, END)  # a copy follows, or the end of the body
            v.builder.create("scf.yield", carried.collect(), types=[])
        carried.leave(op.results)

    def build_while(self, node: ast.For, target: ast.Name, exits: EarlyExits, factor: int) -> None:
        """Builds the loop as scf.while, which can exit early, with `factor` copies of the body.

        A copy runs only if the loop goes on after the one before it.
        """
        v = self.v
        low, high = self._rising()
        trips = self._trips(low, high).to(self.counter)
        exits.declare(tl.to_tensor(0, trips.dtype))
        body = [target, *node.body]
        carried = Carried(v, node, "for", body, exits.names, {target.id: self.type})

        def condition() -> Value:
            return tl.logical_and(v.scope.values[INDEX] < trips, exits.is_running())

        def visit_copy() -> None:
            trip: Any = v.scope.values[INDEX]
            self._visit_body(node, target, low + trip.to(self.type) * self.step)
            v.scope.set(INDEX, trip + 1, node.lineno)

        def visit_body() -> None:
            visit_copy()
            for _ in range(factor - 1):
                choose(v, node, condition(), visit_copy, lambda: None)

        build_while(v, carried, condition, visit_body, self.attrs)

    def _trips(self, low: tl.tensor, high: tl.tensor) -> tl.tensor:
        """The trip count, unsigned because the index after the last one may not fit its type."""
        unsigned = _integer(self.type.int_bitwidth, True)
        to_last = (high - low - 1).to(unsigned)
        return tl.where(low < high, to_last // self.step.to(unsigned) + 1, 0)

    def _rising(self) -> tuple[tl.tensor, tl.tensor]:
        """The bounds of an ascending loop with the same trip count."""
        return (self.stop, self.start) if self.is_reversed else (self.start, self.stop)

    def _visit_body(self, node: ast.For, target: ast.Name, index: Value) -> Outcome:
        if self.is_reversed:  # start - (i - stop) descends from start while i ascends from stop
            index = self.start - (index - self.stop)
        self.v.scope.set(target.id, index, target.lineno)
        return self.v.visit_block(node.body, END)


def _assert_positive(step: tl.tensor) -> None:
    """With the option `debug`, asserts that a loop whose step is known at run time ends."""
    if has_assertions() and current().combiner is None:
        message = "the step of a range must be positive if it is not a constant"
        tl.device_assert(step > 0, message)


def _induction_type(values: list[Value]) -> Any:
    """The widest integer type of the bounds, at least 32 bits; unsigned if one such bound is."""
    width, is_unsigned = 32, False
    for value in values:
        if is_tensor(value):
            kind = value.type
        elif isinstance(value, int) and not isinstance(value, bool):
            kind = tl.int32 if -(2**31) <= value < 2**31 else tl.int64
        else:
            kind = None
        if kind is None or kind.is_block() or not kind.is_int():
            raise TypeMismatchError(
                f"the bounds of a range must be integers, found {describe(value)}"
            )
        bits = kind.int_bitwidth
        if bits >= width:
            is_unsigned = kind.is_int_unsigned() or (is_unsigned and bits == width)
            width = bits
    return _integer(width, is_unsigned)


def _integer(bits: int, is_unsigned: bool) -> Any:
    signed, unsigned = (tl.int32, tl.uint32) if bits == 32 else (tl.int64, tl.uint64)
    return unsigned if is_unsigned else signed


# Unrolled loops


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
