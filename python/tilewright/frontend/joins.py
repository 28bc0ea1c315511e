"""An scf.if, and how variables and control flow join after it.

The branches of an scf.if are visited, each in a copy of the scope, and then joined: variables that
differ become results of the scf.if. If branches end in different ways, the variable `.exit` holds
where control continues, and the statements after them are guarded by it:

    if a:                          %x:2 = scf.if %a -> (i32, i32) {   // .exit and y
        if b:                          %y = scf.if %b { yield 1 } else { yield 0 }
            return                     yield %y, ...
        y = 1                      } else { yield 0, ... }
    f(y)                           %falls_through = arith.cmpi eq, %x#0, 0
                                   scf.if %falls_through { f(%x#1) }

The variables if control falls through and those if it has exited are two scopes. A variable that
has one type in both is the same value in both: a result of the scf.if.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import tilewright.language as tl
from tilewright.errors import TypeMismatchError, UnsupportedError
from tilewright.language._build import constant
from tilewright.language.parameter_bytes import ParameterBytes

from .dispatch import END, RETURN, Exit, MayExit, Outcome, Rest
from .scope import Scope, Unavailable
from .values import (
    Leaf,
    Value,
    describe,
    is_constant,
    leaves,
    map_leaves,
    materialize,
    same_constant,
    same_type,
    with_handles,
)

if TYPE_CHECKING:
    from .visitor import FunctionVisitor

# scf.if


class Branches:
    """An scf.if whose branches have been visited, each in a copy of its scope.

    For each branch, `outcomes` is the result of visiting it, `initial` has the variables before it
    and `scopes` those at its end. `finish` joins values of the branches and completes the
    operation.
    """

    def __init__(
        self,
        v: FunctionVisitor,
        condition: Value,
        visit_then: Callable[[], Any],
        visit_else: Callable[[], Any],
        initial: tuple[Scope, Scope] | None = None,
    ) -> None:
        self.v = v
        self.condition = condition
        self.initial = initial or (v.scope, v.scope)
        self.op = v.builder.create("scf.if", [condition.handle], types=[], regions=2)
        self.blocks = [self.op.region(i).add_block([], v.builder.loc) for i in range(2)]
        self.outcomes: list[Any] = [None, None]
        self.scopes = [scope.copy() for scope in self.initial]
        self.extend(0, visit_then)
        self.extend(1, visit_else)

    def extend(self, branch: int, visit: Callable[[], Any]) -> None:
        """Visits more statements at the end of a branch; their outcome replaces the branch's."""
        outer, self.v.scope = self.v.scope, self.scopes[branch]
        try:
            with self.v.inserting_at_end(self.blocks[branch]):
                self.outcomes[branch] = visit()
            self.scopes[branch] = self.v.scope
        finally:
            self.v.scope = outer

    def materialized(self, branch: int, value: Value) -> Value:
        """The value with its numbers converted to tensors at the end of the branch."""
        with self.v.inserting_at_end(self.blocks[branch]):
            return materialize(value)

    def finish(self, pairs: list[tuple[Value, Value]]) -> list[Value]:
        """Terminates both branches; each pair of values of one type becomes one result."""
        builder = self.v.builder
        columns = [[leaf.handle for pair in pairs for leaf in leaves(pair[i])] for i in range(2)]
        op = self.op
        if columns[0]:
            types = [handle.type for handle in columns[0]]
            op = builder.create("scf.if", [self.condition.handle], types=types, regions=2)
            for index, block in enumerate(self.blocks):
                op.region(index).add_block([], builder.loc).splice(block)
        elif self.blocks[0].empty and self.blocks[1].empty:
            self.op.erase()
            return [value for value, _ in pairs]
        elif self.blocks[1].empty:
            self.blocks[1].erase()
        for index, handles in enumerate(columns):
            if not op.region(index).empty:
                with self.v.inserting_at_end(op.region(index).block):
                    builder.create("scf.yield", handles, types=[])
        if columns[0]:
            self.op.erase()
        results = iter(op.results)
        return [with_handles(value, results) for value, _ in pairs]


# Joining branches


EXIT = ".exit"
VALUE = ".value"

# Stands for a variable's value at the end of a branch where it is never read: any value will do.
_ANY = object()

# The values of a variable at the ends of two branches.
_Pair: TypeAlias = tuple[Value, Value]


def _known(values: _Pair) -> list[Value]:
    return [value for value in values if value is not _ANY]


def _has_missing(values: Sequence[Value]) -> bool:
    return any(isinstance(value, Unavailable) for value in values)


def choose(
    v: FunctionVisitor,
    node: ast.stmt,
    condition: Value,
    visit_then: Callable[[], Outcome],
    visit_else: Callable[[], Outcome],
    rest: Rest | None = None,
) -> Outcome:
    """Builds an scf.if of statements.

    If one branch always exits and the other never does, the `rest` is moved into the latter.
    """
    branches = Branches(v, condition, visit_then, visit_else)
    exits = [isinstance(outcome, Exit) for outcome in branches.outcomes]
    if rest is not None and rest.may_nest and exits[0] != exits[1]:
        other = exits.index(False)
        if branches.outcomes[other] is None:
            branches.extend(other, rest.run)
    return _join(branches, node)


def guard(
    v: FunctionVisitor, node: ast.stmt, outcome: MayExit, visit_rest: Callable[[], Outcome]
) -> Outcome:
    """Builds the statements after some that may have exited."""
    falls_through = outcome.exited.values[EXIT] == 0
    return _join(
        Branches(
            v,
            falls_through,
            visit_rest,
            lambda: _exit(v, outcome.codes, v.scope),
            (v.scope, outcome.exited),
        ),
        node,
    )


def resolve_exit(v: FunctionVisitor, node: ast.stmt, outcome: Outcome, code: int) -> Outcome:
    """The outcome at the target of an exit code: control that exited with it falls through here."""
    if isinstance(outcome, Exit):
        return None if outcome.code == code else outcome
    if outcome is None or code not in outcome.codes:
        return outcome
    codes, exited = outcome.codes - {code}, outcome.exited
    exit = exited.values[EXIT]
    resolved = exited.copy()
    _forget(resolved)
    if outcome.falls_through and _differ(resolved, v.scope):
        branches = Branches(v, exit == code, lambda: None, lambda: None, (resolved, v.scope))
        _join(branches, node)
    else:
        v.scope = resolved
    if not codes:
        return None
    exited = exited.copy()
    exited.set(EXIT, tl.where(exit == code, 0, exit), exited.lines[EXIT])
    return MayExit(codes, True, exited)


def _differ(first: Scope, second: Scope) -> bool:
    names = {*first.values, *second.values}
    return any(first.values.get(name, _ANY) is not second.values.get(name, _ANY) for name in names)


def _forget(scope: Scope) -> None:
    scope.values.pop(EXIT, None)
    scope.values.pop(VALUE, None)


def _exit(v: FunctionVisitor, codes: frozenset[int], exited: Scope) -> Outcome:
    """The outcome of statements that always exit: Exit if only one code is possible."""
    v.scope = exited
    if len(codes) > 1:
        return MayExit(codes, False, exited)
    [code] = codes
    value, line = exited.values.get(VALUE), exited.lines.get(VALUE, 0)
    _forget(exited)
    return Exit(code, value, line)


@dataclass(frozen=True)
class _End:
    """How a branch ends: the variables if control falls through, and those if it has exited."""

    falling: Scope | None
    exited: Scope | None
    codes: frozenset[int]

    @staticmethod
    def of(outcome: Outcome, scope: Scope) -> _End:
        if outcome is None:
            return _End(scope, None, frozenset())
        if isinstance(outcome, Exit):
            return _End(None, scope, frozenset([outcome.code]))
        return _End(scope if outcome.falls_through else None, outcome.exited, outcome.codes)

    def exits_with(self, name: str) -> Scope | None:
        """The scope from which a variable is read after control has exited, or None.

        It is not read after the function returns. At the end of a loop's body it is not read if it
        has no value, because the loop then does not carry it.
        """
        if self.exited is None or self.codes <= {RETURN}:
            return None
        is_needed = name in self.exited.values or not self.codes <= {RETURN, END}
        return self.exited if is_needed else None


def _join(branches: Branches, node: ast.stmt) -> Outcome:
    """Joins variables and outcomes, and completes the scf.if."""
    v = branches.v
    ends = [_End.of(*pair) for pair in zip(branches.outcomes, branches.scopes, strict=True)]
    codes = ends[0].codes | ends[1].codes
    join = _Join(branches, node)
    falling, exited = Scope(), Scope()
    falls_through = any(end.falling for end in ends)
    join.variables(ends, falling, exited)
    if RETURN in codes:
        _join_returned(join, ends, exited)
    if codes and (falls_through or len(codes) > 1):
        join.add_result(EXIT, (_exit_value(branches, 0), _exit_value(branches, 1)), 0, [exited])
    join.finish()
    if not falls_through:
        return _exit(v, codes, exited)
    v.scope = falling
    return MayExit(codes, True, exited) if codes else None


def _exit_value(branches: Branches, index: int) -> Value:
    """The value of `.exit` at the end of a branch; 0 if control falls through."""
    outcome = branches.outcomes[index]
    if isinstance(outcome, MayExit):
        return outcome.exited.values[EXIT]
    return branches.materialized(index, 0 if outcome is None else outcome.code)


def _join_returned(join: _Join, ends: Sequence[_End], exited: Scope) -> None:
    returns = [_returned(*pair) for pair in zip(join.branches.outcomes, ends, strict=True)]
    first, second = returns
    if first and second:
        check_returned(join.branches.v, first, second)
    prototype = first or second
    assert prototype is not None
    if is_constant(prototype.value):
        exited.set(VALUE, prototype.value, prototype.line)
        return
    values = tuple(_ANY if item is None else item.value for item in returns)
    join.add_result(VALUE, (values[0], values[1]), prototype.line, [exited])


def _returned(outcome: Outcome, end: _End) -> Exit | None:
    """The value that a branch returns, or None if it does not return."""
    if RETURN not in end.codes or end.exited is None:
        return None
    if isinstance(outcome, Exit):
        return outcome
    return Exit(RETURN, end.exited.values[VALUE], end.exited.lines[VALUE])


def check_returned(v: FunctionVisitor, first: Exit, second: Exit) -> None:
    if same_type(first.value, second.value):
        return

    def place(exit: Exit) -> str:
        return f" at line {exit.line}" if exit.line else " at its end"

    raise TypeMismatchError(
        f"`{v.fn.name}` returns {describe(first.value)}{place(first)} "
        f"and {describe(second.value)}{place(second)}",
        hint="every `return` must give the same type; convert with .to(...)",
    )


def placeholder(value: Value) -> Value:
    """Any value of the same type."""

    def zero(leaf: Leaf) -> Leaf:
        if isinstance(leaf, ParameterBytes):
            raise UnsupportedError(
                "bytes that are passed by value can't be returned by one branch only",
                hint="return them after the `if`",
            )
        number = tl.int64 if leaf.dtype.is_ptr() else leaf.dtype
        zeros: tl.tensor = constant(0, leaf.type.with_element_ty(number)).to(leaf.dtype)
        return zeros

    return map_leaves(value, zero)


@dataclass
class _Result:
    """A result of the scf.if: the values of the two branches, and the scopes that it is set in."""

    name: str
    values: _Pair
    line: int
    scopes: Sequence[Scope]


class _Join:
    """Collects the results of an scf.if, then builds them."""

    def __init__(self, branches: Branches, node: ast.stmt) -> None:
        self.branches = branches
        self.node = node
        self._results: list[_Result] = []

    def variables(self, ends: Sequence[_End], falling: Scope, exited: Scope) -> None:
        """Joins the variables of the branches into the scopes `falling` and `exited`."""
        scopes = [scope for end in ends for scope in (end.falling, end.exited) if scope]
        for name in dict.fromkeys(name for scope in scopes for name in scope.values):
            if name in (EXIT, VALUE):
                continue
            sides = [
                (self._values(name, [end.falling for end in ends]), falling),
                (self._values(name, [end.exits_with(name) for end in ends]), exited),
            ]
            sides = [(values, scope) for values, scope in sides if _known(values)]
            line = max(scope.lines.get(name, 0) for scope in scopes)
            both = self._merged([values for values, _ in sides])
            if both is not None:
                self._add(name, both, line, [scope for _, scope in sides])
            else:
                for values, scope in sides:
                    self._add(name, values, line, [scope])

    def _values(self, name: str, scopes: Sequence[Scope | None]) -> _Pair:
        first, second = (_ANY if scope is None else self._value(name, scope) for scope in scopes)
        return first, second

    def _value(self, name: str, scope: Scope) -> Value | Unavailable:
        if name in scope.values:
            return scope.values[name]
        return Unavailable(
            f"is assigned in only one branch of the statement at line {self.node.lineno}",
            "assign it before that statement, or in both branches",
        )

    def _merged(self, sides: Sequence[_Pair]) -> _Pair | None:
        """One pair of values for both scopes, or None if they need separate results."""
        if len(sides) < 2 or is_constant(_known(sides[0])):
            return None  # Keeps a constant constant in the scope where control falls through.
        merged = []
        for falling, exited in zip(*sides, strict=True):
            if falling is not exited and falling is not _ANY and exited is not _ANY:
                return None
            merged.append(exited if falling is _ANY else falling)
        pair = (merged[0], merged[1])
        return pair if self._has_one_type(pair) else None

    def _has_one_type(self, values: _Pair) -> bool:
        known = [materialize(value) for value in _known(values)]
        return not _has_missing(known) and same_type(known[0], known[-1])

    def _is_outer(self, name: str, values: _Pair) -> bool:
        """Whether the value is the same in both branches and is not defined in one of them."""
        known = _known(values)
        if len(known) == 2:
            return known[0] is known[1] or (is_constant(known) and same_constant(*known))
        before = self.branches.initial[1 if values[0] is _ANY else 0].values.get(name)
        return known[0] is before or is_constant(known[0])

    def _add(self, name: str, values: _Pair, line: int, scopes: Sequence[Scope]) -> None:
        known = _known(values)
        missing = next((value for value in known if isinstance(value, Unavailable)), None)
        if missing is None and not self._is_outer(name, values):
            if self._has_one_type(values):
                self.add_result(name, values, line, scopes)
                return
            missing = self._conflict(name, values)
        for scope in scopes:
            scope.set(name, known[0] if missing is None else missing, line)

    def _conflict(self, name: str, values: _Pair) -> Unavailable:
        first, second = map(materialize, values)
        lines = [scope.lines.get(name, 0) for scope in self.branches.scopes]
        return Unavailable(
            f"has the type {describe(first)} (line {lines[0]}) if the condition at line "
            f"{self.node.lineno} holds, and {describe(second)} (line {lines[1]}) if not",
            "give it the same type in both branches, with .to(...)",
            is_type_conflict=True,
        )

    def add_result(self, name: str, values: _Pair, line: int, scopes: Sequence[Scope]) -> None:
        """Adds a result: the variable's values at the ends of the branches, for these scopes."""
        self._results.append(_Result(name, values, line, scopes))

    def finish(self) -> None:
        """Completes the scf.if and sets the variables that are its results."""
        pairs = [(self._filled(result, 0), self._filled(result, 1)) for result in self._results]
        for result, value in zip(self._results, self.branches.finish(pairs), strict=True):
            for scope in result.scopes:
                scope.set(result.name, value, result.line)

    def _filled(self, result: _Result, index: int) -> Value:
        """The value at the end of a branch; if it is never read, any value of the type."""
        if result.values[index] is not _ANY:
            return self.branches.materialized(index, result.values[index])
        other = materialize(result.values[1 - index])
        before = self.branches.initial[index].values.get(result.name)
        if before is not None and not is_constant(before) and same_type(before, other):
            return before
        with self.branches.v.inserting_at_end(self.branches.blocks[index]):
            return placeholder(other)
