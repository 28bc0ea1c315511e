"""`for`: a loop over range or tl.range becomes scf.for; a loop over anything else is unrolled.

Variables that the body assigns and that are defined before the loop become loop-carried values:

    acc = 0.0                     %acc = scf.for %i = %c0 to %n step %c1
    for i in range(n):                iter_args(%a = %zero) -> f32 : i32 {
        acc += f(i)                   ...
                                      scf.yield %b : f32
                                  }
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import Any

import tilewright.language as tl
from tilewright.errors import ConstantError, TypeMismatchError, UnsupportedError

from .carried import Carried
from .dispatch import END, Outcome, Rest, statement
from .early_exit import INDEX, EarlyExits
from .expressions import visit_items
from .unrolled import items_of, unroll
from .values import Value, describe, is_constant, is_tensor, unwrap
from .visitor import FunctionVisitor
from .while_loops import build_while

# The attributes of tl.range that are set as `tile.<name>` on the loop.
_INT_ATTRIBUTES = ("num_stages", "loop_unroll_factor")
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
    exits = EarlyExits(v, node)
    if exits.names:
        loop.build_while(node, node.target, exits)
    else:
        loop.build(node, node.target)
    return exits.finish(rest)


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
        return LoopRange(value.start, value.stop, value.step, _attributes(v, value))
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
        values = [unwrap(bounds.start), unwrap(bounds.stop), step]
        self.type = _induction_type(values)
        tensors = [
            value.to(self.type) if is_tensor(value) else tl.to_tensor(value, self.type)
            for value in values
        ]
        self.start, self.stop, self.step = tensors
        if self.type.is_int_unsigned():
            self.attrs["unsignedCmp"] = v.ctx.unit_attr()

    def build(self, node: ast.For, target: ast.Name) -> None:
        v = self.v
        carried = Carried(v, node, "for", [target, *node.body], (), {target.id: self.type})
        low, high = self._rising()
        op = v.builder.create(
            "scf.for",
            [low.handle, high.handle, self.step.handle, *carried.handles],
            types=carried.types,
            attrs=self.attrs,
            regions=1,
        )
        index_type = v.context.ir(self.type)
        block = op.region(0).add_block([index_type, *carried.types], v.builder.loc)
        carried.enter(block.args[1:])
        with v.inserting_at_end(block), v.within_loop(is_unrolled=False):
            self._visit_body(node, target, tl.tensor(block.arg(0), self.type))
            v.builder.create("scf.yield", carried.collect(), types=[])
        carried.leave(op.results)

    def build_while(self, node: ast.For, target: ast.Name, exits: EarlyExits) -> None:
        """Builds the loop as scf.while, which can exit early."""
        v = self.v
        low, high = self._rising()
        trips = self._trips(low, high)
        exits.declare(tl.to_tensor(0, trips.dtype))
        body = [target, *node.body]
        carried = Carried(v, node, "for", body, exits.names, {target.id: self.type})

        def condition() -> Value:
            return tl.logical_and(v.scope.values[INDEX] < trips, exits.is_running())

        def visit_body() -> None:
            trip: Any = v.scope.values[INDEX]
            self._visit_body(node, target, low + trip.to(self.type) * self.step)
            v.scope.set(INDEX, trip + 1, node.lineno)

        build_while(v, carried, condition, visit_body)

    def _trips(self, low: tl.tensor, high: tl.tensor) -> tl.tensor:
        """The trip count, unsigned because the index after the last one may not fit its type."""
        unsigned = tl.uint32 if self.type.int_bitwidth == 32 else tl.uint64
        to_last = (high - low - 1).to(unsigned)
        return tl.where(low < high, to_last // self.step.to(unsigned) + 1, 0)

    def _rising(self) -> tuple[tl.tensor, tl.tensor]:
        """The bounds of an ascending loop with the same trip count."""
        return (self.stop, self.start) if self.is_reversed else (self.start, self.stop)

    def _visit_body(self, node: ast.For, target: ast.Name, index: Value) -> None:
        if self.is_reversed:  # start - (i - stop) descends from start while i ascends from stop
            index = self.start - (index - self.stop)
        self.v.scope.set(target.id, index, target.lineno)
        self.v.visit_block(node.body, END)


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
    return {
        (32, False): tl.int32,
        (32, True): tl.uint32,
        (64, False): tl.int64,
        (64, True): tl.uint64,
    }[width, is_unsigned]
